"""The registry of metrics: unit, direction and what is assumed of each."""

from __future__ import annotations

from dataclasses import dataclass
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
    """

    name: str
    label: str
    unit: str
    better: Literal["higher", "lower"]
    assume: Literal["lognormal", "exact", "nothing"] = "lognormal"
    meaning: str


METRICS: dict[str, Metric] = {
    metric.name: metric
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
    )
}


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
        raise DesignError.not_listed("metric", name, tuple(METRICS)) from None
