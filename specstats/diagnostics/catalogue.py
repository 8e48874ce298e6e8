"""The catalogue: every rule, in the order of its code."""

from __future__ import annotations

from specstats.diagnostics.rule import Level, Rule
from specstats.errors import DesignError

__all__ = ["RULES", "rule"]

_ARTIFACTS = "artifacts"
_DESIGN = "design"
_INFERENCE = "inference"
_ACCEPTANCE = "acceptance"
_RECORD = "record"

_ROWS: tuple[tuple[str, str, Level, str, str], ...] = (
    (
        "SPS001",
        "unknown-format",
        Level.ERROR,
        "No reader claims the bytes of a file.",
        _ARTIFACTS,
    ),
    (
        "SPS002",
        "skipped-entries",
        Level.WARNING,
        "Entries of a file could not be read; each is located.",
        _ARTIFACTS,
    ),
    (
        "SPS003",
        "duplicate-artifact",
        Level.ERROR,
        "The same bytes, or the same request ids, were given twice.",
        _ARTIFACTS,
    ),
    (
        "SPS004",
        "aggregate-only",
        Level.ERROR,
        "An artifact holds means and deviations but no single values.",
        _ARTIFACTS,
    ),
    (
        "SPS005",
        "run-boundary-unknown",
        Level.WARNING,
        "Launches cannot be told apart, so the files count as one run.",
        _ARTIFACTS,
    ),
    (
        "SPS006",
        "inconsistent-counts",
        Level.WARNING,
        "Fields of one entry contradict each other.",
        _ARTIFACTS,
    ),
    (
        "SPS007",
        "failed-requests",
        Level.WARNING,
        "Requests failed; an error when failures follow the arm or all failed.",
        _ARTIFACTS,
    ),
    (
        "SPS008",
        "rate-convention-differs",
        Level.NOTE,
        "Token rates were recomputed as (n-1)/time: counts or conventions differ.",
        _ARTIFACTS,
    ),
    (
        "SPS009",
        "wrapped-stddev",
        Level.NOTE,
        "A standard deviation printed in a file is wrong; it was recomputed.",
        _ARTIFACTS,
    ),
    (
        "SPS010",
        "unit-suspect",
        Level.WARNING,
        "A magnitude that fits another unit than the one it stands in.",
        _ARTIFACTS,
    ),
    (
        "SPS011",
        "inferred-columns",
        Level.NOTE,
        "The columns of a table without a header were inferred from their values.",
        _ARTIFACTS,
    ),
    (
        "SPS012",
        "inferred-layout",
        Level.NOTE,
        "Arms or launch order were inferred, not declared.",
        _ARTIFACTS,
    ),
    (
        "SPS013",
        "unused-file",
        Level.NOTE,
        "A file was not used: no reader knows it or the layout does not match it.",
        _ARTIFACTS,
    ),
    (
        "SPS014",
        "producer-warning",
        Level.WARNING,
        "The artifact itself says that something failed or does not count.",
        _ARTIFACTS,
    ),
    (
        "SPS015",
        "marked-warm-up",
        Level.NOTE,
        "Requests that the artifact marks as warm-up are left out of estimates.",
        _ARTIFACTS,
    ),
    (
        "SPS101",
        "one-run-per-arm",
        Level.ERROR,
        "An arm has a single launch, so a ratio is a ratio of two runs.",
        _DESIGN,
    ),
    (
        "SPS102",
        "unlisted-variation",
        Level.ERROR,
        "A setting outside the design varies inside an arm or beyond the factor.",
        _DESIGN,
    ),
    (
        "SPS103",
        "request-as-replicate",
        Level.ERROR,
        "The unit offered as a replicate lies below the launch.",
        _DESIGN,
    ),
    (
        "SPS104",
        "arms-not-interleaved",
        Level.WARNING,
        "Launch order separates the arms; an error when drift is seen as well.",
        _DESIGN,
    ),
    (
        "SPS105",
        "prompt-set-differs",
        Level.ERROR,
        "Prompt sets or token budgets follow the arm; scattered gaps only warn.",
        _DESIGN,
    ),
    (
        "SPS106",
        "output-differs",
        Level.WARNING,
        "Without sampling, the arms wrote different text from the same prompts.",
        _DESIGN,
    ),
    (
        "SPS107",
        "warm-up-included",
        Level.WARNING,
        "The first request of a launch, or first sample of a test, lies far out.",
        _DESIGN,
    ),
    (
        "SPS108",
        "cache-state-differs",
        Level.WARNING,
        "Repeats of one prompt differ in the prompt tokens taken from the cache.",
        _DESIGN,
    ),
    (
        "SPS109",
        "pseudo-replicates",
        Level.NOTE,
        "Byte-identical repeats carry no new draft decisions.",
        _DESIGN,
    ),
    (
        "SPS110",
        "setting-not-applied",
        Level.ERROR,
        "The artifacts show one process, or one setting, behind both arms.",
        _DESIGN,
    ),
    (
        "SPS111",
        "speculation-inactive",
        Level.ERROR,
        "An arm that is to draft drafted nothing, or the plain arm drafted.",
        _DESIGN,
    ),
    (
        "SPS112",
        "identity-differs",
        Level.ERROR,
        "Model, quantisation, build or device differs and is not the factor.",
        _DESIGN,
    ),
    (
        "SPS113",
        "concurrency-coupling",
        Level.WARNING,
        "Batch width and admission gate differ, or one slot stands for several.",
        _DESIGN,
    ),
    (
        "SPS114",
        "arms-from-different-blocks",
        Level.ERROR,
        "The arms meet in no block or day, so sessions are confounded with them.",
        _DESIGN,
    ),
    (
        "SPS115",
        "baseline-unknown",
        Level.NOTE,
        "There are several arms and nothing says which one is the baseline.",
        _DESIGN,
    ),
    (
        "SPS201",
        "too-few-runs",
        Level.WARNING,
        "Fewer launches or blocks than a verdict needs; an error below two blocks.",
        _INFERENCE,
    ),
    (
        "SPS202",
        "spread-exceeds-effect",
        Level.WARNING,
        "The ratio of two single runs lies inside the A/A band.",
        _INFERENCE,
    ),
    (
        "SPS203",
        "drift-within-session",
        Level.WARNING,
        "Run values change over launch order, or neighbours in time are alike.",
        _INFERENCE,
    ),
    (
        "SPS204",
        "set-differs",
        Level.ERROR,
        "Arms were measured on different workloads, so no overall ratio is given.",
        _INFERENCE,
    ),
    (
        "SPS205",
        "many-comparisons",
        Level.WARNING,
        "A comparison is significant alone but not in its family.",
        _INFERENCE,
    ),
    (
        "SPS206",
        "outlying-run",
        Level.NOTE,
        "One run stands apart from the others of its arm; it is never dropped.",
        _INFERENCE,
    ),
    (
        "SPS207",
        "bimodal-runs",
        Level.WARNING,
        "Run values fall into two groups, so a normal interval misleads.",
        _INFERENCE,
    ),
    (
        "SPS208",
        "zero-spread",
        Level.ERROR,
        "Run values are identical or rounded: no interval of width 0 is given.",
        _INFERENCE,
    ),
    (
        "SPS209",
        "optional-stopping",
        Level.WARNING,
        "An arm has another number of launches than was planned.",
        _INFERENCE,
    ),
    (
        "SPS210",
        "control-arms-differ",
        Level.WARNING,
        "Arms declared identical are told apart; smaller claims are capped.",
        _INFERENCE,
    ),
    (
        "SPS211",
        "estimand-decides",
        Level.WARNING,
        "Two ways of averaging the requests disagree on the winner.",
        _INFERENCE,
    ),
    (
        "SPS212",
        "unequal-replication",
        Level.WARNING,
        "One arm has more than twice the launches of the other.",
        _INFERENCE,
    ),
    (
        "SPS213",
        "undercovering-method",
        Level.WARNING,
        "A method was asked for whose intervals are too short with so few runs.",
        _INFERENCE,
    ),
    (
        "SPS214",
        "model-not-fitted",
        Level.WARNING,
        "A mixed model was asked for and could not be used; what was instead is named.",
        _INFERENCE,
    ),
    (
        "SPS301",
        "no-draft-counts",
        Level.ERROR,
        "Acceptance was asked for and the artifacts carry no draft counts.",
        _ACCEPTANCE,
    ),
    (
        "SPS302",
        "capped-requests",
        Level.WARNING,
        "A few generations that ran to the token cap move the acceptance rate.",
        _ACCEPTANCE,
    ),
    (
        "SPS303",
        "heterogeneous-acceptance",
        Level.WARNING,
        "Prompts accept differently, beyond what chance makes of steps.",
        _ACCEPTANCE,
    ),
    (
        "SPS304",
        "acceptance-is-not-speedup",
        Level.NOTE,
        "Acceptance rates stand side by side and the arms draft different lengths.",
        _ACCEPTANCE,
    ),
    (
        "SPS305",
        "one-generation",
        Level.WARNING,
        "Acceptance rests on one prompt or one distinct generation.",
        _ACCEPTANCE,
    ),
    (
        "SPS306",
        "silent-acceptance-loss",
        Level.WARNING,
        "Same texts and draft budget, fewer tokens per step: a worse drafter.",
        _ACCEPTANCE,
    ),
    (
        "SPS307",
        "impossible-gain",
        Level.ERROR,
        "A speedup lies above the tokens per step that were counted.",
        _ACCEPTANCE,
    ),
    (
        "SPS308",
        "ambiguous-acceptance",
        Level.WARNING,
        "What the producer means by acceptance is not draft tokens over draft tokens.",
        _ACCEPTANCE,
    ),
    (
        "SPS309",
        "synthetic-acceptance",
        Level.ERROR,
        "The engine accepted drafts at a configured rate: nothing was measured.",
        _ACCEPTANCE,
    ),
    (
        "SPS401",
        "exclusion-unlogged",
        Level.ERROR,
        "Launches were removed without a recorded reason.",
        _RECORD,
    ),
    (
        "SPS402",
        "declared-exclusion",
        Level.NOTE,
        "Requests were left out as declared, and are counted here.",
        _RECORD,
    ),
    (
        "SPS403",
        "unused-permission",
        Level.NOTE,
        "A rule was allowed, or a setting ignored, that never came up.",
        _RECORD,
    ),
)

RULES: dict[str, Rule] = {
    code: Rule(code=code, slug=slug, level=level, summary=summary, family=family)
    for code, slug, level, summary, family in _ROWS
}


def rule(code: str, /) -> Rule:
    """Return a rule of the catalogue.

    Parameters
    ----------
    code : str
        Rule code such as ``"SPS101"`` (any case), or its slug.

    Returns
    -------
    Rule
        The rule; ``rule(code).page()`` is its explanation.

    Raises
    ------
    DesignError
        If the catalogue has no such rule.

    Examples
    --------
    >>> import specstats
    >>> specstats.rule("SPS101").slug
    'one-run-per-arm'
    """
    found = RULES.get(code.upper())
    if found is not None:
        return found
    for candidate in RULES.values():
        if candidate.slug == code.lower():
            return candidate
    raise DesignError.not_listed("rule", code, tuple(RULES))
