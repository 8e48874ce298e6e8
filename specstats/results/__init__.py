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
from specstats.results.comparison import Comparison, Gate, LeaveOneOut, Needs, Verdict
from specstats.results.decomposition import Decomposition, Driver, RatePart
from specstats.results.depth_sweep import Depth, DepthSweep
from specstats.results.drift import AutocorrelationSummary, Drift, Series, TrendSummary
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
from specstats.results.noise_floor import NoiseFloor
from specstats.results.planning import Plan, PlanSize
from specstats.results.ranking import RankedArm, Ranking
from specstats.results.study import StudySummary

__all__ = [
    "AaBand",
    "Acceptance",
    "AcceptanceDifference",
    "AcceptanceMetric",
    "AcceptanceScale",
    "Aggregate",
    "ArmSummary",
    "AutocorrelationSummary",
    "Band",
    "Comparison",
    "Decomposition",
    "Depth",
    "DepthSweep",
    "DeterminismRow",
    "Dispersion",
    "Drift",
    "Driver",
    "EstimandName",
    "EstimandRatio",
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
    "PositionRate",
    "RankedArm",
    "Ranking",
    "RatePart",
    "Series",
    "Spread",
    "StudySummary",
    "Telemetry",
    "TokenInterval",
    "TrendSummary",
    "Verdict",
]
