"""GuideLLM 0.1: reports of benchmarks, with the time of each decode step."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from specstats.readers._json import text, whole
from specstats.readers._results import items, mapping, settings_text
from specstats.readers.loadgen._distributions import model_name, not_negative
from specstats.readers.loadgen._guidellm_rows import Load, digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.readers._base import Batch, Row

__all__ = ["is_report", "loads"]

_MAX_STEPS = 1_000_000
_SLACK = 1e-3
_SETTINGS = ("backend_type", "data_type", "data", "mode", "max_number", "max_duration")


def is_report(entry: Mapping[str, object]) -> bool:
    """Whether an entry is a report of GuideLLM 0.1."""
    listed = items(entry.get("benchmarks"))
    inner = items(mapping(listed[0]).get("benchmarks")) if listed else []
    first = mapping(inner[0]) if inner else {}
    return "mode" in first and "results" in first


def loads(entry: Mapping[str, object]) -> Iterator[Load]:
    """Yield the load levels of all reports in the file."""
    for report in items(entry.get("benchmarks")):
        args = mapping(mapping(report).get("args"))
        for benchmark in items(mapping(report).get("benchmarks")):
            yield _load(mapping(benchmark), args)


def _load(benchmark: Mapping[str, object], args: Mapping[str, object]) -> Load:
    mode, rate = text(benchmark.get("mode")), text(benchmark.get("rate"))
    settings: Row = {f"cfg.{key}": args.get(key) for key in _SETTINGS}
    settings["id.model"] = model_name(args.get("model"))
    settings.update({"cfg.strategy": mode, "cfg.rate": benchmark.get("rate")})
    if not isinstance(args.get("max_duration"), int | float):
        settings.pop("cfg.max_duration", None)
    return Load(
        workload=f"{mode} {rate}" if rate else mode,
        settings=settings_text(settings),
        answered=items(benchmark.get("results")),
        errored=items(benchmark.get("errors")),
        add=_add,
    )


def _add(batch: Batch, place: Row, status: str, record: Mapping[str, object]) -> str:
    request = mapping(record.get("request"))
    prompt = record.get("prompt", request.get("prompt"))
    row: Row = {
        **place,
        "prompt_id": digest(prompt),
        "request_id": text(request.get("id")),
        "started_s": not_negative(record.get("start_time")),
        "ended_s": not_negative(record.get("end_time")),
    }
    if status != "successful":
        error = text(record.get("error")) or text(record.get("message")) or status
        batch.add("requests", {**row, "ok": False, "error": error})
        return ""
    began, ended = row["started_s"], row["ended_s"]
    if not isinstance(began, float) or not isinstance(ended, float):
        return "no start_time and end_time"
    if ended < began:
        return "end_time before start_time"
    tokens = whole(record.get("output_token_count"))
    output = record.get("output")
    row.update(
        ok=True,
        n_prompt=whole(record.get("prompt_token_count")),
        n_output=tokens,
        e2e_s=ended - began,
        output_sha256=digest(output, length=None),
    )
    if tokens:
        _add_steps(batch, row, record, tokens)
    batch.add("requests", row)
    return ""


def _add_steps(
    batch: Batch, row: Row, record: Mapping[str, object], tokens: int
) -> None:
    first = not_negative(record.get("first_token_time"))
    row["ttft_s"] = first
    listed = items(mapping(record.get("decode_times")).get("data"))
    times = [not_negative(value) for value in listed[:_MAX_STEPS]]
    known = [value for value in times if value is not None]
    if first is None or len(known) != len(listed) or not known or tokens == 1:
        return
    decode = math.fsum(known)
    if first + decode > (not_negative(row["e2e_s"]) or 0.0) + _SLACK:
        return
    row["decode_s"] = decode
    for step, seconds in enumerate(known):
        batch.add(
            "steps",
            {
                "source": row["source"],
                "entry": row["entry"],
                "step": step,
                "step_s": seconds,
            },
        )
