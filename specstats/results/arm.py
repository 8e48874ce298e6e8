"""Everything about one arm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from specstats.results.acceptance import Acceptance
    from specstats.results.estimates import MetricSummary

__all__ = [
    "Aggregate",
    "ArmSummary",
    "DeterminismRow",
    "Telemetry",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Telemetry:
    """Device telemetry of one arm; None where the files do not carry it.

    Attributes
    ----------
    n_samples : int
        Samples behind it.
    peak_memory_mib, peak_power_w, mean_power_w : float or None
        Memory and board power.
    peak_utilisation_pct, peak_temperature_c : float or None
        Utilisation and temperature.
    """

    n_samples: int
    peak_memory_mib: float | None
    peak_power_w: float | None
    mean_power_w: float | None
    peak_utilisation_pct: float | None
    peak_temperature_c: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregate:
    """A number that an artifact gives instead of single values; never compared.

    Attributes
    ----------
    prompt : str
        Test or prompt that it summarises.
    metric, unit : str
        What was summarised.
    statistic : str
        ``mean``, ``median``, ``p99``, ``rate`` and so on.
    value : float
        As printed.
    sd : float or None
        Deviation beside a mean, inside one process, as printed.
    n : int or None
        Values behind it, where the artifact says so.
    scope, definition : str or None
        Over what, and what the producer means by the metric.
    source : str
        File and entry that it stands in.
    """

    prompt: str
    metric: str
    unit: str
    statistic: str
    value: float
    sd: float | None
    n: int | None
    scope: str | None
    definition: str | None
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmSummary:
    """One arm.

    Attributes
    ----------
    arm : str
        Its name.
    n_runs, n_blocks, n_prompts, n_requests, n_failed : int
        Counts; blocks are 0 where none are declared.
    n_distinct_outputs : int or None
        Distinct output texts; None where no digest is known.
    settings : mapping
        Settings and identities constant over its runs.
    metrics : mapping
        `MetricSummary` by metric name.
    acceptance : Acceptance or None
        None where nothing was drafted.
    telemetry : Telemetry or None
        None where no samples belong to it.
    aggregates : tuple of Aggregate
        Means without single values behind them.
    """

    arm: str
    n_runs: int
    n_blocks: int
    n_prompts: int
    n_requests: int
    n_failed: int
    n_distinct_outputs: int | None
    settings: Mapping[str, object]
    metrics: Mapping[str, MetricSummary]
    acceptance: Acceptance | None
    telemetry: Telemetry | None
    aggregates: tuple[Aggregate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeterminismRow:
    """Outputs of one arm for one prompt.

    Attributes
    ----------
    arm : str
        The arm.
    prompt : str or None
        What it was asked; None where prompts have no names.
    n_requests, n_distinct_outputs : int
        Requests with a known output, and texts that differ among them.
    first_differs : bool
        Whether the first request of every launch differs and the rest agree.
    explained_by : str or None
        Quantity that tells the outputs apart without exception.
    same_outputs_as : tuple of str
        Arms that returned the same set of texts.
    """

    arm: str
    prompt: str | None
    n_requests: int
    n_distinct_outputs: int
    first_differs: bool
    explained_by: str | None
    same_outputs_as: tuple[str, ...]
