"""Runs by prompts: the table that a comparison rests on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from specstats.bench import Run

__all__ = ["RunMatrix"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunMatrix:
    """Mean log values of runs by prompt.

    Attributes
    ----------
    runs : tuple of Run
        Rows.
    prompts : tuple of str
        Columns.
    logs : ndarray, shape (runs, prompts)
        Mean log value of a cell; NaN where it has no request.
    dropped_cells : int
        Prompt x repeat cells left out everywhere because they failed in some run.
    is_negated : bool
        Whether the sign was turned, so that more is better.
    """

    runs: tuple[Run, ...]
    prompts: tuple[str, ...]
    logs: NDArray[np.float64]
    dropped_cells: int
    is_negated: bool = False

    @property
    def common_prompts(self) -> tuple[str, ...]:
        """Prompts that every run has."""
        common = np.isfinite(self.logs).all(axis=0)
        return tuple(np.array(self.prompts, dtype=object)[common].tolist())

    @property
    def fresh_prompts(self) -> bool:
        """Whether no prompt occurs in two runs, as with random prompts a launch."""
        used = np.isfinite(self.logs).sum(axis=0)
        return len(self.runs) > 1 and bool((used <= 1).all())

    def crossed(self) -> NDArray[np.float64]:
        """Return the runs x common prompts table of mean log values."""
        return self.logs[:, np.isfinite(self.logs).all(axis=0)]

    def run_values(self) -> NDArray[np.float64]:
        """Return the log value of each run: equal weights over common prompts.

        With fresh prompts in every run, each run's own prompts are used; a run
        without any value is NaN.
        """
        return _row_means(self.logs if self.fresh_prompts else self.crossed())

    @property
    def disjoint_prompts(self) -> bool:
        """Whether no prompt is in every run although some are in several."""
        return not self.fresh_prompts and not self.common_prompts

    def own_values(self) -> NDArray[np.float64]:
        """Return the log value of each run over the prompts that it has itself."""
        return _row_means(self.logs)

    def negated(self) -> RunMatrix:
        """Return the table with its sign turned, for metrics where less is better."""
        return replace(self, logs=-self.logs, is_negated=not self.is_negated)

    def of_arm(self, arm: str) -> NDArray[np.bool_]:
        """Return which rows belong to an arm.

        Parameters
        ----------
        arm : str
            The arm.
        """
        return np.array([run.arm == arm for run in self.runs], dtype=bool)


def _row_means(table: NDArray[np.float64]) -> NDArray[np.float64]:
    found = np.isfinite(table)
    counts = found.sum(axis=1)
    sums = np.where(found, table, 0.0).sum(axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
