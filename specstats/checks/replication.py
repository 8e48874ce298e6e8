"""Rules about the unit of replication: SPS101, SPS103, SPS109, SPS212."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from specstats.defaults import DEFAULTS
from specstats.diagnostics import Level, finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.design import RunMatrix, View
    from specstats.diagnostics import Finding

__all__ = [
    "one_run_per_arm",
    "pseudo_replicates",
    "request_as_replicate",
    "shared_processes",
    "unequal_replication",
]


def one_run_per_arm(
    matrix: RunMatrix, baseline: str, candidate: str, *, borrowed: bool
) -> Iterator[Finding]:
    """SPS101: an arm has a single launch."""
    for arm in (baseline, candidate):
        runs = [run for run in matrix.runs if run.arm == arm]
        if len(runs) != 1:
            continue
        requests = runs[0].n_requests
        yield finding(
            "SPS101",
            f"{arm} has 1 run; its {requests} requests are repeats inside one launch",
            where=(runs[0].run_id,),
            level=Level.WARNING if borrowed else Level.ERROR,
            observed="1 launch",
            required=f"{DEFAULTS.min_runs} launches of each arm for a verdict",
            remedy="launch the server anew for each run and interleave the arms",
            subject=(baseline, candidate),
        )


def request_as_replicate(view: View) -> Iterator[Finding]:
    """SPS103: the design asks for a unit below the launch."""
    if view.design.unit != "run":
        yield finding(
            "SPS103",
            f"unit={view.design.unit!r} lies below the launch",
            observed=view.design.unit,
            required="run",
            remedy="leave unit at 'run': a setting is applied to a launch, so "
            "launches are its replicates",
        )


def shared_processes(view: View) -> Iterator[Finding]:
    """SPS103: launches that are declared apart share one server process."""
    owners: dict[str, list[str]] = {}
    arms: dict[str, dict[str, None]] = {}
    known = {run.run_id for run in view.runs}
    counted_only = [run for run in view.bench.runs if run.run_id not in known]
    for run in (*view.runs, *counted_only):
        for process in run.processes:
            owners.setdefault(process, []).append(run.run_id)
            arms.setdefault(process, {})[run.arm] = None
    for process, runs in owners.items():
        if len(runs) > 1:
            yield finding(
                "SPS103",
                f"{len(runs)} runs come from one process ({process})",
                where=runs[:5],
                observed="one process",
                required="a process of its own for each run",
                remedy="declare them as one run",
                subject=arms[process],
            )
    for arm in view.arms:
        yield from _cached_first_requests(view, arm)


def _cached_first_requests(view: View, arm: str) -> Iterator[Finding]:
    declared = [run for run in view.runs_of(arm) if run.boundary == "declared"]
    cached = [run for run in declared if (run.first_cached or 0) > 0]
    if len(declared) < 2 or not cached:  # noqa: PLR2004 - one run is no replication
        return
    per_file = cached[0].declared_by == "run-per-file"
    if len(cached) == len(declared) and not per_file:
        return
    yield finding(
        "SPS103",
        f"{arm}: {len(cached)} of {len(declared)} declared launches begin with cached "
        "prompt tokens, so their server had served before",
        where=[run.run_id for run in cached][:5],
        observed=f"cache_n > 0 on the first request of {len(cached)} launches",
        required="a fresh process for each declared launch",
        remedy="declare the files of one server as one run",
        subject=(arm,),
    )


def pseudo_replicates(view: View) -> Iterator[Finding]:
    """SPS109: byte-identical repeats carry no new draft decisions."""
    digests = view.bench.column("requests", "output_sha256")
    known = view.known("output_sha256")
    for arm in view.arms:
        rows = np.flatnonzero(view.rows_of(arm) & known).tolist()
        texts = Counter((int(view.prompt[row]), digests[row]) for row in rows)
        repeats = len(rows) - len(texts)
        drafted = any(view.column("n_draft")[rows] > 0) if rows else False
        if repeats and drafted:
            yield finding(
                "SPS109",
                f"{arm}: {repeats} of {len(rows)} requests repeat a text byte for "
                "byte; each generation counts once for acceptance",
                observed=f"{len(texts)} distinct generations",
                required="another prompt or sampling seed for a new generation",
                subject=(arm,),
            )


def unequal_replication(
    matrix: RunMatrix, baseline: str, candidate: str
) -> Iterator[Finding]:
    """SPS212: one arm has more than twice the launches of the other."""
    if all(run.block is not None for run in matrix.runs):
        return
    counts = sorted(int(matrix.of_arm(arm).sum()) for arm in (baseline, candidate))
    if counts[0] > 1 and counts[1] > DEFAULTS.unequal_replication * counts[0]:
        yield finding(
            "SPS212",
            f"{counts[1]} launches against {counts[0]}: the wider of Welch and pooled "
            "is used, since with bimodal launches Welch alone covers too little",
            observed=f"{counts[1]}:{counts[0]}",
            required="at most 2:1",
            remedy="launch the smaller arm more often",
            subject=(baseline, candidate),
        )
