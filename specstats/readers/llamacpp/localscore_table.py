"""Tables of LocalScore submissions, as scraped from its site."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._results import add_aggregate, process_of, settings_text
from specstats.readers._text import real_in, text_lines
from specstats.readers.llamacpp.localscore import score_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_NEEDED = frozenset(
    {"gen_tps", "ttft", "ttft_unit", "prompt_tps", "localscore", "model_name"}
)
_UNITS = {"ms": 1e-3, "s": 1.0, "sec": 1.0}
_LARGEST = 1e9
_TOLERANCE = 0.03  # times have three digits, scores of slow machines two
_SETTINGS = {
    "model_name": "id.model",
    "model_quant": "id.quantization",
    "accel_name": "id.device",
    "accel_type": "id.device_type",
    "system_cpu": "id.cpu_info",
    "system_os": "id.os",
}


def _header(line: str) -> list[str] | None:
    cells = [cell.strip() for cell in line.split("\t")]
    return cells if set(cells) >= _NEEDED else None


def _sniff(head: bytes, name: str) -> Match:
    del name
    first = head.partition(b"\n")[0].decode("utf-8", "replace")
    known = _header(first) is not None
    return Match(80 if known else 0, "no header with localscore, gen_tps and ttft_unit")


@dataclass(slots=True)
class _Table:
    source: Source
    batch: Batch
    trouble: Trouble
    header: list[str] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    number: int = 0


def _parse(source: Source) -> Iterator[Batch]:
    table = _Table(source, Batch(), Trouble(source))
    for line, content in text_lines(source):
        if not content.strip():
            continue
        header = _header(content) if "localscore" in content else None
        if header is not None:
            table.header = header
            continue
        table.batch.entries += 1
        problem = _take(content, line, table)
        if problem is not None:
            message = f"row skipped: {problem}"
            table.trouble.note(table.batch, "SPS002", line, message)
            continue
        table.batch.parsed, table.number = table.batch.parsed + 1, table.number + 1
        if table.batch.count("aggregates") >= _ROWS_A_BATCH:
            yield table.batch
            table.batch = Batch()
    table.trouble.close(table.batch)
    yield table.batch


def _take(content: str, line: int, table: _Table) -> str | None:
    """Add the numbers of a submission; return why it cannot be used."""
    cells = [cell.strip() for cell in content.split("\t")]
    if len(cells) != len(table.header):
        return f"{len(cells)} cells instead of {len(table.header)}"
    told = dict(zip(table.header, cells, strict=True))
    scale = _UNITS.get(told["ttft_unit"].lower())
    ttft = real_in(told["ttft"])
    rates = [real_in(told[name]) for name in ("prompt_tps", "gen_tps")]
    values = [*rates, None if ttft is None or scale is None else ttft * scale]
    known = [x for x in values if x is not None and 0 < x < _LARGEST]
    if len(known) != len(values):
        return "a rate or the time to first token is no number above 0"
    identity = told.get("test_num", "")
    if identity:
        if identity in table.seen:
            return f"submission {identity} stands in the table already"
        table.seen.add(identity)
    shared: Row = {
        "source": table.source.name,
        "entry": line,
        "process": process_of(table.source, table.number),
        "scope": "run",
        "settings": settings_text(
            {key: told.get(name) for name, key in _SETTINGS.items()}
        ),
    }
    _add_means(known, shared, table.batch)
    _add_score(real_in(told["localscore"]), known, shared, table.batch, table.trouble)
    return None


def _add_means(means: list[float], shared: Row, batch: Batch) -> None:
    definition = "mean over the tests of different shape of one submission"
    names = (("prompt_rate", "tok/s"), ("decode_rate", "tok/s"), ("ttft", "s"))
    for (metric, unit), value in zip(names, means, strict=True):
        add_aggregate(
            batch, shared, metric, unit, "mean", value=value, definition=definition
        )


def _add_score(
    score: float | None,
    means: list[float],
    shared: Row,
    batch: Batch,
    trouble: Trouble,
) -> None:
    if score is None or not 0 < score < _LARGEST:
        return
    told = "10 times the geometric mean of prompt rate, decode rate and 1/ttft"
    add_aggregate(
        batch, shared, "performance_score", "1", "value", value=score, definition=told
    )
    right = score_of(*means)
    if abs(score - right) > _TOLERANCE * right + 1:
        trouble.note(
            batch,
            "SPS006",
            int(str(shared["entry"])),
            "the score is not that of its rates and its ttft",
            observed=f"{score:.6g}",
            required=f"{right:.6g}",
        )


READER = Reader(
    name="localscore-table",
    label="LocalScore submissions as a tab-separated table",
    producers=("scraped 2025-07",),
    levels=("aggregate",),
    boundary="proved: one process a submission; nothing is estimated from aggregates",
    traps=(
        "ttft has its unit in a column of its own, which may change from row to row",
        "each number is a mean over tests of different shape, without a spread",
        "submissions come from different machines: rows are no replicates",
        "a submission that is listed twice is counted once",
    ),
    fields=(
        ("prompt_tps, gen_tps", "aggregates.value: tok/s"),
        ("ttft, ttft_unit", "aggregates.value: ttft, ms or s to s"),
        ("localscore", "aggregates.value: performance_score"),
        ("model_name, model_quant, accel_name, ...", "aggregates.settings: id.*"),
    ),
    marks=(b"localscore",),
    sniff=_sniff,
    parse=_parse,
)
