"""Public names are documented, and their examples run."""

import doctest
import inspect
from types import ModuleType

import pytest

import specstats

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
NOT_DOCUMENTED_BY_THEMSELVES = {"METRICS", "RULES", "__version__"}
# Results are made by verbs, whose examples show them.
RESULTS = {
    *(
        "Acceptance",
        "ArmSummary",
        "Bench",
        "Comparison",
        "Decomposition",
        "DepthSweep",
        "Drift",
        "Estimate",
    ),
    *("Finding", "Findings", "Interval", "Plan", "Rule", "Schedule", "Spread"),
    *("StudySummary", "Verdict"),
}
STATED = {"Design", "ReferenceSpread"}
# Parts of `simulate`, whose example shows them.
PARTS = {"testing.read_rows", "testing.simulated_rows"}
DOCUMENTED = sorted(set(specstats.__all__) - NOT_DOCUMENTED_BY_THEMSELVES)
MODULES = [
    name for name in DOCUMENTED if isinstance(getattr(specstats, name), ModuleType)
]
WITH_EXAMPLES = sorted(set(DOCUMENTED) - RESULTS - STATED - set(MODULES))


def failures(name: str, item: object) -> tuple[int, int]:
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for test in doctest.DocTestFinder(recurse=False).find(item, name):
        runner.run(test)
    return runner.summarize(verbose=False)


def qualified() -> list[tuple[str, object]]:
    """Return all public names, those of the public modules included."""
    found = [(name, getattr(specstats, name)) for name in WITH_EXAMPLES]
    for module in MODULES:
        home = getattr(specstats, module)
        found += [
            (f"{module}.{name}", getattr(home, name))
            for name in home.__all__
            if inspect.isfunction(getattr(home, name))
            and f"{module}.{name}" not in PARTS
        ]
    return found


@pytest.mark.parametrize("name", DOCUMENTED)
def test_has_a_docstring(name: str) -> None:
    text = inspect.getdoc(getattr(specstats, name))

    assert text
    assert text.partition("\n\n")[0].rstrip().endswith(".")


@pytest.mark.parametrize(("name", "item"), qualified(), ids=[n for n, _ in qualified()])
def test_examples_run(name: str, item: object) -> None:
    text = inspect.getdoc(item) or ""
    failed, attempted = failures(name, item)

    assert "Examples\n--------" in text
    assert attempted > 0
    assert failed == 0


@pytest.mark.parametrize("name", sorted(RESULTS | STATED))
def test_examples_of_classes_run(name: str) -> None:
    failed, _ = failures(name, getattr(specstats, name))

    assert failed == 0
