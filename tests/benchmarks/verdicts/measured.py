"""Pairs of arms of real files, with what is true of them."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import specstats
from specstats import Bench, Design
from tests.benchmarks.verdicts.tools import Launches

__all__ = ["PAIRS", "MeasuredPair"]

CORPUS = Path(os.environ.get("SPECSTATS_CORPUS", "../shared/corpus"))


@dataclass(frozen=True)
class MeasuredPair:
    """Two arms as every tool gets them, what specstats says of the files, the truth.

    ``differ`` is None where nobody knows.
    """

    name: str
    truth: str
    differ: bool | None
    base: Launches
    other: Launches
    sentence: str


def _launches(bench: Bench, arm: str, metric: str = "decode_rate") -> Launches:
    from specstats.design import view_of

    view = view_of(bench, Design(warmup=0))
    values = view.values(metric)
    codes = [code for code, run in enumerate(view.runs) if run.arm == arm]
    found = [values[(view.run == code) & np.isfinite(values)] for code in codes]
    return [launch.tolist() for launch in found if launch.size]


def _pair(
    name: str, bench: Bench, arms: tuple[str, str], truth: str, *, differ: bool | None
) -> MeasuredPair:
    base, other = arms
    study = specstats.summarize(bench, Design(baseline=base, candidate=other))
    found = (*study.headlines, *study.controls)
    said = next(item for item in found if {item.baseline, item.candidate} == set(arms))
    return MeasuredPair(
        name=name,
        truth=truth,
        differ=differ,
        base=_launches(bench, base),
        other=_launches(bench, other),
        sentence=said.sentence,
    )


def medusa() -> list[MeasuredPair]:
    names = {
        f"run {number}": f"medusa-vicuna-7b-v1.3-{number}__*" for number in (0, 1, 2)
    }
    bench = specstats.read(CORPUS / "medusa", arms=names)
    found = []
    for base, other in (("run 0", "run 1"), ("run 0", "run 2"), ("run 1", "run 2")):
        design = Design(baseline=base, candidate=other, ignore=("id.model",))
        study = specstats.summarize(bench, design, metrics=("e2e",))
        found.append(
            MeasuredPair(
                name=f"Medusa, {other} against {base}",
                truth="one setting, texts and steps identical",
                differ=False,
                base=_launches(bench, base, "e2e"),
                other=_launches(bench, other, "e2e"),
                sentence=study.headlines[0].sentence,
            )
        )
    return found


def pascal() -> list[MeasuredPair]:
    names = {name: f"**/{name}.*.json" for name in "ABCD"}
    bench = specstats.read(CORPUS / "pascal-p5200", arms=names)
    return [
        _pair(
            f"Pascal, {other} against {base}",
            bench,
            (base, other),
            "one launch each, texts identical: nobody can know",
            differ=None,
        )
        for base, other in (("A", "B"), ("C", "D"))
    ]


def h200() -> list[MeasuredPair]:
    bench = specstats.datasets.load("h200-tinyspec")
    truths = (
        ("baseline2", "one setting under two names", False),
        ("spec-g4", "draft depth 4 against none", True),
    )
    return [
        _pair(f"H200, {arm}", bench, ("baseline", arm), truth, differ=differ)
        for arm, truth, differ in truths
    ]


def factorial() -> list[MeasuredPair]:
    columns = {"run": "run", "arm": "config", "decode_rate": "tok_s"}
    path = CORPUS / "plain_csv/factorial_gsm8k_96runs.csv"
    bench = specstats.read(path, columns=columns | {"workload": "concurrency"})
    base, other = "fp16-fp16-none", "fp16-fp16-eagle3"
    design = Design(baseline=base, candidate=other)
    study = specstats.summarize(bench, design, by_workload=True)
    found = next(item for item in study.headlines if item.workload == "64")
    rates = bench.column("requests", "engine_rate_tps")
    loads, arms = bench.column("requests", "workload"), bench.column("requests", "arm")

    def launches(arm: str) -> Launches:
        rows = zip(rates, loads, arms, strict=True)
        return [
            [float(str(rate))]
            for rate, load, name in rows
            if (load, name) == ("64", arm)
        ]

    return [
        MeasuredPair(
            name="A100, EAGLE-3 at 64 requests at once",
            truth="not known; the launches of the arms do not overlap",
            differ=None,
            base=launches(base),
            other=launches(other),
            sentence=found.sentence,
        )
    ]


def printed() -> list[MeasuredPair]:
    """Files that hold nothing but what their tool made of its values."""
    sweep = "SERVE--max_num_seqs=4-BENCH--max_concurrency=2-num_prompts=8"
    cases = (
        ("llama-bench, two sessions", "llama-bench", "qwen3coder_b9010_r20_run{}.csv"),
        (
            "vLLM sweep, two turns on one server",
            f"vllm_bench_sweep/{sweep}",
            "run={}.json",
        ),
    )
    found = []
    for name, folder, glob in cases:
        first = 0 if "=" in glob else 1
        arms = {
            word: glob.format(first + turn) for turn, word in enumerate(("one", "two"))
        }
        study = specstats.summarize(
            specstats.read(CORPUS / folder, arms=arms), Design(baseline="one")
        )
        found.append(
            MeasuredPair(
                name=name,
                truth="one setting twice",
                differ=False,
                base=[],
                other=[],
                sentence=study.headlines[0].sentence,
            )
        )
    return found


PAIRS: tuple[Callable[[], list[MeasuredPair]], ...] = (
    medusa,
    pascal,
    h200,
    factorial,
    printed,
)
