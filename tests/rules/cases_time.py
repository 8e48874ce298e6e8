"""Bad and good cases of the rules about runs in time and about left-out runs."""

from specstats import Design
from tests.rules.builders import (
    AGAINST_BASE,
    BASE,
    ERROR,
    NOTE,
    PLACED,
    SPEC,
    WARNING,
    Case,
    Rows,
    Sided,
    arm,
    pair,
    response,
    row,
    rows,
)

# 2 % a launch slower, with noise of half a per cent.
FALLING = (4.0, 4.09, 4.15, 4.26, 4.31, 4.42, 4.52, 4.58)
STEADY = (4.0, 4.09, 3.98, 4.06, 4.01, 4.08, 4.03, 4.05)
# Up and down again: no trend, but neighbours are alike.
WAVE = (4.0, 4.1, 4.2, 4.29, 4.31, 4.28, 4.2, 4.1, 4.01, 3.92, 3.9, 3.93, 4.01, 4.1)
SHUFFLED = (4.1, 3.9, 4.29, 4.0, 4.2, 3.93, 4.31, 4.01, 4.1, 3.92, 4.28, 4.01, 4.2, 4.0)
APART = (4.0, 4.05, 3.98, 4.03, 5.4)
TWO_STATES = (4.0, 4.02, 5.1, 4.01, 5.12, 3.99, 5.08)
DAYS = ["a", "b", "c", "d", "e", "f"]


def series(seconds: tuple[float, ...], **extra: object) -> Rows:
    return arm("base", seconds, tuple(range(1, len(seconds) + 1)), **extra)


def named(name: str, seconds: tuple[float, ...], names: list[object]) -> Rows:
    """Launches with names of their own, in no stated order."""
    listed = arm(name, seconds)
    return [{**item, "run": run} for item, run in zip(listed, names, strict=True)]


def in_blocks(base: tuple[float, ...], spec: tuple[float, ...]) -> Rows:
    """One launch of each arm a block, in alternating order."""
    first, second = (1, 4, 5, 8, 9, 12), (2, 3, 6, 7, 10, 11)
    return arm("base", base, first, block=DAYS) + arm("spec", spec, second, block=DAYS)


def manifest(entries: str, numbers: tuple[int, ...] = (1, 2, 3, 4)) -> Case:
    files = {f"base-{n}.json": response(BASE[n % 3] + n / 100) for n in numbers}
    text = f'[study]\nlayout = "{{arm}}-{{run}}.json"\n{entries}'
    return Case({**files, "study.toml": text})


def laid_out(*numbers: int) -> Case:
    files = {f"base-{n}.json": response(BASE[n % 3] + n / 100) for n in numbers}
    return Case(files, reading=PLACED)


EXCLUDED = '[[excluded]]\nrun = "3"\narm = "base"\n'
REASON = 'reason = "the machine was updating"\n'
BASES = (4.0, 4.1, 4.3, 4.2, 4.05, 4.15)
SPECS = (3.0, 3.09, 3.2, 3.16, 3.03, 3.12)

TIME: list[Sided] = [
    ("SPS203", WARNING, rows(series(FALLING)), rows(series(STEADY))),
    ("SPS203", WARNING, rows(series(WAVE)), rows(series(SHUFFLED))),
    # Five launches: a drift is not checkable, which is not the same as absent.
    ("SPS203", WARNING, rows(series(FALLING[:6])), rows(series(FALLING[:5]))),
    # The same times without an order.
    (
        "SPS203",
        WARNING,
        rows(series(FALLING)),
        rows(named("base", FALLING, list("fbhdagce"))),
    ),
    ("SPS206", NOTE, rows(series(APART)), rows(series(APART[:4]))),
    (
        "SPS206",
        NOTE,
        rows(in_blocks(BASES, (*SPECS[:5], 4.6)), AGAINST_BASE),
        # A slow day for both arms is what blocks are for.
        rows(in_blocks((*BASES[:5], 6.15), (*SPECS[:5], 4.62)), AGAINST_BASE),
    ),
    (
        "SPS207",
        WARNING,
        rows(series(TWO_STATES)),
        rows(series((4.0, 4.3, 4.1, 4.2, 4.05, 4.25, 4.4))),
    ),
    ("SPS207", WARNING, rows(series(TWO_STATES[:6])), rows(series(TWO_STATES[:5]))),
    (
        "SPS207",
        WARNING,
        rows(in_blocks(BASES, (3.0, 3.09, 3.2, 3.9, 3.75, 3.84)), AGAINST_BASE),
        rows(
            in_blocks(
                (4.0, 4.1, 4.3, 5.2, 5.05, 5.15), (3.0, 3.09, 3.2, 3.91, 3.78, 3.87)
            ),
            AGAINST_BASE,
        ),
    ),
    (
        "SPS209",
        WARNING,
        rows(pair(), Design(baseline="base", planned_runs=2)),
        rows(pair(), Design(baseline="base", planned_runs=3)),
    ),
    (
        "SPS209",
        NOTE,
        rows(pair(), Design(baseline="base", planned_runs=5)),
        rows(pair(), AGAINST_BASE),
    ),
    ("SPS209", WARNING, manifest("planned_runs = 3\n"), manifest("planned_runs = 4\n")),
    ("SPS401", ERROR, laid_out(1, 2, 4), laid_out(1, 2, 3)),
    # A file that is there and cannot be read has a finding of its own.
    (
        "SPS401",
        ERROR,
        laid_out(1, 2, 4),
        Case({**laid_out(1, 2, 4).files, "base-3.json": ""}, reading=PLACED),
    ),
    # Sizes, and numbers that do not count launches.
    ("SPS401", ERROR, laid_out(1, 2, 4, 5), laid_out(1, 2, 4, 8)),
    ("SPS401", ERROR, laid_out(0, 1, 3), laid_out(11, 12, 14)),
    ("SPS401", ERROR, manifest(EXCLUDED), manifest(EXCLUDED + REASON)),
    (
        "SPS401",
        ERROR,
        manifest("", (1, 2, 4)),
        manifest(EXCLUDED + REASON, (1, 2, 4)),
    ),
    # One sequence over the arms has no gap; one a arm has.
    (
        "SPS401",
        ERROR,
        rows(named("base", FALLING[:4], [1, 2, 3, 4]) + named("spec", SPEC, [1, 2, 4])),
        rows(named("base", BASE, [1, 4, 5]) + named("spec", SPEC, [2, 3, 6])),
    ),
    # llama.cpp pull request 10455: a repeat processes one token of its prompt.
    (
        "SPS108",
        WARNING,
        rows([row("base", 1, 9.4, n_prompt=8318), row("base", 1, 2.6, n_prompt=1)]),
        rows(
            [
                row("base", 1, 9.4, n_prompt=8318),
                row("base", 1, 9.6, n_prompt=8317),
                row("base", 1, 2.6, n_prompt=1, prompt="p2"),
            ]
        ),
    ),
    ("SPS402", NOTE, manifest(EXCLUDED + REASON), manifest("")),
]
