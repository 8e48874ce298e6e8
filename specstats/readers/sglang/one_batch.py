"""SGLang bench_one_batch: single batches, offline or through a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import entries, first_entry, text, whole
from specstats.readers._results import (
    add_aggregate,
    mapping,
    positive,
    reason_of,
    settings_text,
)
from specstats.readers.sglang._server import LENGTH

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_KEYS = ("batch_size", "input_len", "output_len")
_TIMES = ("latency", "total_latency", "prefill_latency")
_TOLERANCE = 0.01
_ROUNDED = 5e-5  # the server form prints four decimals
_HEADING = 40
_LARGEST = 1 << 62
_WITH_PREFILL = "output tokens over the whole time, prefill included"
_AFTER_FIRST = "output tokens over the time after the first token"

Entry = dict[str, object]


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = _first_object(head)
    known = all(key in entry for key in _KEYS) and any(key in entry for key in _TIMES)
    return Match(90 if known else 0, "no batch_size, input_len and output_len")


def _first_object(head: bytes) -> Mapping[str, object]:
    """Return the first object, also below a heading that somebody pasted in."""
    if head.lstrip()[:1] in {b"{", b"["}:
        return mapping(first_entry(head))
    for line in head[: 1 << 14].split(b"\n"):
        if line.startswith(b"{"):
            return mapping(first_entry(line))
    return {}


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    heading: str | None = None
    seen: dict[tuple[object, ...], int] = {}
    headings = _headings(source)
    for line, value in entries(source):
        if line in headings:
            heading = headings[line]
            continue
        batch.entries += 1
        entry = mapping(value)
        if not _is_timed(entry):
            why = reason_of(value, "no batch size, output length and latency")
            trouble.note(batch, "SPS002", line, f"entry skipped: {why}")
            continue
        place = _place(source, line, entry, heading)
        key = (heading, place["prompt_id"], place["settings"])
        turn = seen.get(key, 0)
        seen[key] = turn + 1
        _add(batch, place, entry, turn)
        _check(batch, entry, line, trouble)
        batch.parsed += 1
        if max(batch.count("requests"), batch.count("aggregates")) >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


def _headings(source: Source) -> dict[int, str]:
    """Return short lines of text such as ``torch:``, by number."""
    found: dict[int, str] = {}
    for line, content in source.lines():
        shown = content.strip()
        if shown and len(shown) <= _HEADING and shown[:1] not in {b"{", b"["}:
            heading = shown.decode("utf-8", "replace").strip(":# ")
            if heading.isprintable() and heading[:1].isalpha():
                found[line] = heading
    return found


def _is_timed(entry: Mapping[str, object]) -> bool:
    timed = any(positive(entry.get(key)) for key in _TIMES)
    return timed and all(whole(entry.get(key)) for key in ("batch_size", "output_len"))


def _place(
    source: Source, line: int, entry: Mapping[str, object], heading: str | None
) -> Row:
    settings: Entry = {f"cfg.{key}": entry.get(key) for key in _KEYS}
    settings["cfg.heading"] = heading
    lengths = f"{_shown(entry, 'input_len')}+{_shown(entry, 'output_len')}"
    return {
        "source": source.name,
        "entry": line,
        "workload": text(entry.get("run_name")),
        "prompt_id": f"batch {_shown(entry, 'batch_size')}, {lengths}",
        "settings": settings_text(settings),
    }


def _shown(entry: Mapping[str, object], key: str) -> str:
    found = whole(entry.get(key))
    return "?" if found is None else str(found)


def _add(batch: Batch, place: Row, entry: Mapping[str, object], turn: int) -> None:
    total = positive(entry.get("total_latency")) or positive(entry.get("latency"))
    size = whole(entry.get("batch_size")) or 0
    output = whole(entry.get("output_len")) or 0
    prompt = whole(entry.get("input_len"))
    first = positive(entry.get("last_ttft")) or positive(entry.get("prefill_latency"))
    row: Row = {**place, "repetition": turn, "ok": True, "e2e_s": total}
    if size == 1:
        row.update(n_prompt=prompt, n_output=output, ttft_s=first)
        if total and first and total > first:
            row["decode_s"] = total - first
    else:
        row.update(
            n_prompt=_fitting((prompt or 0) * size), n_output=_fitting(output * size)
        )
    row["prompt_s"] = positive(entry.get("prefill_latency"))
    batch.add("requests", row)
    for key, metric, definition in _rates(entry):
        add_aggregate(
            *(batch, place, metric, "tok/s", "rate"),
            value=positive(entry.get(key)),
            scope="run",
            definition=definition,
        )
    add_aggregate(
        *(batch, place, "step", "s", "median"),
        value=positive(entry.get("median_decode_latency")),
        scope="request",
        definition="one decode step of the whole batch",
    )
    add_aggregate(
        *(batch, place, "mean_accepted_length", "tokens", "ratio"),
        value=positive(entry.get("acc_length")),
        scope="lifetime",
        definition=LENGTH,
    )
    add_aggregate(
        *(batch, place, "cache_hit_rate", "1", "ratio"),
        value=positive(entry.get("cache_hit_rate")),
        scope="run",
    )


def _fitting(count: int) -> int | None:
    return count if 0 < count <= _LARGEST else None


def _rates(entry: Mapping[str, object]) -> tuple[tuple[str, str, str], ...]:
    newer = "last_ttft" in entry
    return (
        ("prefill_throughput", "prompt_throughput", "input tokens of the batch"),
        ("input_throughput", "prompt_throughput", "input tokens until the first token"),
        (
            "output_throughput",
            "output_throughput",
            _AFTER_FIRST if newer else _WITH_PREFILL,
        ),
        ("overall_throughput", "total_throughput", "input and output tokens"),
        (
            "median_decode_throughput",
            "decode_rate",
            "batch size over the median time of a decode step",
        ),
        (
            "last_gen_throughput",
            "last_decode_rate",
            "what the server printed last, of its last window",
        ),
    )


def _check(
    batch: Batch, entry: Mapping[str, object], line: int, trouble: Trouble
) -> None:
    total = positive(entry.get("total_latency")) or positive(entry.get("latency"))
    rate = positive(entry.get("overall_throughput"))
    size, output = whole(entry.get("batch_size")), whole(entry.get("output_len"))
    prompt = whole(entry.get("input_len"))
    if total is None or rate is None or not size or not output or prompt is None:
        return
    tokens = size * (prompt + output)
    slack = _TOLERANCE + _ROUNDED / total
    if abs(rate * total - tokens) > slack * tokens:
        trouble.note(
            *(batch, "SPS006", line),
            "overall_throughput times latency is not the tokens of the batch",
            observed=f"{rate * total:.6g} tokens",
            required=f"{tokens} tokens",
        )


READER = Reader(
    name="sglang-one-batch",
    label="SGLang bench_one_batch and bench_one_batch_server results (JSONL)",
    producers=("bench_one_batch", "bench_one_batch_server"),
    levels=("sample", "aggregate"),
    boundary="unknown: lines are appended, and nothing says whether one launch wrote "
    "two of them",
    traps=(
        (
            "repeats are repeated keys in one file; the first of them was a factor of "
            "two slower in a real file"
        ),
        (
            "output_throughput of older versions divides by the whole latency, "
            "prefill included; newer ones, with last_ttft, by the time after the "
            "first token"
        ),
        "people paste headings and blank lines between the objects",
        "neither model, device nor version is in it",
        "a row is a whole batch: its tokens are those of all its requests",
        "acc_length is since the server began, bonus token included",
    ),
    fields=(
        ("latency, total_latency", "requests.e2e_s: s"),
        ("prefill_latency", "requests.prompt_s: s; ttft_s where the batch is 1"),
        ("last_ttft", "requests.ttft_s: s, where the batch is 1"),
        (
            "latency less prefill_latency or last_ttft",
            "requests.decode_s: s, where the batch is 1",
        ),
        (
            "batch_size, input_len, output_len",
            (
                "requests.n_prompt: and n_output (of the whole batch), prompt_id; "
                "settings cfg.*"
            ),
        ),
        ("median_decode_latency", "aggregates.value: step, s"),
        ("median_decode_throughput", "aggregates.value: decode_rate, tok/s"),
        ("prefill_throughput, input_throughput", "aggregates.value: prompt_throughput"),
        (
            "output_throughput, overall_throughput",
            "aggregates.value: output_throughput, total_throughput, tok/s",
        ),
        ("last_gen_throughput", "aggregates.value: last_decode_rate, tok/s"),
        ("acc_length", "aggregates.value: mean_accepted_length, scope lifetime"),
        ("run_name", "requests.workload: as written"),
        ("a line of text between", "requests.settings: cfg.heading"),
    ),
    marks=(b'"output_len"',),
    sniff=_sniff,
    parse=_parse,
)
