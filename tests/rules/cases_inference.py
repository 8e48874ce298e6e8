"""Bad and good cases of the rules about inference, acceptance and records."""

from specstats import Design
from tests.rules.builders import (
    ABBA,
    AGAINST_BASE,
    BASE,
    CONTROL,
    ERROR,
    NOTE,
    SPEC,
    WARNING,
    Case,
    Sided,
    arm,
    drafting,
    pair,
    row,
    rows,
    server_log,
    sglang_answer,
    without,
)

INFERENCE: list[Sided] = [
    (
        "SPS201",
        WARNING,
        rows(pair(BASE[:2], SPEC[:2]), AGAINST_BASE),
        rows(pair(), AGAINST_BASE),
    ),
    (
        "SPS201",
        WARNING,
        rows(pair(), AGAINST_BASE, min_runs=4),
        rows(pair(), AGAINST_BASE, min_runs=3),
    ),
    (
        "SPS201",
        ERROR,
        rows(pair(block="a"), AGAINST_BASE),
        rows(
            arm("base", BASE, (1, 4, 5), block=["a", "b", "c"])
            + arm("spec", SPEC, (2, 3, 6), block=["a", "b", "c"]),
            AGAINST_BASE,
        ),
    ),
    (
        "SPS201",
        ERROR,
        rows(
            arm("base", BASE, ABBA[0]) + arm("spec", SPEC, ABBA[1], n_output=1),
            AGAINST_BASE,
        ),
        rows(pair(), AGAINST_BASE),
    ),
    (
        "SPS202",
        WARNING,
        rows(without(pair((4.0, 4.5, 4.3), (3.7,)), run=9), AGAINST_BASE),
        rows(pair((4.0, 4.5, 4.3), (2.5,)), AGAINST_BASE),
    ),
    (
        "SPS205",
        WARNING,
        rows(
            arm("base", (4.041, 4.187, 4.098), (1, 6, 7))
            + arm("a", (3.926, 3.975, 3.880), (2, 5, 9))
            + arm("b", (4.105, 3.961, 4.062), (3, 4, 8)),
            AGAINST_BASE,
        ),
        rows(
            arm("base", (4.041, 4.187, 4.098), (1, 6, 7))
            + arm("a", (3.926, 3.975, 3.880), (2, 5, 9))
            + arm("b", (4.105, 3.961, 4.062), (3, 4, 8)),
            Design(baseline="base", candidate="b"),
        ),
    ),
    (
        "SPS208",
        ERROR,
        rows(pair((4.1, 4.1, 4.1), (3.1, 3.1, 3.1)), AGAINST_BASE),
        rows(pair((4.1, 4.1, 4.2), (3.1, 3.1, 3.2)), AGAINST_BASE),
    ),
    (
        "SPS208",
        ERROR,
        rows(pair((4.041, 4.041, 4.041)), AGAINST_BASE),
        rows(pair((4.041, 4.041, 4.042)), AGAINST_BASE),
    ),
    (
        "SPS208",
        ERROR,
        rows(
            [
                row(name, run, order=place, engine_rate_tps=rate)
                for name, rate, places in (
                    ("base", 31.4, ABBA[0]),
                    ("spec", 41.2, ABBA[1]),
                )
                for run, place in enumerate(places)
            ],
            AGAINST_BASE,
        ),
        rows(
            [
                row(name, run, order=place, engine_rate_tps=rate + run / 5)
                for name, rate, places in (
                    ("base", 31.4, ABBA[0]),
                    ("spec", 41.2, ABBA[1]),
                )
                for run, place in enumerate(places)
            ],
            AGAINST_BASE,
        ),
    ),
    (
        "SPS210",
        WARNING,
        rows(
            arm("base", (4.041, 4.066, 4.052), ABBA[0])
            + arm("base2", (4.118, 4.151, 4.130), ABBA[1]),
            CONTROL,
        ),
        rows(
            arm("base", (4.041, 4.166, 4.092), ABBA[0])
            + arm("base2", (4.118, 4.051, 4.130), ABBA[1]),
            CONTROL,
        ),
    ),
    (
        "SPS212",
        WARNING,
        rows(
            arm("base", (*BASE, *BASE, 4.1), (1, 3, 4, 6, 7, 9, 10))
            + arm("spec", SPEC, (2, 5, 8)),
            AGAINST_BASE,
        ),
        rows(
            arm("base", (*BASE, *BASE), (1, 3, 4, 6, 7, 9))
            + arm("spec", SPEC, (2, 5, 8)),
            AGAINST_BASE,
        ),
    ),
    (
        "SPS305",
        WARNING,
        rows(drafting()),
        rows(drafting(prompt=["p1", "p2", "p3"])),
    ),
    (
        "SPS308",
        WARNING,
        Case({"a.json": sglang_answer(0.55, accepted=6, drafted=15, steps=5)}),
        Case({"a.json": sglang_answer(0.4, accepted=6, drafted=15, steps=5)}),
    ),
    (
        "SPS309",
        ERROR,
        Case(
            {
                "a.log": server_log(
                    told="srv    load_model: synthetic acceptance is on",
                    drafts="68 accepted / 111 generated",
                )
            }
        ),
        Case({"a.log": server_log(drafts="68 accepted / 111 generated")}),
    ),
    (
        "SPS309",
        ERROR,
        rows(drafting(cfg__synthetic_acceptance=True)),
        rows(drafting(cfg__synthetic_acceptance=False)),
    ),
    (
        "SPS309",
        ERROR,
        rows(
            [*arm("base", BASE), *arm("spec", SPEC, cfg__synthetic_acceptance=True)],
            AGAINST_BASE,
        ),
        rows([*arm("base", BASE), *arm("spec", SPEC)], AGAINST_BASE),
    ),
    (
        "SPS402",
        NOTE,
        rows(
            [row("base", 1, s, repeat=i) for i, s in enumerate((4.1, 4.05, 4.04))],
            Design(warmup=1),
        ),
        rows([row("base", 1, s, repeat=i) for i, s in enumerate((4.1, 4.05, 4.04))]),
    ),
    (
        "SPS402",
        NOTE,
        rows(
            [
                *pair(),
                *without(pair(prompt="p2"), arm="spec", run=1),
                row("spec", 1, order=2, prompt="p2", error="500"),
            ],
            AGAINST_BASE,
        ),
        rows(pair() + pair(prompt="p2"), AGAINST_BASE),
    ),
    (
        "SPS403",
        NOTE,
        rows(pair(), Design(baseline="base", ignore=("nosuch",))),
        rows(pair(), AGAINST_BASE),
    ),
]
