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
    offsets = {tally.source.name: tally.place.timezone_s for tally in result.files}
    windows = _windows(result, runs)
    by_run = {run.run_id: run for run in runs}
    lost: dict[str, None] = {}
    for row, source in enumerate(columns["source"]):
        run = by_run.get(str(columns["run_id"][row]))
        if run is not None:
            columns["arm"][row] = columns["arm"][row] or run.arm
        if columns["arm"][row] is not None:
            continue
        offset = offsets.get(str(source))
        found = None if offset is None else _at(windows, columns, row, offset)
        if found is not None:
            columns["arm"][row], columns["run_id"][row] = found.arm, found.run_id
        elif offset is None:
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


def _windows(
    result: Ingested, runs: Sequence[Run]
) -> list[tuple[float, float, Run]]:
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


def _at(
    windows: list[tuple[float, float, Run]],
    columns: dict[str, list[object]],
    row: int,
    offset: float,
) -> Run | None:
    local = columns["local_time_s"][row]
    if not isinstance(local, int | float):
        return None
    moment = local - offset
    place = bisect_right(windows, moment, key=lambda window: window[0]) - 1
    if place < 0 or moment > windows[place][1]:
        return None
    return windows[place][2]
