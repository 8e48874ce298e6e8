"""pytest-benchmark: saved JSON, with the time of each round where it was kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.errors import MalformedArtifactError
from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._document import document
from specstats.readers._json import first_entry, number, scalar, text, whole
from specstats.readers._results import items, mapping, process_of, settings_text
from specstats.readers.harness._samples import ROWS_A_BATCH, Summary, measured

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["READER"]

_STATISTICS = ("mean", "median", "min", "max")
_OPTIONS = ("disable_gc", "timer", "warmup", "calibration_precision")
_DEFINITION = "time of a round divided by its iterations"


def _sniff(head: bytes, name: str) -> Match:
    del name
    why = "no benchmarks with stats of rounds and iterations"
    entry = mapping(first_entry(head))
    found = items(entry.get("benchmarks"))
    stats = mapping(mapping(found[0]).get("stats")) if found else {}
    if stats.keys() & {"rounds", "data", "iqr", "iterations", "hd15iqr"}:
        return Match(90, why)
    framed = "machine_info" in entry and "commit_info" in entry
    return Match(70 if framed else 0, why)


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    value, complete = document(source, batch, trouble)
    report = mapping(value)
    found = items(report.get("benchmarks"))
    benchmarks = found if complete else found[:-1]
    if not benchmarks:
        raise MalformedArtifactError(
            "no complete benchmark. Expected benchmarks[] with stats",
            source=source.name,
        )
    shared = _settings_of_file(report)
    for entry, item in enumerate(benchmarks, start=1):
        batch.entries += 1
        benchmark = mapping(item)
        stats = mapping(benchmark.get("stats"))
        name = text(benchmark.get("fullname")) or text(benchmark.get("name"))
        rounds = [measured(second) for second in items(stats.get("data"))]
        summary = _summary(stats, name or "a benchmark")
        if None in rounds or not (rounds or any(summary.printed.values())):
            why = "a round in data is no time" if rounds else "no stats"
            trouble.note(batch, "SPS002", entry, f"benchmark skipped: {why}")
            continue
        row: Row = {
            "source": source.name,
            "entry": entry,
            "workload": text(benchmark.get("group")),
            "prompt_id": name,
            "process": process_of(source, 0),
            "settings": settings_text({**shared, **_settings(benchmark)}),
        }
        _add_rounds(rounds, row, batch)
        for aggregate in (*summary.rows(row, definition=_DEFINITION), *_extra(item)):
            batch.add("aggregates", {**row, "scope": "run", **aggregate})
        known = [second for second in rounds if second is not None]
        summary.check(known, entry, batch, trouble)
        batch.parsed += 1
        if batch.count("requests") >= ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


def _add_rounds(rounds: list[float | None], row: Row, batch: Batch) -> None:
    for index, seconds in enumerate(rounds):
        batch.add(
            "requests", {**row, "repetition": index, "ok": True, "e2e_s": seconds}
        )


def _summary(stats: Mapping[str, object], label: str) -> Summary:
    return Summary(
        printed={name: measured(stats.get(name)) for name in _STATISTICS},
        sd=measured(stats.get("stddev")),
        n=whole(stats.get("rounds")),
        label=label,
    )


def _extra(benchmark: object) -> Iterator[Row]:
    """Yield the numbers that the test itself recorded."""
    for key, value in mapping(mapping(benchmark).get("extra_info")).items():
        real = number(value)
        if real is not None:
            yield {
                "metric": text(key),
                "statistic": "value",
                "value": real,
                "definition": "extra_info of the test",
            }


def _settings_of_file(report: Mapping[str, object]) -> Row:
    machine = mapping(report.get("machine_info"))
    version = text(report.get("version"))
    cpu = mapping(machine.get("cpu"))
    return {
        "id.build": None if version is None else f"pytest-benchmark {version}",
        "id.commit": mapping(report.get("commit_info")).get("id"),
        "id.cpu": cpu.get("brand_raw") or cpu.get("brand") or machine.get("processor"),
        "id.os": machine.get("system"),
        "id.kernel": machine.get("release"),
        "id.python_implementation": machine.get("python_implementation"),
        "id.python_version": machine.get("python_version"),
    }


def _settings(benchmark: Mapping[str, object]) -> Row:
    options = mapping(benchmark.get("options"))
    told: Row = {f"cfg.{key}": options.get(key) for key in _OPTIONS}
    for key, value in mapping(benchmark.get("params")).items():
        told[f"cfg.{text(key)}"] = value
    for key, value in mapping(benchmark.get("extra_info")).items():
        if isinstance(scalar(value), str | bool):
            told[f"cfg.{text(key)}"] = value
    return told


READER = Reader(
    name="pytest-benchmark",
    label="pytest-benchmark JSON (--benchmark-json, --benchmark-autosave)",
    producers=("2.5", "5.3"),
    levels=("sample", "aggregate"),
    boundary="proved: all rounds of a file ran in one pytest process",
    traps=(
        (
            "the times of rounds (data) are there only with --benchmark-json or "
            "--benchmark-save-data; else means and deviations"
        ),
        "rounds share a process: they are no replicates of a setting",
        "a round is the mean of its iterations",
        "version 2.5 has no ops, total, params and extra_info",
    ),
    fields=(
        ("benchmarks[].fullname", "requests.prompt_id: name where it is missing"),
        ("benchmarks[].group", "requests.workload"),
        ("stats.data[]", "requests.e2e_s: s, divided by iterations already"),
        (
            "stats.mean, stddev, median, min, max, rounds",
            "aggregates.value: e2e in s, scope run; checked against data",
        ),
        ("extra_info", "aggregates.value: for numbers, settings cfg.* for text"),
        ("params, options", "requests.settings: cfg.*"),
        ("version, commit_info.id, machine_info", "requests.settings: id.*"),
    ),
    marks=(b'"stats"', b'"machine_info"'),
    sniff=_sniff,
    parse=_parse,
)
