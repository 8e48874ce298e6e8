"""pyperf: JSON of benchmarks whose runs are processes with several values each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.errors import MalformedArtifactError
from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._document import document
from specstats.readers._json import first_entry, number, text
from specstats.readers._results import items, mapping, process_of, settings_text
from specstats.readers.harness._samples import ROWS_A_BATCH, measured

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["READER"]

_IDENTITIES = {
    "cpu_model_name": "id.cpu",
    "platform": "id.platform",
    "python_implementation": "id.python_implementation",
    "python_version": "id.python_version",
    "python_compiler": "id.python_compiler",
}
_SETTINGS = (
    *("aslr", "cpu_affinity", "cpu_config", "cpu_count", "timer", "python_hash_seed"),
    *("timeit_setup", "timeit_stmt", "command"),
)
_RUN_KEYS = frozenset({"values", "warmups", "metadata"})
_UNITS = {"byte": ("memory", "bytes"), "integer": ("value", "1")}


def _sniff(head: bytes, name: str) -> Match:
    del name
    why = "no benchmarks with runs of values, warmups and metadata"
    found = items(mapping(first_entry(head)).get("benchmarks"))
    runs = items(mapping(found[0]).get("runs")) if found else []
    known = bool(runs) and not _RUN_KEYS.isdisjoint(mapping(runs[0]))
    return Match(90 if known else 0, why)


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    value, complete = document(source, batch, trouble)
    common = mapping(mapping(value).get("metadata"))
    listed = _runs(mapping(value))
    if not complete:
        listed = listed[:-1]
    if not listed:
        raise MalformedArtifactError(
            "no complete run. Expected benchmarks[].runs[]", source=source.name
        )
    repeats: dict[str | None, int] = {}
    for entry, (shared, run) in enumerate(listed, start=1):
        if isinstance(run, dict) and not items(run.get("values")):
            continue
        batch.entries += 1
        metadata = {**common, **shared, **mapping(mapping(run).get("metadata"))}
        name = text(metadata.get("name"))
        row: Row = {
            "source": source.name,
            "entry": entry,
            "prompt_id": name,
            "process": process_of(source, entry - 1),
            "settings": _settings(metadata),
        }
        unit = text(metadata.get("unit")) or "second"
        if unit == "second":
            problem = _add_times(mapping(run), row, repeats, batch)
        else:
            problem = _add_sizes(mapping(run), row, unit, batch)
        if problem is None:
            batch.parsed += 1
        else:
            trouble.note(batch, "SPS002", entry, problem)
        if batch.count("requests") >= ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


def _runs(suite: Mapping[str, object]) -> list[tuple[dict[str, object], object]]:
    """Return the runs of all benchmarks, each with the metadata of its benchmark."""
    return [
        (mapping(mapping(benchmark).get("metadata")), run)
        for benchmark in items(suite.get("benchmarks"))
        for run in items(mapping(benchmark).get("runs"))
    ]


def _settings(metadata: Mapping[str, object]) -> str | None:
    version = text(metadata.get("perf_version"))
    values: Row = {"id.build": None if version is None else f"pyperf {version}"}
    for key, name in _IDENTITIES.items():
        values[name] = metadata.get(key)
    for key in _SETTINGS:
        values[f"cfg.{key}"] = metadata.get(key)
    return settings_text(values)


def _add_times(
    run: Mapping[str, object],
    row: Row,
    repeats: dict[str | None, int],
    batch: Batch,
) -> str | None:
    """Add the rows of a process; return why there are none."""
    times = [measured(value) for value in items(run.get("values"))]
    if not times:
        return "run skipped: not an object with values"
    if None in times:
        return "run skipped: a value is no time above 0"
    name = text(row["prompt_id"])
    for warmup in items(run.get("warmups")):
        pair = items(warmup)
        seconds = measured(pair[1]) if len(pair) == 2 else None  # noqa: PLR2004
        if seconds is not None:
            batch.add(
                "requests", {**row, "phase": "warmup", "ok": True, "e2e_s": seconds}
            )
    first = repeats.get(name, 0)
    for index, seconds in enumerate(times, start=first):
        batch.add(
            "requests", {**row, "repetition": index, "ok": True, "e2e_s": seconds}
        )
    repeats[name] = first + len(times)
    return None


def _add_sizes(
    run: Mapping[str, object], row: Row, unit: str, batch: Batch
) -> str | None:
    metric, written = _UNITS.get(unit, ("value", unit))
    sizes = [number(value) for value in items(run.get("values"))]
    known = [size for size in sizes if size is not None]
    if not known or len(known) != len(sizes):
        return "run skipped: a value is no number"
    for size in known:
        batch.add(
            "aggregates",
            {
                **row,
                "metric": metric,
                "unit": written,
                "statistic": "value",
                "value": size,
                "scope": "run",
            },
        )
    return None


READER = Reader(
    name="pyperf",
    label="pyperf JSON (also compressed)",
    producers=("0.8", "2.11"),
    levels=("run", "sample"),
    boundary="proved: pyperf starts a fresh process for each run",
    traps=(
        "values are per loop already: they are not divided by loops again",
        "the first runs calibrate the number of loops and have no values",
        "a file of one benchmark names it in the metadata of the file only",
        "dates are local time without a zone, so launches have no start time",
        "values inside a run share a process: they are no replicates",
    ),
    fields=(
        ("benchmarks[].runs[]", "requests.process: one process each"),
        ("runs[].values[]", "requests.e2e_s: s per loop"),
        ("runs[].warmups[][1]", "requests.e2e_s: s per loop, phase warmup"),
        ("metadata.name", "requests.prompt_id"),
        (
            "metadata.unit",
            "aggregates.unit: 'second' by default, else the values become aggregates",
        ),
        ("metadata.perf_version", "requests.settings: id.build"),
        ("metadata.cpu_model_name, platform, python_*", "requests.settings: id.*"),
        ("metadata.aslr, cpu_*, timer, timeit_*", "requests.settings: cfg.*"),
    ),
    marks=(b'"runs"',),
    sniff=_sniff,
    parse=_parse,
)
