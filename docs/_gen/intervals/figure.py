"""The figure of docs/validation/coverage.md, drawn from the tables of that page.

``python -m docs._gen.intervals.figure`` writes it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import matplotlib as mpl
from matplotlib.figure import Figure

from docs._gen.intervals.launches import SHAPES
from docs._gen.intervals.table import HIGH, LOW, PAGE, UNITS

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["FIGURE", "draw", "written"]

FIGURE = PAGE.with_name("coverage.svg")
LINES = {
    "Welch, n launches an arm (the default)": ("Welch (default)", "C0", "o"),
    "Future sessions: n blocks, one launch of each arm, gains differ by block": (
        "paired blocks",
        "C2",
        "s",
    ),
    "Prompts like these: n launches an arm, 8 prompts whose gains differ": (
        "prompts like these",
        "C4",
        "^",
    ),
    "WRONG on purpose: Welch over the requests of n launches": (
        "requests as units (wrong)",
        "C3",
        "x",
    ),
}


def written(title: str, shape: str) -> list[float | None]:
    """Return the shares of a row of the page, None where there is no interval.

    Parameters
    ----------
    title, shape : str
        First two cells of the row.

    Returns
    -------
    list of float or None
        One for each number of units.

    Raises
    ------
    LookupError
        If the page has no such row.
    """
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[:2] == [title, shape]:
            found = [re.search(r"\d\.\d{3}", cell) for cell in cells[2:]]
            return [None if hit is None else float(hit[0]) for hit in found]
    raise LookupError(f"no row {title!r}, {shape!r}")


def draw(path: Path = FIGURE) -> None:
    """Draw coverage by number of units, a panel for each kind of launches.

    Parameters
    ----------
    path : Path
        Where to.
    """
    figure = Figure(figsize=(9.0, 3.2), layout="constrained")
    panels = figure.subplots(1, len(SHAPES), sharey=True)
    for axes, shape in zip(panels, SHAPES, strict=True):
        axes.axhspan(LOW, HIGH, color="0.9")
        axes.axhline(0.95, color="0.6", linewidth=0.8)
        for title, (label, colour, marker) in LINES.items():
            axes.plot(
                range(len(UNITS)),
                written(title, shape),
                color=colour,
                marker=marker,
                markersize=4,
                linewidth=1.2,
                label=label,
            )
        axes.set_title(shape, fontsize=10)
        axes.set_xticks(range(len(UNITS)), [str(n) for n in UNITS])
        axes.set_xlabel("launches an arm, or blocks")
        axes.set_ylim(0.0, 1.02)
    panels[0].set_ylabel("share of 95 % intervals\nthat hold the truth")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    with mpl.rc_context({"svg.hashsalt": "specstats", "svg.fonttype": "path"}):
        figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    draw()
