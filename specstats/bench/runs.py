"""Telling launches apart: proved, declared, or unknown and counted as one."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.bench.model import Boundary, Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from specstats.layout import Place

__all__ = ["assign_counters", "assign_runs"]

_TELLING = ("arm", "block", "run_id", "process", "run_boundary")

Key = tuple[str, str | None, str, Boundary]


@dataclass(slots=True)
class _Rows:
    declared_by: str | None
    rows: list[int] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)


def assign_runs(
    columns: dict[str, list[object]], places: Sequence[Place]
) -> tuple[tuple[Run, ...], str | None]:
    """Fill run_id and run_boundary of every request, and describe the runs.

    Parameters
    ----------
    columns : dict
        Request columns, changed in place; every row has an arm.
    places : sequence of Place
        For each row, what its file declares.

    Returns
    -------
    runs : tuple of Run
        Launches in order of first appearance.
    order_from : str or None
        Where launch order comes from.
    """
    grouped: dict[Key, _Rows] = {}
    groups: dict[tuple[object, ...], _Rows] = {}
    told = zip(*(columns[name] for name in _TELLING), map(id, places), strict=True)
    for row, facts in enumerate(told):
        group = groups.get(facts)
        if group is None:
            key, declared_by = _key(columns, row, places[row])
            group = groups[facts] = grouped.setdefault(key, _Rows(declared_by))
            group.places.append(places[row])
        group.rows.append(row)
    names = _names(list(grouped))
    numbers = {key: _number(group) for key, group in grouped.items()}
    runs = [
        _describe(columns, key, group, names[key]) for key, group in grouped.items()
    ]
    for key, group in grouped.items():
        for row in group.rows:
            columns["run_id"][row] = names[key]
            columns["run_boundary"][row] = key[3]
    return _ordered(runs, list(numbers.values()))


def _key(
    columns: dict[str, list[object]], row: int, place: Place
) -> tuple[Key, str | None]:
    arm = str(columns["arm"][row])
    block = columns["block"][row]
    session = None if block is None else str(block)
    if place.declared is not None and place.run is not None:
        return (arm, session, place.run, "declared"), place.declared
    recorded, process = columns["run_id"][row], columns["process"][row]
    told = columns["run_boundary"][row]
    if told == "unknown":
        return (arm, session, "", "unknown"), None
    if told == "declared" and recorded is not None:
        return (arm, session, str(recorded), "declared"), "rows"
    if process is not None:
        return (arm, session, f"process {process}", "proved"), None
    if recorded is not None:
        boundary: Boundary = "proved" if told == "proved" else "declared"
        return (arm, session, str(recorded), boundary), "rows"
    # Files of an arm are one run, whatever else their names tell apart.
    return (arm, session, "", "unknown"), None


def assign_counters(
    columns: dict[str, list[object]], runs: Sequence[Run]
) -> tuple[Run, ...]:
    """Fill run_id of every counter row, and add launches that only counters show.

    Parameters
    ----------
    columns : dict
        Counter columns, changed in place; every row has an arm.
    runs : sequence of Run
        Launches of the requests.

    Returns
    -------
    tuple of Run
        Those launches, and the further ones, which served no recorded request.
    """
    known = {(run.arm, process): run for run in runs for process in run.processes}
    only: dict[Key, list[int]] = {}
    for row, arm in enumerate(columns["arm"]):
        process, named = columns["process"][row], columns["run_id"][row]
        run = known.get((str(arm), str(process)))
        if run is not None and columns["run_boundary"][row] != "declared":
            columns["run_id"][row] = run.run_id
            columns["run_boundary"][row] = run.boundary
            continue
        block = None if columns["block"][row] is None else str(columns["block"][row])
        told = columns["run_boundary"][row]
        key = _counter_key(str(arm), block, named, process, told)
        only.setdefault(key, []).append(row)
    taken = {(run.arm, run.run_id): run for run in runs}
    found = list(runs)
    for key, name in _names(list(only)).items():
        rows = only[key]
        for row in rows:
            columns["run_id"][row] = name
            columns["run_boundary"][row] = key[3]
        if (key[0], name) not in taken:
            found.append(_counted_only(columns, key, rows, name))
    return tuple(found)


def _counter_key(
    arm: str, block: str | None, named: object, process: object, told: object
) -> Key:
    """Tell launches of counters apart as those of requests are."""
    if told == "unknown" or (named is None and process is None):
        return arm, block, "", "unknown"
    if told == "declared" and named is not None:
        return arm, block, str(named), "declared"
    if process is not None:
        return arm, block, f"process {process}", "proved"
    boundary: Boundary = "proved" if told == "proved" else "declared"
    return arm, block, str(named), boundary


def _counted_only(
    columns: dict[str, list[object]], key: Key, rows: list[int], name: str
) -> Run:
    texts = dict.fromkeys(columns["settings"][row] for row in rows)
    settings: dict[str, object] = {}
    for text in texts:
        settings.update(json.loads(text) if isinstance(text, str) else {})
    process = columns["process"][rows[0]]
    return Run(
        run_id=name,
        arm=key[0],
        block=key[1],
        boundary=key[3],
        declared_by=None if key[3] != "declared" else "rows",
        order=None,
        started_s=_least(columns, "started_s", rows),
        settings=settings,
        varying={},
        processes=() if process is None else (str(process),),
        sources=tuple(dict.fromkeys(str(columns["source"][row]) for row in rows)),
        n_requests=0,
        n_failed=0,
        first_cached=None,
    )


def _names(keys: list[Key]) -> dict[Key, str]:
    names: dict[Key, str] = {}
    plain = Counter(key[2] for key in keys)
    numbered: dict[tuple[str, str | None], int] = {}
    for key in keys:
        arm, block, name, boundary = key
        place = arm if block is None else f"{arm}/{block}"
        if boundary == "proved" and name.startswith("process "):
            numbered[arm, block] = numbered.get((arm, block), 0) + 1
            names[key] = f"{place}/process-{numbered[arm, block]}"
        elif not name:
            names[key] = place
        else:
            names[key] = name if plain[name] == 1 else f"{place}/{name}"
    return _told_apart(names)


def _told_apart(names: dict[Key, str]) -> dict[Key, str]:
    """Give runs that would still share a name a number."""
    turns: Counter[str] = Counter()
    unique: dict[Key, str] = {}
    for key, name in names.items():
        turns[name] += 1
        unique[key] = name if turns[name] == 1 else f"{name}#{turns[name]}"
    return unique


def _number(group: _Rows) -> float | None:
    numbers = {place.number for place in group.places}
    return numbers.pop() if len(numbers) == 1 else None


def _least(
    columns: dict[str, list[object]], name: str, rows: list[int]
) -> float | None:
    values = [columns[name][row] for row in rows]
    found = [value for value in values if isinstance(value, int | float)]
    return float(min(found)) if found else None


def _describe(
    columns: dict[str, list[object]], key: Key, group: _Rows, name: str
) -> Run:
    rows = group.rows
    starts = [
        _least(columns, column, rows)
        for column in ("started_s", "process_started_s", "ended_s")
    ]
    settings, varying = _settings(columns, group)
    processes = dict.fromkeys(
        str(columns["process"][row])
        for row in rows
        if columns["process"][row] is not None
    )
    cached = columns["n_cached"][_first(columns, rows)]
    return Run(
        run_id=name,
        arm=key[0],
        block=key[1],
        boundary=key[3],
        declared_by=group.declared_by,
        order=_least(columns, "order", rows),
        started_s=next((start for start in starts if start is not None), None),
        settings=settings,
        varying=varying,
        processes=tuple(processes),
        sources=tuple(dict.fromkeys(str(columns["source"][row]) for row in rows)),
        n_requests=len(rows),
        n_failed=sum(columns["ok"][row] is False for row in rows),
        first_cached=cached if isinstance(cached, int) else None,
    )


def _first(columns: dict[str, list[object]], rows: list[int]) -> int:
    def moment(row: int) -> tuple[float, int]:
        for name in ("started_s", "ended_s"):
            value = columns[name][row]
            if isinstance(value, int | float):
                return float(value), row
        return float("-inf"), row

    return min(rows, key=moment)


def _settings(
    columns: dict[str, list[object]], group: _Rows
) -> tuple[dict[str, object], dict[str, tuple[object, ...]]]:
    values: dict[str, dict[str, object]] = {}
    texts = dict.fromkeys(columns["settings"][row] for row in group.rows)
    recorded = [json.loads(text) for text in texts if isinstance(text, str)]
    for settings in (*recorded, *(place.settings for place in group.places)):
        for key, value in settings.items():
            values.setdefault(key, {})[json.dumps(value)] = value
    constant = {
        key: next(iter(met.values())) for key, met in values.items() if len(met) == 1
    }
    varying = {key: tuple(met.values()) for key, met in values.items() if len(met) > 1}
    return constant, varying


def _ordered(
    runs: list[Run], numbers: list[float | None]
) -> tuple[tuple[Run, ...], str | None]:
    from dataclasses import replace

    if runs and all(run.order is not None for run in runs):
        return tuple(runs), "declared"
    started = [run.started_s for run in runs]
    known = [value for value in started if value is not None]
    if runs and len(known) == len(runs) and len(set(known)) == len(runs):
        return tuple(
            replace(run, order=value) for run, value in zip(runs, started, strict=True)
        ), "time"
    told = [value for value in numbers if value is not None]
    if runs and len(told) == len(runs) and len(set(told)) == len(runs):
        return tuple(
            replace(run, order=value) for run, value in zip(runs, numbers, strict=True)
        ), "run names"
    return tuple(replace(run, order=None) for run in runs), None
