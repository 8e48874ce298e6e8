"""What time did to the launches of an arm, or to the requests of a launch."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import NoReturn

from specstats.diagnostics import Findings

__all__ = ["AutocorrelationSummary", "Drift", "Series", "TrendSummary"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrendSummary:
    """A monotone trend of a series.

    Attributes
    ----------
    factor : float
        Median change from one value to the next (Theil-Sen), as a factor.
    low, high : float or None
        Its limits; None when no interval of the level exists with so few values.
    confidence_level : float or None
        Level of the limits, exact for few values; None without limits.
    tau_b : float
        Kendall's tau.
    p_value : float
        Two-sided Mann-Kendall p.
    exact : bool
        Whether the p-value was counted rather than approximated.
    n : int
        Values.
    """

    factor: float
    low: float | None
    high: float | None
    confidence_level: float | None
    tau_b: float
    p_value: float
    exact: bool
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AutocorrelationSummary:
    """Likeness of neighbours in a series.

    Attributes
    ----------
    rho : float
        Lag-1 autocorrelation.
    p_value : float
        One-sided permutation p.
    n_effective : float
        Independent values that the mean is worth.
    """

    rho: float
    p_value: float
    n_effective: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One series of values in time.

    Attributes
    ----------
    arm : str
        The arm.
    run : str or None
        The launch, for series of requests.
    n : int
        Values.
    names : tuple of str
        Launches or requests in order.
    why : str or None
        Why time cannot be looked at; None when it can.
    trend : TrendSummary or None
        None with fewer than 3 or more than 2000 values, or when `why` is given.
    autocorrelation : AutocorrelationSummary or None
        None with fewer than 6 or more than 2000 values.
    change_after : int or None
        Values before the one change of level that fits best; None with fewer than 6.
    change_p : float or None
        Its p-value, the search for the place included.
    changes : tuple of int, or None
        Values before each change (PELT), of the mean of runs or of mean and variance
        of requests; None with fewer than 20 or more
        than 2000 values.
    two_states : bool or None
        Whether the values fall into two groups; None with fewer than 6.
    in_low : tuple of bool
        Which values are in the lower group; empty unless there are two.
    outlying : tuple of str
        Launches or requests that stand apart (Grubbs, 1 %).
    estimate : float
        Geometric mean, in the unit of the metric.
    estimate_without_first : float or None
        The same without one more first request of each launch.
    trend_without_first : TrendSummary or None
        The trend without it.
    """

    arm: str
    run: str | None
    n: int
    names: tuple[str, ...]
    why: str | None
    trend: TrendSummary | None
    autocorrelation: AutocorrelationSummary | None
    change_after: int | None
    change_p: float | None
    changes: tuple[int, ...] | None
    two_states: bool | None
    in_low: tuple[bool, ...]
    outlying: tuple[str, ...]
    estimate: float
    estimate_without_first: float | None
    trend_without_first: TrendSummary | None

    def __str__(self) -> str:
        name = self.arm if self.run is None else f"{self.arm}, {self.run}"
        what = "runs" if self.run is None else "requests"
        parts = [f"{name}: {self.n} {what if self.n != 1 else what[:-1]}"]
        if self.why is not None:
            parts.append(f"time not checkable ({self.why})")
        if self.trend is not None:
            parts.append(_trend_text(self.trend, what.removesuffix("s")))
        if self.autocorrelation is not None:
            found = self.autocorrelation
            parts.append(
                f"autocorrelation {found.rho:.2f} (p {found.p_value:.2g}), worth "
                f"{found.n_effective:.1f} values"
            )
        if self.change_p is not None:
            parts.append(f"a change after {self.change_after} (p {self.change_p:.2g})")
        if self.changes:
            parts.append(f"segments end after {', '.join(map(str, self.changes))}")
        if self.two_states:
            parts.append("two states")
        if self.outlying:
            parts.append(f"{', '.join(self.outlying)} apart")
        return "; ".join(parts)


def _trend_text(trend: TrendSummary, step: str) -> str:
    limits = (
        "no interval with so few"
        if trend.low is None or trend.high is None
        else f"[{trend.low:.4f}, {trend.high:.4f}]"
    )
    exact = "exact " if trend.exact else ""
    return f"x{trend.factor:.4f} a {step} {limits}, {exact}p {trend.p_value:.2g}"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Drift:
    """What time did to every arm.

    Attributes
    ----------
    metric, unit : str
        What was looked at.
    by : {"run", "request"}
        Values of the series: launches of an arm, or requests of a launch.
    series : tuple of Series
        One an arm, or one a launch.
    findings : Findings
        SPS107, SPS203, SPS206 and SPS207 that bear on them.
    """

    metric: str
    unit: str
    by: str
    series: tuple[Series, ...]
    findings: Findings = field(default_factory=Findings)

    def of(self, arm: str) -> tuple[Series, ...]:
        """Return the series of one arm.

        Parameters
        ----------
        arm : str
            The arm.

        Returns
        -------
        tuple of Series
            Possibly empty.
        """
        return tuple(item for item in self.series if item.arm == arm)

    def to_dict(self) -> dict[str, object]:
        """Return the result as JSON-safe values.

        Returns
        -------
        dict
            Schema ``specstats.drift/1``; missing is None.
        """
        return {
            "schema": "specstats.drift/1",
            "metric": self.metric,
            "unit": self.unit,
            "by": self.by,
            "series": [_plain(asdict(item)) for item in self.series],
            "findings": [item.to_dict() for item in self.findings],
        }

    def summary(self) -> str:
        """Return one line a series.

        Returns
        -------
        str
            Lines without a line end at the last.
        """
        return "\n".join(map(str, self.series))

    def __bool__(self) -> NoReturn:
        message = "the truth of a drift is ambiguous: look at .series and .findings"
        raise TypeError(message)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"Drift({self.metric}, by {self.by}, {len(self.series)} series)"


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value
