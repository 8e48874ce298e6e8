"""What a method that was asked for cannot do with the data: SPS201, SPS213."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.analysis._mixed_effect import MixedEffect
from specstats.diagnostics import Level, counted, finding
from specstats.stats.bootstrap_effect import BootstrapEffect
from specstats.stats.effects import unbounded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.analysis.options import Options
    from specstats.analysis.pair import Pair
    from specstats.analysis.scopes import Scope
    from specstats.diagnostics import Finding

__all__ = ["method_findings"]


def method_findings(
    pair: Pair, scope: Scope | None, options: Options
) -> Iterator[Finding]:
    """Yield what stands against a method that was asked for.

    Parameters
    ----------
    pair : Pair
        The evidence.
    scope : Scope or None
        What is estimated.
    options : Options
        What is asked.

    Yields
    ------
    Finding
        SPS201 where it needs more units or finds no limits, SPS213 where its
        intervals are known to be too short.
    """
    if scope is None or not scope.least or scope.no_spread or scope.n_units <= 1:
        return
    effect, subject = scope.contrast, (pair.baseline, pair.candidate)
    units = (
        counted(scope.n_units, "block")
        if scope.replicate == "block"
        else counted(scope.n_units, "launch", "launches") + " of the smaller arm"
    )
    few = options.min_runs <= scope.n_units < scope.least
    if effect is None or few or unbounded(effect.interval(options.confidence_level)):
        yield finding(
            "SPS201",
            f"{options.method} gives "
            + ("nothing" if effect is None else "no verdict")
            + f" with {units}"
            + ("" if few or effect is None else ": it finds no limits at this level"),
            level=Level.ERROR if effect is None else Level.WARNING,
            observed=units,
            required="limits on both sides"
            if effect is not None and not few
            else f"{scope.least} or more",
            remedy="measure more of them, or leave the choice of the method to the "
            "design (--method auto)",
            subject=subject,
            metric=pair.metric,
        )
    if isinstance(effect, MixedEffect) and effect.note:
        yield finding(
            "SPS214",
            f"{options.method}: {effect.note}",
            observed=units,
            required="a mixed model that can be fitted",
            remedy="measure more launches, or leave the choice of the method to the "
            "design (--method auto)",
            subject=subject,
            metric=pair.metric,
        )
    if isinstance(effect, BootstrapEffect) and effect.kind != "bootstrap-t":
        for note in effect.notes:
            yield finding(
                "SPS213",
                f"{options.method}: {note}",
                observed=units,
                required="intervals that hold at the stated level",
                remedy="use --method auto, or bootstrap-t",
                subject=subject,
                metric=pair.metric,
            )
