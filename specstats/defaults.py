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
    autocorrelation_min_runs : int
        Launches from which neighbours are compared; with fewer, .01 is out of reach
        of any but the most extreme sequence.
    autocorrelation_p : float
        Level of that test: it comes after the drift test and must not add much to
        its false alarms.
    outlier_p : float
        Level of Grubbs' test of one run of an arm; 1 in 100 arms is flagged by
        chance, and a flag drops nothing.
    unequal_replication : float
        Ratio of launches from which the wider of Welch and pooled is used.
    warm_up_p : float
        Level of the test of the first request against the fit.
    failure_p : float
        Level of the permutation test of failure rates between arms.
    sequential_g : float
        Variance of the standardised effect behind anytime-valid intervals: an effect
        of twice the SD of a run is ordinary. Larger values reach bounded intervals
        with fewer runs (4 blocks or 3 runs an arm at 4; 5 blocks at 1) and are
        wider for many.
    planning_sd_level : float
        One-sided level of the upper limit of a pilot's SD that plans rest on: four of
        five planned studies then have at least the power planned for, where the SD
        itself would give that to about half.
    wanted_effect : float
        Ratio that ``needs`` plans for when the observed one says nothing: 10 %.
    draft_length_ratio : float
        Ratio of drafted tokens per step above which acceptance rates of two arms are
        not comparable: one token more is a factor 1.125 at 8 and more below, while
        drafts cut short by the token budget cost 6 % over 35 steps of 3.
    capped_share : float
        Share of generations at the token cap above which the cap is the design and
        not an accident. Below, taking them out moves a rate by chance by less than
        sqrt(.25 / .75) = .58 standard errors (one SD).
    least_drafted : float
        Draft tokens per output token below which a launch counts as not drafting:
        with one draft token in a hundred steps nothing can be gained.
    heterogeneity_p : float
        Level of the permutation test of accepted tokens per step between prompts.
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
    autocorrelation_min_runs: int = 10
    autocorrelation_p: float = 0.01
    outlier_p: float = 0.01
    unequal_replication: float = 2.0
    warm_up_p: float = 0.01
    failure_p: float = 0.05
    sequential_g: float = 4.0
    planning_sd_level: float = 0.8
    wanted_effect: float = 1.10
    draft_length_ratio: float = 1.1
    capped_share: float = 0.25
    least_drafted: float = 0.01
    heterogeneity_p: float = 0.01
    ranked_arms: int = 10
    max_ranked_arms: int = 30
    max_located_findings: int = 20
    sniff_bytes: int = 1024 * 1024


DEFAULTS = Defaults()
