"""What the readers of benchmark harnesses share: documents, units, summaries."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from specstats.readers._json import number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from specstats.readers._base import Batch, Row, Trouble

__all__ = [
    "ROWS_A_BATCH",
    "Summary",
    "measured",
    "seconds_in",
]

ROWS_A_BATCH = 20_000
_SECONDS = {
    "ns": 1e-9,
    "us": 1e-6,
    "\u00b5s": 1e-6,
    "\u03bcs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "sec": 1.0,
    "second": 1.0,
    "seconds": 1.0,
}
_TOLERANCE = 1e-3
_CENTURY = 3.2e9


def seconds_in(unit: object) -> float | None:
    """Return how many seconds a unit of time has; None for other units.

    Parameters
    ----------
    unit : object
        Such as ``"ms"``.

    Returns
    -------
    float or None
        Seconds.
    """
    return _SECONDS.get(unit.strip().lower()) if isinstance(unit, str) else None


def measured(value: object, scale: float = 1.0) -> float | None:
    """Return a time in seconds; what is no positive number is missing.

    Parameters
    ----------
    value : object
        Decoded JSON value, or a number.
    scale : float
        Seconds in its unit.

    Returns
    -------
    float or None
        Seconds.
    """
    real = number(value)
    if real is None:
        return None
    seconds = real * scale
    return seconds if 0 < seconds <= _CENTURY else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Statistics that a harness printed of the times of one benchmark.

    Attributes
    ----------
    printed : mapping of str to object
        Values in seconds by statistic: 'mean', 'median', 'min', 'max'.
    sd : float or None
        Printed standard deviation (n - 1), in seconds.
    n : int or None
        Printed number of samples.
    label : str
        Name of the benchmark, for findings.
    """

    printed: Mapping[str, float | None]
    sd: float | None
    n: int | None
    label: str

    def rows(self, shared: Row, *, definition: str | None = None) -> Iterator[Row]:
        """Yield the rows of aggregates.

        Parameters
        ----------
        shared : dict
            Columns that all rows have.
        definition : str, optional
            What the harness means by the time.

        Yields
        ------
        dict
            One row a statistic.
        """
        for statistic, value in self.printed.items():
            if value is not None:
                yield {
                    "metric": "e2e",
                    "unit": "s",
                    "definition": definition,
                    "n": self.n,
                    **shared,
                    "statistic": statistic,
                    "value": value,
                    "sd": self.sd if statistic == "mean" else None,
                }

    def check(
        self, samples: Sequence[float], entry: int, batch: Batch, trouble: Trouble
    ) -> None:
        """Note where the samples contradict what was printed of them.

        Parameters
        ----------
        samples : sequence of float
            All samples, in seconds.
        entry : int
            Entry number for the findings.
        batch : Batch
            Where findings go.
        trouble : Trouble
            Collector of findings.
        """
        if not samples:
            return
        if self.n is not None and self.n != len(samples):
            trouble.note(
                batch,
                "SPS006",
                entry,
                f"{self.label}: the printed number of samples is not that of the data",
                observed=str(self.n),
                required=str(len(samples)),
            )
            return
        right = {
            "mean": math.fsum(samples) / len(samples),
            "median": statistics.median(samples),
            "min": min(samples),
            "max": max(samples),
        }
        for name, value in self.printed.items():
            if value is not None and _apart(value, right.get(name, value)):
                trouble.note(
                    batch,
                    "SPS006",
                    entry,
                    f"{self.label}: the printed {name} is not that of the samples",
                    observed=f"{value:.6g} s",
                    required=f"{right[name]:.6g} s",
                )
        self._check_deviation(samples, right["mean"], entry, batch, trouble)

    def _check_deviation(
        self,
        samples: Sequence[float],
        mean: float,
        entry: int,
        batch: Batch,
        trouble: Trouble,
    ) -> None:
        if self.sd is None or len(samples) < 2:  # noqa: PLR2004 - a deviation needs two
            return
        squares = math.fsum((value - mean) * (value - mean) for value in samples)
        right = math.sqrt(squares / (len(samples) - 1))
        if abs(self.sd - right) > max(_TOLERANCE * right, 1e-9 * abs(mean)):
            trouble.note(
                batch,
                "SPS009",
                entry,
                f"{self.label}: the printed standard deviation is not that of the "
                "samples",
                observed=f"{self.sd:.6g} s",
                required=f"{right:.6g} s",
            )


def _apart(one: float, other: float) -> bool:
    return abs(one - other) > _TOLERANCE * max(abs(one), abs(other))
