"""Every pair of arms in one metric, and the arms that are not told apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from specstats.results import jsonable
from specstats.results.comparison import Verdict

if TYPE_CHECKING:
    from specstats.results.comparison import Comparison

__all__ = ["RankedArm", "Ranking"]

_TOLD_APART = frozenset({Verdict.FASTER, Verdict.SLOWER})


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedArm:
    """An arm in its place.

    Attributes
    ----------
    arm : str
        The arm.
    ratio : float
        Its geometric mean against that of all ranked arms; above 1 is faster.
    not_told_apart_from : tuple of str
        Arms that it is not told apart from.
    """

    arm: str
    ratio: float
    not_told_apart_from: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Ranking:
    """Arms of one metric in order, as far as the data tell them apart.

    Attributes
    ----------
    metric : str
        What is ranked.
    workload : str or None
        Group of prompts, when analysed by workload.
    adjustment : {"holm", "games-howell"}
        How the p-values and simultaneous limits of the pairs are adjusted.
    arms : tuple of RankedArm
        Best estimate first: the order of estimates, not of settings.
    groups : tuple of tuple of str
        Maximal sets of two arms or more of which no pair is told apart.
    winner : str or None
        The first arm, when it is told apart from every other one.
    unranked : tuple of str
        Arms without an estimate against any other arm.
    pairs : tuple of Comparison
        Headline of every pair, adjusted over all pairs.
    sentence : str
        What was found, in one sentence.

    Examples
    --------
    >>> import specstats
    >>> study = specstats.summarize(specstats.datasets.path("h200-tinyspec"))
    >>> (ranking,) = study.rankings
    >>> [item.arm for item in ranking.arms][:3]
    ['spec-g4', 'spec-g8', 'spec-g2']
    >>> ranking.told_apart("spec-g4", "spec-g8")
    False
    """

    metric: str
    workload: str | None
    adjustment: Literal["holm", "games-howell"]
    arms: tuple[RankedArm, ...]
    groups: tuple[tuple[str, ...], ...]
    winner: str | None
    unranked: tuple[str, ...]
    pairs: tuple[Comparison, ...]
    sentence: str

    def told_apart(self, first: str, second: str, /) -> bool:
        """Return whether two arms are told apart.

        Parameters
        ----------
        first, second : str
            The arms, in either order.

        Returns
        -------
        bool
            True when their pair is faster or slower; refused pairs are not.
        """
        return any(
            {item.baseline, item.candidate} == {first, second}
            and item.verdict in _TOLD_APART
            for item in self.pairs
        )

    def to_dict(self) -> dict[str, object]:
        """Return the ranking as in the JSON report.

        Returns
        -------
        dict
            JSON-safe values.
        """
        return jsonable.ranking(self)

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"Ranking({self.sentence!r})"
