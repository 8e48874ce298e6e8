"""Fixtures and guards shared by all tests."""

import os
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
SEED = 20261130

os.environ["MPLBACKEND"] = "Agg"  # before anything imports matplotlib

# The same examples on every machine; time limits would only measure how busy it is.
hypothesis.settings.register_profile(
    "specstats", deadline=None, derandomize=True, database=None
)
hypothesis.settings.load_profile("specstats")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--update-golden``."""
    parser.addoption(
        "--update-golden",
        action="store_true",
        default=False,
        help="rewrite the expected outputs of golden tests",
    )


@pytest.fixture(scope="session")
def update_golden(pytestconfig: pytest.Config) -> bool:
    """Whether golden tests rewrite their expected output instead of comparing."""
    return bool(pytestconfig.getoption("--update-golden"))


@pytest.fixture
def rng() -> np.random.Generator:
    """Give a generator with a fixed seed, fresh for each test."""
    return np.random.default_rng(SEED)


@pytest.fixture(scope="session")
def corpus() -> Path:
    """Find the folder of artifact files; see CONTRIBUTING.md."""
    folder = Path(
        os.environ.get("SPECSTATS_CORPUS", ROOT.parent / "shared" / "corpus")
    ).resolve()
    if not folder.is_dir():
        reason = f"no corpus at {folder}; set SPECSTATS_CORPUS"
        if os.environ.get("SPECSTATS_REQUIRE_CORPUS") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return folder


@pytest.fixture(autouse=True)
def _global_rng_untouched() -> Iterator[None]:
    """Fail a test that draws from, or seeds, NumPy's global generator."""
    before = _global_rng_state()
    yield
    if _global_rng_state() != before:
        pytest.fail("the global NumPy random state was used", pytrace=False)


def _global_rng_state() -> tuple[bytes, int, int, float]:
    state = np.random.get_state(legacy=False)  # noqa: NPY002 - that it stays untouched
    assert isinstance(state, dict)
    inner = state["state"]
    return inner["key"].tobytes(), inner["pos"], state["has_gauss"], state["gauss"]
