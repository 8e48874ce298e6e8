"""Launches that the manifest leaves out, and what launches are called."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from specstats.bench import Bench, Run
    from specstats.layout.study import ManifestExclusion

__all__ = ["is_excluded", "label_of", "without_excluded"]


def label_of(run: Run) -> str:
    """Return the name of a launch without its arm and block.

    Parameters
    ----------
    run : Run
        A launch; its id may be a path of the fields of a layout.

    Returns
    -------
    str
        Such as ``3`` for ``monday/base/3``; the whole id where nothing is left.
    """
    parts = run.run_id.split("/")
    for known in (run.arm, run.block):
        if known in parts and len(parts) > 1:
            parts.remove(known)
    return "/".join(parts)


def is_excluded(run: Run, entry: ManifestExclusion) -> bool:
    """Whether an entry of the manifest leaves out a launch.

    Parameters
    ----------
    run : Run
        A launch.
    entry : ManifestExclusion
        The entry.
    """
    return (
        entry.run in {run.run_id, label_of(run)}
        and entry.arm in {None, run.arm}
        and entry.block in {None, run.block}
    )


def without_excluded(bench: Bench) -> tuple[Bench, tuple[Run, ...]]:
    """Return the bench without the launches that its manifest leaves out.

    Parameters
    ----------
    bench : Bench
        The data.

    Returns
    -------
    bench : Bench
        The same object when nothing is left out.
    excluded : tuple of Run
        What was left out.
    """
    entries = () if bench.study is None else bench.study.excluded
    excluded = tuple(
        run for run in bench.runs if any(is_excluded(run, entry) for entry in entries)
    )
    if not excluded:
        return bench, ()
    names = {run.run_id for run in excluded}
    columns = {
        table: _rows_without(found, names) for table, found in bench.columns.items()
    }
    kept = tuple(run for run in bench.runs if run.run_id not in names)
    return replace(bench, columns=columns, runs=kept), excluded


def _rows_without(
    columns: Mapping[str, list[object]], names: set[str]
) -> Mapping[str, list[object]]:
    if "run_id" not in columns:
        return columns
    kept = [row for row, name in enumerate(columns["run_id"]) if name not in names]
    if len(kept) == len(columns["run_id"]):
        return columns
    return {name: [values[row] for row in kept] for name, values in columns.items()}
