"""CSV of MLX speeds over context lengths (guruswami): a measurement a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._base import Match, Reader, Row
from specstats.readers._results import settings_text
from specstats.readers._text import count_in, real_in
from specstats.readers.local._csv import first_columns, rows_of
from specstats.readers.local._sink import Sink, positive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.readers._base import Batch
    from specstats.source import Source

__all__ = ["READER"]

_NEEDED = frozenset(
    {"topology", "nodes", "context_tokens", "prompt_tps", "generation_tps"}
)
_MINUTE = 60.0
_HUNDREDTH = 0.0051  # of a minute
_TENTH = 0.051


def _sniff(head: bytes, name: str) -> Match:
    del name
    known = first_columns(head) >= _NEEDED
    return Match(90 if known else 0, "no columns topology, context_tokens, prompt_tps")


def _parse(source: Source) -> Iterator[Batch]:
    sink = Sink(source)
    for line, cells in rows_of(sink):
        _add(sink, line, cells)
        if sink.is_full:
            yield sink.take()
    yield sink.close()


def _add(sink: Sink, line: int, cells: dict[str, str]) -> None:
    rate = positive(real_in(cells.get("generation_tps")))
    context = count_in(cells.get("context_tokens"))
    if rate is None or context is None:
        sink.skip(line, "context_tokens or generation_tps is no number")
        return
    names = ("quant", "topology", "nodes")
    about: Row = {
        "arm": " ".join(cells[name] for name in names if cells.get(name)) or None,
        "prompt_id": f"ctx{context}",
        "settings": settings_text(
            {
                "id.engine": "mlx",
                "id.model": cells.get("model"),
                "id.quantisation": cells.get("quant"),
                "cfg.topology": cells.get("topology"),
                "cfg.nodes": count_in(cells.get("nodes")),
            }
        ),
    }
    first = positive(real_in(cells.get("ttft_seconds")))
    minutes = real_in(cells.get("ttft_minutes"))
    if first is not None and minutes is not None:
        message = "ttft_minutes and ttft_seconds contradict each other"
        allowed = _HUNDREDTH * _MINUTE + _TENTH
        sink.compare(line, message, (minutes * _MINUTE, first), allowed)
    row: Row = {
        **about,
        "n_prompt": context,
        "ttft_s": first,
        "engine_rate_tps": rate,
    }
    sink.request(line, row)
    about["scope"] = "request"
    key = ("prompt_rate", "tok/s", "value")
    sink.aggregate(line, about, key, positive(real_in(cells.get("prompt_tps"))))
    key = ("peak_memory", "GB", "max")
    sink.aggregate(line, about, key, positive(real_in(cells.get("peak_memory_gb"))))


READER = Reader(
    name="mlx-context-csv",
    label="CSV of MLX speeds by quantisation and context length",
    producers=("2026",),
    levels=("request", "aggregate"),
    boundary="unknown: nothing says which rows share a process",
    traps=(
        "one measurement a row: no repeats, so no spread within an arm and context",
        "ttft_seconds has one digit and is context_tokens over prompt_tps",
        "output tokens are not told, so no decode time",
        "quantisations ran on different machines of one make (column node)",
    ),
    fields=(
        ("quant, topology, nodes", "requests.arm: joined"),
        ("context_tokens", "requests.n_prompt: tokens; requests.prompt_id: ctxN"),
        ("generation_tps", "requests.engine_rate_tps: tok/s, convention unknown"),
        ("ttft_seconds", "requests.ttft_s: s, checked against ttft_minutes"),
        ("prompt_tps", "aggregates.value: tok/s, metric prompt_rate"),
        ("peak_memory_gb", "aggregates.value: GB"),
        ("model, quant, topology, nodes", "requests.settings: id.*, cfg.*"),
    ),
    marks=(b"context_tokens",),
    sniff=_sniff,
    parse=_parse,
)
