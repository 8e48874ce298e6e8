"""The tables of docs/validation/peers.md: other tools on the same data, in one run.

``python -m docs._gen.peers --write`` needs the group ``peers`` of pyproject.toml and
the reference corpus (SPECSTATS_CORPUS); ``make peers`` installs the first.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from docs._gen import _marked
from tests.benchmarks.verdicts.measured import PAIRS, MeasuredPair
from tests.benchmarks.verdicts.simulated import rates
from tests.benchmarks.verdicts.tools import TOOLS, Said

__all__ = ["fresh", "measured_table", "simulated_table"]

PAGE = Path(__file__).resolve().parents[1] / "validation" / "peers.md"
STUDIES = 1_000
RUNS = (3, 5, 10)
NO_VALUES = "The tools above take values, and these files have none."


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def simulated_table() -> str:
    """Return false verdicts and coverage of each tool on studies without effect."""
    found = {runs: rates(STUDIES, runs) for runs in RUNS}
    lines = [
        "| tool, and what it is given | "
        + " | ".join(f"n = {runs}: false | covered | silent" for runs in RUNS)
        + " |",
        "|---|" + "---|" * (3 * len(RUNS)),
    ]
    for name in TOOLS:
        cells = []
        for runs in RUNS:
            item = found[runs][name]
            cells += [_share(item.false), _share(item.covered), f"{item.silent:.2f}"]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _words(said: Said) -> str:
    if said.differ is None:
        return "no statement"
    word = "differ" if said.differ else "not told apart"
    if said.low is None or said.high is None:
        return word
    return f"{word} [{said.low:.3f}, {said.high:.3f}]"


def _attempt(name: str, pair: MeasuredPair) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return _words(TOOLS[name](pair.base, pair.other))
        except (ValueError, ZeroDivisionError, ArithmeticError) as error:
            return f"fails: {type(error).__name__}"


def measured_table() -> str:
    """Return what each tool says of pairs of real files, beside what is true."""
    lines = []
    for pair in (pair for make in PAIRS for pair in make()):
        sizes = (
            "no single values"
            if not pair.base
            else f"{len(pair.base)} + {len(pair.other)} launches, "
            f"{sum(map(len, pair.base))} + {sum(map(len, pair.other))} requests"
        )
        lines += [f"**{pair.name}** ({sizes}). True: {pair.truth}.", ""]
        if not pair.base:
            lines += [f"{NO_VALUES} specstats: {pair.sentence}", ""]
            continue
        lines += ["| tool | says |", "|---|---|"]
        lines += [
            f"| {name} | {_attempt(name, pair)} |"
            for name in TOOLS
            if name != "specstats"
        ]
        lines += [f"| specstats, from the files | {pair.sentence} |", ""]
    return "\n".join(lines)


def fresh() -> dict[Path, str]:
    """Return the page as it should be."""
    page = PAGE.read_text(encoding="utf-8")
    page = _marked.replaced(page, "simulated", simulated_table())
    return {PAGE: _marked.replaced(page, "measured", measured_table())}


if __name__ == "__main__":
    sys.exit(_marked.main(__doc__.partition("\n")[0], fresh, sys.argv[1:]))
