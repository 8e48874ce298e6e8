"""Bad and good cases of the rules about what acceptance is compared or pooled over."""

import json

from tests.rules.builders import NOTE, WARNING, Case, Rows, Sided, row, rows

LIKE = [4, 3, 2, 4, 3, 1, 4, 2, 3, 4, 2, 1]
UNLIKE = [0, 1, 0, 2, 1, 0, 0, 1, 0, 1, 1, 0]
COUNTS = ((111, 68), (98, 61), (130, 79), (104, 70), (101, 63))


def answers(*, capped: tuple[int, int] | None, **told: object) -> Rows:
    """Five ordinary generations and a long one, if it is given."""
    ends = {"finish_reason": "stop"} | told
    found = [
        row("spec", 1, prompt=f"p{k}", n_draft=tries, n_accepted=hits, n_output=97 + k)
        | ends
        for k, (tries, hits) in enumerate(COUNTS)
    ]
    if capped is not None:
        long = {"finish_reason": "length", "n_output": 2048} | told
        drafted, accepted = capped
        found.append(
            row("spec", 1, prompt="long", n_draft=drafted, n_accepted=accepted) | long
        )
    return found


def stepped(*prompts: list[int], drafted: int = 4) -> Case:
    """Responses that list the accepted tokens of their steps."""
    lines = [
        json.dumps(
            {
                "timings": {
                    "prompt_n": 34,
                    "prompt_ms": 81.0,
                    "predicted_n": 1 + len(accepted) + sum(accepted),
                    "predicted_ms": 1200.0,
                    "draft_n": drafted * len(accepted),
                    "draft_n_accepted": sum(accepted),
                },
                "spec": {
                    "arm": "spec",
                    "prompt_id": f"p{index}",
                    "accepted": accepted,
                    "drafted": [drafted] * len(accepted),
                },
            }
        )
        for index, accepted in enumerate(prompts)
    ]
    return Case({"runs.jsonl": "".join(f"{line}\n" for line in lines)})


def lengths(steps: int) -> Rows:
    """Two arms of 30 and of some steps that drafted 90 tokens for either prompt."""
    return [
        row(name, 1, prompt=prompt, n_draft=90, n_accepted=hits, n_steps=own)
        for name, own in (("a", 30), ("b", steps))
        for prompt, hits in (("p1", 61), ("p2", 55))
    ]


ACCEPTANCE: list[Sided] = [
    (
        "SPS302",
        WARNING,
        rows(answers(capped=(4140, 667))),
        rows(answers(capped=(118, 71))),
    ),
    (
        "SPS302",
        WARNING,
        rows(answers(capped=(4140, 4136))),
        rows(answers(capped=None)),
    ),
    (
        "SPS302",
        WARNING,
        rows(answers(capped=(4140, 667))),
        rows(answers(capped=(4140, 667), finish_reason="stop")),
    ),
    (
        "SPS302",
        WARNING,
        rows(answers(capped=(4140, 667))),
        rows(answers(capped=(4140, 667), finish_reason="length")),
    ),
    ("SPS303", WARNING, stepped(LIKE, UNLIKE), stepped(LIKE, LIKE[::-1])),
    ("SPS303", WARNING, stepped(LIKE, UNLIKE), stepped(LIKE + UNLIKE)),
    ("SPS304", NOTE, rows(lengths(26)), rows(lengths(28))),
    (
        "SPS304",
        NOTE,
        rows(lengths(12)),
        rows([item for item in lengths(12) if item["arm"] == "a"]),
    ),
]
