"""Rules about settings and identities: SPS102, SPS112."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from specstats.diagnostics import finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from specstats.bench import Run
    from specstats.design import View
    from specstats.diagnostics import Finding

__all__ = ["between_arms", "inside_arms", "settings_of", "unused_names"]

Values = dict[str, dict[str, object]]


def _values(runs: Sequence[Run]) -> Values:
    values: Values = {}
    for run in runs:
        for key, value in run.settings.items():
            values.setdefault(key, {})[json.dumps(value)] = value
        for key, several in run.varying.items():
            for value in several:
                values.setdefault(key, {})[json.dumps(value)] = value
    return values


def settings_of(runs: Sequence[Run]) -> dict[str, object]:
    """Return the settings and identities that are constant over some runs.

    Parameters
    ----------
    runs : sequence of Run
        Launches of one arm.

    Returns
    -------
    dict
        Value by key; keys that vary, or that some launch lacks, are left out.
    """
    shared = [set(run.settings) for run in runs]
    common = set.intersection(*shared) if shared else set()
    return {
        key: next(iter(met.values()))
        for key, met in _values(runs).items()
        if len(met) == 1 and key in common
    }


def inside_arms(view: View) -> Iterator[Finding]:
    """SPS102 and SPS112: a setting or identity varies inside an arm."""
    for arm in view.arms:
        for key, met in _values(view.runs_of(arm)).items():
            if len(met) == 1 or view.design.ignores(key):
                continue
            shown = ", ".join(list(met)[:4])
            identity = key.startswith("id.")
            yield finding(
                "SPS112" if identity else "SPS102",
                f"{arm}: {key} varies inside the arm ({shown})",
                where=[run.run_id for run in view.runs_of(arm)][:5],
                observed=f"{len(met)} values of {key}",
                required="one value inside an arm",
                remedy=f"make it an arm of its own, or pass --ignore {key} if it "
                "cannot matter",
                subject=(arm,),
            )


def unused_names(view: View) -> Iterator[Finding]:
    """SPS403: an ignored setting, or the factor, that no launch records."""
    recorded = {key for run in view.runs for key in (*run.settings, *run.varying)}
    known = recorded | {key.partition(".")[2] for key in recorded}
    design = view.design
    named = [("ignored setting", name) for name in design.ignore]
    named += [("factor", design.factor)] if design.factor is not None else []
    for role, name in named:
        if name not in known:
            yield finding(
                "SPS403",
                f"no launch records the {role} {name}",
                observed=f"{len(recorded)} recorded settings",
                required=f"a setting named {name}",
                remedy="check its spelling against the settings of the report, or "
                "leave it out",
            )


def between_arms(view: View, baseline: str, candidate: str) -> Iterator[Finding]:
    """SPS102 and SPS112: the arms differ in more than the factor."""
    first = _values(view.runs_of(baseline))
    second = _values(view.runs_of(candidate))
    for key in [name for name in first if name in second]:
        identity = key.startswith("id.")
        if not identity and view.design.factor is None:
            continue
        if view.design.ignores(key) or view.design.is_factor(key):
            continue
        if set(first[key]) == set(second[key]):
            continue
        shown = [", ".join(list(values[key])[:3]) for values in (first, second)]
        yield finding(
            "SPS112" if identity else "SPS102",
            f"{key} differs between the arms: {shown[0]} in {baseline}, "
            f"{shown[1]} in {candidate}",
            observed=f"{shown[0]} against {shown[1]}",
            required=f"the same {key} in both arms",
            remedy=f"measure both with the same {key}, name it as the factor "
            f"(--factor {key}), or pass --ignore {key}",
            subject=(baseline, candidate),
        )
