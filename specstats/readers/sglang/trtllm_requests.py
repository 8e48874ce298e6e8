"""TensorRT-LLM trtllm-bench --request_json: one record a request, experimental."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import entries, first_entry, text, whole
from specstats.readers._results import (
    mapping,
    positive,
    process_of,
    reason_of,
    settings_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_NANO = 1e-9
_KEYS = ("num_input_tokens", "start_timestamp", "end_timestamp", "decode_iteration")


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = mapping(first_entry(head))
    known = all(key in entry for key in _KEYS)
    return Match(90 if known else 0, "no start_timestamp and decode_iteration")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    process = process_of(source)
    for line, value in entries(source):
        batch.entries += 1
        entry = mapping(value)
        if whole(entry.get("start_timestamp")) is None:
            why = reason_of(value, "no start_timestamp")
            trouble.note(batch, "SPS002", line, f"entry skipped: {why}")
            continue
        row = _row(entry)
        row.update(source=source.name, entry=line, process=process)
        row["settings"] = settings_text({"id.engine": "TensorRT-LLM"})
        batch.add("requests", row)
        _check(batch, row, entry, line, trouble)
        batch.parsed += 1
        if batch.count("requests") >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


def _row(entry: Mapping[str, object]) -> Row:
    row: Row = {
        "request_id": text(entry.get("id")),
        "prompt_id": text(entry.get("id")),
        "n_prompt": whole(entry.get("num_input_tokens")),
    }
    errors = whole(entry.get("error_tokens"))
    if errors:
        row.update(ok=False, error=f"{errors} responses with an error")
        return row
    row.update(
        ok=True,
        n_output=_tokens(entry),
        n_steps=whole(entry.get("decode_iteration")) or None,
    )
    if row["n_output"]:
        start, first, end = (
            whole(entry.get(f"{name}timestamp"))
            for name in ("start_", "first_token_", "end_")
        )
        row["e2e_s"] = _between(start, end)
        row["ttft_s"] = _between(start, first)
        row["decode_s"] = _between(first, end)
        output = entry.get("output")
        if isinstance(output, str) and output:
            raw = output.encode("utf-8", "replace")
            row["output_sha256"] = hashlib.sha256(raw).hexdigest()
    return row


def _tokens(entry: Mapping[str, object]) -> int | None:
    for key in ("output_tokens", "num_total_output_tokens", "num_output_tokens"):
        count = whole(entry.get(key))
        if count is not None:
            return count
    return None


def _between(begin: int | None, end: int | None) -> float | None:
    if begin is None or end is None:
        return None
    return positive((end - begin) * _NANO)


def _check(
    batch: Batch,
    row: Row,
    entry: Mapping[str, object],
    line: int,
    trouble: Trouble,
) -> None:
    if not row["ok"]:
        trouble.note(
            *(batch, "SPS007", line, "the request failed"), observed=str(row["error"])
        )
        return
    if row["n_output"] == 0:
        message = "the answer claims success and is empty: it gets no times"
        trouble.note(batch, "SPS007", line, message, observed="0 output tokens")
    tokens, iterations = row["n_output"], whole(entry.get("decode_iteration"))
    if isinstance(tokens, int) and iterations and 0 < tokens < iterations + 1:
        trouble.note(
            *(batch, "SPS006", line, "fewer output tokens than decode iterations"),
            observed=f"{tokens} tokens",
            required=f"at least {iterations + 1}",
        )


READER = Reader(
    name="trtllm-bench-requests",
    label="TensorRT-LLM trtllm-bench requests (--request_json)",
    producers=("source of 1.x",),
    levels=("request",),
    boundary="proved: the engine runs inside the benchmark, so each file is a launch",
    traps=(
        "times are nanoseconds of a clock without an epoch",
        (
            "drafts are not counted: only iterations and tokens are, so neither "
            "n_draft nor n_accepted is known"
        ),
        "first_token_timestamp is -1 without streaming",
    ),
    fields=(
        ("end_timestamp less start_timestamp", "requests.e2e_s: ns to s"),
        ("first_token_timestamp less start_timestamp", "requests.ttft_s: ns to s"),
        ("end_timestamp less first_token_timestamp", "requests.decode_s: ns to s"),
        ("num_input_tokens, output_tokens", "requests.n_prompt: and n_output"),
        ("decode_iteration", "requests.n_steps"),
        ("output", "requests.output_sha256"),
        ("error_tokens", "requests.ok: and error"),
    ),
    marks=(b'"decode_iteration"',),
    experimental=True,
    sniff=_sniff,
    parse=_parse,
)
