"""Rules, findings and their catalogue."""

from specstats.diagnostics.catalogue import RULES, rule
from specstats.diagnostics.finding import Finding, Findings
from specstats.diagnostics.make import finding
from specstats.diagnostics.rule import Level, Rule

__all__ = ["RULES", "Finding", "Findings", "Level", "Rule", "finding", "rule"]
