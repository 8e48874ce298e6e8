"""SPS107: the first request of a launch, or the first sample of a test, far out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from specstats.checks.prompts import prompts_are_told_apart
from specstats.defaults import DEFAULTS
from specstats.diagnostics import counted, finding
from specstats.stats._quantiles import t_critical, t_two_sided

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from specstats.design import View
    from specstats.diagnostics import Finding

__all__ = ["warm_up"]

_LEVEL = 0.99
_FIRSTS = ("first request of a launch", "first requests of launches")
_ENOUGH_RUNS = 3


def warm_up(view: View) -> Iterator[Finding]:
    """SPS107 for every arm, in decode and prompt rate."""
    for arm in view.arms:
        for metric in ("decode_rate", "prompt_rate"):
            logs = np.log(view.values(metric))
            rows = np.flatnonzero(view.rows_of(arm) & view.timed & np.isfinite(logs))
            if rows.size:
                yield from _of_arm(view, arm, metric, logs, rows)


def _of_arm(
    view: View,
    arm: str,
    metric: str,
    logs: NDArray[np.float64],
    rows: NDArray[np.intp],
) -> Iterator[Finding]:
    by_test = _is_bench(view, rows)
    if not by_test and not prompts_are_told_apart(view, arm):
        return
    if metric != "decode_rate" and not by_test:
        return
    firsts = _firsts(view, rows, by_test=by_test)
    others = np.ones(view.run.size, dtype=bool)
    others[firsts] = False
    rest = rows[others[rows]]
    n_runs = np.count_nonzero(np.bincount(view.run[rows]))
    if rest.size < 2 or not firsts.size:  # noqa: PLR2004 - a spread needs two
        return
    gaps = _gaps(view, logs, firsts, rest)
    if not by_test and n_runs >= _ENOUGH_RUNS:
        found = _tested(gaps)
    else:
        found = _predicted(view, logs, rest, gaps)
    if not found:
        return
    sources = view.bench.column("requests", "source")
    entries = view.bench.column("requests", "entry")
    worst = min(found, key=lambda row: gaps[row])
    what = ("first sample", "first samples") if by_test else _FIRSTS
    lie = "lies" if len(found) == 1 else "lie"
    yield finding(
        "SPS107",
        f"{arm}: {counted(len(found), *what)} {lie} far from the rest in {metric} "
        f"(x{math.exp(gaps[worst]):.{_decimals(gaps[worst])}f})",
        where=[f"{sources[row]}:{entries[row]}" for row in found[:5]],
        observed=f"x{math.exp(gaps[worst]):.3f} of what the other requests predict",
        required=f"inside the {_LEVEL:.0%} prediction",
        remedy=f"declare warm-up (--warmup {view.design.left_out + 1}) or send a "
        "request that is not counted",
        subject=(arm,),
        metric=metric,
    )


def _decimals(gap: float) -> int:
    """Return the decimals that show a factor to be none."""
    return 2 if abs(gap) > 0.05 else 4  # noqa: PLR2004


def _is_bench(view: View, rows: NDArray[np.intp]) -> bool:
    formats = {item.path: item.format for item in view.bench.inputs}
    sources = view.bench.column("requests", "source")
    return all(formats.get(str(sources[row])) == "llama-bench" for row in rows)


def _firsts(view: View, rows: NDArray[np.intp], *, by_test: bool) -> NDArray[np.intp]:
    """Return the first of the rows in each launch, or of each test in it."""
    cell, place = view.run[rows], view.position[rows]
    if by_test:
        cell = cell * len(view.prompts) + view.prompt[rows]
    first = np.full(int(cell.max()) + 1, np.iinfo(np.intp).max)
    np.minimum.at(first, cell, place)
    found: NDArray[np.intp] = rows[place == first[cell]]
    return found


def _gaps(
    view: View,
    logs: NDArray[np.float64],
    firsts: NDArray[np.intp],
    rest: NDArray[np.intp],
) -> dict[int, float]:
    """Return first minus fitted: run effect + prompt effect of the other requests."""
    of_prompt = _means(logs[rest], view.prompt[rest], len(view.prompts))
    run, prompt = view.run[firsts], view.prompt[firsts]
    of_run = _means(
        logs[rest] - of_prompt[view.prompt[rest]], view.run[rest], len(view.runs)
    )
    gaps = logs[firsts] - of_prompt[prompt] - of_run[run]
    found = zip(firsts.tolist(), gaps.tolist(), strict=True)
    return {row: gap for row, gap in found if math.isfinite(gap)}


def _means(
    values: NDArray[np.float64], codes: NDArray[np.intp], size: int
) -> NDArray[np.float64]:
    """Return the mean of each group, NaN of those without values."""
    counts = np.bincount(codes, minlength=size)
    sums = np.bincount(codes, values, size)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def _tested(gaps: dict[int, float]) -> list[int]:
    values = np.array(list(gaps.values()))
    if values.size < _ENOUGH_RUNS:
        return []
    error = float(values.std(ddof=1)) / math.sqrt(values.size)
    mean = float(values.mean())
    far = error == 0.0 and mean != 0.0
    if not far and error > 0.0:
        far = t_two_sided(mean / error, values.size - 1.0) < DEFAULTS.warm_up_p
    return list(gaps) if far else []


def _predicted(
    view: View,
    logs: NDArray[np.float64],
    rest: NDArray[np.intp],
    gaps: dict[int, float],
) -> list[int]:
    keys = view.run[rest] * len(view.prompts) + view.prompt[rest]
    squares, df = 0.0, 0
    sizes: dict[int, int] = {}
    for key in np.unique(keys):
        cell = logs[rest[keys == key]]
        squares += float(((cell - cell.mean()) ** 2).sum())
        df += cell.size - 1
        sizes[int(key)] = cell.size
    if df < 1 or squares == 0.0:
        return []
    spread, critical = math.sqrt(squares / df), t_critical(df, _LEVEL)
    found = []
    for row, gap in gaps.items():
        size = sizes.get(int(view.run[row] * len(view.prompts) + view.prompt[row]))
        if size and abs(gap) > critical * spread * math.sqrt(1.0 + 1.0 / size):
            found.append(row)
    return found
