"""The options of a comparison, in one place."""

from __future__ import annotations

from dataclasses import dataclass

from specstats.defaults import DEFAULTS
from specstats.errors import DesignError

__all__ = ["DEFAULT_METHOD", "Options", "ReferenceSpread"]

DEFAULT_METHOD = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceSpread:
    """A spread borrowed from earlier launches of both arms' kind.

    Attributes
    ----------
    sd : float
        SD of log run values.
    df : float
        Its degrees of freedom.
    """

    sd: float
    df: float

    def __post_init__(self) -> None:
        if not (0.0 < self.sd < 10.0 and 0.0 < self.df < 1e6):  # noqa: PLR2004 - sane
            raise DesignError(
                f"reference spread with SD {self.sd!r} and df {self.df!r}: expected "
                "the SD of log run values, such as 0.05, and its degrees of freedom, "
                "such as 9"
            )

    @classmethod
    def parse(cls, text: str) -> ReferenceSpread:
        """Parse ``SD:DF``.

        Parameters
        ----------
        text : str
            Two positive numbers with a colon between.

        Returns
        -------
        ReferenceSpread
            The spread.

        Raises
        ------
        DesignError
            If the text has another form.
        """
        sd, _, df = text.partition(":")
        try:
            return cls(sd=float(sd), df=float(df))
        except ValueError as error:
            raise DesignError(
                f"reference spread {text!r}: expected SD:DF, such as 0.05:9, with the "
                "SD of log run values and its degrees of freedom"
            ) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a comparison is asked.

    Attributes
    ----------
    confidence_level : float
        Level of intervals; 1 minus it is the level of verdicts.
    margin : float or None
        Relative difference that does not matter, such as 0.02.
    min_runs : int
        Launches an arm (or blocks) below which no verdict is given.
    reference_spread : ReferenceSpread or None
        Borrowed spread.
    allow : tuple of str
        Rule codes whose errors the user allows.
    method : str
        Name of a method, or ``auto`` for that of the design.
    """

    confidence_level: float = DEFAULTS.confidence_level
    margin: float | None = None
    min_runs: int = DEFAULTS.min_runs
    reference_spread: ReferenceSpread | None = None
    allow: tuple[str, ...] = ()
    method: str = DEFAULT_METHOD

    def __post_init__(self) -> None:
        if not 0.5 < self.confidence_level < 1.0:  # noqa: PLR2004 - a level
            raise DesignError(
                f"confidence level {self.confidence_level!r}: expected above 0.5 and "
                "below 1, such as 0.95"
            )
        if self.margin is not None and not 0.0 < self.margin <= 0.5:  # noqa: PLR2004
            raise DesignError(
                f"margin {self.margin!r}: expected a relative difference above 0 "
                "and at most 0.5, such as 0.02 for 2 %"
            )
        if self.min_runs < DEFAULTS.min_runs:
            raise DesignError(
                f"min_runs {self.min_runs!r}: expected {DEFAULTS.min_runs} or more; "
                "with 2 runs an interval exists and no verdict"
            )

    @property
    def alpha(self) -> float:
        """Level of verdicts."""
        return 1.0 - self.confidence_level
