"""Notebooks are committed executed; executed again, they say the same."""

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
_ADDRESS = re.compile(r"0x[0-9a-f]+")


def load(path: Path) -> Any:  # noqa: ANN401 - nbformat has no types
    nbformat = pytest.importorskip("nbformat")
    return nbformat.read(path, as_version=4)


def text_of(cell: Any) -> str:  # noqa: ANN401
    """Return the text outputs of a cell; pictures and addresses are left out."""
    parts = []
    for output in cell.get("outputs", []):
        if output["output_type"] == "stream":
            parts.append(output["text"])
        elif "image/png" not in output.get("data", {}):
            parts.append(output.get("data", {}).get("text/plain", ""))
    lines = "".join(parts).splitlines()
    return _ADDRESS.sub("0x", "\n".join(line.rstrip() for line in lines))


def name_of(path: Path) -> str:
    return path.name


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)
def test_is_committed_executed_and_tidy(path: Path) -> None:
    notebook = load(path)
    cells = notebook.cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    headings = [
        line
        for cell in cells
        if cell.cell_type == "markdown"
        for line in cell.source.splitlines()
        if line.startswith("# ")
    ]
    outputs = [output for cell in code for output in cell.outputs]

    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert len(headings) == 1
    assert not any(output.output_type == "error" for output in outputs)
    assert sum("image/png" in output.get("data", {}) for output in outputs) <= 1
    assert "assert" in code[-1].source
    assert not any("text/html" in output.get("data", {}) for output in outputs)


@pytest.mark.notebook
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)
def test_says_the_same_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbclient = pytest.importorskip("nbclient")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    committed, again = load(path), load(path)
    # The inline backend draws nothing that is compared, and is faster than a window.
    monkeypatch.delenv("MPLBACKEND", raising=False)
    nbclient.NotebookClient(
        again, timeout=120, resources={"metadata": {"path": str(path.parent)}}
    ).execute()

    expected = [text_of(cell) for cell in committed.cells]
    assert [text_of(cell) for cell in again.cells] == expected
