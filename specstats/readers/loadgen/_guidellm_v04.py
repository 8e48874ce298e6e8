"""GuideLLM 0.4 and 0.5: benchmarks with config, scheduler_state and info.timings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._json import decoded, text
from specstats.readers._results import items, mapping, settings_text
from specstats.readers.loadgen._distributions import flat, model_name, not_negative
from specstats.readers.loadgen._guidellm_rows import Load, digest
from specstats.readers.loadgen._guidellm_v02 import add_request

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.readers._base import Batch, Row

__all__ = ["benchmark_load", "is_report", "loads"]

_ARGS = ("profile", "random_seed", "warmup", "cooldown", "max_seconds", "max_requests")
_CLOSE = 1e-6


def is_report(entry: Mapping[str, object]) -> bool:
    """Whether an entry is a report of GuideLLM 0.4 or 0.5."""
    version = mapping(entry.get("metadata")).get("guidellm_version")
    return isinstance(version, str) and "config" not in entry


def loads(entry: Mapping[str, object]) -> Iterator[Load]:
    """Yield the load levels."""
    args = mapping(entry.get("args"))
    shared: Row = {
        f"cfg.{key}": value
        for key in _ARGS
        if not isinstance(value := args.get(key), dict | list)
    }
    shared["id.model"] = model_name(args.get("model"))
    shared["cfg.data"] = model_name(args.get("data"))
    shared["id.guidellm"] = mapping(entry.get("metadata")).get("guidellm_version")
    for benchmark in items(entry.get("benchmarks")):
        yield benchmark_load(mapping(benchmark), shared)


def benchmark_load(benchmark: Mapping[str, object], shared: Row) -> Load:
    """Return one load level, of this generation or of 0.8.

    Parameters
    ----------
    benchmark : mapping
        Entry of ``benchmarks``.
    shared : dict
        Settings of the whole command.

    Returns
    -------
    Load
        The level.
    """
    config = mapping(benchmark.get("config"))
    strategy, backend = mapping(config.get("strategy")), mapping(config.get("backend"))
    kind = text(strategy.get("type_")) or text(strategy.get("kind"))
    level = next(
        (
            named
            for key in ("rate", "streams", "max_concurrency")
            if key != "max_concurrency" or kind == "concurrent"
            if (named := text(strategy.get(key)))
        ),
        None,
    )
    settings: Row = {**shared, "cfg.strategy": kind}
    settings.update(flat("cfg.strategy.", strategy, without={"type_", "kind"}))
    settings["id.model"] = model_name(backend.get("model")) or shared.get("id.model")
    requests = mapping(benchmark.get("requests"))
    timed = mapping(benchmark.get("scheduler_metrics"))
    metrics = mapping(benchmark.get("metrics"))
    measured = not_negative(timed.get("measure_start_time"))
    state: Row = {
        "made": timed.get("requests_made"),
        "measured": metrics.get("request_totals"),
        "started_s": not_negative(timed.get("request_start_time")),
        "ended_s": not_negative(timed.get("request_end_time")),
        "measure_start_s": measured,
        "measure_end_s": not_negative(timed.get("measure_end_time")),
    }

    def add(batch: Batch, place: Row, status: str, record: Mapping[str, object]) -> str:
        return _add(batch, place, status, record, measured=measured)

    return Load(
        workload=f"{kind} {level}" if level else kind,
        settings=settings_text(settings),
        answered=items(requests.get("successful")),
        errored=items(requests.get("errored")),
        incomplete=items(requests.get("incomplete")),
        add=add,
        metrics=metrics,
        state=state,
    )


def _add(
    batch: Batch,
    place: Row,
    status: str,
    record: Mapping[str, object],
    *,
    measured: float | None,
) -> str:
    info = mapping(record.get("info") or record.get("scheduler_info"))
    timings = mapping(info.get("timings") or info.get("request_timings"))
    ended = not_negative(record.get("request_end_time", timings.get("request_end")))
    row: Row = {
        **place,
        "prompt_id": digest(_prompt(record.get("request_args"))),
        "request_id": text(record.get("request_id")),
        "started_s": not_negative(
            record.get("request_start_time", timings.get("request_start"))
        ),
        "ended_s": ended,
    }
    if measured is not None and ended is not None and ended <= measured:
        row["phase"] = "warmup"
    first = timings.get("first_token_iteration", timings.get("first_iteration"))
    last = timings.get("last_token_iteration", timings.get("last_iteration"))
    return add_request(
        batch,
        row,
        status,
        record,
        error=text(info.get("error")),
        first=not_negative(first),
        last=not_negative(last),
    )


def _prompt(args: object) -> str | None:
    """Return what was asked, without the settings around it."""
    if not isinstance(args, str):
        return None
    body = mapping(mapping(decoded(args.encode("utf-8", "replace"))).get("body"))
    for key in ("prompt", "messages"):
        if key in body:
            return repr(body[key])
    return None
