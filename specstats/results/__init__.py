"""Results: what every verb returns."""

from specstats.results.acceptance import Acceptance, Naive, TokenInterval
from specstats.results.arm import Aggregate, ArmSummary, DeterminismRow, Telemetry
from specstats.results.comparison import Comparison, Gate, Needs, Verdict
from specstats.results.estimates import (
    AaBand,
    Band,
    Estimate,
    Interval,
    MetricSummary,
    Spread,
)
from specstats.results.planning import Plan, PlanSize
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
    "Gate",
    "Interval",
    "MetricSummary",
    "Naive",
    "Needs",
    "NoiseFloor",
    "Plan",
    "PlanSize",
    "Spread",
    "StudySummary",
    "Telemetry",
    "TokenInterval",
    "Verdict",
]
