"""Start-up: users run the command line in loops and hooks."""

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.benchmark

Ratio = Callable[..., float]
NUMPY = ("-c", "import numpy")
HEAVY = ("-c", "import pandas, scipy.stats")


def test_import(ratio: Ratio) -> None:
    assert ratio(("-c", "import specstats"), NUMPY) < 2.0


def test_version(ratio: Ratio) -> None:
    assert ratio(("-m", "specstats", "--version"), HEAVY) < 0.3


def test_summary_of_a_small_study(ratio: Ratio) -> None:
    command = ("-m", "specstats", "summarize", "data/pascal-p5200")
    assert ratio(command, HEAVY) < 1.0


def test_summary_of_thirty_files(ratio: Ratio) -> None:
    command = ("-m", "specstats", "summarize", "data/h200-tinyspec")
    assert ratio(command, HEAVY) < 2.5
