"""Losses and nulls that look like results: SPS106, SPS110, SPS111, SPS113."""

from specstats import Design
from tests.rules.builders import (
    ABBA,
    AGAINST_BASE,
    BASE,
    ERROR,
    SPEC,
    WARNING,
    arm,
    pair,
    rows,
)

DRAFTING = {"n_draft": 100, "n_accepted": 60}
IDLE = {"n_draft": 0, "n_accepted": 0}
BY_FACTOR = Design(baseline="base", factor="n_draft_max")


def spec(**extra: object) -> list[dict[str, object]]:
    return arm("spec", SPEC, ABBA[1], **extra)


def base(**extra: object) -> list[dict[str, object]]:
    return arm("base", BASE, ABBA[0], **extra)


def told(*texts: str) -> list[str]:
    """Digests of three launches."""
    return [text.encode().hex().ljust(64, "0") for text in texts]


SILENT = [
    (
        "SPS106",
        WARNING,
        rows(
            base(output_sha256=told("a", "a", "a"))
            + spec(output_sha256=told("b", "b", "b")),
            AGAINST_BASE,
        ),
        rows(
            base(output_sha256=told("a", "a", "a"))
            + spec(output_sha256=told("a", "a", "a")),
            AGAINST_BASE,
        ),
    ),
    (
        # Sampled: each arm differs from itself.
        "SPS106",
        WARNING,
        rows(
            base(output_sha256=told("a", "a", "a"))
            + spec(output_sha256=told("b", "b", "b")),
            AGAINST_BASE,
        ),
        rows(
            base(output_sha256=told("a", "c", "a"))
            + spec(output_sha256=told("b", "b", "b")),
            AGAINST_BASE,
        ),
    ),
    (
        "SPS110",
        ERROR,
        rows(base(cfg__n_draft_max=4) + spec(cfg__n_draft_max=4), BY_FACTOR),
        rows(base(cfg__n_draft_max=0) + spec(cfg__n_draft_max=4), BY_FACTOR),
    ),
    (
        "SPS111",
        ERROR,
        rows(base() + spec(cfg__num_speculative_tokens=4, **IDLE), AGAINST_BASE),
        rows(base() + spec(cfg__num_speculative_tokens=4, **DRAFTING), AGAINST_BASE),
    ),
    (
        # One launch of three went without.
        "SPS111",
        ERROR,
        rows(
            base() + spec(n_draft=[100, 0, 100], n_accepted=[60, 0, 60]), AGAINST_BASE
        ),
        rows(
            base() + spec(n_draft=[100, 90, 100], n_accepted=[60, 50, 60]), AGAINST_BASE
        ),
    ),
    (
        "SPS111",
        ERROR,
        rows(base(**DRAFTING) + spec(**DRAFTING), AGAINST_BASE),
        rows(base() + spec(**DRAFTING), AGAINST_BASE),
    ),
    (
        "SPS113",
        WARNING,
        rows(
            base(cfg__max_num_seqs=4, cfg__max_concurrency=2)
            + spec(cfg__max_num_seqs=8, cfg__max_concurrency=4),
            AGAINST_BASE,
        ),
        rows(
            base(cfg__max_num_seqs=4, cfg__max_concurrency=2)
            + spec(cfg__max_num_seqs=8, cfg__max_concurrency=2),
            AGAINST_BASE,
        ),
    ),
    (
        "SPS113",
        WARNING,
        rows(pair(cfg__n_parallel=4, cfg__concurrency=1), AGAINST_BASE),
        rows(pair(cfg__n_parallel=1, cfg__concurrency=1), AGAINST_BASE),
    ),
]
