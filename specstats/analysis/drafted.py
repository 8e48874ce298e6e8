"""Counts of one arm that a difference of acceptance is computed from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from specstats.analysis.acceptance_counters import launch_counts
from specstats.analysis.steps import count_steps
from specstats.checks.acceptance import is_configured
from specstats.design.drafts import drafts_of
from specstats.design.view import UNNAMED_PROMPT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from specstats.design import View
    from specstats.design.drafts import Cluster
    from specstats.results import AcceptanceMetric

__all__ = ["Counted", "counted_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """Counts of the distinct generations (or launches) of an arm.

    Attributes
    ----------
    part, whole : ndarray, shape (n,)
        Accepted and drafted tokens, or tokens and steps.
    run, prompt : tuple of int
        Launch and prompt of each row; launches have no prompt, which is -1.
    cluster : {"prompt", "run", "prompt and run"}
        What may vary.
    named : bool
        Whether every prompt has a name, so that arms can be paired by it.
    convention : str or None
        Where steps come from.
    """

    part: NDArray[np.float64]
    whole: NDArray[np.float64]
    run: tuple[int, ...]
    prompt: tuple[int, ...]
    cluster: Cluster
    named: bool
    convention: str | None

    @property
    def value(self) -> float:
        """Rate, or tokens per step, over all rows."""
        return float(self.part.sum() / self.whole.sum())

    @property
    def prompts(self) -> tuple[int, ...]:
        """Distinct prompts in order of their code."""
        return tuple(sorted(set(self.prompt)))

    @property
    def n_clusters(self) -> int:
        """Clusters: the fewer of prompts and launches where both vary."""
        prompts, runs = len(set(self.prompt)), len(set(self.run))
        if self.cluster == "prompt":
            return prompts
        return runs if self.cluster == "run" else min(prompts, runs)

    def by_prompt(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Totals of each prompt, in order of their code."""
        return self._totals(self.prompt)

    def by_cluster(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Totals of each cluster; the fewer ones where both vary."""
        if self.cluster == "prompt":
            return self._totals(self.prompt)
        fewer = len(set(self.prompt)) <= len(set(self.run))
        by_prompt = self.cluster == "prompt and run" and fewer
        return self._totals(self.prompt if by_prompt else self.run)

    def _totals(
        self, labels: tuple[int, ...]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        _, codes = np.unique(np.array(labels), return_inverse=True)
        part = np.bincount(codes, weights=self.part)
        whole = np.bincount(codes, weights=self.whole)
        return part.astype(np.float64), whole.astype(np.float64)


def counted_of(view: View, arm: str, metric: AcceptanceMetric) -> Counted | None:
    """Return the counts of an arm.

    Parameters
    ----------
    view : View
        The data.
    arm : str
        The arm.
    metric : {"rate", "length"}
        Accepted over drafted tokens, or tokens over steps.

    Returns
    -------
    Counted or None
        None when the arm lacks the counts, or its acceptance was configured.
    """
    if is_configured(view.bench, arm):
        return None
    drafts = drafts_of(view, arm, needs_drafted=metric == "rate")
    if drafts is None:
        return _of_launches(view, arm, metric)
    accepted = [item.accepted for item in drafts.distinct]
    convention = None
    if metric == "rate":
        part, whole = accepted, [item.drafted or 0 for item in drafts.distinct]
    else:
        steps = count_steps(view, drafts.rows)
        if steps is None or not all(steps.each):
            return None
        convention, whole = steps.convention, list(steps.each)
        part = [hits + taken for hits, taken in zip(accepted, whole, strict=True)]
    return Counted(
        part=np.array(part, dtype=np.float64),
        whole=np.array(whole, dtype=np.float64),
        run=tuple(item.run for item in drafts.distinct),
        prompt=tuple(item.prompt for item in drafts.distinct),
        cluster=drafts.cluster,
        named=all(
            view.prompts[item.prompt] != UNNAMED_PROMPT for item in drafts.distinct
        ),
        convention=convention,
    )


def _of_launches(view: View, arm: str, metric: AcceptanceMetric) -> Counted | None:
    found = launch_counts(view.bench, arm, metric)
    if found is None:
        return None
    part, whole, convention = found
    return Counted(
        part=np.array(part, dtype=np.float64),
        whole=np.array(whole, dtype=np.float64),
        run=tuple(range(len(part))),
        prompt=(-1,) * len(part),
        cluster="run",
        named=False,
        convention=convention,
    )
