"""GuideLLM 0.2 and 0.3: benchmarks with run_stats, worker and request_loader."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._json import text, whole
from specstats.readers._results import items, mapping, settings_text
from specstats.readers.loadgen._distributions import model_name, not_negative
from specstats.readers.loadgen._guidellm_rows import CUT_OFF, Load, digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.readers._base import Batch, Row

__all__ = ["add_request", "is_report", "loads", "timed"]

_MILLI = 1e-3
_LIMITS = ("max_number", "max_duration", "warmup_number", "warmup_duration")


def is_report(entry: Mapping[str, object]) -> bool:
    """Whether an entry is a report of GuideLLM 0.2 or 0.3."""
    listed = items(entry.get("benchmarks"))
    first = mapping(listed[0]) if listed else {}
    old = "args" in first or "run_stats" in first
    return "type_" in first and old


def loads(entry: Mapping[str, object]) -> Iterator[Load]:
    """Yield the load levels."""
    for benchmark in items(entry.get("benchmarks")):
        yield _load(mapping(benchmark))


def _load(benchmark: Mapping[str, object]) -> Load:
    args, worker = mapping(benchmark.get("args")), mapping(benchmark.get("worker"))
    loader = mapping(benchmark.get("request_loader"))
    strategy = mapping(args.get("strategy"))
    kind, rate = text(strategy.get("type_")), text(strategy.get("rate"))
    streams = text(strategy.get("streams"))
    settings: Row = {f"cfg.{key}": args.get(key) for key in _LIMITS}
    settings.update(
        {
            "cfg.strategy": kind,
            "cfg.rate": strategy.get("rate"),
            "cfg.concurrency": strategy.get("streams"),
            "cfg.max_concurrency": strategy.get("max_concurrency"),
            "cfg.seed": mapping(args.get("profile")).get("random_seed"),
            "cfg.data": loader.get("data"),
            "id.model": model_name(worker.get("backend_model")),
        }
    )
    stats, requests = (
        mapping(benchmark.get("run_stats")),
        mapping(benchmark.get("requests")),
    )
    level = rate or streams
    state: Row = {
        "made": stats.get("requests_made"),
        "started_s": not_negative(benchmark.get("start_time")),
        "ended_s": not_negative(benchmark.get("end_time")),
        "measured": benchmark.get("request_totals"),
    }
    return Load(
        workload=f"{kind} {level}" if level else kind,
        settings=settings_text(settings),
        answered=items(requests.get("successful")),
        errored=items(requests.get("errored")),
        incomplete=items(requests.get("incomplete")),
        add=_add,
        metrics=mapping(benchmark.get("metrics")),
        state=state,
    )


def _add(batch: Batch, place: Row, status: str, record: Mapping[str, object]) -> str:
    row: Row = {
        **place,
        "prompt_id": digest(record.get("prompt")),
        "request_id": text(record.get("request_id")),
        "started_s": not_negative(record.get("start_time")),
        "ended_s": not_negative(record.get("end_time")),
    }
    error = text(record.get("error"))
    first = not_negative(record.get("first_token_time"))
    last = not_negative(record.get("last_token_time"))
    return add_request(batch, row, status, record, error=error, first=first, last=last)


def add_request(
    batch: Batch,
    row: Row,
    status: str,
    record: Mapping[str, object],
    *,
    error: str | None,
    first: float | None,
    last: float | None,
) -> str:
    """Add the row of one request, of this generation or a later one.

    Parameters
    ----------
    batch : Batch
        Where it goes.
    row : dict
        Columns that are known already.
    status : str
        'successful', 'errored' or 'incomplete'.
    record : mapping
        The request.
    error : str or None
        What went wrong.
    first, last : float or None
        Unix times of the first and the last token.

    Returns
    -------
    str
        Why it gives no row; empty where it gave one.
    """
    if status != "successful":
        said = CUT_OFF if status == "incomplete" else error or "errored"
        batch.add("requests", {**row, "ok": False, "error": said})
        return ""
    latency = not_negative(record.get("request_latency"))
    if latency is None:
        return "no request_latency"
    tokens = whole(record.get("output_tokens"))
    row.update(
        ok=True,
        e2e_s=latency,
        n_prompt=whole(record.get("prompt_tokens")),
        n_output=tokens,
        output_sha256=digest(record.get("output"), length=None),
    )
    if tokens != 0:
        row["ttft_s"] = timed(record, "time_to_first_token_ms")
        if first is not None and last is not None and last >= first and tokens != 1:
            row["decode_s"] = last - first
    batch.add("requests", row)
    return ""


def timed(record: Mapping[str, object], key: str) -> float | None:
    """Return a time in ms as seconds."""
    return not_negative(record.get(key), _MILLI)
