"""Requests of inference-perf: times of chunks, tokens, errors."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from specstats.readers._json import number, text, whole
from specstats.readers._results import items, mapping, positive, settings_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from specstats.readers._base import Row

__all__ = ["is_request", "request_row"]

_EPOCH = 1e9  # a smaller reading is of a clock that began at some start
_LATEST = 1e11
_SHORTEST_BODY = 3


def is_request(entry: Mapping[str, object]) -> bool:
    """Return whether an object is a request of the per-request report.

    Parameters
    ----------
    entry : mapping
        The object.

    Returns
    -------
    bool
        Whether it has times, a request and what is known of it.
    """
    return (
        "start_time" in entry
        and "end_time" in entry
        and (isinstance(entry.get("info"), dict) and "request" in entry)
    )


def request_row(entry: Mapping[str, object]) -> Row:
    """Return the row of a request.

    Parameters
    ----------
    entry : mapping
        The request.

    Returns
    -------
    dict
        Values by column name.
    """
    info = mapping(entry.get("info"))
    answer = mapping(info.get("response_metrics")) or info
    start, end = number(entry.get("start_time")), number(entry.get("end_time"))
    row: Row = {
        "prompt_id": _prompt(entry.get("request")),
        "n_prompt": _first_whole(
            mapping(answer.get("server_usage")).get("prompt_tokens"),
            info.get("input_tokens"),
        ),
        "started_s": _unix(start),
        "ended_s": _unix(end),
        "settings": settings_text({"cfg.lora_adapter": info.get("lora_adapter")}),
    }
    error = entry.get("error")
    if error:
        row.update(ok=False, error=_message(error))
        return row
    row.update(ok=True, n_output=_output(answer))
    if start is None or end is None or row["n_output"] == 0:
        return row
    row["e2e_s"] = positive(end - start)
    times = items(answer.get("output_token_times")) or items(answer.get("chunk_times"))
    first, last = (number(times[0]), number(times[-1])) if times else (None, None)
    if first is not None and last is not None:
        row["ttft_s"] = positive(first - start)
        row["decode_s"] = positive(last - first)
    return row


def _prompt(request: object) -> str | None:
    if not isinstance(request, str) or len(request) < _SHORTEST_BODY:
        return None
    raw = request.encode("utf-8", "replace")
    return "sha256:" + hashlib.sha256(raw).hexdigest()[:12]


def _first_whole(*values: object) -> int | None:
    found = (whole(value) for value in values)
    return next((value for value in found if value is not None), None)


def _output(answer: Mapping[str, object]) -> int | None:
    usage = mapping(answer.get("server_usage"))
    return _first_whole(answer.get("output_tokens"), usage.get("completion_tokens"))


def _message(error: object) -> str:
    parts = mapping(error)
    shown = [text(parts.get(key)) for key in ("error_type", "error_msg")]
    named = [part for part in shown if part]
    return ": ".join(named) or text(error) or "failed"


def _unix(moment: float | None) -> float | None:
    return moment if moment is not None and _EPOCH <= moment < _LATEST else None
