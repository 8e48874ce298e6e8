"""SPS106: the arms wrote different text from the same prompts, without sampling."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from specstats.diagnostics import counted, finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.design import View
    from specstats.diagnostics import Finding

__all__ = ["output_differs"]

_TEMPERATURE = ("cfg.temperature", "cfg.temp")


def output_differs(view: View, baseline: str, candidate: str) -> Iterator[Finding]:
    """SPS106 for one pair, where each arm gives a prompt one text only."""
    texts = [_texts(view, arm) for arm in (baseline, candidate)]
    common = [name for name in texts[0] if name in texts[1]]
    if not common:
        return
    other = [name for name in common if texts[0][name] != texts[1][name]]
    if not other:
        return
    shown = ", ".join(view.prompts[code] for code in other[:3])
    yield finding(
        "SPS106",
        f"{candidate} and {baseline} wrote different text from "
        f"{counted(len(other), 'prompt')} of {len(common)} ({shown}): they did not do "
        "the same work",
        observed=f"{len(other)} of {len(common)} texts differ",
        required="the same text without sampling, as lossless speculation gives",
        remedy="find out why (another kernel or batch shape may flip a near tie, a "
        "broken rollback of the cache changes the answer), and compare lengths",
        subject=(baseline, candidate),
    )


def _texts(view: View, arm: str) -> dict[int, str]:
    """Return the text of each prompt that an arm answers in one way only.

    An arm counts if it repeats itself, or says that its temperature is 0.
    """
    digests = view.bench.column("requests", "output_sha256")
    rows = view.rows_of(arm) & view.measured & view.known("output_sha256")
    found: dict[int, set[str]] = {}
    times: dict[int, int] = {}
    for row in np.flatnonzero(rows).tolist():
        code = int(view.prompt[row])
        found.setdefault(code, set()).add(str(digests[row]))
        times[code] = times.get(code, 0) + 1
    if not found or any(len(made) > 1 for made in found.values()):
        return {}
    repeats = any(count > 1 for count in times.values())
    greedy = any(
        run.settings.get(key) in {0, "0", "0.0"}
        for run in view.runs_of(arm)
        for key in _TEMPERATURE
    )
    if not (repeats or greedy):
        return {}
    return {code: next(iter(made)) for code, made in found.items()}
