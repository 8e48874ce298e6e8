"""The rules, by family: each a small function from evidence to findings."""

from specstats.checks.study import pair_findings, study_findings

__all__ = ["pair_findings", "study_findings"]
