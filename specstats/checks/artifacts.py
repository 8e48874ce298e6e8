"""Rules about what the artifacts carry: SPS004-008, SPS015, SPS402."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from specstats.defaults import DEFAULTS
from specstats.diagnostics import Level, counted, finding
from specstats.stats.permutation import failure_rate_p

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from specstats.design import View
    from specstats.diagnostics import Finding

__all__ = [
    "aggregate_only",
    "declared_exclusions",
    "failed_requests",
    "failures_by_arm",
    "marked_warm_up",
    "rate_convention",
    "unknown_boundaries",
    "unusable_times",
]

_FAILURES_OF_ONE_ARM = 2


def aggregate_only(view: View) -> Iterator[Finding]:
    """SPS004: files of an arm have means and deviations but no single values."""
    arms = view.bench.column("aggregates", "arm")
    sources = view.bench.column("aggregates", "source")
    measured = set(view.arms)
    single = set(view.bench.column("requests", "source"))
    for arm in dict.fromkeys(str(name) for name in arms):
        rows = [
            str(source)
            for name, source in zip(arms, sources, strict=True)
            if name == arm and source not in single
        ]
        if not rows:
            continue
        yield finding(
            "SPS004",
            f"{arm}: only means and deviations, no single values",
            where=dict.fromkeys(rows),
            level=Level.NOTE if arm in measured else Level.ERROR,
            observed=f"{len(rows)} aggregated rows",
            required="single samples or requests",
            remedy="write the raw values: llama-bench -o jsonl, vllm bench serve "
            "--save-detailed, SGLang --output-details, or the like",
            subject=(arm,),
        )


def unknown_boundaries(view: View) -> Iterator[Finding]:
    """SPS005: launches cannot be told apart."""
    for code, run in enumerate(view.runs):
        if run.boundary != "unknown":
            continue
        files = counted(len(run.sources), "file counts", "files count")
        told = f"nothing tells launches apart, so {files} as one run"
        if code in view.loose:
            known = counted(
                len(view.runs_of(run.arm)), "known launch", "known launches"
            )
            told = (
                f"{counted(run.n_requests, 'request', 'requests')} of no known launch "
                f"beside {known} may be of the same servers, and are left out"
            )
        yield _unknown(
            run.arm,
            told,
            run.sources,
            f"{run.n_requests} requests in {len(run.sources)} files",
        )
    yield from _unknown_counters(view)


def _unknown_counters(view: View) -> Iterator[Finding]:
    """Counters of no known launch beside known ones: perhaps of the same servers."""
    names = ("arm", "run_boundary", "n_draft", "source")
    columns = [view.bench.column("counters", name) for name in names]
    loose: dict[str, dict[str, None]] = {}
    known: set[str] = set()
    for arm, boundary, drafted, source in zip(*columns, strict=True):
        if drafted is None:
            continue
        if boundary == "unknown":
            loose.setdefault(str(arm), {})[str(source)] = None
        else:
            known.add(str(arm))
    for arm, sources in loose.items():
        if arm in known:
            told = (
                f"draft counters of no known launch in "
                f"{counted(len(sources), 'file', 'files')} may be of the servers that "
                "are known, and are left out of acceptance"
            )
            yield _unknown(arm, told, sources, "counters with and without a launch")


def _unknown(arm: str, told: str, sources: Iterable[str], observed: str) -> Finding:
    return finding(
        "SPS005",
        f"{arm}: {told}",
        where=list(sources)[:5],
        observed=observed,
        required="a proved or declared launch",
        remedy="declare launches with {run} in --layout, [[runs]] in study.toml, or "
        "--run-per-file",
        subject=(arm,),
    )


def failed_requests(view: View) -> Iterator[Finding]:
    """SPS007: requests failed in an arm."""
    errors = view.bench.column("requests", "error")
    for arm in view.arms:
        rows = np.flatnonzero(view.rows_of(arm))
        failed = rows[~view.ok[rows]].tolist()
        if not failed:
            continue
        everything = len(failed) == len(rows)
        said = next((str(errors[row]) for row in failed if errors[row]), "no message")
        sources = view.bench.column("requests", "source")
        entries = view.bench.column("requests", "entry")
        yield finding(
            "SPS007",
            f"{arm}: {len(failed)} of {len(rows)} requests failed ({said[:120]})",
            where=[f"{sources[row]}:{entries[row]}" for row in failed[:5]],
            level=Level.ERROR if everything else Level.WARNING,
            observed=f"{len(failed)} failed",
            required="0 failed; speed is that of requests that succeeded",
            remedy="find why they failed before comparing speed",
            subject=(arm,),
        )


def failures_by_arm(view: View, baseline: str, candidate: str) -> Iterator[Finding]:
    """SPS007: failures follow the arm, so the requests that succeeded differ."""
    runs = [*view.runs_of(baseline), *view.runs_of(candidate)]
    failed = np.array([run.n_failed for run in runs])
    if not failed.any() or len({run.arm for run in runs}) == 1:
        return
    total = np.array([run.n_requests for run in runs])
    flags = np.array([run.arm == candidate for run in runs])
    p_value = failure_rate_p(
        failed, total, flags, rng=np.random.default_rng(view.design.seed)
    )
    in_candidate, in_baseline = int(failed[flags].sum()), int(failed[~flags].sum())
    one_sided = 0 in (in_candidate, in_baseline)
    many = in_candidate + in_baseline >= _FAILURES_OF_ONE_ARM
    if (one_sided and many) or p_value < DEFAULTS.failure_p:
        yield finding(
            "SPS007",
            f"failures follow the arm: {in_candidate} in {candidate}, "
            f"{in_baseline} in {baseline}"
            + (
                f", permutation p {p_value:.3g}"
                if p_value < DEFAULTS.failure_p
                else ", and none in the other arm"
            ),
            level=Level.ERROR,
            observed=f"{in_candidate} against {in_baseline} failures",
            required="failure rates that do not differ between the arms",
            remedy="mend the failing arm; the requests that succeeded may be the "
            "easy ones",
            subject=(baseline, candidate),
        )


def unusable_times(view: View) -> Iterator[Finding]:
    """SPS006: answered requests with tokens and a decode time of 0 or less."""
    seconds, tokens = view.column("decode_s"), view.column("n_output")
    rows = np.flatnonzero(view.ok & (tokens > 1) & (seconds <= 0))
    if not rows.size:
        return
    sources = view.bench.column("requests", "source")
    entries = view.bench.column("requests", "entry")
    yield finding(
        "SPS006",
        f"{counted(rows.size, 'request has', 'requests have')} several tokens and no "
        "time of decoding, so no decode rate",
        where=[f"{sources[row]}:{entries[row]}" for row in rows[:5]],
        observed=f"decode time {seconds[rows[0]]:g} s for {tokens[rows[0]]:g} tokens",
        required="a time above 0",
        remedy="look at these entries: their clock is wrong",
        metric="decode_rate",
    )


def rate_convention(view: View) -> Iterator[Finding]:
    """SPS008: decode rates were recomputed under one convention."""
    if view.rates.recomputed:
        yield finding(
            "SPS008",
            f"decode rates were recomputed as (n-1)/time: {view.rates.reason}",
            observed=view.rates.reason,
            required="one convention and equal token counts for the engine's own rate",
            metric="decode_rate",
        )


def declared_exclusions(view: View) -> Iterator[Finding]:
    """SPS402: requests were left out as declared."""
    left_out = int((view.measured & ~view.timed).sum())
    if left_out:
        yield finding(
            "SPS402",
            "warm-up as declared, "
            f"{counted(view.design.left_out, 'request')} a launch: "
            f"{counted(left_out, 'request is', 'requests are')} left out of timing",
            observed=f"{left_out} of {int(view.ok.sum())} answered requests",
        )


def marked_warm_up(view: View) -> Iterator[Finding]:
    """SPS015: requests that the artifact marks as warm-up are left out."""
    rows = np.flatnonzero(view.warm)
    if not rows.size:
        return
    sources = view.bench.column("requests", "source")
    yield finding(
        "SPS015",
        f"{counted(rows.size, 'request is', 'requests are')} marked as warm-up in the "
        "artifact and left out of estimates",
        where=list(dict.fromkeys(str(sources[row]) for row in rows))[:5],
        observed=f"{rows.size} of {view.warm.size} requests",
    )
