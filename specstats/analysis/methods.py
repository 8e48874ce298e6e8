"""The methods that may be asked for, by name: what each takes and how many units."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from specstats.analysis.options import DEFAULT_METHOD
from specstats.errors import DesignError
from specstats.stats.anytime_effect import AnytimeEffect
from specstats.stats.blocks import paired_blocks
from specstats.stats.bootstrap_effect import BootstrapEffect
from specstats.stats.fieller_effect import FiellerEffect
from specstats.stats.rank_effect import RankEffect
from specstats.stats.ratios import delta_log_ratio_of_means
from specstats.stats.resampled import ENOUGH_VALUES, MIN_VALUES
from specstats.stats.welch import pooled, welch

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from specstats.stats.effects import Effect

__all__ = ["METHODS", "Method", "Units", "effect_of", "method_named"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Units:
    """What a method is given.

    Attributes
    ----------
    candidate, baseline : ndarray
        Log run values, signed so that more is better; where arms are blocked the
        differences of the blocks, and None.
    lower_is_better : bool
        Whether the sign was turned.
    seed : int
        For resamples that are drawn.
    mixed : callable
        Fits a mixed model to the cells behind the run values.
    """

    candidate: NDArray[np.float64]
    baseline: NDArray[np.float64] | None
    lower_is_better: bool
    seed: int
    mixed: Callable[[], Effect | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One method.

    Attributes
    ----------
    name : str
        As in ``method=`` and ``--method``.
    least : int
        Launches an arm (or blocks) below which it gives no verdict.
    computable : int
        Launches an arm (or blocks) below which it gives nothing at all.
    paired : bool
        Whether it exists for blocks.
    build : callable
        ``build(units) -> Effect``.
    """

    name: str
    least: int
    paired: bool
    build: Callable[[Units], Effect]
    computable: int = 2

    def least_of(self, *, blocked: bool) -> int:
        """Return the units below which there is no verdict.

        Parameters
        ----------
        blocked : bool
            Whether the units are blocks.
        """
        # Half of the sign patterns of 6 blocks is the least p below .05.
        return 6 if blocked and self.name in _BY_RANK else self.least


_BY_RANK = frozenset({"hodges-lehmann", "permutation"})


def _welch(units: Units) -> Effect:
    if units.baseline is None:
        return paired_blocks(units.candidate, np.zeros_like(units.candidate))
    return welch(units.candidate, units.baseline)


def _pooled(units: Units) -> Effect:
    return pooled(units.candidate, _both(units))


def _positive(units: Units) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return run values so that the first mean over the second is the speedup."""
    arms = units.candidate, _both(units)
    if units.lower_is_better:
        return np.exp(-arms[1]), np.exp(-arms[0])
    return np.exp(arms[0]), np.exp(arms[1])


def _both(units: Units) -> NDArray[np.float64]:
    if units.baseline is None:
        message = "a method of independent launches was given blocks"
        raise TypeError(message)
    return units.baseline


def _delta(units: Units) -> Effect:
    return delta_log_ratio_of_means(*_positive(units))


def _fieller(units: Units) -> Effect:
    top, bottom = _positive(units)
    return FiellerEffect(top=top, bottom=bottom)


def _ranks(units: Units, *, permuted: bool) -> Effect:
    return RankEffect(
        candidate=units.candidate, baseline=units.baseline, permuted=permuted
    )


def _bootstrap(units: Units, *, kind: str) -> Effect:
    return BootstrapEffect(
        candidate=units.candidate,
        baseline=units.baseline,
        kind=kind,  # type: ignore[arg-type]
        seed=units.seed,
    )


def _mixed(units: Units) -> Effect:
    found = units.mixed()
    if found is None:
        message = "neither a mixed model nor run means say anything"
        raise ValueError(message)
    return found


def _anytime(units: Units) -> Effect:
    return AnytimeEffect.of(units.candidate, units.baseline)


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(name="welch", least=3, paired=True, build=_welch),
        Method(name="pooled", least=3, paired=False, build=_pooled),
        Method(name="delta", least=3, paired=False, build=_delta),
        Method(name="fieller", least=3, paired=False, build=_fieller),
        Method(
            name="hodges-lehmann",
            least=4,
            paired=True,
            build=partial(_ranks, permuted=False),
        ),
        Method(
            name="permutation",
            least=4,
            paired=True,
            build=partial(_ranks, permuted=True),
        ),
        Method(
            name="bootstrap-t",
            least=MIN_VALUES["bootstrap-t"],
            paired=True,
            build=partial(_bootstrap, kind="bootstrap-t"),
            computable=MIN_VALUES["bootstrap-t"],
        ),
        # Too short below these, whatever they say of their level.
        *(
            Method(
                name=kind,
                least=ENOUGH_VALUES,
                paired=True,
                build=partial(_bootstrap, kind=kind),
            )
            for kind in ("bca", "percentile")
        ),
        Method(name="sequential", least=3, paired=True, build=_anytime),
        Method(name="mixed", least=3, paired=True, build=_mixed),
    )
}


def method_named(name: str) -> Method | None:
    """Return the method of that name, None for the default of the design.

    Parameters
    ----------
    name : str
        Key of `METHODS`, or ``auto``.

    Raises
    ------
    DesignError
        If there is no such method; the nearest names are given.
    """
    if name == DEFAULT_METHOD:
        return None
    if name not in METHODS:
        raise DesignError.not_listed("method", name, (DEFAULT_METHOD, *METHODS))
    return METHODS[name]


def effect_of(method: Method, units: Units) -> Effect:
    """Return the effect that a method finds.

    Parameters
    ----------
    method : Method
        The method.
    units : Units
        Two arms, or the differences of blocks.

    Raises
    ------
    DesignError
        If the arms are blocked and the method has no form for blocks.
    ZeroSpreadError
        If the units do not vary.
    ValueError
        If there are too few of them, or nothing can be fitted.
    """
    if units.baseline is None and not method.paired:
        raise DesignError(
            f"method {method.name!r} is for independent launches, and these arms are "
            "blocked. Expected one of "
            + ", ".join(repr(item.name) for item in METHODS.values() if item.paired)
        )
    return method.build(units)
