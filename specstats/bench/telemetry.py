"""Which arm and run a telemetry sample belongs to: declared, else by time."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from specstats.readers._base import located

if TYPE_CHECKING:
    from collections.abc import Sequence

    from specstats.bench.ingest import Ingested
    from specstats.bench.model import Run
    from specstats.diagnostics import Finding

__all__ = ["assign_telemetry"]


def assign_telemetry(result: Ingested, runs: Sequence[Run]) -> list[Finding]:
    """Fill arm and run_id of telemetry rows that nothing declares, by time.

    Parameters
    ----------
    result : Ingested
        Columns, changed in place.
    runs : sequence of Run
        Launches.

    Returns
    -------
    list of Finding
        A note for files that could not be assigned.
    """
    columns = result.tables["telemetry"]
    windows = _windows(result, runs)
    by_run = _by_name(runs)
    lost: dict[str, None] = {}
    for row, source in enumerate(columns["source"]):
        arm, name = columns["arm"][row], str(columns["run_id"][row])
        run = by_run.get((str(arm), name)) or (None if arm else by_run.get(("", name)))
        if run is not None:
            columns["arm"][row], columns["run_id"][row] = run.arm, run.run_id
        if columns["arm"][row] is not None:
            continue
        moment = columns["time_s"][row]
        known = isinstance(moment, int | float)
        found = _at(windows, float(moment)) if isinstance(moment, int | float) else None
        if found is not None:
            columns["arm"][row], columns["run_id"][row] = found.arm, found.run_id
        elif not known:
            lost[str(source)] = None
    return [
        located(
            "SPS013",
            name,
            "telemetry belongs to no arm: its times are local and nothing says where",
            remedy="add [[telemetry]] with files and timezone (or arm) to study.toml, "
            "or name the file in --arm NAME=GLOB",
        )
        for name in lost
    ]


def _by_name(runs: Sequence[Run]) -> dict[tuple[str, str], Run]:
    """Return runs by arm and name, and by name alone where one run has it."""
    named: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        for name in {run.run_id, run.run_id.rsplit("/", maxsplit=1)[-1]}:
            for arm in (run.arm, ""):
                named.setdefault((arm, name), []).append(run)
    return {key: found[0] for key, found in named.items() if len(found) == 1}


def _windows(result: Ingested, runs: Sequence[Run]) -> list[tuple[float, float, Run]]:
    columns = result.tables["requests"]
    ends: dict[str, float] = {}
    for row, name in enumerate(columns["run_id"]):
        for column in ("ended_s", "started_s"):
            value = columns[column][row]
            if isinstance(value, int | float):
                ends[str(name)] = max(ends.get(str(name), value), value)
    windows = [
        (run.started_s, ends[run.run_id] + 1.0, run)
        for run in runs
        if run.started_s is not None and run.run_id in ends
    ]
    return sorted(windows, key=lambda window: window[0])


def _at(windows: list[tuple[float, float, Run]], moment: float) -> Run | None:
    place = bisect_right(windows, moment, key=lambda window: window[0]) - 1
    if place < 0 or moment > windows[place][1]:
        return None
    return windows[place][2]
