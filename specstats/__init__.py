"""Statistics for people who benchmark LLM inference.

Reads raw timing artifacts of repeated runs, models spread between launches, refuses
to attribute a ratio of two runs to a setting, and estimates speedups and acceptance
with intervals that hold. Heavy parts are loaded on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from specstats._version import __version__

if TYPE_CHECKING:
    from specstats import datasets, errors, report, testing
    from specstats.analysis.acceptance import acceptance
    from specstats.analysis.acceptance_difference import acceptance_difference
    from specstats.analysis.band import aa_band
    from specstats.analysis.decompose import decompose
    from specstats.analysis.depth_sweep import depth_sweep
    from specstats.analysis.describe import describe, spread
    from specstats.analysis.determinism import determinism
    from specstats.analysis.drift import drift
    from specstats.analysis.options import ReferenceSpread
    from specstats.analysis.pairs import compare_pairs
    from specstats.analysis.planning import plan
    from specstats.analysis.speedup import check, compare_all, speedup
    from specstats.analysis.summarize import summarize
    from specstats.bench import Bench, read
    from specstats.design import Design
    from specstats.design.schedule import Schedule, schedule
    from specstats.diagnostics import RULES, Finding, Findings, Rule, rule
    from specstats.layout import Layout
    from specstats.readers._registry import formats
    from specstats.results import (
        Acceptance,
        AcceptanceDifference,
        ArmSummary,
        Comparison,
        Decomposition,
        DepthSweep,
        Drift,
        Estimate,
        Interval,
        Plan,
        Ranking,
        Spread,
        StudySummary,
        Verdict,
    )
    from specstats.units import METRICS

_HOMES = {
    "METRICS": "specstats.units",
    "RULES": "specstats.diagnostics",
    "Acceptance": "specstats.results",
    "AcceptanceDifference": "specstats.results",
    "ArmSummary": "specstats.results",
    "Bench": "specstats.bench",
    "Comparison": "specstats.results",
    "Decomposition": "specstats.results",
    "DepthSweep": "specstats.results",
    "Design": "specstats.design",
    "Drift": "specstats.results",
    "Estimate": "specstats.results",
    "Finding": "specstats.diagnostics",
    "Findings": "specstats.diagnostics",
    "Interval": "specstats.results",
    "Layout": "specstats.layout",
    "Plan": "specstats.results",
    "Ranking": "specstats.results",
    "ReferenceSpread": "specstats.analysis.options",
    "Rule": "specstats.diagnostics",
    "Schedule": "specstats.design.schedule",
    "Spread": "specstats.results",
    "StudySummary": "specstats.results",
    "Verdict": "specstats.results",
    "aa_band": "specstats.analysis.band",
    "acceptance": "specstats.analysis.acceptance",
    "acceptance_difference": "specstats.analysis.acceptance_difference",
    "check": "specstats.analysis.speedup",
    "compare_all": "specstats.analysis.speedup",
    "decompose": "specstats.analysis.decompose",
    "depth_sweep": "specstats.analysis.depth_sweep",
    "compare_pairs": "specstats.analysis.pairs",
    "describe": "specstats.analysis.describe",
    "determinism": "specstats.analysis.determinism",
    "drift": "specstats.analysis.drift",
    "formats": "specstats.readers._registry",
    "plan": "specstats.analysis.planning",
    "read": "specstats.bench",
    "rule": "specstats.diagnostics",
    "schedule": "specstats.design.schedule",
    "speedup": "specstats.analysis.speedup",
    "spread": "specstats.analysis.describe",
    "summarize": "specstats.analysis.summarize",
}
_MODULES = ("datasets", "errors", "report", "testing")

__all__ = [
    "METRICS",
    "RULES",
    "Acceptance",
    "AcceptanceDifference",
    "ArmSummary",
    "Bench",
    "Comparison",
    "Decomposition",
    "DepthSweep",
    "Design",
    "Drift",
    "Estimate",
    "Finding",
    "Findings",
    "Interval",
    "Layout",
    "Plan",
    "Ranking",
    "ReferenceSpread",
    "Rule",
    "Schedule",
    "Spread",
    "StudySummary",
    "Verdict",
    "__version__",
    "aa_band",
    "acceptance",
    "acceptance_difference",
    "check",
    "compare_all",
    "compare_pairs",
    "datasets",
    "decompose",
    "depth_sweep",
    "describe",
    "determinism",
    "drift",
    "errors",
    "formats",
    "plan",
    "read",
    "report",
    "rule",
    "schedule",
    "speedup",
    "spread",
    "summarize",
    "testing",
]


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return import_module(f"specstats.{name}")
    home = _HOMES.get(name)
    if home is None:
        message = f"module 'specstats' has no attribute {name!r}"
        raise AttributeError(message)
    value: object = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
