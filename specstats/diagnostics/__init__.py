"""Rules, findings and their catalogue."""

from specstats.diagnostics.catalogue import RULES, rule
from specstats.diagnostics.finding import Finding, Findings
from specstats.diagnostics.make import finding
from specstats.diagnostics.rule import Level, Rule
from specstats.diagnostics.wording import counted

__all__ = [
    "RULES",
    "Finding",
    "Findings",
    "Level",
    "Rule",
    "counted",
    "finding",
    "rule",
]
