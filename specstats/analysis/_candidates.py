"""Which arms are compared, ranked or passed over, and in which workloads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.analysis.pairs import ranked_arms

if TYPE_CHECKING:
    from specstats.design import View

__all__ = ["arms_to_rank", "candidates_of", "passed_over", "workloads_of"]


def candidates_of(view: View) -> tuple[str, ...]:
    """Return the arms to compare with the baseline: all but its controls.

    Parameters
    ----------
    view : View
        The data.
    """
    design = view.design
    if design.baseline is None:
        return ()
    if design.candidate is not None:
        return (design.candidate,)
    twins = design.control_arms(design.baseline)
    names = dict.fromkeys((*view.arms, *view.bench.arms))
    return tuple(
        name for name in names if name != design.baseline and name not in twins
    )


def arms_to_rank(view: View) -> int:
    """Return how many arms a ranking would have; 0 where there is nothing to rank."""
    arms = len(ranked_arms(view))
    return 0 if arms < 3 or view.design.candidate is not None else arms  # noqa: PLR2004


def passed_over(view: View) -> tuple[str, ...]:
    """Return the candidates that are in the data beside the one that was named."""
    design = view.design
    if design.candidate is None or design.baseline is None:
        return ()
    twins = design.control_arms(design.baseline)
    known = {design.baseline, design.candidate, *twins}
    return tuple(name for name in view.arms if name not in known)


def workloads_of(view: View) -> list[str | None]:
    return list(
        dict.fromkeys(None if name is None else str(name) for name in view.workload)
    )
