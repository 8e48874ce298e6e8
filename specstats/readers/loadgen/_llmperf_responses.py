"""Single responses of llmperf: tokens, times, errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._json import text, whole
from specstats.readers._results import positive

if TYPE_CHECKING:
    from collections.abc import Mapping

    from specstats.readers._base import Batch, Row, Trouble

__all__ = ["check_response", "is_response", "note_chunks", "response_row"]

_TOLERANCE = 0.005
_CHUNK_TOLERANCE = 0.02
_KEYS = ("error_code", "end_to_end_latency_s", "number_output_tokens")


def is_response(entry: Mapping[str, object]) -> bool:
    """Return whether an object is a single response."""
    return all(key in entry for key in _KEYS)


def response_row(entry: Mapping[str, object]) -> Row:
    """Return the columns of a response, but for where it stands."""
    row: Row = {"n_prompt": whole(entry.get("number_input_tokens"))}
    code, message = entry.get("error_code"), text(entry.get("error_msg"))
    if code is not None or message:
        shown = text(code) or "error"
        row.update(ok=False, error=f"{shown}: {message}" if message else shown)
        return row
    tokens = whole(entry.get("number_output_tokens"))
    row.update(ok=True, n_output=tokens)
    if tokens:
        first = positive(entry.get("ttft_s"))
        total = positive(entry.get("end_to_end_latency_s"))
        last = positive(entry.get("inter_token_latency_s"), tokens)
        row.update(ttft_s=first, e2e_s=total)
        if first and last and total and first < last <= total * (1 + _TOLERANCE):
            row["decode_s"] = last - first
    return row


def check_response(
    batch: Batch,
    row: Row,
    entry: Mapping[str, object],
    line: int,
    trouble: Trouble,
) -> None:
    """Note an empty answer, and a total that is not its parts."""
    if not row["ok"]:
        return
    tokens, prompt = row["n_output"], row["n_prompt"]
    if not tokens:
        message = "the answer claims success and is empty: it gets no times"
        trouble.note(batch, "SPS007", line, message, observed="0 output tokens")
        return
    total = whole(entry.get("number_total_tokens"))
    parts = int(str(tokens)) + (prompt if isinstance(prompt, int) else 0)
    if total is not None and isinstance(prompt, int) and total != parts:
        trouble.note(
            *(batch, "SPS006", line, "number_total_tokens is not input and output"),
            observed=str(total),
            required=str(parts),
        )


def note_chunks(
    chunked: list[tuple[int, float, int]],
    row: Row,
    entry: Mapping[str, object],
    line: int,
) -> None:
    """Remember a response whose printed rate is of chunks that hold several tokens."""
    tokens, seconds = row.get("n_output"), row.get("e2e_s")
    rate = positive(entry.get("request_output_throughput_token_per_s"))
    if rate is None or not isinstance(tokens, int) or not isinstance(seconds, float):
        return
    if abs(rate * seconds - tokens) > _CHUNK_TOLERANCE * tokens:
        chunked.append((line, rate * seconds, tokens))
