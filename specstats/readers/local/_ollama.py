"""What the readers of Ollama's formats share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from specstats.readers._base import Row
    from specstats.readers.local._sink import Sink

__all__ = [
    "COUNT_IS_AMBIGUOUS",
    "LOAD",
    "PROMPT_RATE",
    "PROMPT_TOKENS",
    "add_prompt_tokens",
    "check_parts",
    "started",
]

LOAD = ("load", "s", "value")
PROMPT_TOKENS = ("prompt_tokens", "tokens", "value")
PROMPT_RATE = ("prompt_rate", "tok/s", "value")
COUNT_IS_AMBIGUOUS = (
    "the prompt's count has cached tokens in it in some versions while its duration "
    "covers processed ones only: it stands among the aggregates, and no prompt rate is "
    "made of it"
)
_ROUNDING = 1e-3


def add_prompt_tokens(sink: Sink, line: int, shared: Row, count: int | None) -> None:
    """Keep the count of the prompt apart from those of tokens processed."""
    told = "prompt_eval_count: cached tokens perhaps in it"
    value = None if count is None else float(count)
    sink.aggregate(line, shared, PROMPT_TOKENS, value, scope="request", definition=told)


def started(ended: float | None, total: float | None) -> float | None:
    """Return when a request began, from its end and its whole time."""
    if ended is None or total is None or total >= ended:
        return None
    return ended - total


def check_parts(sink: Sink, line: int, row: Row, load: float | None) -> None:
    """Note parts of a request that together last longer than the whole."""
    total = row.get("e2e_s")
    if not isinstance(total, float):
        return
    parts = [load, row.get("prompt_s"), row.get("decode_s")]
    together = sum(part for part in parts if isinstance(part, float))
    if together > total * (1 + _ROUNDING) + _ROUNDING:
        sink.note(
            "SPS006",
            line,
            "loading, prompt and decoding last longer than the whole request",
            observed=f"{together:.6g} s",
            required=f"{total:.6g} s or less",
        )
