"""Bad and good cases of the rules about design, SPS1xx."""

from specstats import Design
from tests.rules.builders import (
    ABBA,
    AGAINST_BASE,
    BASE,
    COLD_STARTS,
    DAY,
    ERROR,
    NOON,
    NOTE,
    PLACED,
    SPEC,
    WARNING,
    Case,
    Sided,
    arm,
    bench_entry,
    drafting,
    pair,
    response,
    row,
    rows,
    without,
)

DESIGN: list[Sided] = [
    (
        "SPS101",
        ERROR,
        rows(without(pair(BASE[:2], SPEC[:2]), arm="spec", run=2), AGAINST_BASE),
        rows(pair(BASE[:2], SPEC[:2]), AGAINST_BASE),
    ),
    (
        "SPS102",
        ERROR,
        rows(arm("base", BASE, cfg__threads=[8, 8, 6])),
        rows(arm("base", BASE, cfg__threads=[8, 8, 8])),
    ),
    (
        "SPS102",
        ERROR,
        rows(arm("base", BASE, cfg__threads=[8, 8, 6])),
        rows(arm("base", BASE, cfg__threads=[8, 8, 6]), Design(ignore=("threads",))),
    ),
    (
        "SPS102",
        ERROR,
        rows(
            arm("base", BASE, ABBA[0], cfg__depth=0, cfg__batch=1)
            + arm("spec", SPEC, ABBA[1], cfg__depth=4, cfg__batch=2),
            Design(baseline="base", factor="depth"),
        ),
        rows(
            arm("base", BASE, ABBA[0], cfg__depth=0, cfg__batch=1)
            + arm("spec", SPEC, ABBA[1], cfg__depth=4, cfg__batch=1),
            Design(baseline="base", factor="depth"),
        ),
    ),
    (
        "SPS103",
        ERROR,
        rows(pair(), Design(baseline="base", unit="request")),
        rows(pair(), Design(baseline="base", unit="run")),
    ),
    (
        "SPS103",
        ERROR,
        Case(
            {
                "base-1.json": response(4.0, pid=7, process_start=NOON),
                "base-2.json": response(4.1, pid=7, process_start=NOON),
            },
            reading=PLACED,
        ),
        Case(
            {
                "base-1.json": response(4.0, pid=7, process_start=NOON),
                "base-2.json": response(4.1, pid=7, process_start=NOON + 60),
            },
            reading=PLACED,
        ),
    ),
    (
        "SPS103",
        ERROR,
        Case(
            {
                "base-1.json": response(4.0, cache_n=0),
                "base-2.json": response(4.1, cache_n=33),
            },
            reading=PLACED,
        ),
        Case(
            {
                "base-1.json": response(4.0, cache_n=0),
                "base-2.json": response(4.1, cache_n=0),
            },
            reading=PLACED,
        ),
    ),
    (
        "SPS104",
        WARNING,
        rows(arm("base", BASE, (1, 2, 3)) + arm("spec", SPEC, (4, 5, 6)), AGAINST_BASE),
        rows(pair(), AGAINST_BASE),
    ),
    (
        "SPS104",
        WARNING,
        rows(arm("base", BASE) + arm("spec", SPEC), AGAINST_BASE),
        rows(pair(), AGAINST_BASE),
    ),
    (
        "SPS104",
        ERROR,
        rows(
            arm("base", (4.0, 4.1, 4.2), (1, 2, 3))
            + arm("spec", (4.3, 4.4, 4.51), (4, 5, 6)),
            AGAINST_BASE,
        ),
        rows(
            arm("base", (4.0, 4.3, 4.4), (1, 4, 5))
            + arm("spec", (4.1, 4.2, 4.51), (2, 3, 6)),
            AGAINST_BASE,
        ),
    ),
    (
        "SPS104",
        WARNING,
        rows(
            arm("base", BASE, (1, 3, 5), block=["a", "b", "c"])
            + arm("spec", SPEC, (2, 4, 6), block=["a", "b", "c"]),
            AGAINST_BASE,
        ),
        rows(
            arm("base", BASE, (1, 4, 5), block=["a", "b", "c"])
            + arm("spec", SPEC, (2, 3, 6), block=["a", "b", "c"]),
            AGAINST_BASE,
        ),
    ),
    (
        "SPS105",
        ERROR,
        rows(
            pair()
            + arm("base", BASE, ABBA[0], prompt="p2")
            + arm("spec", SPEC, ABBA[1], prompt="p3"),
            AGAINST_BASE,
        ),
        rows(pair() + pair(prompt="p2"), AGAINST_BASE),
    ),
    (
        "SPS105",
        WARNING,
        rows(pair() + without(pair(prompt="p2"), arm="spec", run=3), AGAINST_BASE),
        rows(pair() + pair(prompt="p2"), AGAINST_BASE),
    ),
    (
        "SPS105",
        ERROR,
        rows(
            arm("base", BASE, ABBA[0], finish_reason="length")
            + arm("spec", SPEC, ABBA[1], finish_reason="length", n_output=96),
            AGAINST_BASE,
        ),
        rows(pair(finish_reason="length"), AGAINST_BASE),
    ),
    (
        "SPS105",
        ERROR,
        rows(
            arm("base", BASE, ABBA[0], prompt=["a", "b", "a"])
            + arm("spec", SPEC, ABBA[1], prompt=["c", "d", "c"]),
            AGAINST_BASE,
        ),
        rows(
            arm("base", BASE, ABBA[0], prompt=["a", "b", "c"])
            + arm("spec", SPEC, ABBA[1], prompt=["d", "e", "f"]),
            AGAINST_BASE,
        ),
    ),
    (
        "SPS107",
        WARNING,
        rows(
            [row("base", 1, s, repeat=i) for i, s in enumerate((9.2, 4.05, 4.04, 4.06))]
        ),
        rows(
            [row("base", 1, s, repeat=i) for i, s in enumerate((4.1, 4.05, 4.04, 4.06))]
        ),
    ),
    (
        "SPS107",
        WARNING,
        rows(COLD_STARTS),
        rows(COLD_STARTS, Design(warmup=1)),
    ),
    (
        "SPS107",
        WARNING,
        Case(
            {
                "a.json": bench_entry(
                    samples_ns=[9200000000, 4040000000, 4050000000, 4060000000]
                )
            }
        ),
        Case(
            {
                "a.json": bench_entry(
                    samples_ns=[4090000000, 4040000000, 4050000000, 4060000000]
                )
            }
        ),
    ),
    (
        "SPS108",
        WARNING,
        rows([row("base", 1, 4.0, n_cached=0), row("base", 1, 4.1, n_cached=33)]),
        rows(
            [
                row("base", 1, 4.0, n_cached=0),
                row("base", 1, 4.1, n_cached=33, prompt="p2"),
            ]
        ),
    ),
    (
        "SPS109",
        NOTE,
        rows(drafting(output_sha256="aa")),
        rows(drafting(output_sha256=["aa", "bb", "cc"])),
    ),
    (
        "SPS109",
        NOTE,
        rows(drafting(output_sha256="aa")),
        rows(arm("base", BASE, output_sha256="aa")),
    ),
    (
        "SPS112",
        ERROR,
        rows(
            arm("base", BASE, ABBA[0], id__model="a.gguf")
            + arm("spec", SPEC, ABBA[1], id__model="b.gguf"),
            AGAINST_BASE,
        ),
        rows(
            arm("base", BASE, ABBA[0], id__model="a.gguf")
            + arm("spec", SPEC, ABBA[1], id__model="b.gguf"),
            Design(baseline="base", factor="id.model"),
        ),
    ),
    (
        "SPS112",
        ERROR,
        rows(arm("base", BASE, id__build=["b1", "b1", "b2"])),
        rows(arm("base", BASE, id__build=["b1", "b1", "b1"])),
    ),
    (
        "SPS114",
        ERROR,
        rows(
            arm("base", BASE, ABBA[0], block=["a", "b", "c"])
            + arm("spec", SPEC, ABBA[1], block=["d", "e", "f"]),
            AGAINST_BASE,
        ),
        rows(
            arm("base", BASE, ABBA[0], block=["a", "b", "c"])
            + arm("spec", SPEC, ABBA[1], block=["c", "b", "a"]),
            AGAINST_BASE,
        ),
    ),
    (
        "SPS114",
        WARNING,
        rows(
            [*pair(block=["a", "b", "c"]), row("spec", 4, 3.05, order=7, block="d")],
            AGAINST_BASE,
        ),
        rows(
            [*pair(block=["a", "b", "c"]), row("spec", 4, 3.05, order=7, block="c")],
            AGAINST_BASE,
        ),
    ),
    (
        "SPS114",
        ERROR,
        rows(
            arm("base", BASE, started_s=[NOON, NOON + 60, NOON + 120])
            + arm(
                "spec", SPEC, started_s=[NOON + DAY, NOON + DAY + 60, NOON + DAY + 120]
            ),
            AGAINST_BASE,
        ),
        rows(
            arm("base", BASE, started_s=[NOON, NOON + 180, NOON + DAY])
            + arm("spec", SPEC, started_s=[NOON + 60, NOON + 120, NOON + DAY + 60]),
            AGAINST_BASE,
        ),
    ),
    (
        "SPS115",
        NOTE,
        rows(arm("a", BASE) + arm("b", SPEC)),
        rows(arm("a", BASE) + arm("off", SPEC)),
    ),
    ("SPS115", NOTE, rows(arm("a", BASE) + arm("b", SPEC)), rows(arm("a", BASE))),
]
