"""Draft depths side by side: tokens per step, step cost and speedup."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from specstats.results.decomposition import Decomposition

__all__ = ["Depth", "DepthSweep"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Depth:
    """One draft depth.

    Attributes
    ----------
    arm : str
        Its arm.
    depth : int
        Tokens drafted at a time, at most.
    decomposition : Decomposition
        Tokens per step and steps per second against the plain arm.
    tokens_per_step : float or None
        Counted; None when refused.
    step_cost : float or None
        Time of a verify step in plain steps.
    expected_tokens : float or None
        Tokens per step if every draft token were accepted alike, from the acceptance
        rate at this depth; counted ones above it come from prompts that accept long
        drafts.
    """

    arm: str
    depth: int
    decomposition: Decomposition
    tokens_per_step: float | None
    step_cost: float | None
    expected_tokens: float | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DepthSweep:
    """Draft depths against one plain arm.

    Attributes
    ----------
    baseline : str
        The plain arm.
    depths : tuple of Depth
        The shallowest first.
    best : tuple of Depth
        The fastest one, and those that are not told apart from it over all pairs of
        arms (Holm); empty where none was estimated.
    sentence : str
        Which depth is best, as far as the data tell.
    """

    baseline: str
    depths: tuple[Depth, ...]
    best: tuple[Depth, ...]
    sentence: str

    def to_dict(self) -> dict[str, object]:
        """Return the sweep as JSON-safe values.

        Returns
        -------
        dict
            Depths with their decompositions, the best ones and the sentence.
        """
        return {
            "baseline": self.baseline,
            "depths": [
                {
                    "arm": item.arm,
                    "depth": item.depth,
                    "tokens_per_step": item.tokens_per_step,
                    "step_cost": item.step_cost,
                    "expected_tokens": item.expected_tokens,
                    "decomposition": item.decomposition.to_dict(),
                }
                for item in self.depths
            ],
            "best": [item.depth for item in self.best],
            "sentence": self.sentence,
        }

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"DepthSweep({self.sentence!r})"
