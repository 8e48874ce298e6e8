"""SpecDecode-Bench simulator traces: what a step begun at each position would give."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import BadEntry, entries, first_entry, text, whole
from specstats.readers._results import add_aggregate, items, mapping

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_PREFIX = "acc_"
_WALK = (
    "tokens a step of a walk t -> t + acc_len[t] with drafts of any length: an upper "
    "bound, computed and not measured; bonus included"
)
_POSITIONS = (
    "mean over output positions, not over steps, so it is not the tokens a step; "
    "bonus included"
)


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = mapping(first_entry(head))
    known = "generated_token_ids" in entry and any(_methods(entry))
    if not entry and b'"generated_token_ids"' in head and b'"acc_len"' in head:
        return Match(60, "generated_token_ids and acc_len")
    return Match(90 if known else 0, "no generated_token_ids and acc_*.acc_len")


def _methods(entry: Mapping[str, object]) -> Iterator[tuple[str, Sequence[object]]]:
    for key, value in entry.items():
        lengths = mapping(value).get("acc_len")
        if key.startswith(_PREFIX) and isinstance(lengths, list):
            yield key.removeprefix(_PREFIX), lengths


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    for line, value in entries(source):
        batch.entries += 1
        entry = mapping(value)
        methods = _usable(entry)
        if not methods:
            why = value.reason if isinstance(value, BadEntry) else _lack(entry)
            trouble.note(batch, "SPS002", line, f"entry skipped: {why}")
            continue
        for method, lengths in methods:
            place: Row = {"source": source.name, "entry": line, "arm": text(method)}
            _add(batch, place, entry, lengths)
        batch.parsed += 1
        if batch.count("requests") + batch.count("aggregates") >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


def _lack(entry: Mapping[str, object]) -> str:
    if any(_methods(entry)):
        return "an acc_len that is no list of whole numbers above 0"
    return "no acc_*.acc_len"


def _usable(entry: Mapping[str, object]) -> list[tuple[str, list[int]]]:
    found = []
    for method, listed in _methods(entry):
        lengths = [whole(value) for value in listed]
        known = [value for value in lengths if value]
        if known and len(known) == len(lengths):
            found.append((method, known))
    return found


def _walk(lengths: Sequence[int], end: int) -> tuple[int, int]:
    """Return tokens and steps of a walk; the last step ends with the text."""
    position = steps = 0
    while position < len(lengths):
        position += lengths[position]
        steps += 1
    return min(position, max(end, len(lengths))), steps


def _add(
    batch: Batch,
    shared: Row,
    entry: Mapping[str, object],
    lengths: Sequence[int],
) -> None:
    output = len(items(entry.get("generated_token_ids"))) or None
    place: Row = {**shared, "prompt_id": text(entry.get("id"))}
    batch.add(
        "requests",
        {
            **place,
            "ok": True,
            "n_prompt": len(items(entry.get("prompt_token_ids"))) or None,
            "n_output": output,
        },
    )
    tokens, steps = _walk(lengths, output or 0)
    add_aggregate(
        batch,
        place,
        "mean_accepted_length",
        "tokens",
        "ratio",
        value=tokens / steps,
        n=steps,
        scope="request",
        definition=_WALK,
    )
    add_aggregate(
        batch,
        place,
        "accepted_length_by_position",
        "tokens",
        "mean",
        value=sum(lengths) / len(lengths),
        n=len(lengths),
        scope="request",
        definition=_POSITIONS,
    )


READER = Reader(
    name="specdecode-simulator",
    label="SpecDecode-Bench simulator traces (combined_*.jsonl)",
    producers=("SpecDecode-Bench/simulator 2fdccbd",),
    levels=("request", "aggregate"),
    boundary="unknown: nothing in a file names the launch",
    traps=(
        (
            "acc_len is one value an output position, not a step: its mean is not the "
            "tokens a step"
        ),
        (
            "the draft length of a simulated engine is not in the file, so the walk "
            "has no limit and bounds the tokens a step from above"
        ),
        "acc_len may be shorter than the generated text",
        "there is no timing",
    ),
    fields=(
        ("id", "requests.prompt_id"),
        ("prompt_token_ids", "requests.n_prompt: their number"),
        ("generated_token_ids", "requests.n_output: their number"),
        ("acc_<method>", "requests.arm: and aggregates.arm; the method"),
        (
            "acc_<method>.acc_len",
            (
                "aggregates.value: mean_accepted_length of a walk, and "
                "accepted_length_by_position, their plain mean"
            ),
        ),
    ),
    marks=(b'"acc_len"',),
    sniff=_sniff,
    parse=_parse,
)
