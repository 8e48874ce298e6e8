"""The layers declared in pyproject.toml hold, and the checker can see a breach."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def lint_imports(root: Path) -> subprocess.CompletedProcess[str]:
    code = (
        f"import sys; sys.path.insert(0, {str(root)!r})\n"
        "from importlinter.cli import lint_imports\n"
        "sys.exit(lint_imports(no_cache=True))"
    )
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "specstats", tmp_path / "specstats", ignore=ignore)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_contracts_are_kept() -> None:
    result = lint_imports(ROOT)

    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("file", "line", "contract"),
    [
        ("errors.py", "import specstats.cli.main", "Layers"),
        ("stats/_breach.py", "import specstats.render", "Layers"),
        ("stats/_breach.py", "import specstats.readers", "Layers"),
        ("undeclared.py", "", "Layers"),
        ("analysis/_breach.py", "import matplotlib.pyplot", "Only plot"),
        ("report/_breach.py", "import matplotlib", "Only plot"),
    ],
)
def test_a_breach_is_seen(checkout: Path, file: str, line: str, contract: str) -> None:
    with (checkout / "specstats" / file).open("a", encoding="utf-8") as stream:
        stream.write(f"\n{line}\n")

    result = lint_imports(checkout)

    assert result.returncode == 1, result.stdout + result.stderr
    broken = [row for row in result.stdout.splitlines() if row.endswith("BROKEN")]
    assert any(row.startswith(contract) for row in broken), result.stdout


def test_a_cycle_between_siblings_is_seen(checkout: Path) -> None:
    stats = checkout / "specstats" / "stats"
    (stats / "_one.py").write_text("import specstats.stats._two\n", encoding="utf-8")
    (stats / "_two.py").write_text("import specstats.stats._one\n", encoding="utf-8")

    result = lint_imports(checkout)

    assert result.returncode == 1, result.stdout + result.stderr
    assert "No cycles are allowed in specstats.stats" in result.stdout
