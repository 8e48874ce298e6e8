"""SPS110: the artifacts show that the setting under test was never in force."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from specstats.diagnostics import Level, finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from specstats.bench import Run
    from specstats.design import View
    from specstats.diagnostics import Finding

__all__ = ["setting_not_applied"]

# What a client may change from one request to the next, without a new launch.
_PER_REQUEST = frozenset(
    {
        *("cache_prompt", "temperature", "top_p", "top_k", "min_p", "seed", "stop"),
        *("max_tokens", "n_predict", "ignore_eos", "concurrency", "max_concurrency"),
        *("request_rate", "num_prompts", "stream"),
    }
)


def setting_not_applied(view: View, baseline: str, candidate: str) -> Iterator[Finding]:
    """SPS110 for one pair: the same process, or the same setting, in both arms."""
    pair = (baseline, candidate)
    if pair in view.design.controls or pair[::-1] in view.design.controls:
        return
    factor = view.design.factor
    bare = "" if factor is None else factor.rpartition(".")[2]
    if bare in _PER_REQUEST:
        return
    arms = view.runs_of(baseline), view.runs_of(candidate)
    shared = _processes(arms[0]) & _processes(arms[1])
    if shared:
        yield finding(
            "SPS110",
            f"{candidate} and {baseline} come from one server process "
            f"({min(shared)}): a setting of the launch is the same in both",
            observed="one process for both arms",
            required="a launch of its own for each arm",
            remedy="restart the server after every change of its settings",
            subject=pair,
        )
    elif factor is not None:
        yield from _by_factor(view, factor, arms, pair)


def _by_factor(
    view: View,
    factor: str,
    arms: tuple[Sequence[Run], Sequence[Run]],
    pair: tuple[str, str],
) -> Iterator[Finding]:
    keys = [
        key
        for run in view.runs
        for key in (*run.settings, *run.varying)
        if view.design.is_factor(key)
    ]
    met = [_values(runs, keys) for runs in arms]
    if not all(met):
        yield finding(
            "SPS110",
            f"the artifacts do not record {factor}, so nothing shows that it was in "
            "force",
            level=Level.NOTE,
            observed=f"no {factor} in {pair[0] if not met[0] else pair[1]}",
            required="the effective setting of each launch",
            remedy="keep what the server says of itself (/props, its log), or give "
            "settings in study.toml",
            subject=pair,
        )
    elif met[0] == met[1] and len(met[0]) == 1:
        shown = next(iter(met[0]))
        yield finding(
            "SPS110",
            f"{factor} is {shown} in both arms: the edited setting was not in force",
            observed=f"{factor} = {shown} in {pair[0]} and {pair[1]}",
            required=f"another {factor} in each arm",
            remedy="restart the server after the edit, and compare what it says of "
            "itself",
            subject=pair,
        )


def _processes(runs: Sequence[Run]) -> set[str]:
    return {process for run in runs for process in run.processes}


def _values(runs: Sequence[Run], keys: Sequence[str]) -> set[str]:
    found = {
        json.dumps(run.settings[key])
        for run in runs
        for key in keys
        if key in run.settings
    }
    for run in runs:
        for key in keys:
            found |= {json.dumps(value) for value in run.varying.get(key, ())}
    return found
