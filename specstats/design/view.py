"""The requests of a bench as arrays, with what the design leaves out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from specstats.design.blocks import with_blocks
from specstats.design.design import Design
from specstats.design.factor import arms_by_factor
from specstats.design.matrix import RunMatrix
from specstats.design.order import with_order
from specstats.design.rates import RateRule, decode_rates, rate_rule
from specstats.units import METRICS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from specstats.bench import Bench, Run

__all__ = ["RunMatrix", "View", "view_of"]

UNNAMED_PROMPT = "(unnamed)"


@dataclass(frozen=True, kw_only=True)
class View:
    """A bench as the design sees it.

    Attributes
    ----------
    bench : Bench
        The data.
    design : Design
        Completed design.
    runs : tuple of Run
        Launches that served at least one request, with their blocks.
    run, prompt, repetition, position : ndarray of int, shape (requests,)
        Codes of run and prompt, number of the repeat, and place in the run.
    ok, timed : ndarray of bool, shape (requests,)
        Answered; answered and not left out as warm-up.
    warm : ndarray of bool, shape (requests,)
        Marked as warm-up in the artifact.
    loose : frozenset of int
        Codes of runs of no known launch beside known ones of their arm: they may be
        of the same servers, so they are no replicates and are left out of estimates.
    prompts : tuple of str
        Names behind the prompt codes.
    rates : RateRule
        Convention of decode rates.
    """

    bench: Bench
    design: Design
    runs: tuple[Run, ...]
    run: NDArray[np.intp]
    prompt: NDArray[np.intp]
    repetition: NDArray[np.intp]
    position: NDArray[np.intp]
    ok: NDArray[np.bool_]
    timed: NDArray[np.bool_]
    warm: NDArray[np.bool_]
    loose: frozenset[int]
    prompts: tuple[str, ...]
    rates: RateRule

    @property
    def arms(self) -> tuple[str, ...]:
        """Arms in order of first appearance."""
        return tuple(dict.fromkeys(run.arm for run in self.runs))

    @property
    def measured(self) -> NDArray[np.bool_]:
        """Answered requests of known launches that are not marked as warm-up."""
        return self.ok & ~self.warm & ~np.isin(self.run, list(self.loose))

    def runs_of(self, arm: str) -> tuple[Run, ...]:
        """Return the launches of an arm that are replicates of it.

        Parameters
        ----------
        arm : str
            The arm.
        """
        return tuple(
            run
            for code, run in enumerate(self.runs)
            if run.arm == arm and code not in self.loose
        )

    def rows_of(self, arm: str) -> NDArray[np.bool_]:
        """Return which requests belong to an arm.

        Parameters
        ----------
        arm : str
            The arm.
        """
        codes = [code for code, run in enumerate(self.runs) if run.arm == arm]
        return np.isin(self.run, codes)

    @cached_property
    def workload(self) -> NDArray[np.object_]:
        """Workload of each request, None where unknown."""
        return np.array(self.bench.column("requests", "workload"), dtype=object)

    def column(self, name: str) -> NDArray[np.float64]:
        """Return a numeric column of the requests, NaN where missing.

        Parameters
        ----------
        name : str
            Column name.
        """
        return numeric(self.bench, name)

    def values(self, metric: str) -> NDArray[np.float64]:
        """Return a metric of each request, NaN where it has none.

        Parameters
        ----------
        metric : str
            Name of a metric.

        Returns
        -------
        ndarray of float, shape (requests,)
            Positive values only; failed requests have none.
        """
        if metric == "decode_rate":
            found = decode_rates(self.bench, self.rates)
        elif metric == "prompt_rate":
            tokens, seconds = self.column("n_prompt"), self.column("prompt_s")
            with np.errstate(divide="ignore", invalid="ignore"):
                found = tokens / seconds
        else:
            found = self.column(f"{metric}_s")
        usable = self.ok & np.isfinite(found) & (found > 0)
        return np.where(usable, found, np.nan)

    def matrix(
        self, metric: str, arms: Iterable[str], *, workload: str | None = None
    ) -> RunMatrix:
        """Return mean log values of the runs of some arms, by prompt.

        Parameters
        ----------
        metric : str
            Name of a metric.
        arms : iterable of str
            Arms to take.
        workload : str, optional
            Group of prompts to take.

        Returns
        -------
        RunMatrix
            Runs that have no value at all are left out; prompts too.
        """
        used, dropped = self.used(metric, arms, workload=workload)
        values = self.values(metric)
        shape = (len(self.runs), len(self.prompts))
        flat = self.run[used] * shape[1] + self.prompt[used]
        size = shape[0] * shape[1]
        counts = np.bincount(flat, minlength=size).reshape(shape)
        sums = np.bincount(flat, np.log(values[used]), size).reshape(shape)
        logs = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        rows = np.flatnonzero(counts.any(axis=1)).tolist()
        kept = np.array(rows, dtype=np.intp)
        columns = np.flatnonzero(counts[kept].any(axis=0))
        return RunMatrix(
            runs=tuple(self.runs[code] for code in rows),
            prompts=tuple(self.prompts[code] for code in columns),
            logs=logs[np.ix_(kept, columns)],
            dropped_cells=dropped,
        )

    def used(
        self, metric: str, arms: Iterable[str], *, workload: str | None = None
    ) -> tuple[NDArray[np.bool_], int]:
        """Return the requests that a comparison of some arms rests on.

        Parameters
        ----------
        metric : str
            Name of a metric.
        arms : iterable of str
            Arms to take.
        workload : str, optional
            Group of prompts to take.

        Returns
        -------
        ndarray of bool, shape (requests,)
            Timed requests of known launches with a value.
        int
            Prompt x repeat cells left out everywhere because one of them failed.
        """
        wanted = set(arms)
        codes = [
            code
            for code, run in enumerate(self.runs)
            if run.arm in wanted and code not in self.loose
        ]
        chosen = np.isin(self.run, codes)
        if workload is not None:
            chosen &= self.workload == workload
        failed = self._failed_cells(chosen)
        values = self.values(metric)
        used = chosen & self.timed & np.isfinite(values)
        if failed:
            pairs = zip(self.prompt.tolist(), self.repetition.tolist(), strict=True)
            used &= ~np.array([pair in failed for pair in pairs], dtype=bool)
        return used, len(failed)

    def _failed_cells(self, chosen: NDArray[np.bool_]) -> set[tuple[int, int]]:
        rows = np.flatnonzero(chosen & ~self.ok)
        if len(self.prompts) > 1:
            rows = rows[
                [self.prompts[self.prompt[row]] != UNNAMED_PROMPT for row in rows]
            ]
        return {(int(self.prompt[row]), int(self.repetition[row])) for row in rows}

    def convention(self, metric: str) -> str | None:
        """Return the rate convention of a metric, if it is a decode rate.

        Parameters
        ----------
        metric : str
            Name of a metric.
        """
        return self.rates.convention if metric == "decode_rate" else None


def metrics_of(view: View) -> list[str]:
    """Return the metrics that some request of the view has.

    Parameters
    ----------
    view : View
        The data.
    """
    return [name for name in METRICS if np.isfinite(view.values(name)).any()]


def numeric(bench: Bench, name: str) -> NDArray[np.float64]:
    """Return a numeric column of the requests, NaN where missing.

    Parameters
    ----------
    bench : Bench
        The data.
    name : str
        Column name.

    Returns
    -------
    ndarray of float, shape (requests,)
        Values in the unit of the column.
    """
    return np.array(bench.column("requests", name), dtype=np.float64)


def view_of(bench: Bench, design: Design | None = None) -> View:
    """Return a bench as a design sees it.

    Parameters
    ----------
    bench : Bench
        The data.
    design : Design, optional
        The design; completed from the manifest and the arm names.

    Returns
    -------
    View
        Arrays, one element a request.
    """
    stated = design or Design()
    named = stated.finds_baseline(bench)
    bench = arms_by_factor(bench, stated.factor, named=named)
    complete = stated.resolved(bench)
    served = [run for run in bench.runs if run.n_requests]
    runs = with_order(with_blocks(served, complete.block))
    codes = {run.run_id: code for code, run in enumerate(runs)}
    run = np.array(
        [codes[str(name)] for name in bench.column("requests", "run_id")], dtype=np.intp
    )
    names = [
        UNNAMED_PROMPT if name is None else str(name)
        for name in bench.column("requests", "prompt_id")
    ]
    prompts = tuple(dict.fromkeys(names))
    lookup = {name: code for code, name in enumerate(prompts)}
    prompt = np.array([lookup[name] for name in names], dtype=np.intp)
    position = _positions(bench, run)
    ok = np.array(
        [value is not False for value in bench.column("requests", "ok")], bool
    )
    warm = np.array([x == "warmup" for x in bench.column("requests", "phase")], bool)
    loose = _loose(runs)
    known = ~np.isin(run, list(loose))
    return View(
        bench=bench,
        design=complete,
        runs=runs,
        run=run,
        prompt=prompt,
        repetition=_repetitions(bench, run, prompt, position),
        position=position,
        ok=ok,
        timed=ok & (position >= complete.left_out) & ~warm & known,
        warm=warm,
        loose=loose,
        prompts=prompts,
        rates=rate_rule(bench, ok, prompt),
    )


def _loose(runs: Sequence[Run]) -> frozenset[int]:
    known = {run.arm for run in runs if run.boundary != "unknown"}
    return frozenset(
        code
        for code, run in enumerate(runs)
        if run.boundary == "unknown" and run.arm in known
    )


def _positions(bench: Bench, run: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the place of each request in its run, by time, else as read."""
    started, ended = numeric(bench, "started_s"), numeric(bench, "ended_s")
    moment = np.where(np.isfinite(started), started, ended)
    known = np.isfinite(moment)
    position = np.zeros(run.size, dtype=np.intp)
    for code in np.unique(run):
        rows = np.flatnonzero(run == code)
        if known[rows].all():
            rows = rows[np.argsort(moment[rows], kind="stable")]
        position[rows] = np.arange(rows.size)
    return position


def _repetitions(
    bench: Bench,
    run: NDArray[np.intp],
    prompt: NDArray[np.intp],
    position: NDArray[np.intp],
) -> NDArray[np.intp]:
    """Return the declared repeat, else the number of the prompt's turn in the run."""
    declared: Sequence[object] = bench.column("requests", "repetition")
    repetition = np.zeros(run.size, dtype=np.intp)
    turns: dict[tuple[int, int], int] = {}
    for row in np.lexsort((position, run)):
        key = (int(run[row]), int(prompt[row]))
        turn = turns.get(key, 0)
        turns[key] = turn + 1
        value = declared[row]
        repetition[row] = value if isinstance(value, int) else turn
    return repetition
