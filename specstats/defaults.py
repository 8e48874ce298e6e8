"""Every level, floor and limit that specstats uses, each with its derivation."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DEFAULTS", "Defaults"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """Constants of the analysis and of the readers.

    Attributes
    ----------
    confidence_level : float
        Two-sided level of printed intervals.
    power : float
        Power for which ``needs`` and plans are computed.
    min_runs : int
        Launches an arm (or blocks) below which no verdict is given: with 2 the
        95 % interval of normal launches spans a factor of several, since t has 1 or
        2 degrees of freedom.
    min_prompts : int
        Prompts below which "prompts like these" is not estimated.
    interaction_p : float
        Blocks: an arm x block interaction test at or below this sends the result
        back to the scope "future sessions". Liberal on purpose, as a screen.
    order_r_squared : float
        Share of the arm contrast that launch order explains from which the arms
        count as not interleaved: half.
    drift_min_runs : int
        Launches below which drift cannot be checked.
    drift_p : float
        Level of the drift test.
    unequal_replication : float
        Ratio of launches from which the wider of Welch and pooled is used.
    warm_up_p : float
        Level of the test of the first request against the fit.
    failure_p : float
        Level of the permutation test of failure rates between arms.
    wanted_effect : float
        Ratio that ``needs`` plans for when the observed one says nothing: 10 %.
    ranked_arms : int
        Arms up to which `summarize` ranks without being asked: 10 make 45 pairs.
    max_ranked_arms : int
        Arms up to which all pairs are compared when asked for: 30 make 435 pairs, of
        which Holm asks p <= .0001.
    max_located_findings : int
        Findings a file of one kind kept with their location; the rest are counted.
    sniff_bytes : int
        Bytes that readers see when they decide whether an artifact is theirs.
    """

    confidence_level: float = 0.95
    power: float = 0.8
    min_runs: int = 3
    min_prompts: int = 5
    interaction_p: float = 0.25
    order_r_squared: float = 0.5
    drift_min_runs: int = 6
    drift_p: float = 0.05
    unequal_replication: float = 2.0
    warm_up_p: float = 0.01
    failure_p: float = 0.05
    wanted_effect: float = 1.10
    ranked_arms: int = 10
    max_ranked_arms: int = 30
    max_located_findings: int = 20
    sniff_bytes: int = 1024 * 1024


DEFAULTS = Defaults()
