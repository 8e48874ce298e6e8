"""draftbench JSON: means of llama-server over a grid of targets and drafters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._base import Match, Reader, Row
from specstats.readers._json import first_entry, number, text
from specstats.readers._results import items, mapping, settings_text
from specstats.readers.llamacpp._harness import Sink, positive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.readers._base import Batch
    from specstats.source import Source

__all__ = ["READER"]

_WORK = ("runs", "max_tokens", "temperature", "gpu_layers", "ctx_size")
_KEPT = "mean over the prompts of one session"

Entry = dict[str, object]


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = first_entry(head)
    if not isinstance(entry, dict):
        return Match(0, "no JSON object")
    results = items(entry.get("results"))
    first = mapping(results[0]) if results else {}
    known = "hardware" in entry and {"target", "draft", "mean_tps"} <= set(first)
    return Match(90 if known else 0, "no hardware and results of mean_tps")


def _parse(source: Source) -> Iterator[Batch]:
    sink = Sink(source)
    found = sink.document()
    for line, value in enumerate(items(found.get("results")), start=1):
        sink.batch.entries += 1
        _add(sink, line, mapping(value), found)
    yield sink.close()


def _add(sink: Sink, line: int, result: Entry, found: Entry) -> None:
    target, drafter = text(result.get("target")), text(result.get("draft"))
    rate = positive(result.get("mean_tps"))
    if target is None or rate is None:
        sink.skip(line, "no target and mean_tps")
        return
    shared: Row = {
        "entry": line,
        "arm": f"{target} + {drafter}" if drafter else target,
        "definition": _KEPT,
        "settings": settings_text(
            {
                "id.model": f"{text(found.get('model_family')) or ''} {target}".strip(),
                "id.draft_model": drafter,
                "id.hardware": found.get("hardware"),
                "id.engine": found.get("backend"),
                **{
                    f"cfg.{name}": mapping(found.get("settings")).get(name)
                    for name in _WORK
                },
            }
        ),
    }
    median = positive(result.get("median_tps"))
    sink.aggregate(shared, "decode_rate", "tok/s", "mean", rate)
    sink.aggregate(shared, "decode_rate", "tok/s", "median", median)
    sink.aggregate(shared, "ttft", "s", "mean", positive(result.get("mean_ttft")))
    total = positive(result.get("mean_total_time"))
    sink.aggregate(shared, "e2e", "s", "mean", total)
    session = {**shared, "definition": "wall time of the session"}
    wall = positive(result.get("wall_time"))
    sink.aggregate(session, "duration", "s", "total", wall)
    _add_acceptance(sink, line, shared, number(result.get("acceptance_rate")))
    sink.batch.parsed += 1


def _add_acceptance(sink: Sink, line: int, shared: Row, rate: float | None) -> None:
    if rate is None:
        return
    if not 0 <= rate <= 1:
        sink.note(
            "SPS010",
            line,
            "acceptance_rate is no fraction: it is not used",
            observed=f"{rate:.6g}",
            required="0 to 1",
        )
        return
    told = {**shared, "definition": "accepted over draft tokens, as printed"}
    sink.aggregate(told, "acceptance_rate", "1", "mean", rate)


READER = Reader(
    name="draftbench",
    label="draftbench results (JSON): means of targets and drafters",
    producers=("February 2026",),
    levels=("aggregate",),
    boundary="unknown: one session an entry, its requests are not in the file",
    traps=(
        "means over the prompts of one session: there is no spread, and runs is 1",
        "a null draft is the baseline; its acceptance is missing, not 0",
        "no counts stand behind the acceptance rates",
    ),
    fields=(
        ("results.target, draft", "aggregates.arm: joined by ' + '"),
        ("results.mean_tps, median_tps", "aggregates.value: decode_rate, tok/s"),
        ("results.mean_ttft", "aggregates.value: ttft, s"),
        ("results.mean_total_time", "aggregates.value: e2e, s"),
        ("results.wall_time", "aggregates.value: duration, s"),
        ("results.acceptance_rate", "aggregates.value: fraction"),
        ("hardware, backend, model_family, settings", "aggregates.settings"),
    ),
    marks=(b'"mean_tps"',),
    sniff=_sniff,
    parse=_parse,
)
