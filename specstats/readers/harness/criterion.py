"""criterion.rs: sample.json, raw.csv and estimates.json."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from specstats.errors import MalformedArtifactError
from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import BadEntry, decoded, first_value, number
from specstats.readers._results import items, mapping, process_of
from specstats.readers._text import real_in, text_lines
from specstats.readers.harness._samples import ROWS_A_BATCH, measured

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["READER"]

_NANO = 1e-9
_PAIR = 2
_COLUMNS = ("group", "function", "value")
_COUNT = "iteration_count"
_TIMES = ("sample_time_nanos", "sample_measured_value")
_ESTIMATES = {
    "mean": "mean",
    "median": "median",
    "slope": "slope",
    "medianabsdev": "median_abs_dev",
    "median_abs_dev": "median_abs_dev",
}
_DEVIATIONS = frozenset({"stddev", "std_dev"})
_SPREAD = _DEVIATIONS | {"medianabsdev", "median_abs_dev", "slope"}
_SLOPE = "slope through the origin of time over iterations"
_WHY = "no iters with times, no estimates with intervals, no raw.csv header"


def _sniff(head: bytes, name: str) -> Match:
    del name
    if head.lstrip()[:1] not in {b"{", b"["}:
        return Match(90 if _is_raw(_cells(_first_line(head))) else 0, _WHY)
    value = first_value(head)
    if isinstance(value, list):
        return Match(60 if _looks_like_lists(value, head) else 0, _WHY)
    entry = mapping(value)
    if isinstance(entry.get("iters"), list) and "sampling_mode" in entry:
        return Match(90, _WHY)
    return Match(90 if _estimates(entry) else 0, _WHY)


def _first_line(head: bytes) -> str:
    return head.partition(b"\n")[0].decode("utf-8", "replace").strip()


def _is_raw(cells: list[str]) -> bool:
    known = tuple(cells[:3]) == _COLUMNS and _COUNT in cells
    return known and any(name in cells for name in _TIMES)


def _looks_like_lists(value: list[object], head: bytes) -> bool:
    """Whether a value is [[iterations], [times]], all numbers.

    Where the head ends inside, the second list may be shorter or lack.
    """
    if not 1 <= len(value) <= _PAIR or not all(
        isinstance(part, list) and part for part in value
    ):
        return False
    if not all(number(x) is not None for part in value for x in items(part)):
        return False
    whole = len(value) == _PAIR and len(items(value[0])) == len(items(value[1]))
    return whole or not head.rstrip().endswith(b"]]")


def _estimates(entry: Mapping[str, object]) -> dict[str, dict[str, object]]:
    """Return what criterion estimated, by lower-case name; empty for other files."""
    known = {
        key.lower(): value
        for key, value in entry.items()
        if isinstance(value, dict)
        and "point_estimate" in value
        and "confidence_interval" in value
    }
    return known if {"mean", "median"} <= known.keys() else {}


def _parse(source: Source) -> Iterator[Batch]:
    if source.head().lstrip()[:1] not in {b"{", b"["}:
        yield from _parse_raw(source)
        return
    value = decoded(source.document())
    if isinstance(value, BadEntry):
        raise MalformedArtifactError(
            f"the document is broken ({value.reason}): iterations and times cannot "
            "be paired",
            source=source.name,
        )
    estimates = _estimates(mapping(value))
    if estimates:
        yield _parse_estimates(estimates, source)
        return
    pair = items(value)
    if isinstance(value, dict):
        pair = [value.get("iters"), value.get("times")]
    counts, times = (items(part) for part in [*pair, None, None][:2])
    if not times or len(counts) != len(times):
        raise MalformedArtifactError(
            f"{len(counts)} iteration counts and {len(times)} times. Expected one "
            "count a time",
            source=source.name,
        )
    samples = zip(range(1, len(times) + 1), counts, times, strict=True)
    yield from _samples(
        ((entry, count, time, {}) for entry, count, time in samples), source
    )


def _samples(
    found: Iterator[tuple[int, object, object, Row]], source: Source
) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    repeats: dict[object, int] = {}
    for entry, count, time, named in found:
        batch.entries += 1
        times = number(count)
        seconds = measured(time, _NANO / times) if times and times >= 1 else None
        if seconds is None:
            trouble.note(
                batch, "SPS002", entry, "sample skipped: no time and iterations above 0"
            )
            continue
        prompt = named.get("prompt_id")
        index = repeats.get(prompt, 0)
        repeats[prompt] = index + 1
        batch.add(
            "requests",
            {
                **named,
                "source": source.name,
                "entry": entry,
                "process": process_of(source, 0),
                # raw.csv and sample.json of a benchmark hold the same samples.
                "request_id": f"{index}: {times:.17g} in {number(time):.17g} ns",
                "repetition": index,
                "ok": True,
                "e2e_s": seconds,
            },
        )
        batch.parsed += 1
        if batch.count("requests") >= ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


def _parse_raw(source: Source) -> Iterator[Batch]:
    yield from _samples(_raw_rows(source), source)


def _raw_rows(source: Source) -> Iterator[tuple[int, object, object, Row]]:
    lines = text_lines(source)
    header = _cells(next(lines, (1, ""))[1].strip())
    measure = next((name for name in _TIMES if name in header), None)
    for line, content in lines:
        if not content.strip():
            continue
        cells = _cells(content)
        row = dict(zip(header, cells, strict=False))
        fits = len(cells) == len(header) and row.get("unit", "ns") == "ns"
        count = real_in(row.get(_COUNT)) if fits else None
        time = real_in(row.get(measure)) if fits and measure else None
        label = "/".join(row[name] for name in _COLUMNS if row.get(name))
        yield line, count, time, {"prompt_id": label or None}


def _cells(line: str) -> list[str]:
    try:
        return next(csv.reader([line], strict=True), [])
    except csv.Error:
        return []


def _parse_estimates(
    estimates: Mapping[str, dict[str, object]], source: Source
) -> Batch:
    batch, trouble = Batch(), Trouble(source)
    # A file of mean and median alone compares new with base: 0.01 is +1 %.
    relative = _SPREAD.isdisjoint(estimates)
    deviation = next(
        (_point(estimates[name]) for name in _DEVIATIONS if name in estimates), None
    )
    for entry, (name, estimate) in enumerate(estimates.items(), start=1):
        if name not in _ESTIMATES and name not in _DEVIATIONS:
            continue
        batch.entries += 1
        point = _point(estimate)
        if point is None:
            trouble.note(
                batch, "SPS002", entry, f"{name} skipped: point_estimate is no number"
            )
            continue
        batch.parsed += 1
        if name in _DEVIATIONS:
            continue
        row = _relative(name) if relative else _absolute(name, deviation)
        scale = 1.0 if relative else _NANO
        shared = {"source": source.name, "entry": entry, "value": point * scale}
        batch.add("aggregates", {**row, **shared})
    trouble.close(batch)
    return batch


def _point(estimate: Mapping[str, object]) -> float | None:
    return number(estimate.get("point_estimate"))


def _relative(name: str) -> Row:
    return {
        "metric": "e2e_relative_change",
        "unit": "1",
        "statistic": name,
        "scope": "runs",
        "definition": "new over base, minus 1: one process each",
    }


def _absolute(name: str, deviation: float | None) -> Row:
    statistic = _ESTIMATES[name]
    plain = statistic in {"mean", "median"}
    sd = deviation if statistic == "mean" else None
    return {
        "metric": "e2e_mad" if statistic == "median_abs_dev" else "e2e",
        "unit": "s",
        "statistic": statistic if plain else "value",
        "sd": None if sd is None else sd * _NANO,
        "scope": "run",
        "definition": _SLOPE if statistic == "slope" else "time of one iteration",
    }


READER = Reader(
    name="criterion",
    label="criterion.rs sample.json, raw.csv and estimates.json",
    producers=("old (lists, capitalised keys)",),
    levels=("sample", "aggregate"),
    boundary="proved: a file is one process (base and new are two)",
    traps=(
        "a time is that of a whole batch and is divided by its iterations",
        "base and new are one process each: n is 2, whatever the bootstrap says",
        "change/estimates.json is relative: 0.01 is +1 %",
        "slope is null in flat sampling mode",
        "raw.csv holds the samples of sample.json again: read one of them",
        "sample.json does not name its benchmark: the folder does",
    ),
    fields=(
        ("iters[], times[]", "requests.e2e_s: ns of a batch over its iterations, in s"),
        (
            "sample_time_nanos or sample_measured_value, iteration_count (raw.csv)",
            "requests.e2e_s: as above",
        ),
        ("group, function, value (raw.csv)", "requests.prompt_id: joined with /"),
        ("mean, median, slope .point_estimate", "aggregates.value: e2e in s, from ns"),
        ("std_dev.point_estimate", "aggregates.sd: of the mean; s"),
        ("median_abs_dev.point_estimate", "aggregates.value: e2e_mad in s"),
        ("change: mean, median", "aggregates.value: e2e_relative_change, a fraction"),
    ),
    marks=(b"[[", b'"iters"', b'"point_estimate"', b"group,function,value"),
    sniff=_sniff,
    parse=_parse,
)
