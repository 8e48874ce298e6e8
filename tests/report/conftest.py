"""Studies of every kind of outcome, small enough to be summarised for each test."""

from collections.abc import Callable

import pytest

import specstats
from specstats.results import StudySummary
from specstats.testing import launch_rows, read_rows

NOISE = (0.001, -0.002, 0.0015, -0.0005)


def rates(centre: float, launches: int = 4) -> list[float]:
    return [centre * (1.0 + NOISE[place % 4]) for place in range(launches)]


def outcomes() -> StudySummary:
    """Return a study with one candidate for each verdict but one."""
    arms = {
        "base": rates(30.0),
        "fast": rates(40.0)[::-1],
        "slow": rates(20.0)[::-1],
        "same": rates(30.01)[::-1],
        "pair": rates(35.0, 2),
        "once": rates(35.0, 1),
    }
    return specstats.summarize(read_rows(launch_rows(arms)))


def equivalent() -> StudySummary:
    arms = {"base": rates(30.0), "same": rates(30.01)[::-1]}
    return specstats.summarize(read_rows(launch_rows(arms)), margin=0.05)


def one_arm() -> StudySummary:
    return specstats.summarize(read_rows(launch_rows({"only": rates(30.0)})))


def no_baseline() -> StudySummary:
    arms = {"left": rates(30.0), "right": rates(40.0)}
    return specstats.summarize(read_rows(launch_rows(arms)))


def bundled(name: str) -> Callable[[], StudySummary]:
    return lambda: specstats.summarize(specstats.datasets.path(name))


def by_workload() -> StudySummary:
    folder = specstats.datasets.path("h200-tinyspec")
    return specstats.summarize(folder, by_workload=True)


MAKERS: dict[str, Callable[[], StudySummary]] = {
    "outcomes": outcomes,
    "equivalent": equivalent,
    "one arm": one_arm,
    "no baseline": no_baseline,
    "pascal": bundled("pascal-p5200"),
    "h200": bundled("h200-tinyspec"),
    "by workload": by_workload,
}
_MADE: dict[str, StudySummary] = {}


@pytest.fixture
def make() -> Callable[[str], StudySummary]:
    """Give a function that returns a study by name; studies are frozen."""

    def made(name: str) -> StudySummary:
        if name not in _MADE:
            _MADE[name] = MAKERS[name]()
        return _MADE[name]

    return made


@pytest.fixture(params=list(MAKERS))
def study(
    request: pytest.FixtureRequest, make: Callable[[str], StudySummary]
) -> StudySummary:
    """Give each study in turn."""
    return make(str(request.param))
