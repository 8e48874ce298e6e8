"""What the cases of the rules are built of: rows, responses and tables."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from specstats import Design
from specstats.diagnostics import Level

Rows = list[dict[str, object]]
BASE, SPEC = (4.041, 4.127, 4.088), (3.012, 3.101, 3.064)
ABBA = (1, 4, 5), (2, 3, 6)
AGAINST_BASE = Design(baseline="base")
NOTE, WARNING, ERROR = Level.NOTE, Level.WARNING, Level.ERROR


def row(
    arm: str, run: int, seconds: float | None = None, **extra: object
) -> dict[str, object]:
    timed = {} if seconds is None else {"n_output": 128, "decode_s": seconds}
    keys = {key.replace("__", "."): value for key, value in extra.items()}
    return {"arm": arm, "run": run, "prompt": "p1"} | timed | keys


def arm(
    name: str, seconds: tuple[float, ...], order: tuple[int, ...] = (), **extra: object
) -> Rows:
    """Launches of one request each; an extra that is a list has one value a launch."""
    rows = []
    for index, value in enumerate(seconds):
        own = {k: v[index] if isinstance(v, list) else v for k, v in extra.items()}
        placed = {"order": order[index]} if order else {}
        rows.append(row(name, index + 1, value, **placed, **own))
    return rows


def pair(
    base: tuple[float, ...] = BASE, spec: tuple[float, ...] = SPEC, **extra: object
) -> Rows:
    return arm("base", base, ABBA[0], **extra) + arm("spec", spec, ABBA[1], **extra)


def drafting(**extra: object) -> Rows:
    return arm("spec", SPEC, (), n_draft=100, n_accepted=60, **extra)


def without(rows: Rows, **which: object) -> Rows:
    return [item for item in rows if not which.items() <= item.items()]


def response(seconds: float, *, created: int = 0, **extra: object) -> str:
    """A llama-server response; the rate counts all 128 tokens."""
    timings = {
        "prompt_n": 34,
        "prompt_ms": 81.0,
        "predicted_n": 128,
        "predicted_ms": seconds * 1e3,
        "predicted_per_second": 128 / seconds,
    }
    own = {key: extra.pop(key) for key in ("pid", "process_start") if key in extra}
    return json.dumps({"created": created, **own, "timings": {**timings, **extra}})


def bench_entry(**extra: object) -> str:
    entry = {
        "build_commit": "798cf6cbe",
        "n_prompt": 0,
        "n_gen": 128,
        "samples_ns": [4000000000, 4100000000, 4200000000],
        "stddev_ns": 100000000,
    }
    return json.dumps([{**entry, **extra}])


def server_log(*, told: str = "", drafts: str = "") -> str:
    """A llama-server log of one request; `told` is a line of its start."""
    slot = "slot print_timing: id  0 | task 0 | "
    lines = [
        "build_info: b9862-798cf6cbe",
        "srv    load_model: loading model '/models/target-q4.gguf'",
        told,
        "main: server is listening on http://127.0.0.1:8080",
        f"{slot}prompt eval time =  81.00 ms /  34 tokens",
        f"{slot}       eval time = 2912.00 ms / 128 tokens",
        f"{slot}      total time = 2993.00 ms / 162 tokens",
        f"{slot}draft acceptance = 0.61261 ({drafts})" if drafts else "",
    ]
    return "".join(f"{line}\n" for line in lines if line)


def sglang_answer(rate: float, *, accepted: int, drafted: int, steps: int) -> str:
    details = {
        "spec_accept_rate": rate,
        "spec_num_correct_drafts": accepted,
        "spec_num_proposed_drafts": drafted,
        "spec_verify_ct": steps,
    }
    return json.dumps(
        {
            "usage": {"completion_tokens": accepted + steps},
            "choices": [{"finish_reason": "stop"}],
            "sglext": {"spec_tokens_details": details},
        }
    )


@dataclass(frozen=True)
class Case:
    """What is read, and under which design."""

    files: Mapping[str, str | Rows]
    design: Design | None = None
    name: str = ""
    reading: Mapping[str, Any] = field(default_factory=dict)
    summarizing: Mapping[str, Any] = field(default_factory=dict)


def rows(listed: Rows, design: Design | None = None, **summarizing: object) -> Case:
    return Case({"runs.jsonl": listed}, design, summarizing=summarizing)


MARKDOWN = "| test | t/s |\n| --- | --- |\n| tg128 | 31.70 \u00b1 0.12 |\n"
SMI = "2026/11/30 09:00:00.{}, {}, {}, {}, {}\n"
SMI_ROWS = SMI.format("000", 58, 31.07, 0, 11021) + SMI.format(
    "500", 61, 142.3, 96, 11873
)
SMI_HEADER = (
    "timestamp, temperature.gpu, power.draw [W], utilization.gpu [%], "
    "memory.used [MiB]\n"
)
NOON = 1764590400.0
DAY = 86400.0
PLACED = {"layout": "{arm}-{run}.json"}
COLD_STARTS = [
    row("base", run, seconds)
    for run, launch in enumerate(
        [(9.2, 4.01, 4.12), (8.7, 4.09, 4.05), (9.9, 4.2, 4.13)]
    )
    for seconds in launch
]
CONTROL = Design(baseline="base", controls=(("base", "base2"),))

Sided = tuple[str, Level, Case, Case]
