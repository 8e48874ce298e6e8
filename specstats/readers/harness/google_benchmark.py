"""Google Benchmark JSON: repetitions and aggregates side by side."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from specstats.errors import MalformedArtifactError
from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._document import document
from specstats.readers._json import first_entry, number, text, whole
from specstats.readers._results import items, mapping, process_of, settings_text
from specstats.readers.harness._samples import ROWS_A_BATCH, measured, seconds_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["READER"]

_STATISTIC = re.compile(r"(.+)_(mean|median|stddev|cv|min|max)", re.DOTALL)
_STATISTICS = frozenset({"mean", "median", "min", "max"})
_KNOWN = frozenset(
    (
        *("name", "family_index", "per_family_instance_index", "run_name", "run_type"),
        *("repetitions", "repetition_index", "threads", "iterations", "real_time"),
        *("cpu_time", "time_unit", "aggregate_name", "aggregate_unit", "label"),
        *("error_occurred", "error_message", "skipped", "skip_message"),
    )
)
_UNITS = {"items_per_second": "items/s", "bytes_per_second": "B/s"}
_DEFINITION = "mean of a batch of iterations"

Entry = dict[str, object]


def _sniff(head: bytes, name: str) -> Match:
    del name
    found = items(mapping(first_entry(head)).get("benchmarks"))
    first = mapping(found[0]) if found else {}
    timed = "name" in first and not first.keys().isdisjoint(
        {"real_time", "cpu_time", "run_type", "error_occurred"}
    )
    return Match(90 if timed else 0, "no benchmarks with name and real_time")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    value, complete = document(source, batch, trouble)
    report = mapping(value)
    found = items(report.get("benchmarks"))
    results = found if complete else found[:-1]
    if not results:
        raise MalformedArtifactError(
            "no complete benchmark. Expected benchmarks[] with real_time",
            source=source.name,
        )
    context = mapping(report.get("context"))
    if context.get("library_build_type") == "debug":
        trouble.note(
            batch, "SPS014", 1, "the benchmark library was built for debugging"
        )
    names = {text(mapping(result).get("name")) for result in results}
    deviations = _deviations(results, names)
    repeats: dict[str, int] = {}
    for entry, item in enumerate(results, start=1):
        batch.entries += 1
        result = mapping(item)
        row = _shared(result, entry, context, source)
        problem = _problem(result)
        if problem is not None:
            trouble.note(batch, "SPS002", entry, f"benchmark skipped: {problem}")
            continue
        statistic = _statistic(result, names)
        if statistic is None:
            _add_sample(result, row, repeats, batch, trouble)
        else:
            _add_aggregate(result, row, statistic, deviations, batch)
        batch.parsed += 1
        if batch.count("requests") >= ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


def _failed(result: Mapping[str, object]) -> bool:
    return result.get("error_occurred") is True or result.get("skipped") not in (
        None,
        False,
    )


def _problem(result: Mapping[str, object]) -> str | None:
    if text(result.get("name")) is None:
        return "no name"
    if _failed(result) or "real_time" not in result:
        known = _failed(result) or _counters(result)
        return None if known else "no real_time"
    if number(result.get("real_time")) is None:
        return "real_time is no number"
    if _unit(result) is None:
        return f"time_unit {text(result.get('time_unit'))!r} is not known"
    return None


def _unit(result: Mapping[str, object]) -> float | None:
    return seconds_in(result.get("time_unit", "ns"))


def _statistic(result: Mapping[str, object], names: set[str | None]) -> str | None:
    """Return which statistic an entry is; None for a single repetition."""
    kind = result.get("run_type")
    if kind == "iteration":
        return None
    told = text(result.get("aggregate_name"))
    found = _STATISTIC.fullmatch(text(result.get("name")) or "")
    if kind == "aggregate":
        return told or (found[2] if found else "value")
    # Old versions do not say what an entry is, only append the statistic to the name.
    return found[2] if found is not None and found[1] in names else None


def _base_name(result: Mapping[str, object], statistic: str | None) -> str:
    name = text(result.get("run_name")) or text(result.get("name")) or ""
    return name if statistic is None else name.removesuffix(f"_{statistic}")


def _deviations(results: list[object], names: set[str | None]) -> dict[str, float]:
    found: dict[str, float] = {}
    for item in results:
        result = mapping(item)
        seconds = number(result.get("real_time"))
        unit = _unit(result)
        is_deviation = _statistic(result, names) == "stddev"
        if is_deviation and seconds is not None and unit is not None:
            found[_base_name(result, "stddev")] = seconds * unit
    return found


def _shared(
    result: Mapping[str, object],
    entry: int,
    context: Mapping[str, object],
    source: Source,
) -> Row:
    return {
        "source": source.name,
        "entry": entry,
        "process": process_of(source, 0),
        "settings": settings_text(
            {
                "id.library_version": context.get("library_version"),
                "cfg.library_build_type": context.get("library_build_type"),
                "cfg.cpu_scaling_enabled": context.get("cpu_scaling_enabled"),
                "id.num_cpus": context.get("num_cpus"),
                "cfg.threads": result.get("threads"),
                "cfg.label": result.get("label"),
            }
        ),
    }


def _add_sample(
    result: Mapping[str, object],
    row: Row,
    repeats: dict[str, int],
    batch: Batch,
    trouble: Trouble,
) -> None:
    name = _base_name(result, None)
    told = whole(result.get("repetition_index"))
    index = repeats.get(name, 0)
    repeats[name] = index + 1
    failed = _failed(result)
    why = text(result.get("error_message")) or text(result.get("skip_message"))
    row = {**row, "prompt_id": name}
    if failed:
        trouble.note(
            batch,
            "SPS007",
            int(str(row["entry"])),
            f"{name}: the benchmark failed ({why or 'no message'})",
        )
    batch.add(
        "requests",
        {
            **row,
            "repetition": index if told is None else told,
            "ok": not failed,
            "error": (why or "failed") if failed else None,
            "e2e_s": None
            if failed
            else measured(result.get("real_time"), _unit(result) or 1.0),
        },
    )
    if failed:
        return
    for aggregate in _values(result, "value"):
        batch.add("aggregates", {**row, **aggregate, "scope": "request"})


def _add_aggregate(
    result: Mapping[str, object],
    row: Row,
    statistic: str,
    deviations: Mapping[str, float],
    batch: Batch,
) -> None:
    name = _base_name(result, statistic)
    row = {
        **row,
        "prompt_id": name,
        "scope": "run",
        "n": whole(result.get("repetitions")),
    }
    time, unit = number(result.get("real_time")), _unit(result)
    if statistic == "cv":
        # A fraction, although time_unit stands beside it.
        metric, written, scale = "e2e_cv", "1", 1.0
    else:
        metric, written, scale = "e2e", "s", unit or 1.0
    if time is not None and statistic != "stddev":
        named = statistic if statistic in _STATISTICS else "value"
        batch.add(
            "aggregates",
            {
                **row,
                "metric": metric,
                "unit": written,
                "statistic": "ratio" if statistic == "cv" else named,
                "value": time * scale,
                "sd": deviations.get(name) if statistic == "mean" else None,
                "definition": _DEFINITION
                if statistic in {*_STATISTICS, "cv"}
                else f"{_DEFINITION}; aggregate {statistic}",
            },
        )
    if statistic in _STATISTICS:
        for aggregate in _values(result, statistic):
            batch.add("aggregates", {**row, **aggregate})


def _counters(result: Mapping[str, object]) -> Entry:
    return {
        key: value
        for key, value in result.items()
        if key not in _KNOWN and number(value) is not None
    }


def _values(result: Mapping[str, object], statistic: str) -> Iterator[Row]:
    """Yield CPU time and the counters that the user added."""
    cpu, unit = number(result.get("cpu_time")), _unit(result)
    if cpu is not None and unit is not None:
        yield {
            "metric": "cpu_time",
            "unit": "s",
            "statistic": statistic,
            "value": cpu * unit,
        }
    for key, value in _counters(result).items():
        yield {
            "metric": text(key),
            "unit": _UNITS.get(key),
            "statistic": statistic,
            "value": number(value),
            "definition": "user counter",
        }


READER = Reader(
    name="google-benchmark",
    label="Google Benchmark JSON (--benchmark_out_format=json)",
    producers=("2016 (examples of its tools)",),
    levels=("sample", "aggregate"),
    boundary="proved: a file is one process; repetitions share it",
    traps=(
        (
            "aggregates stand among the repetitions and are kept apart, so nothing "
            "counts twice"
        ),
        "cv is a fraction, although time_unit stands beside it",
        "a time is the mean of a batch of iterations",
        (
            "old files have no run_type: a name that ends in _mean is an aggregate "
            "if the name without it is there"
        ),
        "failed benchmarks (error_occurred) have no times",
    ),
    fields=(
        ("benchmarks[].run_name", "requests.prompt_id: name where it is missing"),
        ("real_time, time_unit", "requests.e2e_s: converted to s"),
        ("repetition_index", "requests.repetition"),
        ("error_occurred, error_message", "requests.ok: and requests.error"),
        ("aggregates: real_time", "aggregates.value: e2e in s; stddev as sd of mean"),
        ("cpu_time", "aggregates.value: cpu_time in s"),
        ("items_per_second, user counters", "aggregates.value: as printed"),
        ("context.library_build_type, threads, label", "requests.settings: cfg.*"),
    ),
    marks=(b'"real_time"', b'"cpu_time"', b'"run_type"', b'"error_occurred"'),
    sniff=_sniff,
    parse=_parse,
)
