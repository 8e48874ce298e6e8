"""Start-up stays fast, and the numerics stand on NumPy and SciPy alone."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "specstats"
STATS = sorted(
    ".".join(("specstats", *path.relative_to(PACKAGE).with_suffix("").parts))
    for path in PACKAGE.glob("stats/**/*.py")
    if path.name != "__init__.py"
)
HEAVY = ("pandas", "scipy.stats", "statsmodels", "matplotlib", "pyarrow", "click")
BLOCKED = ("pandas", "pyarrow", "statsmodels")

# Imports a module with some libraries made unimportable, then runs its examples.
RUN_BLOCKED = """
import doctest, importlib, sys
name, run_examples, *blocked = sys.argv[1:]
sys.modules.update(dict.fromkeys(blocked))
module = importlib.import_module(name)
assert "scipy.stats" not in sys.modules, name + " imports scipy.stats"
if run_examples == "yes":
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    failed = doctest.testmod(module, optionflags=flags).failed
    assert not failed, f"{failed} examples failed"
    assert "scipy.stats" not in sys.modules, name + " uses scipy.stats"
"""


def python(*args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *args],
        cwd=PACKAGE.parent,
        capture_output=True,
        text=True,
        check=False,
    )


def loaded_by(module: str) -> set[str]:
    code = f"import json, sys, {module}; print(json.dumps(list(sys.modules)))"
    result = python("-c", code)
    assert result.returncode == 0, result.stderr
    return set(json.loads(result.stdout))


def test_the_package_loads_no_heavy_library() -> None:
    assert loaded_by("specstats").isdisjoint(HEAVY)


def test_the_command_line_loads_no_numeric_library() -> None:
    numeric = {"pandas", "pyarrow", "numpy", "scipy"}

    assert loaded_by("specstats.cli.main").isdisjoint(numeric)


def test_a_loaded_library_is_noticed() -> None:
    assert "numpy" in loaded_by("numpy")


@pytest.mark.parametrize("module", STATS)
def test_numerics_need_only_numpy_and_scipy(module: str) -> None:
    run_examples = "no" if module == "specstats.stats.mixed" else "yes"

    result = python("-c", RUN_BLOCKED, module, run_examples, *BLOCKED)

    assert result.returncode == 0, result.stdout + result.stderr


def test_blocking_a_library_works(tmp_path: Path) -> None:
    (tmp_path / "needs_pandas.py").write_text("import pandas\n", encoding="utf-8")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{RUN_BLOCKED}"

    result = python("-c", code, "needs_pandas", "no", *BLOCKED)

    assert result.returncode != 0
    assert "import of pandas halted" in result.stderr
