"""Each rule fires on its minimal bad case and is silent on the nearest good one."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import specstats
from specstats import Design
from specstats.cli.acceptance import acceptance
from specstats.diagnostics import RULES, Level
from specstats.results import Verdict

Rows = list[dict[str, object]]
BASE, SPEC = (4.041, 4.127, 4.088), (3.012, 3.101, 3.064)
ABBA = (1, 4, 5), (2, 3, 6)
AGAINST_BASE = Design(baseline="base")
NOTE, WARNING, ERROR = Level.NOTE, Level.WARNING, Level.ERROR


def row(
    arm: str, run: int, seconds: float | None = None, **extra: object
) -> dict[str, object]:
    timed = {} if seconds is None else {"n_output": 128, "decode_s": seconds}
    keys = {key.replace("__", "."): value for key, value in extra.items()}
    return {"arm": arm, "run": run, "prompt": "p1"} | timed | keys


def arm(
    name: str, seconds: tuple[float, ...], order: tuple[int, ...] = (), **extra: object
) -> Rows:
    """Launches of one request each; an extra that is a list has one value a launch."""
    rows = []
    for index, value in enumerate(seconds):
        own = {k: v[index] if isinstance(v, list) else v for k, v in extra.items()}
        placed = {"order": order[index]} if order else {}
        rows.append(row(name, index + 1, value, **placed, **own))
    return rows


def pair(
    base: tuple[float, ...] = BASE, spec: tuple[float, ...] = SPEC, **extra: object
) -> Rows:
    return arm("base", base, ABBA[0], **extra) + arm("spec", spec, ABBA[1], **extra)


def drafting(**extra: object) -> Rows:
    return arm("spec", SPEC, (), n_draft=100, n_accepted=60, **extra)


def without(rows: Rows, **which: object) -> Rows:
    return [item for item in rows if not which.items() <= item.items()]


def response(seconds: float, *, created: int = 0, **extra: object) -> str:
    """A llama-server response; the rate counts all 128 tokens."""
    timings = {
        "prompt_n": 34,
        "prompt_ms": 81.0,
        "predicted_n": 128,
        "predicted_ms": seconds * 1e3,
        "predicted_per_second": 128 / seconds,
    }
    own = {key: extra.pop(key) for key in ("pid", "process_start") if key in extra}
    return json.dumps({"created": created, **own, "timings": {**timings, **extra}})


def bench_entry(**extra: object) -> str:
    entry = {
        "build_commit": "798cf6cbe",
        "n_prompt": 0,
        "n_gen": 128,
        "samples_ns": [4000000000, 4100000000, 4200000000],
        "stddev_ns": 100000000,
    }
    return json.dumps([{**entry, **extra}])


@dataclass(frozen=True)
class Case:
    """What is read, and under which design."""

    files: Mapping[str, str | Rows]
    design: Design | None = None
    name: str = ""
    reading: Mapping[str, Any] = field(default_factory=dict)
    summarizing: Mapping[str, Any] = field(default_factory=dict)


def rows(listed: Rows, design: Design | None = None, **summarizing: object) -> Case:
    return Case({"runs.jsonl": listed}, design, summarizing=summarizing)


MARKDOWN = "| test | t/s |\n| --- | --- |\n| tg128 | 31.70 \u00b1 0.12 |\n"
SMI = "2026/11/30 09:00:00.{}, {}, {}, {}, {}\n"
SMI_ROWS = SMI.format("000", 58, 31.07, 0, 11021) + SMI.format(
    "500", 61, 142.3, 96, 11873
)
SMI_HEADER = (
    "timestamp, temperature.gpu, power.draw [W], utilization.gpu [%], "
    "memory.used [MiB]\n"
)
NOON = 1764590400.0
DAY = 86400.0
PLACED = {"layout": "{arm}-{run}.json"}
COLD_STARTS = [
    row("base", run, seconds)
    for run, launch in enumerate(
        [(9.2, 4.01, 4.12), (8.7, 4.09, 4.05), (9.9, 4.2, 4.13)]
    )
    for seconds in launch
]
CONTROL = Design(baseline="base", controls=(("base", "base2"),))

Sided = tuple[str, Level, Case, Case]
TWO_SIDED: list[Sided] = [
    (
        "SPS001",
        ERROR,
        Case({"a.txt": "31.7 tok/s\n"}, name="a.txt"),
        Case({"a.txt": arm("base", BASE)}, name="a.txt"),
    ),
    (
        "SPS001",
        ERROR,
        Case({"a.txt": "31.7 tok/s\n"}),
        Case({"a.txt": "31.7 tok/s\n", "b.jsonl": arm("base", BASE)}),
    ),
    (
        "SPS002",
        WARNING,
        rows([*arm("base", BASE), row("base", 4, 4.1, n_output="many")]),
        rows([*arm("base", BASE), row("base", 4, 4.1)]),
    ),
    (
        "SPS003",
        ERROR,
        Case(
            {"base-1.json": response(4.0), "base-2.json": response(4.0)}, reading=PLACED
        ),
        Case(
            {"base-1.json": response(4.0), "base-2.json": response(4.1)}, reading=PLACED
        ),
    ),
    (
        "SPS003",
        ERROR,
        Case(
            {
                "a.jsonl": [row("base", 1, 4.041, request_id="x")],
                "b.jsonl": [row("base", 2, 4.041, request_id="x")],
            }
        ),
        Case(
            {
                "a.jsonl": [row("base", 1, 4.041, request_id="x")],
                "b.jsonl": [row("base", 2, 4.042, request_id="x")],
            }
        ),
    ),
    (
        "SPS004",
        ERROR,
        Case({"base.md": MARKDOWN}),
        Case({"base.json": bench_entry()}),
    ),
    (
        "SPS005",
        WARNING,
        Case({"base.json": response(4.0)}),
        Case({"base.json": response(4.0)}, reading={"run_per_file": True}),
    ),
    (
        "SPS005",
        WARNING,
        Case({"base.json": response(4.0)}),
        Case({"base.json": response(4.0, pid=7, process_start=NOON)}),
    ),
    (
        "SPS006",
        WARNING,
        Case({"a.json": response(4.0, draft_n=100, draft_n_accepted=101)}),
        Case({"a.json": response(4.0, draft_n=100, draft_n_accepted=100)}),
    ),
    (
        "SPS006",
        WARNING,
        Case({"a.json": response(4.0, predicted_per_second=127.5 / 4.0)}),
        Case({"a.json": response(4.0, predicted_per_second=127.2 / 4.0)}),
    ),
    (
        "SPS007",
        WARNING,
        rows([*arm("base", BASE), row("base", 4, error="500")]),
        rows([*arm("base", BASE), row("base", 4, 4.1)]),
    ),
    (
        "SPS007",
        ERROR,
        rows([row("base", 1, error="500"), row("base", 2, error="500")]),
        rows([row("base", 1, 4.0), row("base", 2, 4.1)]),
    ),
    (
        "SPS008",
        NOTE,
        rows([row("base", 1, 4.0), row("base", 2, 3.1, n_output=97)]),
        rows([row("base", 1, 4.0), row("base", 2, 3.1, n_output=97, prompt="p2")]),
    ),
    (
        "SPS008",
        NOTE,
        Case(
            {
                "base-1.json": response(4.0),
                "base-2.json": response(4.1, predicted_per_second=127 / 4.1),
            },
            reading=PLACED,
        ),
        Case(
            {"base-1.json": response(4.0), "base-2.json": response(4.1)}, reading=PLACED
        ),
    ),
    (
        "SPS009",
        NOTE,
        Case({"a.json": bench_entry(stddev_ns=101100000)}),
        Case({"a.json": bench_entry(stddev_ns=100900000)}),
    ),
    (
        "SPS011",
        NOTE,
        Case({"gpu.csv": SMI_ROWS}),
        Case({"gpu.csv": SMI_HEADER + SMI_ROWS}),
    ),
    (
        "SPS012",
        NOTE,
        Case({"base.jsonl": [{"run": 1, "n_output": 128, "decode_s": 4.0}]}),
        Case(
            {
                "base.jsonl": [
                    {"run": 1, "n_output": 128, "decode_s": 4.0, "arm": "base"}
                ]
            }
        ),
    ),
    (
        "SPS012",
        NOTE,
        Case(
            {"base-1.json": response(4.0), "base-2.json": response(4.1)}, reading=PLACED
        ),
        Case(
            {
                "base-1.json": response(4.0, created=1),
                "base-2.json": response(4.1, created=2),
            },
            reading=PLACED,
        ),
    ),
    (
        "SPS013",
        NOTE,
        Case({"runs.jsonl": arm("base", BASE), "notes.txt": "fan replaced\n"}),
        Case({"runs.jsonl": arm("base", BASE), ".notes.txt": "fan replaced\n"}),
    ),
    (
        "SPS013",
        NOTE,
        Case(
            {"base-1.json": response(4.0), "base1.json": response(4.1)}, reading=PLACED
        ),
        Case(
            {"base-1.json": response(4.0), "base-2.json": response(4.1)}, reading=PLACED
        ),
    ),
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
            Design(baseline="base", candidate="a"),
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
IDS = [f"{code}-{index}" for index, (code, *_) in enumerate(TWO_SIDED)]
Observe = Callable[..., Any]


def levels(observe: Observe, case: Case) -> dict[str, Level]:
    found: dict[str, Level] = observe(
        case.files,
        case.design,
        name=case.name,
        reading=case.reading,
        summarizing=case.summarizing,
    ).levels
    return found


def test_every_rule_is_covered() -> None:
    assert {code for code, *_ in TWO_SIDED} | {"SPS301"} == set(RULES)


@pytest.mark.parametrize(
    ("code", "level", "bad"), [case[:3] for case in TWO_SIDED], ids=IDS
)
def test_the_bad_case_fires(
    observe: Observe, code: str, level: Level, bad: Case
) -> None:
    assert levels(observe, bad).get(code) is level


@pytest.mark.parametrize(
    ("code", "good"), [(case[0], case[3]) for case in TWO_SIDED], ids=IDS
)
def test_the_good_case_is_silent(observe: Observe, code: str, good: Case) -> None:
    assert code not in levels(observe, good)


def acceptance_codes(tmp_path: Path, listed: Rows) -> tuple[int, set[str]]:
    path = tmp_path / "runs.jsonl"
    header: Rows = [{"specstats.table": "requests", "version": 1}]
    path.write_text("".join(json.dumps(item) + "\n" for item in [*header, *listed]))
    done = CliRunner().invoke(
        acceptance, [str(path), "--format", "json"], standalone_mode=False
    )
    assert isinstance(done.return_value, int)
    found = {item["code"] for item in json.loads(done.output)["findings"]}
    return done.return_value, found


def test_acceptance_without_counts(tmp_path: Path) -> None:
    assert acceptance_codes(tmp_path, arm("spec", SPEC)) == (1, {"SPS301"})


def test_acceptance_with_counts(tmp_path: Path) -> None:
    listed = drafting(prompt=["p1", "p2", "p3"])
    assert acceptance_codes(tmp_path, listed) == (0, set())


def verdicts(observe: Observe, case: Case) -> list[Verdict]:
    study = observe(case.files, case.design, summarizing=case.summarizing).study
    return [item.verdict for item in study.headlines]


@pytest.mark.parametrize(
    ("case", "verdict"),
    [
        (rows(pair(), AGAINST_BASE), Verdict.FASTER),
        (rows(pair(SPEC, BASE), AGAINST_BASE), Verdict.SLOWER),
        (rows(pair(BASE[:1], SPEC[:1]), AGAINST_BASE), Verdict.REFUSED),
        (rows(pair(BASE[:2], SPEC[:2]), AGAINST_BASE), Verdict.INSUFFICIENT),
        (
            rows(
                arm("base", BASE, (1, 2, 3)) + arm("spec", SPEC, (4, 5, 6)),
                AGAINST_BASE,
            ),
            Verdict.INCONCLUSIVE,
        ),
        (
            rows(
                pair((4.041, 4.066, 4.052), (4.0, 4.03, 4.01))
                + arm("base2", (4.118, 4.151, 4.130), (7, 8, 9)),
                CONTROL,
            ),
            Verdict.INCONCLUSIVE,
        ),
    ],
)
def test_what_a_rule_does_to_the_verdict(
    observe: Observe, case: Case, verdict: Verdict
) -> None:
    assert verdicts(observe, case) == [verdict]


def test_a_refused_comparison_has_no_estimate(observe: Observe) -> None:
    study = observe(rows(pair(BASE[:1], SPEC[:1])).files, AGAINST_BASE).study
    (comparison,) = study.headlines
    assert comparison.estimate is None
    assert comparison.observed_ratio == pytest.approx(BASE[0] / SPEC[0])


def test_allowing_a_rule_lifts_its_error_and_says_so(observe: Observe) -> None:
    case = rows(
        arm("base", BASE, ABBA[0], id__build="b1")
        + arm("spec", SPEC, ABBA[1], id__build="b2")
    )
    study = observe(case.files, AGAINST_BASE, summarizing={"allow": ["SPS112"]}).study
    assert [item.verdict for item in study.headlines] == [Verdict.FASTER]
    (found,) = study.findings.of("SPS112")
    assert found.level is WARNING
    assert found.message.startswith("allowed by user: ")


def test_failures_that_follow_the_arm_by_permutation(observe: Observe) -> None:
    places = {"base": (1, 4, 5, 8), "spec": (2, 3, 6, 7)}
    listed = [
        row(
            name,
            run,
            None if fails else 4.0 + run / 50,
            order=place,
            prompt=f"p{prompt}",
            **({"error": "500"} if fails else {}),
        )
        for name, order in places.items()
        for run, place in enumerate(order)
        for prompt in range(6)
        for fails in [
            prompt < (4 if name == "spec" else 1) and (name == "spec" or run == 0)
        ]
    ]
    found = observe({"runs.jsonl": listed}, AGAINST_BASE).study.findings.of("SPS007")
    (error,) = [item for item in found if item.level is ERROR]
    assert "permutation p 0.0286" in error.message


def test_borrowed_spread_makes_one_run_a_warning(observe: Observe) -> None:
    reference = specstats.ReferenceSpread(sd=0.02, df=9)
    case = rows(pair(BASE[:1], SPEC[:1]), AGAINST_BASE, reference_spread=reference)
    observed = observe(case.files, case.design, summarizing=case.summarizing)
    assert observed.levels["SPS101"] is WARNING
    assert "SPS202" not in observed.levels
    assert [item.verdict for item in observed.study.headlines] == [Verdict.INSUFFICIENT]


def test_findings_on_one_pair_leave_the_other_alone(observe: Observe) -> None:
    listed = pair() + arm("other", SPEC[:1], (7,))
    study = observe({"runs.jsonl": listed}, AGAINST_BASE).study
    assert {item.candidate: item.verdict for item in study.headlines} == {
        "spec": Verdict.FASTER,
        "other": Verdict.REFUSED,
    }
