"""Which decode rate is used: the engine's own, or one recomputed for all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from specstats.bench import Bench

__all__ = ["RateRule", "decode_rates", "rate_rule"]

_TWO_TOKENS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class RateRule:
    """The decode rate that all requests of a study use.

    Attributes
    ----------
    convention : {"n", "n-1"} or None
        Tokens counted; None when the engine's rate is all there is.
    recomputed : bool
        Whether (n-1)/time replaces the engine's own rate.
    reason : str
        Why it was recomputed; empty otherwise.
    """

    convention: Literal["n", "n-1"] | None
    recomputed: bool
    reason: str


def rate_rule(
    bench: Bench, ok: NDArray[np.bool_], prompt: NDArray[np.intp]
) -> RateRule:
    """Decide on the decode rate of a study.

    The engine's own rate is kept when every request has the same convention and
    every prompt the same token count throughout; else all are (n-1)/time.

    Parameters
    ----------
    bench : Bench
        The data.
    ok : ndarray of bool
        Answered requests.
    prompt : ndarray of int
        Prompt codes.

    Returns
    -------
    RateRule
        The decision and its reason.
    """
    told = bench.levels("rate_convention")
    answered = np.bincount(told.codes[ok], minlength=len(told.values)) > 0
    conventions = {
        value
        for value, used in zip(told.values, answered, strict=True)
        if used and value is not None
    }
    tokens = bench.numbers("n_output")
    seconds = bench.numbers("decode_s")
    timed = ok & np.isfinite(tokens) & np.isfinite(seconds)
    if not timed.any():
        only = conventions.pop() if len(conventions) == 1 else None
        return RateRule(convention=_known(only), recomputed=False, reason="")
    if len(conventions) > 1:
        return RateRule(
            convention="n-1",
            recomputed=True,
            reason="artifacts count n and n-1 tokens in their rates",
        )
    if _counts_differ(tokens[timed], prompt[timed]):
        return RateRule(
            convention="n-1",
            recomputed=True,
            reason="output token counts of a prompt differ between requests",
        )
    only = conventions.pop() if conventions else None
    return RateRule(convention=_known(only) or "n-1", recomputed=False, reason="")


def _known(value: object) -> Literal["n", "n-1"] | None:
    if value == "n":
        return "n"
    return "n-1" if value == "n-1" else None


def _counts_differ(tokens: NDArray[np.float64], prompt: NDArray[np.intp]) -> bool:
    counts = np.zeros(prompt.max() + 1)
    counts[prompt] = tokens
    return bool((counts[prompt] != tokens).any())


def decode_rates(bench: Bench, rule: RateRule) -> NDArray[np.float64]:
    """Return the decode rate of each request, in tokens per second.

    Parameters
    ----------
    bench : Bench
        The data.
    rule : RateRule
        The convention of the study.

    Returns
    -------
    ndarray of float, shape (requests,)
        NaN where there is none: fewer than two tokens, or no time.
    """
    tokens = bench.numbers("n_output")
    seconds = bench.numbers("decode_s")
    counted = tokens if rule.convention == "n" else tokens - 1.0
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        rate = counted / seconds
    rate = np.where((tokens >= _TWO_TOKENS) & (seconds > 0), rate, np.nan)
    printed = bench.numbers("engine_rate_tps")
    bare = ~np.isfinite(tokens) | ~np.isfinite(seconds)
    return np.where(bare, printed, rate)
