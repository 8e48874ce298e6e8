"""An estimate with its standard error and degrees of freedom."""

from __future__ import annotations

import math
from dataclasses import dataclass

from specstats.stats._arrays import ZeroSpreadError
from specstats.stats._quantiles import t_critical, t_two_sided


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """An estimate on an additive scale, with Student-t uncertainty.

    Speedups are contrasts of log values: exponentiate the estimate and the limits.

    Attributes
    ----------
    estimate : float
        The estimated quantity (a log ratio for speedups).
    std_error : float
        Its standard error, always above zero.
    df : float
        Degrees of freedom of the standard error; may be fractional.
    method : str
        How the standard error was obtained, in words for a report.

    Raises
    ------
    ZeroSpreadError
        The standard error is zero: an interval of width zero is never made.
    """

    estimate: float
    std_error: float
    df: float
    method: str

    def __post_init__(self) -> None:
        if self.std_error == 0.0:
            msg = f"the values show no spread ({self.method})"
            raise ZeroSpreadError(msg)
        numbers = (self.estimate, self.std_error, self.df)
        if not all(map(math.isfinite, numbers)) or self.std_error < 0 or self.df <= 0:
            msg = f"not a contrast: estimate, std_error, df = {numbers}"
            raise ValueError(msg)

    def half_width(self, confidence_level: float = 0.95) -> float:
        """Half the width of the two-sided interval.

        Parameters
        ----------
        confidence_level : float
            Level of the interval.

        Returns
        -------
        float
            Critical t times the standard error.
        """
        return t_critical(self.df, confidence_level) * self.std_error

    def interval(self, confidence_level: float = 0.95) -> tuple[float, float]:
        """Two-sided interval of the estimate.

        Parameters
        ----------
        confidence_level : float
            Level of the interval.

        Returns
        -------
        tuple of float
            Lower and upper limit.
        """
        half_width = self.half_width(confidence_level)
        return self.estimate - half_width, self.estimate + half_width

    def p_value(self, null: float = 0.0) -> float:
        """Two-sided p-value of a hypothetical value.

        Parameters
        ----------
        null : float
            Value of the quantity under the hypothesis.

        Returns
        -------
        float
            Between 0 and 1; below 1 - level exactly if the interval excludes `null`.
        """
        return t_two_sided((self.estimate - null) / self.std_error, self.df)
