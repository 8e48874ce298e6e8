"""SPS309: acceptance that was configured instead of measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.diagnostics import finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.bench import Bench
    from specstats.design import View
    from specstats.diagnostics import Finding

__all__ = ["SYNTHETIC", "configured", "configured_in_one_arm", "is_configured"]

SYNTHETIC = "cfg.synthetic_acceptance"
_REMEDY = "measure with a drafter whose drafts the model verifies"


def is_configured(bench: Bench, arm: str) -> bool:
    """Whether some launch of an arm accepted drafts at a configured rate."""
    return any(
        run.settings.get(SYNTHETIC) is True or True in run.varying.get(SYNTHETIC, ())
        for run in bench.runs
        if run.arm == arm
    )


def configured(view: View) -> Iterator[Finding]:
    """SPS309: an arm whose settings say so, where no reader said it."""
    told = {
        where.partition(":")[0]
        for item in view.bench.findings.of("SPS309")
        for where in item.where
    }
    for arm in view.bench.arms:
        sources = {s for run in view.bench.runs if run.arm == arm for s in run.sources}
        if is_configured(view.bench, arm) and not sources & told:
            yield finding(
                "SPS309",
                f"{arm}: drafts were accepted at a configured rate, so there is no "
                "acceptance to estimate",
                where=sorted(sources)[:5],
                observed=f"{SYNTHETIC} true",
                required="drafts that the model verifies",
                remedy=_REMEDY,
                subject=(arm,),
            )


def configured_in_one_arm(
    view: View, baseline: str, candidate: str
) -> Iterator[Finding]:
    """SPS309: one of the arms accepted at a configured rate, so its speed is made."""
    found = [arm for arm in (baseline, candidate) if is_configured(view.bench, arm)]
    if len(found) == 1:
        yield finding(
            "SPS309",
            f"{found[0]} accepted drafts at a configured rate: its speed is that of "
            "the rate, not of a drafter",
            observed=f"{SYNTHETIC} true in {found[0]}",
            required="measured acceptance in both arms, or the same rate in both",
            remedy=_REMEDY,
            subject=(baseline, candidate),
        )
