"""Results: what every verb returns."""

from specstats.results.acceptance import Acceptance, Naive, TokenInterval
from specstats.results.arm import Aggregate, ArmSummary, DeterminismRow, Telemetry
from specstats.results.comparison import Comparison, Gate, LeaveOneOut, Needs, Verdict
from specstats.results.drift import AutocorrelationSummary, Drift, Series, TrendSummary
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
    "AutocorrelationSummary",
    "Band",
    "Comparison",
    "DeterminismRow",
    "Drift",
    "Estimate",
    "Gate",
    "Interval",
    "LeaveOneOut",
    "MetricSummary",
    "Naive",
    "Needs",
    "NoiseFloor",
    "Plan",
    "PlanSize",
    "Series",
    "Spread",
    "StudySummary",
    "Telemetry",
    "TokenInterval",
    "TrendSummary",
    "Verdict",
]
