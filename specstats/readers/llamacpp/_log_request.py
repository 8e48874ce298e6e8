"""One request in a llama-server log: its timing and draft lines."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.readers._base import Row

__all__ = ["Pending", "draft_line", "timing_line"]

_NUMBERS = re.compile(
    rb"= {0,12}(-?\d{1,15}\.\d\d) ms(?: / *(\d{1,15}) (?:tokens|runs) *"
    rb"(?:\( *(\S{1,20}) ms per token, *(\S{1,20}) tokens per second\))?)?"
)
_DRAFT = re.compile(
    rb"= {0,12}(\d\.\d{1,9}) \( {0,12}(\d{1,15}) accepted / {0,12}(\d{1,15}) "
    rb"generated\)"
    rb"(?:, mean (?:len|acceptance length) = {0,12}(\d{1,9}\.\d{1,9}))?"
    rb"(?:, acceptance rate per position = \(([^)\n]{0,2000})\))?"
)
_HUNDREDTH = 0.005 * 1.001
_RATIO = 0.00001
_MOST_STEPS = 1_000_000
Sample = tuple[float, int | None, float | None, float | None]


def timing_line(data: bytes, place: int) -> tuple[str, Sample] | None:
    """Return what a timing line tells: its kind, and time, tokens and rates.

    Parameters
    ----------
    data : bytes
        Block of lines.
    place : int
        Where its equals sign stands.

    Returns
    -------
    tuple of str and tuple, or None
        ``prompt``, ``eval`` or ``total``; milliseconds, tokens, milliseconds a token
        and tokens a second.
    """
    before = data[max(0, place - 28) : place].rstrip()
    if before.endswith(b"prompt eval time"):
        kind = "prompt"
    elif before.endswith(b"eval time"):
        kind = "eval"
    elif before.endswith(b"total time"):
        kind = "total"
    else:
        return None
    found = _NUMBERS.match(data, place)
    if found is None:
        return None
    count = None if found[2] is None else int(found[2])
    return kind, (float(found[1]), count, _real(found[3]), _real(found[4]))


def _real(content: bytes | None) -> float | None:
    if content is None or re.fullmatch(rb"\d{1,15}\.\d{1,9}", content) is None:
        return None
    return float(content)


def draft_line(data: bytes, place: int) -> re.Match[bytes] | None:
    """Return ratio, accepted, drafted, mean length and positions of a draft line.

    Parameters
    ----------
    data : bytes
        Block of lines.
    place : int
        Where its first equals sign stands.

    Returns
    -------
    match or None
        None for a line without these numbers.
    """
    return _DRAFT.match(data, place)


@dataclass(slots=True)
class Pending:
    """A request whose lines are being read.

    Attributes
    ----------
    line : int
        Its first line.
    task : str or None
        Number that the server gave it.
    """

    line: int
    task: str | None = None
    n_cached: int | None = None
    n_prompt: int | None = None
    prompt_ms: float | None = None
    n_output: int | None = None
    decode_ms: float | None = None
    per_token: float | None = None
    rate: float | None = None
    total_ms: float | None = None
    total_n: int | None = None
    n_draft: int | None = None
    n_accepted: int | None = None
    ratio: float | None = None
    mean_length: float | None = None
    positions: tuple[float, ...] = ()
    ended_s: float | None = None
    steps: array[int] = field(default_factory=lambda: array("q"))

    def take_timing(self, kind: str, sample: Sample) -> None:
        """Keep a timing line."""
        milliseconds, count, per_token, rate = sample
        if kind == "prompt":
            self.prompt_ms, self.n_prompt = milliseconds, count
        elif kind == "eval":
            self.decode_ms, self.n_output = milliseconds, count
            self.per_token, self.rate = per_token, rate
        else:
            self.total_ms, self.total_n = milliseconds, count

    def take_draft(self, found: re.Match[bytes]) -> None:
        """Keep a draft line."""
        self.ratio = float(found[1])
        self.n_accepted, self.n_draft = int(found[2]), int(found[3])
        self.mean_length = None if found[4] is None else float(found[4])
        self.take_positions(found[5])

    def take_positions(self, content: bytes | None) -> None:
        """Keep the acceptance rates by position."""
        if not content:
            return
        rates = [_real(part.strip()) for part in content.split(b",")]
        known = tuple(rate for rate in rates if rate is not None)
        if len(known) == len(rates):
            self.positions = known

    def convention(self, known: str | None) -> tuple[str | None, float | None]:
        """Return which tokens the printed rate counts.

        Parameters
        ----------
        known : str or None
            Convention that other requests of the process showed.

        Returns
        -------
        convention : str or None
            ``n`` or ``n-1`` where the digits tell it, or allow what is known.
        contradiction : float or None
            Tokens that rate times time gives where it is neither.
        """
        if not self.n_output or not self.decode_ms or not self.rate:
            return None, None
        implied, error = self.rate * self.decode_ms / 1e3, _HUNDREDTH / self.rate
        error = implied * error + _HUNDREDTH * self.rate / 1e3
        if self.per_token:
            other = self.decode_ms / self.per_token
            wrong = other * _HUNDREDTH / self.per_token + _HUNDREDTH / self.per_token
            if wrong < error:
                implied, error = other, wrong
        error += 1e-6 * implied
        beyond = implied - self.n_output
        whole, less = abs(beyond) <= error, abs(beyond + 1) <= error
        if whole and less:
            return known, None
        if whole or less:
            return "n" if whole else "n-1", None
        return None, implied

    def n_steps(self) -> int | None:
        """Return the verify steps: listed, or the one number that the mean allows."""
        if self.steps:
            return len(self.steps) // 2
        if not self.n_accepted or self.mean_length is None:
            return None
        extra = self.mean_length - 1
        if extra <= _HUNDREDTH:
            return None
        low = self.n_accepted / (extra + _HUNDREDTH)
        high = self.n_accepted / (extra - _HUNDREDTH)
        first = -int(-low // 1)
        return first if first >= 1 and first <= high < first + 1 else None

    def problems(self) -> Iterator[tuple[str, str, str]]:
        """Yield what contradicts itself: message, observed, required."""
        if self.total_ms is not None and None not in (self.prompt_ms, self.decode_ms):
            parts = (self.prompt_ms or 0.0) + (self.decode_ms or 0.0)
            if abs(parts - self.total_ms) > 3 * _HUNDREDTH + 1e-9 * parts:
                yield (
                    "prompt and decode time do not add up to the total time",
                    f"{parts:.2f} ms",
                    f"{self.total_ms:.2f} ms",
                )
        if None not in (self.total_n, self.n_prompt, self.n_output):
            tokens = (self.n_prompt or 0) + (self.n_output or 0)
            if tokens != self.total_n:
                yield (
                    "prompt and output tokens do not add up to the total",
                    f"{tokens} tokens",
                    f"{self.total_n} tokens",
                )
        yield from self._draft_problems()

    def _draft_problems(self) -> Iterator[tuple[str, str, str]]:
        drafted, accepted = self.n_draft, self.n_accepted
        if drafted is None or accepted is None:
            return
        if accepted > drafted:
            yield (
                "more draft tokens accepted than drafted: the counts are not used",
                f"{accepted} accepted of {drafted}",
                "accepted <= drafted",
            )
            self.n_draft = self.n_accepted = None
            return
        ratio = accepted / drafted if drafted else 0.0
        if self.ratio is not None and abs(self.ratio - ratio) > _RATIO:
            yield (
                "the printed acceptance is not accepted over drafted tokens",
                f"{self.ratio:.5f}",
                f"{ratio:.5f}",
            )
        listed = sum(self.steps[1::2])
        if self.steps and listed != accepted:
            yield (
                "accepted tokens of the steps do not add up to those of the request",
                f"{listed} over the steps",
                f"{accepted} in the draft line",
            )

    def add_step(self, drafted: int, accepted: int) -> None:
        """Keep a verify step, up to a limit."""
        if len(self.steps) < 2 * _MOST_STEPS:
            self.steps.extend((drafted, accepted))

    def step_rows(self, shared: Row) -> Iterator[Row]:
        """Yield a row for each verify step."""
        for step in range(len(self.steps) // 2):
            drafted, accepted = self.steps[2 * step], self.steps[2 * step + 1]
            yield {
                **shared,
                "step": step,
                # Builds before December 2025 print 0 for the drafted tokens.
                "n_draft": drafted if drafted >= accepted and drafted else None,
                "n_accepted": accepted,
                "n_output": accepted + 1,
            }
