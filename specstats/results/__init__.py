"""Results: what every verb returns."""

from specstats.results.acceptance import (
    Acceptance,
    Dispersion,
    Naive,
    PositionRate,
    TokenInterval,
)
from specstats.results.acceptance_difference import (
    AcceptanceDifference,
    AcceptanceMetric,
    AcceptanceScale,
)
from specstats.results.arm import Aggregate, ArmSummary, DeterminismRow, Telemetry
from specstats.results.comparison import Comparison, Needs, Verdict
from specstats.results.estimates import (
    AaBand,
    Band,
    Estimate,
    Interval,
    MetricSummary,
    Spread,
)
from specstats.results.study import NoiseFloor, StudySummary

__all__ = [
    "AaBand",
    "Acceptance",
    "AcceptanceDifference",
    "AcceptanceMetric",
    "AcceptanceScale",
    "Aggregate",
    "ArmSummary",
    "Band",
    "Comparison",
    "DeterminismRow",
    "Dispersion",
    "Estimate",
    "Interval",
    "MetricSummary",
    "Naive",
    "Needs",
    "NoiseFloor",
    "PositionRate",
    "Spread",
    "StudySummary",
    "Telemetry",
    "TokenInterval",
    "Verdict",
]
