"""The requests of a bench as arrays, with what the design leaves out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from specstats.design.matrix import RunMatrix
from specstats.design.quantiles import tail_matrix
from specstats.design.rates import RateRule, decode_rates
from specstats.design.steps import decode_steps
from specstats.units import METRICS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from specstats.bench import Bench, Run
    from specstats.design.design import Design

__all__ = ["UNNAMED_PROMPT", "RunMatrix", "View", "flags_of", "metrics_of"]

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
    excluded : tuple of Run
        Launches that the manifest leaves out; nothing else here has them.
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
    excluded: tuple[Run, ...] = ()

    @property
    def arms(self) -> tuple[str, ...]:
        """Arms in order of first appearance."""
        return tuple(dict.fromkeys(run.arm for run in self.runs))

    @cached_property
    def measured(self) -> NDArray[np.bool_]:
        """Answered requests of known launches that are not marked as warm-up."""
        return self.ok & ~self.warm & ~flags_of(self.loose, len(self.runs))[self.run]

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
        if arm not in self._rows:
            codes = [code for code, run in enumerate(self.runs) if run.arm == arm]
            self._rows[arm] = flags_of(codes, len(self.runs))[self.run]
        return self._rows[arm]

    @cached_property
    def _rows(self) -> dict[str, NDArray[np.bool_]]:
        return {}

    @cached_property
    def workload(self) -> NDArray[np.object_]:
        """Workload of each request, None where unknown."""
        return np.array(self.bench.column("requests", "workload"), dtype=object)

    @cached_property
    def step_rows(self) -> dict[tuple[object, object], list[int]]:
        """Rows of the steps of each request, by its source and entry."""
        found: dict[tuple[object, object], list[int]] = {}
        sources = self.bench.column("steps", "source")
        places = zip(sources, self.bench.column("steps", "entry"), strict=True)
        for row, place in enumerate(places):
            found.setdefault(place, []).append(row)
        return found

    def column(self, name: str) -> NDArray[np.float64]:
        """Return a numeric column of the requests, NaN where missing.

        Parameters
        ----------
        name : str
            Column name.
        """
        return self.bench.numbers(name)

    def known(self, name: str) -> NDArray[np.bool_]:
        """Return which requests have a value in a column.

        Parameters
        ----------
        name : str
            Column name.
        """
        told = self.bench.levels(name)
        return np.array([value is not None for value in told.values], bool)[told.codes]

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
        name = METRICS[metric].base or metric
        if name not in self._values:
            self._values[name] = self._values_of(name)
        return self._values[name]

    @cached_property
    def _values(self) -> dict[str, NDArray[np.float64]]:
        return {}

    def _values_of(self, metric: str) -> NDArray[np.float64]:
        if metric == "decode_rate":
            found = decode_rates(self.bench, self.rates)
        elif metric == "prompt_rate":
            tokens, seconds = self.column("n_prompt"), self.column("prompt_s")
            with np.errstate(divide="ignore", invalid="ignore"):
                found = tokens / seconds
        elif metric in {"tokens_per_step", "step_rate"}:
            steps = decode_steps(self.bench, self.run)
            with np.errstate(divide="ignore", invalid="ignore"):
                found = (
                    steps / self.column("decode_s")
                    if metric == "step_rate"
                    else (self.column("n_output") - 1.0) / steps
                )
        elif metric == "tpot":
            tokens = self.column("n_output") - 1.0
            with np.errstate(divide="ignore", invalid="ignore"):
                found = (self.column("e2e_s") - self.column("ttft_s")) / tokens
            found = np.where(tokens >= 1.0, found, np.nan)
        else:
            found = self.column(f"{metric}_s")
        with np.errstate(invalid="ignore"):
            usable = self.ok & np.isfinite(found) & (found > 0)
        values = np.where(usable, found, np.nan)
        values.setflags(write=False)
        return values

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
        key = (metric, tuple(arms), workload)
        if key not in self._matrices:
            self._matrices[key] = self._matrix_of(*key)
        return self._matrices[key]

    @cached_property
    def _matrices(self) -> dict[tuple[str, tuple[str, ...], str | None], RunMatrix]:
        return {}

    def _matrix_of(
        self, metric: str, arms: tuple[str, ...], workload: str | None
    ) -> RunMatrix:
        used, dropped = self.used(metric, arms, workload=workload)
        if METRICS[metric].quantile is not None:
            return tail_matrix(self, metric, used, dropped_cells=dropped)
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
        chosen = flags_of(codes, len(self.runs))[self.run]
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
    if "metrics" not in view.__dict__:
        view.__dict__["metrics"] = [
            name for name in METRICS if np.isfinite(view.values(name)).any()
        ]
    return list(view.__dict__["metrics"])


def flags_of(codes: Iterable[int], size: int) -> NDArray[np.bool_]:
    """Return which of `size` codes are among those given.

    Parameters
    ----------
    codes : iterable of int
        The codes.
    size : int
        How many codes there are.
    """
    flags = np.zeros(size, dtype=bool)
    flags[list(codes)] = True
    return flags
