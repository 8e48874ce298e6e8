"""Results: what every verb returns."""

from specstats.results.acceptance import Acceptance, Naive, TokenInterval
from specstats.results.arm import Aggregate, ArmSummary, DeterminismRow, Telemetry
from specstats.results.comparison import Comparison, LeaveOneOut, Needs, Verdict
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
    "Aggregate",
    "ArmSummary",
    "Band",
    "Comparison",
    "DeterminismRow",
    "Estimate",
    "Interval",
    "LeaveOneOut",
    "MetricSummary",
    "Naive",
    "Needs",
    "NoiseFloor",
    "Spread",
    "StudySummary",
    "Telemetry",
    "TokenInterval",
    "Verdict",
]
