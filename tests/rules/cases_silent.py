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


def generations(accepted: tuple[int, ...], **extra: object) -> list[dict[str, object]]:
    """Six prompts of one text each; steps follow from what was accepted."""
    rows = []
    for number, hits in enumerate(accepted):
        rows.append(
            {
                "run": 1,
                "prompt": f"p{number}",
                "n_output": 129,
                "decode_s": 4.0 + 0.01 * number,
                "n_draft": 4 * (128 - hits),
                "n_accepted": hits,
                "output_sha256": f"{number:064x}",
                **extra,
            }
        )
    return rows


GOOD, WORSE = (92, 90, 95, 88, 91, 93), (70, 66, 74, 64, 69, 72)
ALIKE = (91, 91, 94, 89, 90, 94)


def one_launch(seconds: float, arm_name: str, **counts: object) -> dict[str, object]:
    return {
        "arm": arm_name,
        "run": 1,
        "prompt": "p1",
        "n_output": 101,
        "decode_s": seconds,
        **counts,
    }


def plain_and_drafting(
    seconds: tuple[float, ...], **counts: object
) -> list[dict[str, object]]:
    """Three launches an arm; the plain one takes 100 steps in about 7 seconds."""
    return arm("base", (7.04, 7.02, 7.06), ABBA[0]) + arm(
        "spec", seconds, ABBA[1], **counts
    )


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
        # A baseline that is to draft, as its settings say.
        "SPS111",
        ERROR,
        rows(base(**DRAFTING) + spec(**DRAFTING), AGAINST_BASE),
        rows(
            base(cfg__depth=2, **DRAFTING) + spec(cfg__depth=4, **DRAFTING),
            AGAINST_BASE,
        ),
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
    (
        "SPS306",
        WARNING,
        rows(generations(GOOD, arm="q8") + generations(WORSE, arm="q2")),
        rows(generations(GOOD, arm="q8") + generations(ALIKE, arm="q2")),
    ),
    (
        # Another draft budget: fewer tokens per step by construction.
        "SPS306",
        WARNING,
        rows(
            [{**row, "cfg.depth": 4} for row in generations(GOOD, arm="q8")]
            + [{**row, "cfg.depth": 4} for row in generations(WORSE, arm="q2")]
        ),
        rows(
            [{**row, "cfg.depth": 4} for row in generations(GOOD, arm="q8")]
            + [{**row, "cfg.depth": 2} for row in generations(WORSE, arm="q2")]
        ),
    ),
    (
        # 127 steps of the plain arm in 7 s; 67 of the other, each 1.2 times as fast.
        "SPS307",
        ERROR,
        rows(plain_and_drafting((3.01, 3.02, 3.03), **DRAFTING), AGAINST_BASE),
        rows(plain_and_drafting((4.01, 4.02, 4.03), **DRAFTING), AGAINST_BASE),
    ),
    (
        # Case 11: 38.3 over 14.2 tok/s with 1.60 tokens accepted a step at most.
        "SPS307",
        WARNING,
        rows(
            [
                one_launch(100 / 14.2, "base"),
                one_launch(100 / 38.3, "spec", n_draft=77, n_accepted=61),
            ],
            AGAINST_BASE,
        ),
        rows(
            [
                one_launch(100 / 14.2, "base"),
                one_launch(100 / 35.3, "spec", n_draft=77, n_accepted=61),
            ],
            AGAINST_BASE,
        ),
    ),
]
