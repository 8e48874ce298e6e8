"""Requests and chunks from the parallel lists of ``--save-detailed``."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from specstats.readers._json import number, text, whole
from specstats.readers._results import items, positive

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from specstats.readers._base import Row
    from specstats.readers.vllm._checks import Checker

__all__ = ["LISTS", "Listed", "check_lists", "listed_requests"]

LISTS = ("output_lens", "input_lens", "ttfts", "itls", "errors")
_OLDEST, _NEWEST = 1.2e9, 4.1e9  # Unix times; a monotonic clock reads less
_TOLERANCE = 0.005
_LONGEST_ERROR = 2000
_LONGEST = 1e12


@dataclass(frozen=True, slots=True)
class Listed:
    """One request.

    Attributes
    ----------
    row : Row
        Columns of the request, those of the load left out.
    gaps : sequence of float
        Seconds between its chunks.
    first : float or None
        Time to its first token as recorded, also where it means nothing.
    """

    row: Row
    gaps: Sequence[float]
    first: float | None


def listed_requests(entry: Mapping[str, object]) -> Iterator[Listed]:
    """Yield the requests of a load, in the order in which they were sent.

    Parameters
    ----------
    entry : mapping
        The result.

    Yields
    ------
    Listed
        One request.
    """
    lists = {name: items(entry.get(name)) for name in LISTS}
    more = {
        name: items(entry.get(name))
        for name in ("generated_texts", "latencies", "start_times")
    }
    lists.update(more)
    for index in range(max(len(lists[name]) for name in LISTS)):
        values = {name: _at(found, index) for name, found in lists.items()}
        yield _request(index, values)


def _at(values: Sequence[object], index: int) -> object:
    return values[index] if index < len(values) else None


def _request(index: int, values: Mapping[str, object]) -> Listed:
    first = _seconds(values["ttfts"])
    row: Row = {
        "prompt_id": str(index),
        "n_prompt": whole(values["input_lens"]),
        "started_s": _unix(values["start_times"]),
    }
    error = text(values["errors"])
    if error:
        row.update(ok=False, error=error.strip()[-_LONGEST_ERROR:])
        return Listed(row, (), first)
    tokens = whole(values["output_lens"])
    row.update(ok=True, n_output=tokens)
    if not tokens:
        return Listed(row, (), first)
    gaps = _gaps(values["itls"])
    row["ttft_s"] = positive(first)
    row["decode_s"] = positive(math.fsum(gaps)) if gaps else None
    row["e2e_s"] = positive(values["latencies"]) or _whole_time(row)
    content = values["generated_texts"]
    if isinstance(content, str) and content:
        raw = content.encode("utf-8", "replace")
        row["output_sha256"] = hashlib.sha256(raw).hexdigest()
    return Listed(row, gaps, first)


def _whole_time(row: Mapping[str, object]) -> float | None:
    first, decode = row.get("ttft_s"), row.get("decode_s")
    if not isinstance(first, float):
        return None
    if isinstance(decode, float):
        return first + decode
    return first if row.get("n_output") == 1 else None


def _unix(value: object) -> float | None:
    moment = number(value)
    return moment if moment is not None and _OLDEST < moment < _NEWEST else None


def _seconds(value: object) -> float | None:
    seconds = number(value)
    return seconds if seconds is not None and 0 <= seconds < _LONGEST else None


def _gaps(value: object) -> Sequence[float]:
    """Return the times between chunks; none where one of them is no time."""
    found = [_seconds(gap) for gap in items(value)]
    known = [gap for gap in found if gap is not None]
    return known if len(known) == len(found) else ()


def check_lists(
    checker: Checker, entry: Mapping[str, object], listed: Sequence[Listed]
) -> None:
    """Note empty answers, and compare the lists with the totals beside them.

    Parameters
    ----------
    checker : Checker
        Notes contradictions.
    entry : mapping
        The result.
    listed : sequence of Listed
        Its requests.
    """
    good = [item for item in listed if item.row["ok"]]
    empty = [item for item in good if not item.row.get("n_output")]
    if empty:
        checker.trouble.note(
            *(checker.batch, "SPS007", checker.line),
            f"{len(empty)} of {len(listed)} listed answers claim success and are "
            "empty: they get no times",
            observed="output_lens 0 without an error",
            required="an answer",
            remedy="the printed percentiles of the time to first token hold them",
        )
    if len(listed) != whole(entry.get("num_prompts")):
        return  # shortened, or of another load: totals say nothing about them
    completed = whole(entry.get("completed"))
    if completed is not None and completed != len(good):
        checker.compare(
            "the lists hold another number of answers than were completed",
            *(float(len(good)), float(completed), 0.0),
        )
        return
    for name, total in (
        ("n_output", "total_output_tokens"),
        ("n_prompt", "total_input_tokens"),
    ):
        counts = [whole(item.row.get(name)) for item in good]
        known = [count for count in counts if count is not None]
        printed = whole(entry.get(total))
        if printed is not None and len(known) == len(counts):
            checker.compare(
                f"{total} is not the sum of the lists",
                *(float(printed), float(sum(known)), 0.5),
            )
    firsts = [item.first for item in good if item.first is not None]
    printed_mean = positive(entry.get("mean_ttft_ms"), 1e-3)
    if printed_mean and firsts and len(firsts) == len(good):
        mean = math.fsum(firsts) / len(firsts)
        checker.compare(
            "mean_ttft_ms is not the mean of ttfts",
            *(printed_mean, mean, _TOLERANCE * abs(mean)),
        )
