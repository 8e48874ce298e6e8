"""Determinism: which request produced which text, and what explains it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from specstats.design import view_of
from specstats.design.view import UNNAMED_PROMPT
from specstats.results import DeterminismRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from specstats.bench import Bench
    from specstats.design import Design, View

__all__ = ["determinism", "determinism_of"]

_EXPLANATIONS = ("cache_n", "prompt_n", "repetition", "run")


def determinism(
    bench: Bench, design: Design | None = None, /
) -> tuple[DeterminismRow, ...]:
    """Count distinct outputs by arm and prompt, and say what explains them.

    Parameters
    ----------
    bench : Bench
        The data.
    design : Design, optional
        The design.

    Returns
    -------
    tuple of DeterminismRow
        Arms and prompts with a known output digest.

    Notes
    -----
    A quantity explains the outputs when each of its values goes with exactly one
    text and it takes as many values as there are texts.

    Examples
    --------
    >>> import specstats
    >>> bench = specstats.datasets.load("pascal-p5200")
    >>> row = specstats.determinism(bench)[0]
    >>> row.arm, row.n_distinct_outputs, row.explained_by
    ('target', 2, 'cache_n')
    """
    return determinism_of(view_of(bench, design))


def determinism_of(view: View) -> tuple[DeterminismRow, ...]:
    """Return the determinism table of a view.

    Parameters
    ----------
    view : View
        The data.

    Returns
    -------
    tuple of DeterminismRow
        Arms and prompts with a known output digest.
    """
    digests = view.bench.column("requests", "output_sha256")
    known = view.known("output_sha256")
    cells: dict[tuple[str, int], list[int]] = {}
    for arm in view.arms:
        rows = np.flatnonzero(view.rows_of(arm) & view.ok & known).tolist()
        for row in rows:
            cells.setdefault((arm, int(view.prompt[row])), []).append(row)
    outputs = {
        key: frozenset(str(digests[row]) for row in rows) for key, rows in cells.items()
    }
    return tuple(
        DeterminismRow(
            arm=arm,
            prompt=None if _is_unnamed(view, prompt) else view.prompts[prompt],
            n_requests=len(rows),
            n_distinct_outputs=len(outputs[arm, prompt]),
            first_differs=_first_differs(view, rows, digests),
            explained_by=_explained_by(view, rows, digests),
            same_outputs_as=tuple(
                other
                for other in view.arms
                if other != arm and outputs.get((other, prompt)) == outputs[arm, prompt]
            ),
        )
        for (arm, prompt), rows in cells.items()
    )


def _is_unnamed(view: View, prompt: int) -> bool:
    return view.prompts[prompt] == UNNAMED_PROMPT


def _first_differs(view: View, rows: Sequence[int], digests: Sequence[object]) -> bool:
    """Whether in every run with repeats the first text is alone and the rest agree."""
    by_run: dict[int, list[int]] = {}
    for row in sorted(rows, key=lambda row: int(view.position[row])):
        by_run.setdefault(int(view.run[row]), []).append(row)
    repeated = [found for found in by_run.values() if len(found) > 1]
    return bool(repeated) and all(
        digests[found[0]] not in {digests[row] for row in found[1:]}
        and len({digests[row] for row in found[1:]}) == 1
        for found in repeated
    )


def _explained_by(
    view: View, rows: Sequence[int], digests: Sequence[object]
) -> str | None:
    texts = {digests[row] for row in rows}
    if len(texts) < 2:  # noqa: PLR2004 - nothing to explain
        return None
    columns: dict[str, Sequence[object]] = {
        "cache_n": view.bench.column("requests", "n_cached"),
        "prompt_n": view.bench.column("requests", "n_prompt"),
        "repetition": view.repetition.tolist(),
        "run": view.run.tolist(),
    }
    for name in _EXPLANATIONS:
        column = columns[name]
        made: dict[object, set[object]] = {}
        for row in rows:
            made.setdefault(column[row], set()).add(digests[row])
        told_apart = None not in made and all(
            len(found) == 1 for found in made.values()
        )
        if told_apart and len(made) == len(texts):
            return name
    return None
