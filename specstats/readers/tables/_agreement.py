"""Whether the values in a row of a plain table agree with each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Values = Mapping[str, float | None]

__all__ = ["contradictions", "rate_convention"]

_NEAR = 0.1  # of the difference between n and n-1 tokens
_FAR = 0.02
_THOUSAND = (800.0, 1250.0)

Contradiction = tuple[str, str, str, str]


def rate_convention(values: Values, rate: float | None) -> Literal["n", "n-1"] | None:
    """Return how many tokens a rate counts, where tokens and time tell.

    Parameters
    ----------
    values : mapping of str to float or None
        What was read of a row.
    rate : float or None
        Its rate in tokens per second.

    Returns
    -------
    {"n", "n-1"} or None
        None where it cannot be told.
    """
    tokens, seconds = values.get("n_output"), values.get("decode")
    if not (tokens and seconds and rate) or tokens <= 1:
        return None
    step = _NEAR * rate / tokens
    if abs(tokens / seconds - rate) <= step:
        return "n"
    return "n-1" if abs((tokens - 1) / seconds - rate) <= step else None


def contradictions(values: Values, rate: float | None) -> Iterator[Contradiction]:
    """Yield what in a row contradicts itself.

    Parameters
    ----------
    values : mapping of str to float or None
        What was read of a row.
    rate : float or None
        Its rate in tokens per second.

    Yields
    ------
    tuple of str
        Rule code, what was compared, observed and required.
    """
    yield from _of_rate(values, rate)
    drafted, accepted = values.get("n_draft"), values.get("n_accepted")
    share = values.get("acceptance_rate")
    if drafted is not None and accepted is not None:
        if accepted > drafted:
            what = "more tokens accepted than drafted"
            yield "SPS006", what, f"{accepted:.0f}", f"at most {drafted:.0f}"
        elif share is not None and drafted and abs(share - accepted / drafted) > _FAR:
            what = "acceptance rate and counts differ"
            yield "SPS006", what, f"{share:.4g}", f"{accepted / drafted:.4g}"
    first, last = values.get("ttft"), values.get("e2e")
    if first is not None and last is not None and first > last:
        what = "the first token comes after the last"
        yield "SPS006", what, f"{first:.6g} s", f"at most {last:.6g} s"


def _of_rate(values: Values, rate: float | None) -> Iterator[Contradiction]:
    tokens, seconds = values.get("n_output"), values.get("decode")
    if not (tokens and seconds and rate):
        return
    ratio = tokens / seconds / rate
    observed = f"{rate:.6g} tok/s"
    required = f"{tokens / seconds:.6g} tok/s from {tokens:.0f} tokens"
    low, high = _THOUSAND
    if low < ratio < high or low < 1 / ratio < high:
        what = "the time of decoding seems to be in another unit"
        yield "SPS010", what, observed, required
    elif abs(ratio - 1) > _FAR + 2 / tokens:
        what = "the rate is not tokens over time of decoding"
        yield "SPS006", what, observed, required
