"""llm-d benchmark reports, schemas 0.1 and 0.2."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

from specstats.errors import MalformedArtifactError
from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import whole
from specstats.readers._results import (
    add_aggregate,
    items,
    mapping,
    settings_text,
)
from specstats.readers._text import clean_head
from specstats.readers.loadgen._distributions import (
    TIME_UNITS,
    add_distribution,
    not_negative,
    quantile_of,
)
from specstats.readers.loadgen._llmd_settings import settings_of, time_of
from specstats.readers.loadgen._yaml_subset import read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["READER"]

_VERSION = re.compile(
    r"^version: *['\"]?0\.[12](?:\.\d+)?['\"]?\s*(?:#.*)?$", re.MULTILINE
)
_SCENARIO = re.compile(r"^scenario: *(?:#.*)?$", re.MULTILINE)
_RESULTS = re.compile(r"^(?:metrics|results): *(?:#.*)?$", re.MULTILINE)
_UNITS = re.compile(r"^ +units: \S", re.MULTILINE)
_LATENCIES = {
    "request_latency": ("e2e", None),
    "time_to_first_token": ("ttft", None),
    "time_per_output_token": ("tpot", "as the load generator defines it"),
    "inter_token_latency": ("itl", "as the load generator defines it"),
    "normalized_time_per_output_token": ("e2e_per_token", "latency / tokens"),
}
_LENGTHS = {"input_length": "input_length", "output_length": "output_length"}
_RATES = {
    "input_tokens_per_sec": ("input_throughput", "tok/s"),
    "output_tokens_per_sec": ("output_throughput", "tok/s"),
    "total_tokens_per_sec": ("total_throughput", "tok/s"),
    "requests_per_sec": ("request_throughput", "req/s"),
    "input_token_rate": ("input_throughput", "tok/s"),
    "output_token_rate": ("output_throughput", "tok/s"),
    "total_token_rate": ("total_throughput", "tok/s"),
    "request_rate": ("request_throughput", "req/s"),
}
_RATE_UNITS = frozenset({"tokens/s", "queries/s", "requests/s"})
_ORDER = ("min", "p0.1", "p1", "p5", "p10", "p25", "median", "p75", "p90", "p95")
_RISING = (*_ORDER, "p99", "p99.9", "max")
_SLACK = 1.0
_ROUNDING = 1e-9


def _sniff(head: bytes, name: str) -> Match:
    del name
    content = clean_head(head).replace("\r\n", "\n")
    if content.lstrip()[:1] in {"{", "["}:
        return Match(0, "JSON, no YAML report")
    # Written with sorted keys, the version comes last.
    known = (
        _SCENARIO.search(content) is not None
        and _RESULTS.search(content) is not None
        and (_VERSION.search(content) or _UNITS.search(content)) is not None
    )
    return Match(85 if known else 0, "no scenario and metrics or results of a report")


def _parse(source: Source) -> Iterator[Batch]:
    report = mapping(read_yaml(source))
    batch, trouble = Batch(entries=1), Trouble(source)
    results = mapping(mapping(report.get("results")).get("request_performance"))
    found = mapping(report.get("metrics")) or mapping(results.get("aggregate"))
    if not found:
        raise MalformedArtifactError(
            "no metrics and no results.request_performance.aggregate",
            source=source.name,
        )
    settings, synthetic = settings_of(report)
    place: Row = {
        "source": source.name,
        "entry": 1,
        "settings": settings_text(settings),
    }
    answered = _count(batch, place, report, found, trouble)
    _add_latencies(batch, place, found, answered, trouble)
    _add_rates(batch, place, mapping(found.get("throughput")))
    if synthetic:
        message = "the server accepted drafts at a fixed rate: nothing was measured"
        trouble.note(batch, "SPS309", 1, message)
    _check_health(batch, report, trouble)
    batch.parsed = int(bool(batch.tables))
    if not batch.parsed:
        trouble.note(batch, "SPS002", 1, "entry skipped: no numbers")
    trouble.close(batch)
    yield batch


def _count(
    batch: Batch,
    place: Row,
    report: Mapping[str, object],
    found: Mapping[str, object],
    trouble: Trouble,
) -> int | None:
    requests = mapping(found.get("requests"))
    total, failed = whole(requests.get("total")), whole(requests.get("failures"))
    incomplete = whole(requests.get("incomplete")) or 0
    began, ended, duration = time_of(report, found)
    late = began is not None and ended is not None and ended < began
    if began is not None and ended is not None:
        _check_time(batch, began, ended, duration, trouble)
    lost = (failed or 0) + incomplete
    if total is None or lost > total:
        return None
    row: Row = {
        **place,
        "scope": "run",
        "started_s": None if late else began,
        "ended_s": None if late else ended,
        "duration_s": duration,
        "n_requests": total - lost,
        "n_failed": None if failed is None else lost,
    }
    batch.add("counters", row)
    if failed:
        trouble.note(
            batch,
            "SPS007",
            1,
            "requests failed; the printed numbers leave them out",
            observed=f"{failed} of {total} failed",
        )
    return total - lost


def _check_time(
    batch: Batch, began: float, ended: float, duration: float | None, trouble: Trouble
) -> None:
    if ended < began or (duration is not None and duration > ended - began + _SLACK):
        trouble.note(
            batch,
            "SPS006",
            1,
            "the start, the end and the duration of the run contradict each other",
            observed=f"end - start = {ended - began:.3f} s",
            required="unknown" if duration is None else f"at least {duration:.3f} s",
        )


def _add_latencies(
    batch: Batch,
    place: Row,
    found: Mapping[str, object],
    answered: int | None,
    trouble: Trouble,
) -> None:
    latencies = mapping(found.get("latency"))
    for key, (metric, definition) in _LATENCIES.items():
        values = mapping(latencies.get(key))
        unit = values.get("units")
        scale = TIME_UNITS.get(unit.split("/")[0]) if isinstance(unit, str) else None
        if values and scale is None:
            trouble.note(batch, "SPS002", 1, f"entry skipped: {key} has no known units")
        if scale is None or not _in_order(batch, key, values, trouble):
            continue
        add_distribution(
            batch,
            place,
            metric,
            "s",
            values,
            scale=scale,
            n=answered,
            scope="request",
            definition=definition,
        )
    requests = mapping(found.get("requests"))
    for key, metric in _LENGTHS.items():
        values = mapping(requests.get(key))
        if _in_order(batch, key, values, trouble):
            add_distribution(
                *(batch, place, metric, "tokens", values), n=answered, scope="request"
            )


def _in_order(
    batch: Batch, key: str, values: Mapping[str, object], trouble: Trouble
) -> bool:
    """Whether the quantiles rise; say so where they do not."""
    named = {
        statistic: value
        for name, printed in values.items()
        if (statistic := quantile_of(name)) is not None
        and (value := not_negative(printed)) is not None
    }
    rising = [(name, named[name]) for name in _RISING if name in named]
    for (lower, low), (upper, high) in itertools.pairwise(rising):
        if low > high * (1 + _ROUNDING):
            trouble.note(
                batch,
                "SPS006",
                1,
                f"{key}: {lower} is above {upper}; its numbers were left out",
                observed=f"{low:.6g}",
                required=f"at most {high:.6g}",
            )
            return False
    return True


def _add_rates(batch: Batch, place: Row, rates: Mapping[str, object]) -> None:
    for key, (metric, unit) in _RATES.items():
        found = rates.get(key)
        value = not_negative(found)
        if isinstance(found, dict) and found.get("units") in _RATE_UNITS:
            value = not_negative(found.get("mean"))
        add_aggregate(*(batch, place, metric, unit, "rate"), value=value, scope="run")


def _check_health(batch: Batch, report: Mapping[str, object], trouble: Trouble) -> None:
    for component in items(mapping(report.get("results")).get("component_health")):
        restarts = whole(mapping(component).get("total_restarts"))
        if restarts:
            trouble.note(
                batch,
                "SPS014",
                1,
                "a component restarted during the run: its numbers mix processes",
                observed=f"{restarts} restarts",
            )


READER = Reader(
    name="llmd",
    label="llm-d benchmark report (YAML)",
    producers=("schema 0.1", "schema 0.2", "examples of the schema alone"),
    levels=("counter", "aggregate"),
    boundary="unknown: a report summarises one load; component_health may say that "
    "servers restarted during it",
    traps=(
        "units stand beside the values and are followed",
        (
            "the YAML of reports is read strictly: tags, anchors, aliases and flow "
            "values that are not JSON are refused with their line"
        ),
        "no report of a real run was seen, examples of the schema alone",
        "quantiles that do not rise are left out (SPS006)",
        "numbers of schema 0.2 are of one stage of the load",
        "time series and resources are not read",
    ),
    fields=(
        (
            "metrics.latency.<name>, results.request_performance.aggregate.latency",
            "aggregates.value: e2e, ttft, tpot, itl, e2e_per_token: to s",
        ),
        ("requests.input_length, output_length", "aggregates.value: tokens"),
        (
            "throughput.output_tokens_per_sec, output_token_rate.mean, ..",
            "aggregates.value: output_throughput, request_throughput, ..",
        ),
        (
            "requests.total, failures, incomplete; time",
            "counters.n_requests: and n_failed, started_s, ended_s, duration_s",
        ),
        (
            "scenario.model, platform.engine, host.accelerator, load; stack[].*",
            "aggregates.settings: cfg.*, id.model, id.engine, id.build, id.device",
        ),
    ),
    marks=(b"scenario:",),
    experimental=True,
    sniff=_sniff,
    parse=_parse,
)
