"""Making a view: codes of runs and prompts, places, repeats, what is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from specstats.design.blocks import with_blocks
from specstats.design.design import Design
from specstats.design.excluded import without_excluded
from specstats.design.factor import arms_by_factor
from specstats.design.order import with_order
from specstats.design.places import positions, repetitions
from specstats.design.rates import rate_rule
from specstats.design.view import UNNAMED_PROMPT, View, flags_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from specstats.bench import Bench, Run

__all__ = ["view_of"]


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
    bench, excluded = without_excluded(bench)
    complete = stated.resolved(bench)
    served = [run for run in bench.runs if run.n_requests]
    runs = with_order(with_blocks(served, complete.block))
    codes = {run.run_id: code for code, run in enumerate(runs)}
    told = bench.levels("run_id")
    run = np.array([codes[str(name)] for name in told.values], dtype=np.intp)[
        told.codes
    ]
    told = bench.levels("prompt_id")
    names = [UNNAMED_PROMPT if name is None else str(name) for name in told.values]
    prompts = tuple(dict.fromkeys(names))
    lookup = {name: code for code, name in enumerate(prompts)}
    prompt = np.array([lookup[name] for name in names], dtype=np.intp)[told.codes]
    position = positions(bench, run)
    told = bench.levels("ok")
    ok = np.array([value is not False for value in told.values], bool)[told.codes]
    told = bench.levels("phase")
    warm = np.array([value == "warmup" for value in told.values], bool)[told.codes]
    loose = _loose(runs)
    known = ~flags_of(loose, len(runs))[run]
    return View(
        bench=bench,
        design=complete,
        runs=runs,
        run=run,
        prompt=prompt,
        repetition=repetitions(bench, run, prompt, position),
        position=position,
        ok=ok,
        timed=ok & (position >= complete.left_out) & ~warm & known,
        warm=warm,
        loose=loose,
        prompts=prompts,
        rates=rate_rule(bench, ok, prompt),
        excluded=excluded,
    )


def _loose(runs: Sequence[Run]) -> frozenset[int]:
    known = {run.arm for run in runs if run.boundary != "unknown"}
    return frozenset(
        code
        for code, run in enumerate(runs)
        if run.boundary == "unknown" and run.arm in known
    )
