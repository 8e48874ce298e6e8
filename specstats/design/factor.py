"""Arms by the levels of a setting, when nothing else declares arms."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from specstats.errors import DesignError

if TYPE_CHECKING:
    from specstats.bench import Bench, Run

__all__ = ["arms_by_factor"]


def arms_by_factor(bench: Bench, factor: str | None, *, named: bool) -> Bench:
    """Return the bench with the levels of a setting as its arms.

    Parameters
    ----------
    bench : Bench
        The data.
    factor : str or None
        Setting, with or without its ``cfg.`` or ``id.`` prefix.
    named : bool
        Whether the design finds its baseline among the arms as they are.

    Returns
    -------
    Bench
        The same bench when there is no factor or its arms are declared.

    Raises
    ------
    DesignError
        If a launch lacks the setting, or it varies inside a launch.
    """
    inferred = any("arms" in item.where for item in bench.findings.of("SPS012"))
    if factor is None or not inferred or named:
        return bench
    keys = dict.fromkeys(
        key for run in bench.runs for key in (*run.settings, *run.varying)
    )
    key = next(
        (name for name in (factor, f"cfg.{factor}", f"id.{factor}") if name in keys),
        None,
    )
    if key is None:
        raise DesignError.unknown("factor", factor, tuple(keys))
    bare = key.partition(".")[2]
    runs = tuple(
        replace(run, arm=f"{bare}={_level(run, key)}")
        for run in bench.runs
        if run.n_requests
    )
    return replace(bench, runs=runs)


def _level(run: Run, key: str) -> object:
    if key in run.varying:
        raise DesignError(
            f"factor {key!r} varies inside launch {run.run_id!r}. Expected one level a "
            "launch: a setting is compared between launches"
        )
    if key not in run.settings:
        raise DesignError(f"launch {run.run_id!r} does not record factor {key!r}")
    return run.settings[key]
