"""asv (airspeed velocity): result files of version 1 and 2."""

from __future__ import annotations

from itertools import islice, product
from typing import TYPE_CHECKING

from specstats.errors import MalformedArtifactError
from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._document import document
from specstats.readers._json import first_entry, number, text, whole
from specstats.readers._results import items, mapping, settings_text
from specstats.readers.harness._samples import ROWS_A_BATCH, Summary, measured

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["READER"]

_MACHINE = {"cpu": "id.cpu", "os": "id.os", "arch": "id.arch", "ram": "id.ram"}
_KINDS = {
    "timeraw": ("e2e", "s"),
    "time": ("e2e", "s"),
    "peakmem": ("peak_memory", "bytes"),
    "mem": ("memory", "bytes"),
}
_MAX_CASES = 1_000_000
_UNIT = "unit in benchmarks.json"
_MILLI = 1e-3

Entry = dict[str, object]


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = mapping(first_entry(head))
    framed = "commit_hash" in entry and "params" in entry
    columns = items(entry.get("result_columns"))
    known = framed and (
        "result" in columns
        or ("results" in entry and ("python" in entry or "requirements" in entry))
        or b'"result_columns"' in head
        or (b'"results"' in head and b'"requirements"' in head)
    )
    return Match(90 if known else 0, "no commit_hash, params and results")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    value, complete = document(source, batch, trouble)
    report = mapping(value)
    found = mapping(report.get("results"))
    results = [(text(name) or "", result) for name, result in found.items()]
    if not complete and "version" not in report:
        results = results[:-1]
    if not results:
        raise MalformedArtifactError(
            "no results. Expected 'results' by name of benchmark", source=source.name
        )
    columns = [text(name) or "" for name in items(report.get("result_columns"))]
    settings = _settings(report)
    for entry, (name, result) in enumerate(results, start=1):
        batch.entries += 1
        fields = _fields(result, columns)
        row: Row = {
            "source": source.name,
            "entry": entry,
            "run_boundary": "unknown",
            "settings": settings,
        }
        problem = _add_benchmark(name, fields, row, batch, trouble)
        if problem is None:
            batch.parsed += 1
        else:
            trouble.note(batch, "SPS002", entry, f"{name}: {problem}")
        if batch.count("requests") >= ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


def _settings(report: Mapping[str, object]) -> str | None:
    told: Row = {"id.commit": report.get("commit_hash")}
    told["id.python_version"] = mapping(report.get("params")).get("python")
    path = text(told["id.python_version"]) or ""
    if "/" in path or "\\" in path:
        told["id.python_version"] = None
    for key, name in _MACHINE.items():
        told[name] = mapping(report.get("params")).get(key)
    for key, value in mapping(report.get("requirements")).items():
        told[f"cfg.{text(key)}"] = value
    return settings_text(told)


def _fields(result: object, columns: list[str]) -> Entry:
    """Return the fields of a benchmark by name, whatever the version.

    Rows of version 2 end with their last value that is not null.
    """
    if isinstance(result, dict):
        return result
    if isinstance(result, list):
        return dict(zip(columns, result, strict=False))
    return {"result": [result], "params": []}


def _cases(params: object, count: int) -> list[str] | None:
    """Name the combinations of parameters, in the order of the results."""
    lists = [items(values) for values in items(params)]
    size = 1
    for values in lists:
        size *= len(values)
        if not 0 < size <= _MAX_CASES:
            return None
    if size != count:
        return None
    return [
        ", ".join(text(value) or "" for value in case)
        for case in islice(product(*lists), count)
    ]


def _add_benchmark(
    name: str, fields: Entry, row: Row, batch: Batch, trouble: Trouble
) -> str | None:
    results = fields.get("result")
    values = results if isinstance(results, list) else [results]
    cases = _cases(fields.get("params"), len(values))
    if results is None and cases is None:
        return "failed: the result is null"
    if cases is None:
        return "skipped: results and parameters differ in number"
    samples = items(fields.get("samples"))
    failed, added = 0, 0
    for index, (case, value) in enumerate(zip(cases, values, strict=True)):
        prompt = f"{name}({case})" if case else name
        shared: Row = {**row, "prompt_id": prompt}
        if value is None:
            failed += 1
            batch.add("requests", {**shared, "ok": False, "error": "result is null"})
            continue
        real = number(value)
        if real is None:
            continue  # NaN: skipped by the benchmark itself
        times = [measured(time) for time in items(_at(samples, index))]
        known = [time for time in times if time is not None]
        _add_case(
            name, real, known, shared=shared, fields=fields, index=index, batch=batch
        )
        if _kind(name)[0] == "e2e":
            _check_median(
                prompt, real, known, shared=shared, batch=batch, trouble=trouble
            )
        added += 1
    if failed:
        trouble.note(
            batch,
            "SPS007",
            int(str(row["entry"])),
            f"{name}: {failed} of {len(values)} cases failed (null)",
        )
    return None if added or failed else "skipped: the result is no number (NaN)"


def _at(values: list[object], index: int) -> object:
    return values[index] if index < len(values) else None


def _kind(name: str) -> tuple[str, str | None]:
    """Return metric and unit of a benchmark: asv tells them by a prefix."""
    last = name.rpartition(".")[2]
    return _KINDS.get(last.partition("_")[0], (last, None))


def _add_case(
    name: str,
    value: float,
    times: list[float],
    *,
    shared: Row,
    fields: Entry,
    index: int,
    batch: Batch,
) -> None:
    metric, unit = _kind(name)
    started = number(fields.get("started_at"))
    if metric == "e2e":
        for repetition, seconds in enumerate(times):
            first = index == 0 and repetition == 0 and started
            batch.add(
                "requests",
                {
                    **shared,
                    "repetition": repetition,
                    "ok": True,
                    "e2e_s": seconds,
                    "started_s": started * _MILLI if first and started else None,
                },
            )
    # Plain numbers of old versions do not say which statistic they are.
    is_median = bool(times) or bool(items(fields.get("stats_repeat")))
    batch.add(
        "aggregates",
        {
            **shared,
            "metric": metric,
            "unit": unit,
            "statistic": ("median" if is_median else "value"),
            "value": value,
            "n": len(times) or whole(_at(items(fields.get("stats_repeat")), index)),
            "scope": "runs",
            "definition": None if unit else _UNIT,
        },
    )


def _check_median(
    prompt: str | None,
    value: float,
    times: list[float],
    *,
    shared: Row,
    batch: Batch,
    trouble: Trouble,
) -> None:
    summary = Summary(
        printed={"median": value}, sd=None, n=None, label=prompt or "a case"
    )
    summary.check(times, int(str(shared["entry"])), batch, trouble)


READER = Reader(
    name="asv",
    label="asv results (version 1 and 2)",
    producers=("results version 1", "results version 2"),
    levels=("sample", "aggregate"),
    boundary="unknown: rounds are processes, and samples do not say which round they "
    "are from",
    traps=(
        "null is a failed benchmark, NaN a skipped one",
        "rows of version 2 are shorter than result_columns where the rest is null",
        "results are the product of the parameter lists, flattened",
        "samples are there only with --record-samples; else one median",
        "units stand in benchmarks.json: time_ is seconds, mem_ and peakmem_ bytes",
        "date is that of the commit, not of the measurement",
    ),
    fields=(
        ("results: samples[][]", "requests.e2e_s: s, of time_ benchmarks"),
        ("results: result", "aggregates.value: median in s of time_; else as printed"),
        ("name and params", "requests.prompt_id: NAME(VALUE, ...)"),
        ("result null", "requests.ok: false"),
        ("started_at", "requests.started_s: of the first sample; from ms"),
        ("commit_hash, params.cpu, os, ram, arch", "requests.settings: id.*"),
        ("requirements", "requests.settings: cfg.*"),
    ),
    marks=(b'"commit_hash"',),
    sniff=_sniff,
    parse=_parse,
)
