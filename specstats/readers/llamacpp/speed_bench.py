"""llama.cpp's speed-bench (tools/server/bench): a sample each, and its summary."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from specstats.readers._base import Match, Reader, Row
from specstats.readers._json import first_entry, number, text, whole
from specstats.readers._results import file_name, items, mapping, settings_text
from specstats.readers.llamacpp._harness import Sink, drafts, positive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.readers._base import Batch
    from specstats.source import Source

__all__ = ["READER"]

_MILLI = 1e-3
_TOLERANCE = 1e-6
_WHOLE = 0.01
_WORK = ("bench", "category", "osl", "concurrency")
_NEEDED = frozenset({"config", "results", "completed_samples"})

Entry = dict[str, object]


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = first_entry(head)
    if not isinstance(entry, dict) or not set(entry) >= _NEEDED:
        return Match(0, "no config, results and completed_samples")
    config = mapping(entry.get("config"))
    known = "osl" in config and "bench" in config
    return Match(90 if known else 0, "no bench and osl in its config")


def _parse(source: Source) -> Iterator[Batch]:
    sink = Sink(source)
    found = sink.document()
    config = mapping(found.get("config"))
    work = {f"cfg.{name}": config.get(name) for name in _WORK}
    extra = mapping(config.get("extra_inputs"))
    work.update({f"cfg.{name}": value for name, value in extra.items()})
    settings = settings_text({"id.model": file_name(config.get("model")), **work})
    rows = [
        _add(sink, line, mapping(value), settings)
        for line, value in enumerate(items(found.get("results")), start=1)
    ]
    known = [row for row in rows if row is not None]
    for value in items(found.get("summary")):
        _add_summary(sink, mapping(value), settings)
    overall = [
        mapping(value)
        for value in items(found.get("summary"))
        if mapping(value).get("category") == "overall"
    ]
    if overall and known and len(known) == len(rows):
        _check(sink, overall[-1], known)
    yield sink.close()


def _add(sink: Sink, line: int, entry: Entry, settings: str | None) -> Row | None:
    sink.batch.entries += 1
    row: Row = {
        "source": sink.source.name,
        "entry": line,
        "workload": text(entry.get("category")),
        "prompt_id": text(entry.get("id")),
        "settings": settings,
    }
    output, latency = (
        whole(entry.get("completion_tokens")),
        positive(entry.get("latency_s")),
    )
    if entry.get("ok") is False or entry.get("error"):
        row.update(ok=False, error=text(entry.get("error")) or "error")
    elif output is None or latency is None:
        sink.skip(line, "no completion_tokens and latency_s")
        return None
    else:
        row.update(
            ok=True,
            n_output=output,
            e2e_s=latency,
            finish_reason=text(entry.get("finish_reason")),
        )
        row["n_draft"], row["n_accepted"] = drafts(sink, line, entry)
        _take_times(sink, line, entry, row)
    sink.batch.add("requests", row)
    sink.batch.parsed += 1
    return row


def _take_times(sink: Sink, line: int, entry: Entry, row: Row) -> None:
    """Keep the server's times where they are those of one answer."""
    turns = whole(entry.get("turns"))
    if turns is not None and turns > 1:
        sink.note(
            "SPS006",
            line,
            "the sample sums several answers: its server times and its rate are not "
            "those of one request and are not used",
            observed=f"{turns} turns",
            required="1 turn",
        )
        return
    if not row["n_output"]:
        sink.note("SPS007", line, "a request succeeded without one output token")
        row["e2e_s"] = None
        return
    row["decode_s"] = positive(entry.get("predicted_ms"), _MILLI)
    sink.check_rate(line, row, number(entry.get("predicted_per_second")))
    prompt_s = row["prompt_s"] = positive(entry.get("prompt_ms"), _MILLI)
    rate, told = number(entry.get("prompt_per_second")), entry.get("prompt_tokens")
    if prompt_s is None or rate is None:
        return
    exact = rate * prompt_s
    processed, everything = whole(float(f"{exact:.0f}")), whole(told)
    if processed is not None and abs(exact - processed) <= _WHOLE:
        row["n_prompt"] = processed
        if everything is not None and everything >= processed:
            row["n_cached"] = everything - processed


def _add_summary(sink: Sink, printed: Entry, settings: str | None) -> None:
    category = text(printed.get("category"))
    shared: Row = {
        "entry": 1,
        "workload": None if category == "overall" else category,
        "n": whole(printed.get("requests")),
        "settings": settings,
    }
    told = {**shared, "definition": "mean of the rates of the samples"}
    for key, metric in (
        ("avg_prompt_t_s", "prefill_rate"),
        ("avg_pred_t_s", "decode_rate"),
    ):
        sink.aggregate(told, metric, "tok/s", "mean", positive(printed.get(key)))
    told = {**shared, "definition": "mean over samples, all turns of each together"}
    sink.aggregate(told, "e2e", "s", "mean", positive(printed.get("avg_latency")))
    rate = number(printed.get("accept_rate"))
    if rate is not None and 0 <= rate <= 1:
        told = {**shared, "definition": "accepted over draft tokens, no bonus token"}
        sink.aggregate(told, "acceptance_rate", "1", "ratio", rate)


def _check(sink: Sink, printed: Entry, rows: list[Row]) -> None:
    """Compare the last row of the summary with the samples."""
    sums = {
        name: sum(int(str(row.get(column) or 0)) for row in rows)
        for name, column in (("draft_n", "n_draft"), ("accepted", "n_accepted"))
    }
    for name, right in {**sums, "requests": len(rows)}.items():
        value = whole(printed.get(name))
        if value is not None:
            sink.compare_printed(
                1,
                f"{name} of the summary",
                (value, right),
                0.5,
            )
    latencies = [row["e2e_s"] for row in rows if row.get("e2e_s") is not None]
    mean = positive(printed.get("avg_latency"))
    if mean is None or len(latencies) != len(rows):
        return
    right_mean = math.fsum(float(str(value)) for value in latencies) / len(rows)
    allowed = _TOLERANCE * right_mean
    sink.compare_printed(
        1,
        "avg_latency of the summary",
        (mean, right_mean),
        allowed,
    )


READER = Reader(
    name="llama-speed-bench",
    label="llama.cpp speed-bench results (tools/server/bench/speed-bench)",
    producers=("2026",),
    levels=("request", "aggregate"),
    boundary="unknown: the samples of a file share one launch, which it does not name",
    traps=(
        "a sample of several turns sums tokens and times of several answers",
        "avg_pred_t_s is the plain mean of rates; accept_rate is pooled over tokens",
        "rates of one turn are the server's, those of more turns are computed anew",
        "draft_n is 0, not absent, without drafts",
        "order is that of completion: samples are paired by their id",
    ),
    fields=(
        ("results.id", "requests.prompt_id: as written"),
        ("results.category", "requests.workload: as written"),
        ("results.latency_s", "requests.e2e_s: s, all turns"),
        ("results.completion_tokens", "requests.n_output: tokens, all turns"),
        ("results.predicted_ms", "requests.decode_s: ms to s, of one turn only"),
        (
            "results.predicted_per_second",
            "requests.engine_rate_tps: convention recomputed, of one turn only",
        ),
        (
            "results.prompt_ms, prompt_per_second",
            "requests.prompt_s: their product is requests.n_prompt",
        ),
        ("results.prompt_tokens", "requests.n_cached: less the processed tokens"),
        (
            "results.draft_n, draft_n_accepted",
            "requests.n_draft: and requests.n_accepted; tokens; 0 drafted is missing",
        ),
        ("results.ok, error", "requests.ok: and requests.error"),
        (
            "summary.avg_prompt_t_s, avg_pred_t_s, avg_latency, accept_rate",
            "aggregates.value: by category",
        ),
        ("config", "requests.settings"),
    ),
    marks=(b'"completed_samples"',),
    sniff=_sniff,
    parse=_parse,
)
