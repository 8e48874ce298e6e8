"""Mixed models by statsmodels, with every failure told and a named way out."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from specstats.stats._arrays import as_flags, as_values, group_codes
from specstats.stats._linear import indicators
from specstats.stats.contrast import Contrast
from specstats.stats.run_means import from_run_means

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from numpy.typing import ArrayLike, NDArray

# A variance below this share of the residual is an edge: the optimiser stops near
# zero rather than at it.
EDGE = 1e-6
OPTIMISERS = ("lbfgs", "bfgs")


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedOutcome:
    """What came of a mixed model.

    Attributes
    ----------
    contrast : Contrast or None
        The mean or difference to use; from run means where the model failed, and
        None where those say nothing either.
    fitted : bool
        The contrast is the model's.
    failure : str or None
        Why the model was not used; None when it was.
    fallback : str or None
        What stands in for it, in words; None when nothing does or needs to.
    variances : mapping of str to float
        Variance of each random effect and ``residual``; empty when the fit failed.
    attempts : tuple of str
        Each optimiser that was tried, with what came of it.
    """

    contrast: Contrast | None
    fitted: bool
    failure: str | None
    fallback: str | None
    variances: Mapping[str, float] = field(default_factory=dict)
    attempts: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.fitted and self.contrast is not None:
            return self.contrast.method
        return f"{self.failure}; used instead: {self.fallback or 'nothing'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Model:
    values: NDArray[np.float64]
    fixed: NDArray[np.float64]
    effects: Mapping[str, NDArray[np.intp]]
    df: int


def mixed_effect(
    values: ArrayLike,
    /,
    *,
    run: Iterable[Hashable],
    is_candidate: ArrayLike | None = None,
    block: Iterable[Hashable] | None = None,
    prompt: Iterable[Hashable] | None = None,
) -> MixedOutcome:
    """Mean, or difference of two arms, by a mixed model of all requests.

    Parameters
    ----------
    values : array_like, shape (n,)
        All (log) values.
    run : iterable of hashable
        Run of each value, unique over blocks.
    is_candidate : array_like of bool, optional
        Arm of each value; without it, the mean of one arm.
    block, prompt : iterable of hashable, optional
        Block and prompt of each value, as random effects.

    Returns
    -------
    MixedOutcome
        Never an exception for a fit that fails: the reason, and what was used.

    Notes
    -----
    Estimand: log ratio (or mean) over launches. Unit: the run. Model: value = arm +
    (1 | run) [+ (1 | block)] [+ (1 | prompt)] + residual, REML, by statsmodels
    MixedLM, tried with each of `OPTIMISERS`. t on the degrees of freedom that the
    runs leave after arm and blocks, not z; for the mean of one arm, no more than the
    prompts leave. Prompts are taken to act on both arms alike: for prompts like these
    see :mod:`specstats.stats.twoway`. Refused, with run means in its place:
    an optimiser that raises or does not converge; a standard error that is not a
    positive number; a difference of exactly zero; a variance between runs at its
    edge of zero, where the model would take requests for replicates. Balanced, it
    equals the pooled t on run means. Checked against lme4 (Dyestuff, Penicillin).
    """
    data = as_values(values, minimum=2)
    labels = {"run": list(run)}
    labels |= {"block": list(block)} if block is not None else {}
    labels |= {"prompt": list(prompt)} if prompt is not None else {}
    codes = {
        name: group_codes(column, size=data.size)[0] for name, column in labels.items()
    }
    flags = None if is_candidate is None else as_flags(is_candidate, size=data.size)
    columns = [np.ones(data.size)]
    if flags is not None:
        columns.append(flags.astype(np.float64))
    used = {name: code for name, code in codes.items() if np.ptp(code) > 0}
    df = _run_df(codes["run"], flags, codes.get("block"))
    if flags is None and "prompt" in used:
        # Prompts do not cancel from the mean of one arm: few of them bound it too.
        df = min(df, int(used["prompt"].max()))
    model = _Model(
        values=data,
        fixed=np.column_stack(columns),
        effects=used,
        df=df,
    )
    attempts: list[str] = []
    reason = _not_to_be_fitted(model)
    for name in OPTIMISERS if reason is None else ():
        reason, contrast, variances = _fit(model, name)
        attempts.append(f"{name}: {reason or 'used'}")
        if reason is None:
            return MixedOutcome(
                contrast=contrast,
                fitted=True,
                failure=None,
                fallback=None,
                variances=variances,
                attempts=tuple(attempts),
            )
    instead = _instead(data, labels, flags)
    return MixedOutcome(
        contrast=instead if isinstance(instead, Contrast) else None,
        fitted=False,
        failure=reason,
        fallback=instead.method if isinstance(instead, Contrast) else None,
        attempts=(*attempts, *([instead] if isinstance(instead, str) else [])),
    )


def _run_df(
    run: NDArray[np.intp],
    flags: NDArray[np.bool_] | None,
    block: NDArray[np.intp] | None,
) -> int:
    """Count the runs, less what arm and blocks take up between them."""
    first = np.unique(run, return_index=True)[1]
    columns = [np.ones((first.size, 1))]
    if flags is not None:
        columns.append(flags[first, None].astype(np.float64))
    if block is not None:
        columns.append(indicators(block[first], int(block.max()) + 1))
        if flags is None:
            return int(block.max())
    return first.size - int(np.linalg.matrix_rank(np.hstack(columns)))


def _not_to_be_fitted(model: _Model) -> str | None:
    if "run" not in model.effects:
        return "one run only"
    if model.effects["run"].max() + 1 == model.values.size:
        return "one request a run: nothing to model inside a run"
    if model.df < 1:
        return "no degrees of freedom between runs"
    if np.linalg.matrix_rank(model.fixed) < model.fixed.shape[1]:
        return "one arm only"
    if float(np.ptp(model.values)) == 0.0:
        return "the values show no spread"
    return None


def _fit(
    model: _Model, optimiser: str
) -> tuple[str | None, Contrast | None, dict[str, float]]:
    """Fit once; a reason not to use it, or its contrast and variances."""
    # In units of their spread about the mean, so that the optimiser's tolerances
    # mean the same for any metric.
    centre, unit = float(model.values.mean()), float(model.values.std())
    scaled = (model.values - centre) / unit
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found = _statsmodels(model, scaled, optimiser)
        except (ArithmeticError, ValueError, RuntimeError, np.linalg.LinAlgError) as e:
            return f"{type(e).__name__}: {e}", None, {}
    index = model.fixed.shape[1] - 1
    estimate, error = float(found.fe_params[index]), float(found.bse_fe[index])
    within = float(found.scale)
    raw = [*np.ravel(found.cov_re), *np.ravel(found.vcomp)]
    variances = {
        name: float(value) * unit**2
        for name, value in zip(model.effects, raw, strict=True)
    }
    reason = None
    if not found.converged:
        reason = "not converged" + "".join(f"; {w.message}" for w in told[:1])
    elif not all(map(math.isfinite, (estimate, error, within, *raw))) or error <= 0.0:
        reason = "standard error or variance is not a positive number"
    elif index > 0 and estimate == 0.0:
        reason = "a difference of exactly zero"
    elif variances["run"] <= EDGE * within * unit**2:
        reason = "variance between runs at its edge of zero"
    if reason is not None:
        return reason, None, {}
    contrast = Contrast(
        estimate=estimate * unit + (centre if index == 0 else 0.0),
        std_error=error * unit,
        df=float(model.df),
        method=f"mixed model, REML (statsmodels, {optimiser}), t on run-level df",
    )
    return None, contrast, variances | {"residual": within * unit**2}


def _statsmodels(model: _Model, scaled: NDArray[np.float64], optimiser: str) -> Any:  # noqa: ANN401 - no types
    from statsmodels.regression.mixed_linear_model import MixedLM, VCSpec

    if list(model.effects) == ["run"]:
        plain = MixedLM(scaled, model.fixed, groups=model.effects["run"])
        return plain.fit(reml=True, method=optimiser)
    names = list(model.effects)
    parts = [indicators(code, int(code.max()) + 1) for code in model.effects.values()]
    columns = [[[str(j) for j in range(part.shape[1])]] for part in parts]
    crossed = MixedLM(
        scaled,
        model.fixed,
        groups=np.zeros(scaled.size, dtype=np.intp),
        exog_vc=VCSpec(names, columns, [[part] for part in parts]),
    )
    return crossed.fit(reml=True, method=optimiser)


def _instead(
    values: NDArray[np.float64],
    labels: Mapping[str, list[Hashable]],
    flags: NDArray[np.bool_] | None,
) -> Contrast | str:
    try:
        return from_run_means(
            values,
            run=labels["run"],
            is_candidate=flags,
            block=labels.get("block"),
            prompt=labels.get("prompt"),
        )
    except ValueError as error:
        return f"run means: {error}"
