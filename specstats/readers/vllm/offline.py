"""What vLLM's offline speculative decoding example prints."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._results import positive, process_of
from specstats.readers._text import count_in, real_in, text_lines
from specstats.readers.vllm._windows import by_position

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = ["READER"]

_LINE = re.compile(
    r"(total_num_output_tokens|num_drafts|num_draft_tokens|num_accepted_tokens"
    r"|mean acceptance length|acceptance at token (\d{1,3})): *(\S{1,40})",
    re.ASCII,
)
_COLUMNS = {
    "total_num_output_tokens": "n_output",
    "num_drafts": "n_verify",
    "num_draft_tokens": "n_draft",
    "num_accepted_tokens": "n_accepted",
}
_LENGTH = "mean acceptance length"
_POSITION = "acceptance at token"
_ROUNDING, _RATE_ROUNDING = 0.006, 0.00501
_MOST_POSITIONS = 1_000


def _sniff(head: bytes, name: str) -> Match:
    del name
    known = b"num_drafts:" in head and b"num_accepted_tokens:" in head
    return Match(80 if known else 0, "no num_drafts and num_accepted_tokens lines")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    blocks: list[tuple[int, dict[str, str]]] = []
    for line, text in text_lines(source):
        found = _LINE.match(text.strip())
        if found is None:
            continue
        if not blocks or found[1] in blocks[-1][1]:
            blocks.append((line, {}))
        blocks[-1][1][found[1]] = found[3]
    for number, (line, values) in enumerate(blocks):
        batch.entries += 1
        if _add_block(source, line, number, values, batch=batch, trouble=trouble):
            batch.parsed += 1
    trouble.close(batch)
    yield batch


def _add_block(
    source: Source,
    line: int,
    number: int,
    values: dict[str, str],
    *,
    batch: Batch,
    trouble: Trouble,
) -> bool:
    counts = {column: count_in(values.get(name)) for name, column in _COLUMNS.items()}
    drafts, accepted = counts["n_verify"], counts["n_accepted"]
    if drafts is None or accepted is None:
        trouble.note(batch, "SPS002", line, "block skipped: no counts of drafts")
        return False
    place: Row = {
        "source": source.name,
        "entry": line,
        "process": process_of(source, number),
    }
    batch.add(
        "counters",
        {**place, **counts, "scope": "run", **_positions(values, drafts, accepted)},
    )
    length = positive(real_in(values.get(_LENGTH)))
    if length is None:
        return True
    batch.add(
        "aggregates",
        {
            **place,
            "metric": "mean_accepted_length",
            "unit": "tokens",
            "statistic": "ratio",
            "value": length,
            "scope": "run",
            "definition": "bonus token included",
        },
    )
    if drafts and abs(length - 1 - accepted / drafts) > _ROUNDING:
        trouble.note(
            batch,
            "SPS006",
            line,
            "the printed acceptance length is not 1 + accepted / drafts",
            observed=f"{length:g}",
            required=f"{1 + accepted / drafts:.2f}",
        )
    return True


def _positions(values: dict[str, str], drafts: int, accepted: int) -> Row:
    """Return accepted tokens by position where the printed rates leave one number."""
    rates = [
        rate
        for place in range(_MOST_POSITIONS)
        if (rate := real_in(values.get(f"{_POSITION} {place}"))) is not None
    ]
    if len(rates) != sum(name.startswith(_POSITION) for name in values):
        return {}
    found = by_position(rates, _RATE_ROUNDING, drafts, accepted)
    return {} if found is None else {"accepted_by_position": json.dumps(found)}


READER = Reader(
    name="vllm-offline",
    label="vLLM offline speculative decoding example: printed statistics",
    producers=("V1, 2025",),
    levels=("counter",),
    boundary="proved: one engine in one process a block",
    traps=(
        "counters cover everything that the engine did in the process, warm-up too",
        "in 2025 the length leaves steps without a draft out",
    ),
    fields=(
        ("total_num_output_tokens", "counters.n_output"),
        ("num_drafts", "counters.n_verify"),
        ("num_draft_tokens", "counters.n_draft"),
        ("num_accepted_tokens", "counters.n_accepted"),
        (
            "acceptance at token i",
            "counters.accepted_by_position: times drafts, where that is certain",
        ),
        (_LENGTH, "aggregates.value: bonus token included"),
    ),
    marks=(b"num_drafts:",),
    sniff=_sniff,
    parse=_parse,
)
