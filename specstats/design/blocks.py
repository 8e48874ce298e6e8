"""Blocks of runs: declared ones, days, or the values of a setting."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from specstats.errors import DesignError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from specstats.bench import Run

__all__ = ["day_of", "with_blocks"]


def day_of(run: Run) -> str | None:
    """Return the UTC date on which a run began, if it is known.

    Parameters
    ----------
    run : Run
        A launch.

    Returns
    -------
    str or None
        Date as YYYY-MM-DD.
    """
    if run.started_s is None:
        return None
    try:
        return datetime.fromtimestamp(run.started_s, UTC).date().isoformat()
    except (OverflowError, OSError, ValueError):
        return None


def with_blocks(runs: Sequence[Run], block: str | None) -> tuple[Run, ...]:
    """Return the runs with their blocks as the design says.

    Parameters
    ----------
    runs : sequence of Run
        Launches; those with a declared block keep it.
    block : str or None
        ``day``, the name of a setting, or a label for declared blocks.

    Returns
    -------
    tuple of Run
        The same launches.

    Raises
    ------
    DesignError
        If a run has no block although the design needs one.
    """
    declared = [run.block is not None for run in runs]
    if block is None and not any(declared):
        return tuple(runs)
    if all(declared):
        return tuple(runs)
    filled = [
        run if run.block is not None else replace(run, block=_block(run, block))
        for run in runs
    ]
    lacking = [run.run_id for run in filled if run.block is None]
    if lacking:
        shown = ", ".join(map(repr, lacking[:5]))
        raise DesignError(
            f"{len(lacking)} of {len(runs)} runs have no block ({shown}). Expected a "
            "block for every run: {block} in the layout, block = ... in study.toml, "
            "--block day with time stamps, or --block SETTING"
        )
    return tuple(filled)


def _block(run: Run, block: str | None) -> str | None:
    if block == "day":
        return day_of(run)
    for key in (str(block), f"cfg.{block}", f"id.{block}"):
        if key in run.settings:
            return str(run.settings[key])
    return None
