"""Bad and good cases of the rules about estimands, workloads and chosen arms."""

from specstats import Design
from tests.rules.builders import (
    ABBA,
    AGAINST_BASE,
    ERROR,
    WARNING,
    Rows,
    Sided,
    arm,
    row,
    rows,
    without,
)

BASE, SPEC = (4.041, 4.127, 4.088), (3.012, 3.101, 3.064)


def crossing(slow: float) -> Rows:
    """Spec halves the time of prompt p1 and multiplies that of p2."""
    times = {"base": (4.0, 4.0), "spec": (2.0, 4.0 * slow)}
    return [
        row(
            name,
            run,
            seconds * (1.0 + 0.004 * run + 0.003 * number),
            order=ABBA[name == "spec"][run],
            prompt=f"p{number + 1}",
        )
        for name, both in times.items()
        for run in range(3)
        for number, seconds in enumerate(both)
    ]


def loads(*workloads: str) -> Rows:
    return [
        *(
            item | {"workload": load, "prompt": load}
            for load in workloads
            for item in arm("base", BASE, ABBA[0]) + arm("spec", SPEC, ABBA[1])
        )
    ]


PICKED = (
    arm("base", (4.041, 4.187, 4.098), (1, 6, 7))
    + arm("a", (3.926, 3.975, 3.880), (2, 5, 9))
    + arm("b", (4.105, 3.961, 4.062), (3, 4, 8))
)

ESTIMANDS: list[Sided] = [
    (
        "SPS204",
        ERROR,
        rows(
            without(loads("code", "chat"), arm="spec", workload="chat"),
            AGAINST_BASE,
            by_workload=True,
        ),
        rows(loads("code", "chat"), AGAINST_BASE, by_workload=True),
    ),
    (
        "SPS204",
        ERROR,
        rows(
            without(loads("code", "chat"), arm="spec", workload="chat", run=2),
            AGAINST_BASE,
            by_workload=True,
        ),
        rows(without(loads("code", "chat"), run=4), AGAINST_BASE, by_workload=True),
    ),
    (
        "SPS205",
        WARNING,
        rows(PICKED, Design(baseline="base", candidate="a")),
        rows(without(PICKED, arm="b"), Design(baseline="base", candidate="a")),
    ),
    (
        "SPS211",
        WARNING,
        rows(crossing(1.9), AGAINST_BASE),
        rows(crossing(1.1), AGAINST_BASE),
    ),
    (
        "SPS211",
        WARNING,
        rows(crossing(1.8), AGAINST_BASE),
        rows(without(crossing(1.8), prompt="p2"), AGAINST_BASE),
    ),
]
