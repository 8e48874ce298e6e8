"""Results: what every verb returns."""

from specstats.results.acceptance import Acceptance, Naive, TokenInterval
from specstats.results.arm import Aggregate, ArmSummary, DeterminismRow, Telemetry
from specstats.results.comparison import Comparison, Needs, Verdict
from specstats.results.estimates import (
    AaBand,
    Band,
    EstimandName,
    EstimandRatio,
    Estimate,
    Interval,
    MetricSummary,
    Spread,
)
from specstats.results.ranking import RankedArm, Ranking
from specstats.results.study import NoiseFloor, StudySummary

__all__ = [
    "AaBand",
    "Acceptance",
    "Aggregate",
    "ArmSummary",
    "Band",
    "Comparison",
    "DeterminismRow",
    "EstimandName",
    "EstimandRatio",
    "Estimate",
    "Interval",
    "MetricSummary",
    "Naive",
    "Needs",
    "NoiseFloor",
    "RankedArm",
    "Ranking",
    "Spread",
    "StudySummary",
    "Telemetry",
    "TokenInterval",
    "Verdict",
]
