"""Simulated studies with a known truth."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from specstats.errors import DesignError
from specstats.testing.rows import read_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from specstats.bench import Bench

__all__ = ["simulate", "simulated_rows"]

Shape = Literal["normal", "skewed", "bimodal"]
_BASE_RATE = 100.0
_TOKENS = 128
_SLOW_SHARE, _SLOW_BY = 0.3, 0.35


def simulate(
    effects: Mapping[str, float] | None = None,
    /,
    *,
    n_runs: int = 5,
    n_prompts: int = 4,
    n_requests: int = 2,
    sd_run: float = 0.05,
    sd_request: float = 0.02,
    shape: Shape = "normal",
    blocked: bool = False,
    sd_block: float = 0.0,
    rng: int | np.random.Generator | None = None,
) -> Bench:
    """Simulate a study of several arms and read it.

    Parameters
    ----------
    effects : mapping of str to float, optional
        True ratio of each arm to the first; ``{"base": 1.0, "new": 1.0}`` by default.
    n_runs : int
        Launches an arm; one a block when `blocked`.
    n_prompts, n_requests : int
        Prompts, and repeats of each inside a launch.
    sd_run, sd_request : float
        SDs of the log rate between launches and between requests.
    shape : {"normal", "skewed", "bimodal"}
        Distribution of launch effects.
    blocked : bool
        Whether every block holds one launch of each arm, in random order.
    sd_block : float
        SD of the block effect that the arms share.
    rng : int or Generator, optional
        Source of randomness.

    Returns
    -------
    Bench
        Arms, declared launches in random order, and blocks when asked for.

    Raises
    ------
    DesignError
        If a count is below 1 or an effect is not positive.

    Examples
    --------
    >>> from specstats.testing import simulate
    >>> bench = simulate({"base": 1.0, "new": 1.2}, n_runs=3, rng=1)
    >>> len(bench.runs), bench.arms
    (6, ('base', 'new'))
    """
    rows = simulated_rows(
        effects,
        n_runs=n_runs,
        n_prompts=n_prompts,
        n_requests=n_requests,
        sd_run=sd_run,
        sd_request=sd_request,
        shape=shape,
        blocked=blocked,
        sd_block=sd_block,
        rng=rng,
    )
    return read_rows(rows)


def simulated_rows(
    effects: Mapping[str, float] | None = None,
    /,
    *,
    n_runs: int = 5,
    n_prompts: int = 4,
    n_requests: int = 2,
    sd_run: float = 0.05,
    sd_request: float = 0.02,
    shape: Shape = "normal",
    blocked: bool = False,
    sd_block: float = 0.0,
    rng: int | np.random.Generator | None = None,
) -> list[dict[str, object]]:
    """Return the rows of a simulated study, as in specstats' own JSONL.

    Parameters
    ----------
    effects : mapping of str to float, optional
        True ratio of each arm to the first.
    n_runs, n_prompts, n_requests : int
        Counts.
    sd_run, sd_request, sd_block : float
        SDs on the log scale.
    shape : {"normal", "skewed", "bimodal"}
        Distribution of launch effects.
    blocked : bool
        Whether every block holds one launch of each arm.
    rng : int or Generator, optional
        Source of randomness.

    Returns
    -------
    list of dict
        One a request.

    Raises
    ------
    DesignError
        If a count is below 1 or an effect is not positive.
    """
    truth = dict(effects or {"base": 1.0, "new": 1.0})
    if min(n_runs, n_prompts, n_requests) < 1 or min(truth.values()) <= 0.0:
        raise DesignError(
            "simulation: expected counts of 1 or more and effects above 0"
        )
    source = np.random.default_rng(rng)
    names = list(truth)
    launches = [(block, arm) for block in range(n_runs) for arm in names]
    if blocked:
        launches = [
            (block, names[place])
            for block in range(n_runs)
            for place in source.permutation(len(names))
        ]
    else:
        launches = [launches[place] for place in source.permutation(len(launches))]
    sessions = source.normal(0.0, sd_block, n_runs)
    prompts = source.normal(0.0, 0.1, n_prompts)
    rows: list[dict[str, object]] = []
    for order, (block, arm) in enumerate(launches):
        level = math.log(_BASE_RATE * truth[arm]) + _launch(source, sd_run, shape)
        level += float(sessions[block]) if blocked else 0.0
        noise = source.normal(0.0, sd_request, (n_requests, n_prompts))
        for repeat, prompt in np.ndindex(n_requests, n_prompts):
            rate = math.exp(level + prompts[prompt] + noise[repeat, prompt])
            row: dict[str, object] = {
                "run": f"{arm}-{block}",
                "arm": arm,
                "order": order,
                "prompt": f"p{prompt}",
                "repeat": repeat,
                "n_output": _TOKENS,
                "decode_s": (_TOKENS - 1) / rate,
                "rate_convention": "n-1",
            }
            if blocked:
                row["block"] = f"b{block}"
            rows.append(row)
    return rows


def _launch(source: np.random.Generator, sd: float, shape: Shape) -> float:
    if shape == "normal":
        return float(source.normal(0.0, sd))
    if shape == "skewed":
        return -float(source.exponential(sd))
    slow = source.random() < _SLOW_SHARE
    scale = sd / 0.15
    return float(source.normal(-_SLOW_BY * scale * slow, 0.03 * scale))
