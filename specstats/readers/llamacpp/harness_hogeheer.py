"""Concurrency benchmark (hogeheer): JSON lines, a batch of requests each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._base import Match, Reader, Row
from specstats.readers._json import (
    BadEntry,
    entries,
    first_entry,
    number,
    whole,
)
from specstats.readers._results import mapping, settings_text
from specstats.readers.llamacpp._harness import Sink, positive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.readers._base import Batch
    from specstats.source import Source

__all__ = ["READER"]

_NEEDED = frozenset({"np", "rep", "batch_wall_s", "aggregate_tps", "total_tokens"})
_ROWS_A_BATCH = 20_000
_TOLERANCE = 1e-3
_RATE = "output tokens over the time from first to last token, mean over requests"

Entry = dict[str, object]


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = first_entry(head)
    known = isinstance(entry, dict) and set(entry) >= _NEEDED
    return Match(90 if known else 0, "no np, rep, batch_wall_s and aggregate_tps")


def _parse(source: Source) -> Iterator[Batch]:
    sink = Sink(source)
    for line, value in entries(source):
        sink.batch.entries += 1
        if isinstance(value, BadEntry):
            sink.skip(line, value.reason)
            continue
        _add(sink, line, mapping(value))
        if sink.batch.count("aggregates") >= _ROWS_A_BATCH:
            done, sink.batch = sink.batch, type(sink.batch)()
            yield done
    yield sink.close()


def _add(sink: Sink, line: int, entry: Entry) -> None:
    wall = positive(entry.get("batch_wall_s"))
    tokens, requests = whole(entry.get("total_tokens")), whole(entry.get("requests"))
    if wall is None or tokens is None:
        sink.skip(line, "no batch_wall_s and total_tokens")
        return
    repetition = number(entry.get("rep"))
    warm = entry.get("phase") == "warmup" or (repetition is not None and repetition < 0)
    shared: Row = {
        "source": sink.source.name,
        "entry": line,
        "workload": "warmup" if warm else None,
        "prompt_id": None if repetition is None else f"rep {repetition:g}",
        "settings": settings_text({"cfg.concurrency": whole(entry.get("np"))}),
    }
    failed = whole(entry.get("errors"))
    if failed:
        sink.note(
            "SPS007",
            line,
            "requests of the batch failed",
            observed=f"{failed} failed",
            required="0",
        )
    _add_counters(sink, shared, (requests, failed, tokens), wall)
    about = {**shared, "n": requests}
    rate = positive(entry.get("aggregate_tps"))
    sink.aggregate(about, "output_throughput", "tok/s", "rate", rate)
    alone = positive(entry.get("mean_request_tps"))
    described = {**about, "definition": _RATE}
    sink.aggregate(described, "decode_rate", "tok/s", "mean", alone)
    for metric in ("ttft", "itl"):
        for name, statistic in (("mean", "mean"), ("p95", "p95")):
            value = positive(entry.get(f"{name}_{metric}_s"))
            sink.aggregate(about, metric, "s", statistic, value)
    sink.batch.parsed += 1
    if rate is not None:
        allowed = _TOLERANCE * rate
        sink.compare_printed(
            line,
            "aggregate_tps",
            (rate, tokens / wall),
            allowed,
        )


def _add_counters(
    sink: Sink, shared: Row, counts: tuple[int | None, ...], wall: float
) -> None:
    requests, failed, tokens = counts
    sink.batch.add(
        "counters",
        {
            **shared,
            "scope": "run",
            "duration_s": wall,
            "n_requests": requests,
            "n_failed": failed,
            "n_output": tokens,
        },
    )


READER = Reader(
    name="hogeheer-concurrency",
    label="concurrency benchmark of llama-server (JSON lines of np, rep)",
    producers=("b9010",),
    levels=("aggregate", "counter"),
    boundary="unknown: the lines may come from one server",
    traps=(
        "rep -1 is the warm-up: its rows have the workload 'warmup'",
        "each line sums up np requests; single requests are not in the file",
        "mean_request_tps counts all n tokens over the time after the first",
    ),
    fields=(
        ("np", "aggregates.settings: cfg.concurrency"),
        ("rep", "aggregates.prompt_id: 'rep 0'"),
        ("phase", "aggregates.workload: 'warmup' or missing"),
        (
            "requests, errors, total_tokens, batch_wall_s",
            "counters.n_requests: and n_failed, n_output, duration_s",
        ),
        ("aggregate_tps", "aggregates.value: output_throughput, tok/s"),
        ("mean_request_tps", "aggregates.value: decode_rate, tok/s"),
        ("mean_ttft_s, p95_ttft_s", "aggregates.value: ttft, s"),
        ("mean_itl_s, p95_itl_s", "aggregates.value: itl, s"),
    ),
    marks=(b'"batch_wall_s"',),
    sniff=_sniff,
    parse=_parse,
)
