"""Draft acceptance of an arm that only counters of its processes show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from specstats.analysis.clustered import Clusters, shown_interval
from specstats.analysis.positions import listed_positions, position_rates
from specstats.results import Acceptance, Naive

if TYPE_CHECKING:
    from specstats.bench import Bench
    from specstats.results import AcceptanceMetric, Interval, PositionRate

__all__ = ["acceptance_from_counters", "launch_counts"]

VERIFIED = "verify steps counted by the process"
DECODED = "decode steps counted by the process, drafted or not"
# Where a process gives several kinds, the narrowest: a lifetime holds warm-up too.
_NARROWEST = ("delta", "window", "run", "lifetime")


@dataclass(slots=True)
class _Launch:
    drafted: int = 0
    accepted: int = 0
    rows: int = 0
    requests: int | None = 0
    verified: int | None = 0
    decoded: int | None = 0
    output: int | None = 0
    positions: list[int] | None = None


def acceptance_from_counters(
    bench: Bench, arm: str, *, confidence_level: float
) -> Acceptance | None:
    """Estimate the acceptance rate of an arm from what its processes counted.

    Parameters
    ----------
    bench : Bench
        The data.
    arm : str
        The arm.
    confidence_level : float
        Level of the interval.

    Returns
    -------
    Acceptance or None
        None when no counters of the arm have drafts.

    Notes
    -----
    Estimand: accepted over drafted tokens of launches like these, under their load.
    Unit of replication: the launch; windows of a log and loads on one server are not
    replicates of it. One launch: no interval, of the rate, of the length or of a
    position. Counters say nothing of prompts: an interval over launches holds for
    more launches under this load, not for other texts.
    """
    launches, scopes = _launches(bench, arm)
    drafted = sum(item.drafted for item in launches.values())
    if not drafted:
        return None
    accepted = sum(item.accepted for item in launches.values())
    each = list(launches.values())
    clusters = Clusters(labels=range(len(each)))
    hits, tries = [item.accepted for item in each], [item.drafted for item in each]
    found = clusters.rate(hits, tries, confidence_level=confidence_level)
    steps, length, convention = _steps(each, accepted)
    told = "no interval: one launch" if found is None else found.method
    return Acceptance(
        arm=arm,
        rate=accepted / drafted,
        interval=shown_interval(found, confidence_level),
        drafted=drafted,
        accepted=accepted,
        cluster="run",
        n_clusters=len(launches),
        n_distinct_generations=None,
        n_requests=_total([item.requests for item in launches.values()]),
        method=f"{told}; from counters of the process ({', '.join(sorted(scopes))})",
        steps=steps,
        tokens_per_step=length,
        step_convention=convention,
        token_interval=None,
        naive=Naive(drafted=drafted, accepted=accepted, rate=accepted / drafted),
        length_interval=_length(each, clusters, convention, confidence_level),
        positions=_positions(each, clusters, confidence_level),
        dispersion=clusters.dispersion(hits, tries),
    )


def launch_counts(
    bench: Bench, arm: str, metric: AcceptanceMetric
) -> tuple[list[int], list[int], str | None] | None:
    """Return the counts of each launch of an arm that only counters show.

    Parameters
    ----------
    bench : Bench
        The data.
    arm : str
        The arm.
    metric : {"rate", "length"}
        Accepted over drafted tokens, or tokens over steps.

    Returns
    -------
    tuple or None
        Parts, wholes, and where steps come from; None where some launch lacks them.
    """
    each = list(_launches(bench, arm)[0].values())
    if not each:
        return None
    if metric == "rate":
        return [item.accepted for item in each], [item.drafted for item in each], None
    convention = _steps(each, sum(item.accepted for item in each))[2]
    parts = [_tokens_and_steps(item, convention) for item in each]
    known = [part for part in parts if part is not None]
    if convention is None or len(known) < len(parts):
        return None
    return [part[0] for part in known], [part[1] for part in known], convention


def _length(
    launches: list[_Launch], clusters: Clusters, convention: str | None, level: float
) -> Interval | None:
    parts = [_tokens_and_steps(item, convention) for item in launches]
    known = [part for part in parts if part is not None]
    if convention is None or len(known) < len(parts):
        return None
    tokens, steps = zip(*known, strict=True)
    return clusters.length(tokens, steps, confidence_level=level)


def _tokens_and_steps(
    launch: _Launch, convention: str | None
) -> tuple[int, int] | None:
    if convention == DECODED:
        tokens, steps = (launch.output or 0) - (launch.requests or 0), launch.decoded
    else:
        tokens, steps = launch.accepted + (launch.verified or 0), launch.verified
    return (tokens, steps) if steps and tokens > 0 else None


def _positions(
    launches: list[_Launch], clusters: Clusters, level: float
) -> tuple[PositionRate, ...]:
    """By position, where every launch counts them; tested ones with full drafts."""
    listed = [item.positions for item in launches]
    known = [row for row in listed if row]
    if len(known) < len(listed) or len({len(row) for row in known}) != 1:
        return ()
    accepted = np.array(known, dtype=np.float64)
    steps = np.array([item.verified or 0 for item in launches], dtype=np.float64)
    tries = np.array([item.drafted for item in launches], dtype=np.float64)
    full = bool((tries == steps * accepted.shape[1]).all())
    reached = np.column_stack([steps, accepted[:, :-1]]) if full else None
    return position_rates(accepted, reached, steps, clusters, confidence_level=level)


def _launches(bench: Bench, arm: str) -> tuple[dict[str, _Launch], set[str]]:
    names = ("arm", "run_id", "source", "scope", "n_draft", "n_accepted", "n_requests")
    more = ("n_verify", "n_steps", "n_output", "run_boundary", "accepted_by_position")
    columns = {name: bench.column("counters", name) for name in (*names, *more)}
    rows = [
        row
        for row, owner in enumerate(columns["arm"])
        if owner == arm
        and isinstance(columns["n_draft"][row], int)
        and isinstance(columns["n_accepted"][row], int)
    ]
    known = [row for row in rows if columns["run_boundary"][row] != "unknown"]
    # Rows of no known launch may count the tokens of the known ones again (SPS005).
    rows = known or rows
    narrowest: dict[str, int] = {}
    for row in rows:
        run, rank = str(columns["run_id"][row]), _rank(columns["scope"][row])
        narrowest[run] = min(rank, narrowest.get(run, rank))
    launches: dict[str, _Launch] = {}
    scopes: set[str] = set()
    for row in rows:
        run = str(columns["run_id"][row])
        if _rank(columns["scope"][row]) != narrowest[run]:
            continue
        scopes.add(str(columns["scope"][row]))
        launch = launches.setdefault(run, _Launch())
        values = {name: columns[name][row] for name in (*names, *more)}
        _add(launch, values)
    return {run: item for run, item in launches.items() if item.drafted}, scopes


def _rank(scope: object) -> int:
    return _NARROWEST.index(str(scope)) if scope in _NARROWEST else len(_NARROWEST)


def _add(launch: _Launch, values: dict[str, object]) -> None:
    def plus(total: int | None, name: str) -> int | None:
        value = values[name]
        return total + value if total is not None and isinstance(value, int) else None

    launch.drafted = plus(launch.drafted, "n_draft") or 0
    launch.accepted = plus(launch.accepted, "n_accepted") or 0
    launch.positions = _added(launch, values)
    launch.rows += 1
    launch.requests = plus(launch.requests, "n_requests")
    launch.verified = plus(launch.verified, "n_verify")
    launch.decoded = plus(launch.decoded, "n_steps")
    launch.output = plus(launch.output, "n_output")


def _added(launch: _Launch, values: dict[str, object]) -> list[int] | None:
    """Return the sums by position; None once a stretch that drafted lacks them."""
    if not values["n_draft"]:
        return launch.positions
    own = listed_positions(values["accepted_by_position"], values["n_verify"])
    if own is None or sum(own) != values["n_accepted"]:
        return []
    if launch.positions is None:
        return own
    if len(own) != len(launch.positions):
        return []
    return [a + b for a, b in zip(launch.positions, own, strict=True)]


def _total(values: list[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _steps(
    launches: list[_Launch], accepted: int
) -> tuple[int | None, float | None, str | None]:
    """Return steps, tokens a step and what is counted; all decode steps if known."""
    decoded = _total([item.decoded for item in launches])
    output = _total([item.output for item in launches])
    if decoded and output:
        requests = _total([item.requests for item in launches])
        # The first token of a request comes with the prompt, not from a step.
        return decoded, (output - (requests or 0)) / decoded, DECODED
    verified = _total([item.verified for item in launches])
    if verified:
        return verified, 1.0 + accepted / verified, VERIFIED
    return None, None, None
