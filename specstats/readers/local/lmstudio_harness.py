"""The conversation benchmark famstack (LM Studio or Ollama): a request a turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._base import Match, Reader, Row
from specstats.readers._json import first_entry, text, whole
from specstats.readers._results import items, mapping, settings_text
from specstats.readers.local._ollama import COUNT_IS_AMBIGUOUS, add_prompt_tokens
from specstats.readers.local._sink import (
    MILLI,
    Sink,
    contradicts,
    positive,
    rate_convention,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.readers._base import Batch
    from specstats.source import Source

__all__ = ["READER"]

_HALF_DIGIT = 0.05  # of gen_tps
_PARTS = 0.0026  # three times with three digits

Entry = dict[str, object]


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = first_entry(head)
    if not isinstance(entry, dict):
        return Match(0, "no JSON object")
    meta = mapping(entry.get("meta"))
    turns = items(entry.get("results"))
    known = (
        "scenario" in meta
        and "backend" in meta
        and (not turns or {"turn", "gen_tps"} <= set(mapping(turns[0])))
    )
    return Match(90 if known else 0, "no meta with scenario and backend")


def _parse(source: Source) -> Iterator[Batch]:
    sink = Sink(source)
    found = sink.document()
    meta = mapping(found.get("meta"))
    shared: Row = {"workload": text(meta.get("scenario")), "settings": _settings(meta)}
    for number, value in enumerate(items(found.get("results")), start=1):
        _add(sink, number, mapping(value), shared)
        if sink.is_full:
            yield sink.take()
    yield sink.close()


def _settings(meta: Entry) -> str | None:
    about, system = mapping(meta.get("model_info")), mapping(meta.get("system"))
    return settings_text(
        {
            "id.engine": meta.get("backend"),
            "id.model": about.get("name"),
            "id.format": about.get("format"),
            "id.quantisation": about.get("quantization"),
            "id.device": system.get("chip"),
            "id.os_version": system.get("os_version"),
            "cfg.max_tokens": meta.get("max_tokens"),
            "cfg.mode": meta.get("mode"),
            "cfg.cold": meta.get("cold"),
        }
    )


def _add(sink: Sink, number: int, entry: Entry, shared: Row) -> None:
    sink.batch.entries += 1
    turn, run = whole(entry.get("turn")), whole(entry.get("run"))
    row: Row = {
        **shared,
        "prompt_id": None if turn is None else f"turn {turn}",
        "repetition": run - 1 if run else None,
    }
    failed = text(entry.get("error"))
    if failed:
        sink.request(number, {**row, "ok": False, "error": failed})
        return
    count, decode_s = whole(entry.get("output_tokens")), positive(entry.get("gen_time"))
    if count is None or (count > 1 and decode_s is None):
        sink.skip(number, "no output_tokens and gen_time")
        return
    row.update(
        prompt_s=positive(entry.get("prompt_eval_duration_ms"), MILLI),
        n_output=count,
        e2e_s=positive(entry.get("total")),
    )
    if count:
        row.update(ttft_s=positive(entry.get("ttft")), decode_s=decode_s)
        _take_rate(sink, number, row, positive(entry.get("gen_tps")))
    else:
        sink.says_nothing(number)
    _check_total(sink, number, row)
    sink.request(number, row)
    prompt = whole(entry.get("prompt_eval_count"))
    add_prompt_tokens(sink, number, {**shared, "prompt_id": row["prompt_id"]}, prompt)


def _take_rate(sink: Sink, line: int, row: Row, rate: float | None) -> None:
    count, decode_s = row["n_output"], row["decode_s"]
    if rate is None or not isinstance(count, int) or not isinstance(decode_s, float):
        return
    row["engine_rate_tps"] = rate
    row["rate_convention"] = rate_convention(count, decode_s, rate, _HALF_DIGIT)
    if contradicts(count, decode_s, rate, _HALF_DIGIT):
        message = "gen_tps is not output_tokens over gen_time"
        sink.compare(line, message, (rate, count / decode_s), 0.0)


def _check_total(sink: Sink, line: int, row: Row) -> None:
    first, decode, total = (row.get(x) for x in ("ttft_s", "decode_s", "e2e_s"))
    if all(isinstance(part, float) for part in (first, decode, total)):
        together = float(str(first)) + float(str(decode))
        message = "total is not ttft plus gen_time"
        sink.compare(line, message, (float(str(total)), together), _PARTS)


READER = Reader(
    name="famstack-json",
    label="famstack conversation benchmark of LM Studio and Ollama (JSON)",
    producers=("March 2026",),
    levels=("request",),
    boundary="unknown: the server runs beside the harness, so a file is one run",
    traps=(
        (
            "turns of one conversation build on each other: the prompt grows and its "
            "beginning is cached"
        ),
        COUNT_IS_AMBIGUOUS,
        "ctx_tokens_est and new_tokens_est are estimates and are not read",
        "gen_tps counts n tokens over the time after the first",
    ),
    fields=(
        ("meta.scenario", "requests.workload: as written"),
        ("results.turn", "requests.prompt_id: turn N"),
        ("results.run", "requests.repetition: from 0"),
        ("results.ttft", "requests.ttft_s: s"),
        ("results.gen_time", "requests.decode_s: s, first token to last"),
        ("results.total", "requests.e2e_s: s, checked as ttft plus gen_time"),
        ("results.output_tokens", "requests.n_output: tokens"),
        ("results.gen_tps", "requests.engine_rate_tps: tok/s, one digit"),
        (
            "results.prompt_eval_count",
            "aggregates.value: tokens, cached ones perhaps in it (Ollama)",
        ),
        ("results.prompt_eval_duration_ms", "requests.prompt_s: ms to s (Ollama)"),
        ("meta", "requests.settings: backend, model, chip, max_tokens, mode, cold"),
    ),
    marks=(b'"scenario"',),
    sniff=_sniff,
    parse=_parse,
)
