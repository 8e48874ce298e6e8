"""SPS108 without cache counts: the prompt tokens processed collapse in a repeat."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from specstats.design.view import UNNAMED_PROMPT
from specstats.diagnostics import counted, finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.design import View
    from specstats.diagnostics import Finding

__all__ = ["prompt_collapse"]

# Half of a prompt is no chat template or rounding: it was not processed again.
_COLLAPSED = 0.5


def prompt_collapse(view: View) -> Iterator[Finding]:
    """SPS108: later repeats of a prompt process far fewer of its tokens."""
    processed, cached = view.column("n_prompt"), view.column("n_cached")
    for arm in view.arms:
        rows = np.flatnonzero(
            view.rows_of(arm)
            & view.measured
            & np.isfinite(processed)
            & ~np.isfinite(cached)
        )
        found: list[tuple[str, int, int]] = []
        for code in np.unique(view.prompt[rows]):
            if view.prompts[code] == UNNAMED_PROMPT:
                continue
            for run in np.unique(view.run[rows]):
                own = rows[(view.prompt[rows] == code) & (view.run[rows] == run)]
                own = own[np.argsort(view.position[own], kind="stable")]
                tokens = processed[own]
                if own.size > 1 and tokens[1:].min() < _COLLAPSED * tokens[0]:
                    least = int(tokens[1:].min())
                    found.append((view.prompts[code], int(tokens[0]), least))
        if not found:
            continue
        names = list(dict.fromkeys(name for name, _, _ in found))
        _, first, least = found[0]
        yield finding(
            "SPS108",
            f"{arm}: repeats of {counted(len(names), 'prompt')} process far fewer "
            f"prompt tokens than the first request ({first}, then {least}), so they "
            "came from a cache",
            where=names[:5],
            observed=f"{first} prompt tokens, then {least}",
            required="one cache state for all repeats",
            remedy="send cache_prompt: false, or compare first and later requests "
            "apart",
            subject=(arm,),
        )
