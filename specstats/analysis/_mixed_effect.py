"""A mixed model of run x prompt cells as an effect, and what stood in for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from specstats.stats.mixed import mixed_effect

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from specstats.design import RunMatrix
    from specstats.stats.contrast import Contrast

__all__ = ["MixedEffect", "mixed_effect_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedEffect:
    """A contrast of a mixed model, or of run means where the model failed.

    Attributes
    ----------
    contrast : Contrast
        The one to use.
    note : str
        Why the model was not used, and what was; empty where it was.
    """

    contrast: Contrast
    note: str

    @property
    def estimate(self) -> float:
        """Difference of means."""
        return self.contrast.estimate

    @property
    def std_error(self) -> float:
        """Its standard error."""
        return self.contrast.std_error

    @property
    def df(self) -> float:
        """Degrees of freedom between runs."""
        return self.contrast.df

    @property
    def method(self) -> str:
        """How it was computed."""
        return self.contrast.method

    def interval(self, confidence_level: float = 0.95) -> tuple[float, float]:
        """Return limits by t.

        Parameters
        ----------
        confidence_level : float
            Their level.
        """
        return self.contrast.interval(confidence_level)

    def p_value(self) -> float:
        """Return the two-sided p of no difference."""
        return self.contrast.p_value()


def mixed_effect_of(
    matrix: RunMatrix, flags: NDArray[np.bool_], blocks: list[str] | None
) -> MixedEffect | None:
    """Fit a mixed model to the cells of both arms, missing ones left out.

    Parameters
    ----------
    matrix : RunMatrix
        Runs of both arms by prompt, signed so that more is better.
    flags : ndarray of bool, shape (runs,)
        Runs of the candidate.
    blocks : list of str or None
        Blocks with both arms; None without blocks.

    Returns
    -------
    MixedEffect or None
        None where neither the model nor run means say anything.
    """
    known = np.isfinite(matrix.logs)
    runs, prompts = np.nonzero(known)
    names = [str(run.block) for run in matrix.runs]
    found = mixed_effect(
        matrix.logs[known],
        run=[matrix.runs[row].run_id for row in runs],
        is_candidate=flags[runs],
        block=None if blocks is None else [names[row] for row in runs],
        prompt=[matrix.prompts[column] for column in prompts]
        if matrix.logs.shape[1] > 1
        else None,
    )
    if found.contrast is None:
        return None
    return MixedEffect(contrast=found.contrast, note="" if found.fitted else str(found))
