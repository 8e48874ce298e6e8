"""All rules that bear on a study, and all that bear on a pair of arms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.checks import (
    acceptance,
    applied,
    artifacts,
    capped,
    collapse,
    concurrency,
    exclusions,
    heterogeneous,
    order,
    outputs,
    over_runs,
    prompts,
    replication,
    settings,
    silent_loss,
    speculation,
    warm_up,
)
from specstats.diagnostics import Findings, finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.checks.evidence import OrderEvidence
    from specstats.design import RunMatrix, View
    from specstats.diagnostics import Finding

__all__ = ["pair_findings", "study_findings"]


def study_findings(view: View) -> Findings:
    """Return the findings of a study that need no comparison.

    Parameters
    ----------
    view : View
        The data as the design sees them.

    Returns
    -------
    Findings
        Those of the readers first.
    """
    return Findings(
        [
            *view.bench.findings,
            *artifacts.aggregate_only(view),
            *artifacts.unknown_boundaries(view),
            *artifacts.failed_requests(view),
            *artifacts.rate_convention(view),
            *artifacts.declared_exclusions(view),
            *exclusions.excluded_runs(view),
            *exclusions.missing_runs(view),
            *artifacts.marked_warm_up(view),
            *acceptance.configured(view),
            *speculation.inactive(view),
            *silent_loss.silent_loss(view),
            *concurrency.single_slot(view),
            *capped.capped_requests(view),
            *heterogeneous.heterogeneous_acceptance(view),
            *settings.inside_arms(view),
            *settings.unused_names(view),
            *artifacts.unusable_times(view),
            *replication.request_as_replicate(view),
            *replication.shared_processes(view),
            *replication.pseudo_replicates(view),
            *prompts.cache_state(view),
            *collapse.prompt_collapse(view),
            *prompts.disjoint_prompts(view),
            *prompts.unnamed_prompts(view),
            *warm_up.warm_up(view),
            *order.inferred_order(view),
            *over_runs.over_runs(view),
            *over_runs.planned(view),
            *_baseline_unknown(view),
        ]
    )


def _baseline_unknown(view: View) -> Iterator[Finding]:
    """SPS115: several arms and no baseline."""
    arms = view.bench.arms
    if len(arms) > 1 and view.design.baseline is None:
        shown = ", ".join(arms[:8])
        yield finding(
            "SPS115",
            f"{len(arms)} arms ({shown}) and nothing says which is the baseline, so "
            "nothing is compared",
            observed=f"{len(arms)} arms",
            required="a baseline",
            remedy=f"pass --baseline NAME, for example --baseline {arms[0]}",
        )


def pair_findings(
    view: View,
    matrix: RunMatrix,
    evidence: OrderEvidence,
    baseline: str,
    candidate: str,
    *,
    borrowed: bool = False,
) -> Findings:
    """Return the findings that bear on one pair of arms.

    Parameters
    ----------
    view : View
        The data as the design sees them.
    matrix : RunMatrix
        Runs of both arms in the metric compared.
    evidence : OrderEvidence
        What launch order says.
    baseline, candidate : str
        The arms.
    borrowed : bool
        Whether a spread from other launches is given.

    Returns
    -------
    Findings
        Of this pair only.
    """
    pair = (baseline, candidate)
    return Findings(
        [
            *replication.one_run_per_arm(matrix, *pair, borrowed=borrowed),
            *replication.unequal_replication(matrix, *pair),
            *settings.between_arms(view, *pair),
            *applied.setting_not_applied(view, *pair),
            *speculation.plain_that_drafts(view, *pair),
            *concurrency.coupled(view, *pair),
            *outputs.output_differs(view, *pair),
            *order.blocks_confounded(view, matrix, *pair),
            *order.not_interleaved(evidence, *pair),
            *prompts.prompt_sets(matrix, *pair),
            *prompts.token_budgets(view, *pair),
            *prompts.failed_cells(matrix, *pair),
            *artifacts.failures_by_arm(view, *pair),
            *acceptance.configured_in_one_arm(view, *pair),
        ]
    )
