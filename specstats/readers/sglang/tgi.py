"""Text Generation Inference: markdown of text-generation-benchmark, experimental."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._results import (
    add_aggregate,
    file_name,
    settings_text,
)
from specstats.readers._text import clean_head, count_in, real_in, text_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_HEADER = re.compile(
    r"^\| Step +\| Batch Size +\| Average +\| Lowest +\| Highest", re.MULTILINE
)
_CELL = re.compile(r"([\d.]{1,30}) (ms|tokens/secs)", re.ASCII)
_STATISTICS = ("mean", "min", "max", "median", "p90", "p99")
_MOST_CELLS = 20
_METRICS = {
    ("Prefill", "ms"): ("prompt", "one prefill of the whole batch"),
    ("Decode (token)", "ms"): ("step", "one decode step of the whole batch"),
    ("Decode (total)", "ms"): ("decode", "all decode steps of the batch"),
    ("Prefill", "tokens/secs"): ("prompt_throughput", "tokens of the whole batch"),
    ("Decode", "tokens/secs"): ("decode_rate", "tokens of the whole batch"),
}
_SETTINGS = {
    "Sequence Length": "cfg.sequence_length",
    "Decode Length": "cfg.decode_length",
    "Top N Tokens": "cfg.top_n_tokens",
    "N Runs": "cfg.n_runs",
    "Warmups": "cfg.warmups",
    "Temperature": "cfg.temperature",
    "Top K": "cfg.top_k",
    "Top P": "cfg.top_p",
    "Typical P": "cfg.typical_p",
    "Repetition Penalty": "cfg.repetition_penalty",
    "Frequency Penalty": "cfg.frequency_penalty",
    "Watermark": "cfg.watermark",
    "Do Sample": "cfg.do_sample",
}
_SOME = re.compile(r"Some\((.{1,40})\)")


def _sniff(head: bytes, name: str) -> Match:
    del name
    known = _HEADER.search(clean_head(head)) is not None
    return Match(80 if known else 0, "no table of Step, Batch Size, Average, Lowest")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    settings: dict[str, object] = {"id.engine": "text-generation-inference"}
    shared = settings_text(settings)
    step = ""
    for line, content in text_lines(source):
        cells = [cell.strip() for cell in content.strip().strip("|").split("|")]
        if not content.lstrip().startswith("|") or len(cells) > _MOST_CELLS:
            continue
        if len(cells) == 2:  # noqa: PLR2004 - a parameter and its value
            _take(settings, cells)
            shared = settings_text(settings)
            continue
        if cells[0] == "Step" or set(content) <= set("|-: "):
            continue
        batch.entries += 1
        step = cells[0] or step
        place: Row = {"source": source.name, "entry": line, "settings": shared}
        if _add(batch, place, step, cells):
            batch.parsed += 1
        else:
            message = "row skipped: no batch size and time or rate"
            trouble.note(batch, "SPS002", line, message)
        if batch.count("aggregates") >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


def _take(settings: dict[str, object], cells: Sequence[str]) -> None:
    name, value = cells
    if name == "Model":
        settings["id.model"] = file_name(value)
    key = _SETTINGS.get(name)
    if key is None or value in {"", "None"}:
        return
    inside = _SOME.fullmatch(value)
    shown = value if inside is None else inside[1]
    count, real = count_in(shown), real_in(shown)
    settings[key] = count if count is not None else (shown if real is None else real)


def _add(batch: Batch, place: Row, step: str, cells: Sequence[str]) -> bool:
    size = count_in(cells[1]) if len(cells) > 1 else None
    added = False
    if not size:
        return added
    place["prompt_id"] = f"batch {size}"
    for statistic, cell in zip(_STATISTICS, cells[2:], strict=False):
        found = _CELL.fullmatch(cell)
        if found is None or (step, found[2]) not in _METRICS:
            continue
        metric, definition = _METRICS[step, found[2]]
        value, in_ms = real_in(found[1]), found[2] == "ms"
        if value is None or value <= 0:
            continue
        added |= add_aggregate(
            *(batch, place, metric, "s" if in_ms else "tok/s", statistic),
            value=value / 1e3 if in_ms else value,
            scope="request",
            definition=definition,
        )
    return added


READER = Reader(
    name="tgi-benchmark",
    label="text-generation-benchmark of Text Generation Inference (markdown)",
    producers=("source of 2.x and 3.x",),
    levels=("aggregate",),
    boundary="unknown: the table does not name the server",
    traps=(
        "the name of a step stands in its first row only",
        "percentiles are taken from values that were not sorted in some versions",
        "rates are of the whole batch",
    ),
    fields=(
        (
            "Prefill, Decode (token), Decode (total) in ms",
            "aggregates.value: prompt, step, decode, s",
        ),
        (
            "Prefill, Decode in tokens/secs",
            "aggregates.value: prompt_throughput, decode_rate, tok/s",
        ),
        ("Batch Size", "aggregates.prompt_id"),
        ("the table of parameters", "aggregates.settings: id.model, cfg.*"),
    ),
    marks=(b"| Step ",),
    experimental=True,
    sniff=_sniff,
    parse=_parse,
)
