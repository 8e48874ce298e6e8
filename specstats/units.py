"""The registry of metrics: unit, direction and what is assumed of each."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

from specstats.errors import DesignError

__all__ = ["METRICS", "Metric", "metric_named"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One measured quantity of a request.

    Attributes
    ----------
    name : str
        Key used in the API, the command line and the JSON report.
    label : str
        Words for people.
    unit : str
        Unit of the value.
    better : {"higher", "lower"}
        Direction in which a change is a speedup.
    assume : {"lognormal", "exact", "nothing"}
        What the default method assumes of run values.
    meaning : str
        Definition in one sentence.
    base : str
        Metric whose requests it is a quantile of; empty for others.
    quantile : float or None
        Which quantile of the requests of a launch, 0.99 for p99.
    """

    name: str
    label: str
    unit: str
    better: Literal["higher", "lower"]
    assume: Literal["lognormal", "exact", "nothing"] = "lognormal"
    meaning: str
    base: str = ""
    quantile: float | None = None


# What the decode rate is made of; asked for by name only.
_PARTS: dict[str, Metric] = {
    "tokens_per_step": Metric(
        name="tokens_per_step",
        label="tokens per step",
        unit="tok/step",
        better="higher",
        meaning="Output tokens after the first of a request, over its decode steps; 1 "
        "without speculation.",
    ),
    "step_rate": Metric(
        name="step_rate",
        label="decode steps per second",
        unit="step/s",
        better="higher",
        meaning="Decode steps of a request over its decode time.",
    ),
}


class _Registry(dict[str, Metric]):
    """Metrics by name; ``ttft.p99`` and the like are made from their base."""

    def __missing__(self, name: str) -> Metric:
        if name in _PARTS:
            return _PARTS[name]
        base, _, statistic = name.rpartition(".p")
        share = _share(statistic)
        if base not in self or share is None:
            raise KeyError(name)
        metric = self[base]
        return replace(
            metric,
            name=name,
            label=f"p{statistic} {metric.label}",
            meaning=f"p{statistic} of the requests of a launch. {metric.meaning}",
            base=base,
            quantile=share,
        )


def _share(text: str) -> float | None:
    """Return the quantile that p50, p99 or p99.9 names."""
    if re.fullmatch(r"[1-9]\d?(\.\d)?", text) is None:
        return None
    return float(text) / 100.0


METRICS: dict[str, Metric] = _Registry(
    (metric.name, metric)
    for metric in (
        Metric(
            name="decode_rate",
            label="decode rate",
            unit="tok/s",
            better="higher",
            meaning="Output tokens of a request over its decode time.",
        ),
        Metric(
            name="prompt_rate",
            label="prompt rate",
            unit="tok/s",
            better="higher",
            meaning="Prompt tokens processed (cached ones left out) over the time "
            "they took.",
        ),
        Metric(
            name="ttft",
            label="time to first token",
            unit="s",
            better="lower",
            meaning="Time from sending the request to its first token, as the "
            "client or the engine recorded it.",
        ),
        Metric(
            name="e2e",
            label="end-to-end latency",
            unit="s",
            better="lower",
            meaning="Time from sending the request to its last token.",
        ),
        Metric(
            name="tpot",
            label="time per output token",
            unit="s",
            better="lower",
            meaning="End-to-end latency without the time to the first token, over the "
            "output tokens less one.",
        ),
    )
)


def metric_named(name: str) -> Metric:
    """Return the metric of that name.

    Parameters
    ----------
    name : str
        Key of `METRICS`.

    Returns
    -------
    Metric
        The registered metric.

    Raises
    ------
    DesignError
        If there is no such metric; the nearest names are given.
    """
    try:
        return METRICS[name]
    except KeyError:
        raise DesignError.not_listed("metric", name, _listed()) from None


def _listed() -> tuple[str, ...]:
    tails = [f"{name}.p99" for name in ("ttft", "tpot", "e2e")]
    return (*METRICS, *_PARTS, *tails)
