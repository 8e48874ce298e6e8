"""What the readers of local engines share: rows, findings and small conversions."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Row
from specstats.readers._json import number
from specstats.readers._sink import Sink as BaseSink

if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = [
    "MILLI",
    "NANO",
    "ROWS_A_BATCH",
    "Sink",
    "contradicts",
    "digest",
    "positive",
    "rate_convention",
    "unix",
]

ROWS_A_BATCH = 20_000
NANO = 1e9  # to a second
MILLI = 1e3
_LONGEST = 3.2e9  # a century, in seconds
_SEVERAL = 1.5

Entry = dict[str, object]


def positive(value: object, per: float = 1.0) -> float | None:
    """Return a number over its units per unit; what is not positive is missing."""
    real = number(value)
    return None if real is None or not 0 < real / per <= _LONGEST else real / per


def digest(content: str) -> str:
    """Return the SHA-256 of a text, in hexadecimal."""
    return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()


def unix(value: object) -> float | None:
    """Return the Unix time of an ISO 8601 text with a time zone."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        return None
    try:
        seconds = moment.astimezone(UTC).timestamp()
    except (OverflowError, OSError):
        return None
    return seconds if seconds > 0 else None


@dataclass(slots=True)
class Sink(BaseSink):
    """Adds what these readers have in common."""

    def request(self, line: int, row: Mapping[str, object]) -> None:
        """Add a request that an entry gave."""
        self.batch.add(
            "requests", {"source": self.source.name, "entry": line, "ok": True, **row}
        )
        self.batch.parsed += 1

    def aggregate(
        self,
        line: int,
        shared: Mapping[str, object],
        told: tuple[str, str, str],
        value: float | None,
        **more: object,
    ) -> None:
        """Add a printed number, where there is one: metric, unit and statistic."""
        if value is None:
            return
        metric, unit, statistic = told
        row: Row = {
            "source": self.source.name,
            "entry": line,
            **shared,
            **more,
            "metric": metric,
            "unit": unit,
            "statistic": statistic,
            "value": value,
        }
        self.batch.add("aggregates", row)

    def says_nothing(self, line: int) -> None:
        """Say that an answer succeeded without a token."""
        self.note(
            "SPS007",
            line,
            "a request succeeded without one output token: it has no decode time",
            observed="0 tokens",
            required="1 token or more",
        )

    def take(self) -> Batch:
        """Return the batch so far and begin another."""
        done, self.batch = self.batch, Batch()
        return done

    @property
    def is_full(self) -> bool:
        """Whether the batch has as many rows as one should have."""
        return (
            self.batch.count("requests") + self.batch.count("aggregates")
            >= ROWS_A_BATCH
        )


def rate_convention(
    count: int | None, time_s: float | None, rate: float | None, half_digit: float
) -> str | None:
    """Return which tokens a printed rate counts, where its digits tell.

    Parameters
    ----------
    count : int or None
        Output tokens.
    time_s : float or None
        Decode time.
    rate : float or None
        Printed rate.
    half_digit : float
        Half of the last digit of the rate.

    Returns
    -------
    str or None
        ``n``, ``n-1``, or None where both or neither fit.
    """
    if not count or not time_s or not rate:
        return None
    allowed = half_digit * time_s + 1e-6 * count + 1e-3
    near = [
        name
        for name, tokens in (("n", count), ("n-1", count - 1))
        if abs(rate * time_s - tokens) <= allowed
    ]
    return near[0] if len(near) == 1 else None


def contradicts(
    count: int | None, time_s: float | None, rate: float | None, half_digit: float
) -> bool:
    """Whether a rate times its time is neither all tokens nor all but the first."""
    if not count or not time_s or not rate:
        return False
    allowed = half_digit * time_s + 1e-3 * count + _SEVERAL
    return abs(rate * time_s - count) > allowed
