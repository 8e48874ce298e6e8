"""Facts of the Pascal study, and its numbers against the raw files they come from."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from specstats import datasets
from specstats.bench import Bench, read

Entry = dict[str, object]

FIRST, SECOND = "pascal-p5200-2026-08-02", "repro-2026-08-07"
# Launch: arm, files, cache_prompt, backend_sampling, bs; as the raw files' notes say.
LAUNCHES: dict[str, tuple[str, list[str], bool | None, bool | None, bool | None]] = {
    "baseline-smoke": (
        *("target", [f"{FIRST}/gemma12-baseline-smoke.json"]),
        *(None, None, None),
    ),
    "mtp-smoke": (
        "mtp",
        [f"{FIRST}/gemma12-mtp-smoke.json", f"{FIRST}/gemma12-mtp-smoke-2.json"],
        *(True, True, None),
    ),
    "mtp-cpu-sampler": (
        "mtp",
        [f"{FIRST}/gemma12-mtp-cpu-sampler-{number}.json" for number in (1, 2)],
        *(None, False, None),
    ),
    "mtp-bench": (
        *("mtp", [f"{FIRST}/gemma12-mtp-bench.jsonl"]),
        *(None, False, None),
    ),
    "baseline-bench": (
        *("target", [f"{FIRST}/gemma12-baseline-bench.jsonl"]),
        *(None, None, None),
    ),
    **{
        name: (arm, [f"{SECOND}/{name}.{n}.json" for n in range(1, 6)], *flags)
        for name, arm, flags in (
            ("A", "mtp", (True, True, None)),
            ("B", "mtp", (True, False, None)),
            ("C", "target", (True, None, None)),
            ("D", "target", (True, None, True)),
            ("E", "target", (False, None, None)),
            ("F", "mtp", (False, True, None)),
        )
    },
}
ACCEPTED = {
    "mtp-smoke": (180, 227),
    "mtp-cpu-sampler": (184, 222),
    "mtp-bench": (276, 333),
    "A": (444, 575),
    "B": (444, 575),
    "F": (460, 555),
}
MEAN_RATES = {
    "baseline-smoke": 24.1824,
    "mtp-smoke": 54.8544,
    "mtp-cpu-sampler": 55.8651,
    "mtp-bench": 56.4429,
    "baseline-bench": 24.0209,
    "A": 49.5902,
    "B": 48.1535,
    "C": 21.9733,
    "D": 22.1672,
    "E": 21.9739,
    "F": 51.6492,
}
DIGESTS = {
    "b64401008a3b": ("mtp", 0, 92, 111, 13),
    "f4ca5c2a610e": ("target", 0, None, None, 11),
    "b66a83ea8f2e": ("mtp", 7, 88, 116, 9),
    "02b26bfce87f": ("target", 7, None, None, 8),
}


@pytest.fixture(scope="module")
def bench() -> Bench:
    return datasets.load("pascal-p5200")


@pytest.fixture(scope="module")
def rows() -> list[Entry]:
    """Give the rows of requests.jsonl as they stand in the file."""
    text = (datasets.path("pascal-p5200") / "requests.jsonl").read_text("utf-8")
    header, *found = [json.loads(line) for line in text.splitlines()]
    assert header == {"specstats.table": "requests", "version": 1}
    return found


def seconds(milliseconds: object) -> float:
    assert isinstance(milliseconds, Decimal)
    return float(milliseconds / 1000)


def raw(path: Path) -> Iterator[Entry]:
    """Yield the responses of a file, decimals as they are written."""
    decoder = json.JSONDecoder(parse_float=Decimal)
    text = path.read_text("utf-8").strip()
    while text:
        value, end = decoder.raw_decode(text)
        yield value
        text = text[end:].lstrip()


def expected(corpus: Path) -> Iterator[Entry]:
    for run, (arm, files, cache, backend, bs) in LAUNCHES.items():
        responses = [
            response
            for name in files
            for response in raw(corpus / "pascal-p5200" / name)
        ]
        settings = {
            "cfg.cache_prompt": cache,
            "cfg.backend_sampling": backend,
            "cfg.bs": bs,
        }
        for repeat, response in enumerate(responses):
            yield {
                "run": run,
                "block": "2026-08-02" if files[0].startswith(FIRST) else "2026-08-07",
                "arm": arm,
                "prompt": "raid-essay",
                "repeat": repeat,
                **measured(response),
                **{key: flag for key, flag in settings.items() if flag is not None},
            }


def measured(response: Entry) -> Entry:
    timings, choices = response["timings"], response["choices"]
    assert isinstance(timings, dict)
    assert isinstance(choices, list)
    message = choices[0]["message"]
    text = message["content"] + message["reasoning_content"]
    renamed = {"draft_n": "n_draft", "draft_n_accepted": "n_accepted"}
    return {
        "ended_s": response["created"],
        "n_cached": timings["cache_n"],
        "n_prompt": timings["prompt_n"],
        "prompt_s": seconds(timings["prompt_ms"]),
        "n_output": timings["predicted_n"],
        "decode_s": seconds(timings["predicted_ms"]),
        "engine_rate_tps": float(timings["predicted_per_second"]),
        "rate_convention": "n",
        **{renamed[key]: timings[key] for key in renamed if key in timings},
        "finish_reason": choices[0]["finish_reason"],
        "output_sha256": hashlib.sha256(text.encode()).hexdigest(),
        "id.build": response["system_fingerprint"],
        "id.model": str(response["model"]).rsplit("/", maxsplit=1)[-1],
    }


def test_counts(bench: Bench) -> None:
    assert bench.requests.num_rows == 41
    assert len(bench.runs) == 11
    assert bench.arms == ("target", "mtp")
    assert bench.order_from == "time"
    assert {run.boundary for run in bench.runs} == {"declared"}
    assert all(run.n_failed == 0 for run in bench.runs)


def test_the_manifest(bench: Bench) -> None:
    assert bench.study is not None
    assert (bench.study.baseline, bench.study.block) == ("target", "day")
    assert bench.study.ignore == (
        "cfg.cache_prompt",
        "cfg.backend_sampling",
        "cfg.bs",
    )


def test_only_descriptions_are_left_unread(bench: Bench) -> None:
    assert [finding.code for finding in bench.findings] == ["SPS013"]
    assert [finding.where for finding in bench.findings] == [("README.md",)]


def test_launches_and_days(bench: Bench) -> None:
    sizes = (1, 2, 2, 3, 3, 5, 5, 5, 5, 5, 5)
    days = ["2026-08-02"] * 5 + ["2026-08-07"] * 6

    assert [(run.run_id, run.arm, run.block, run.n_requests) for run in bench.runs] == [
        (name, launch[0], day, size)
        for (name, launch), day, size in zip(LAUNCHES.items(), days, sizes, strict=True)
    ]


def test_settings_are_constant_within_a_launch(bench: Bench) -> None:
    for run in bench.runs:
        assert not run.varying
        assert run.settings["id.build"] == "b9862-798cf6cbe"
        assert run.settings["id.model"] == "gemma-4-12b-it-qat-q4_0.gguf"


@pytest.mark.parametrize("run", LAUNCHES)
def test_flags_are_left_out_where_they_are_not_known(bench: Bench, run: str) -> None:
    found = next(item for item in bench.runs if item.run_id == run)
    keys = ("cfg.cache_prompt", "cfg.backend_sampling", "cfg.bs")

    assert tuple(found.settings.get(key) for key in keys) == LAUNCHES[run][2:]


def test_request_sizes(rows: list[Entry]) -> None:
    assert {row["n_output"] for row in rows} == {128}
    assert {row["finish_reason"] for row in rows} == {"length"}
    assert {(row["n_cached"], row["n_prompt"]) for row in rows} == {(0, 34), (7, 27)}
    assert {row["prompt"] for row in rows} == {"raid-essay"}


def test_the_target_arm_has_no_draft_counts(rows: list[Entry]) -> None:
    for row in rows:
        assert ("n_draft" in row) is (row["arm"] == "mtp")
        assert ("n_accepted" in row) is (row["arm"] == "mtp")


def test_printed_rates_count_all_tokens(bench: Bench) -> None:
    frame = bench.to_frame()

    assert (frame["n_output"] / frame["decode_s"]).tolist() == pytest.approx(
        frame["engine_rate_tps"].tolist(), rel=1e-14
    )
    assert set(frame["rate_convention"]) == {"n"}


def test_mean_rates(bench: Bench) -> None:
    means = bench.to_frame().groupby("run_id")["engine_rate_tps"].mean()

    assert {run: round(rate, 4) for run, rate in means.items()} == MEAN_RATES


def test_the_published_ratio(bench: Bench) -> None:
    means = bench.to_frame().groupby("run_id")["engine_rate_tps"].mean()

    assert means["mtp-bench"] / means["baseline-bench"] == pytest.approx(
        2.3497, abs=5e-5
    )
    assert means["F"] / means["E"] == pytest.approx(2.3505, abs=5e-5)
    assert means["mtp-bench"] / means["E"] == pytest.approx(2.5686, abs=5e-5)
    assert means["F"] / means["baseline-bench"] == pytest.approx(2.1502, abs=5e-5)


@pytest.mark.parametrize(("run", "counts"), ACCEPTED.items())
def test_accepted_and_drafted_tokens_of_a_launch(
    bench: Bench, run: str, counts: tuple[int, int]
) -> None:
    frame = bench.to_frame().query("run_id == @run")

    assert (frame["n_accepted"].sum(), frame["n_draft"].sum()) == counts


def test_four_texts(bench: Bench) -> None:
    found = Counter(
        (str(digest)[:12], arm, cached, accepted, drafted)
        for digest, arm, cached, accepted, drafted in zip(
            *(
                bench.column("requests", name)
                for name in (
                    "output_sha256",
                    "arm",
                    "n_cached",
                    "n_accepted",
                    "n_draft",
                )
            ),
            strict=True,
        )
    )

    assert found == {
        (digest, *facts[:-1]): facts[-1] for digest, facts in DIGESTS.items()
    }


@pytest.mark.parametrize(
    ("arm", "rows", "peaks"),
    [("mtp", 15, (7824, 94, 172.38, 57)), ("target", 34, (7524, 98, 149.10, 64))],
)
def test_telemetry(
    bench: Bench, arm: str, rows: int, peaks: tuple[float, float, float, float]
) -> None:
    frame = bench.telemetry.to_pandas().query("arm == @arm")
    columns = ["memory_mib", "utilisation_pct", "power_w", "temperature_c"]

    assert len(frame) == rows
    assert tuple(frame[columns].max()) == peaks
    assert frame["local_time_s"].is_monotonic_increasing


@pytest.mark.parametrize(
    ("arm", "run"), [("mtp", "mtp-bench"), ("target", "baseline-bench")]
)
def test_telemetry_spans_its_launch_on_a_clock_two_hours_ahead(
    bench: Bench, rows: list[Entry], arm: str, run: str
) -> None:
    times = bench.telemetry.to_pandas().query("arm == @arm")["local_time_s"] - 7200
    ends = [row["ended_s"] for row in rows if row["run"] == run]

    assert times.min() < min(map(float, map(str, ends)))
    assert times.max() + 1 > max(map(float, map(str, ends)))


def test_no_text_of_a_response_is_kept() -> None:
    for path in sorted(datasets.path("pascal-p5200").glob("*.jsonl")):
        text = path.read_text("utf-8")
        keys = {key for line in text.splitlines() for key in json.loads(line)}

        assert keys.isdisjoint({"content", "reasoning_content", "text", "messages"})
        assert "RAID" not in text


def test_requests_equal_the_raw_responses(corpus: Path, rows: list[Entry]) -> None:
    assert rows == list(expected(corpus))


@pytest.mark.parametrize(("arm", "name"), [("mtp", "mtp"), ("target", "baseline")])
def test_telemetry_equals_the_raw_samples(
    corpus: Path, bench: Bench, arm: str, name: str
) -> None:
    path = corpus / "pascal-p5200" / FIRST / f"gemma12-{name}-telemetry.csv"
    columns = [
        "local_time_s",
        "temperature_c",
        "power_w",
        "utilisation_pct",
        "memory_mib",
    ]
    frame = bench.telemetry.to_pandas().query("arm == @arm")

    source = read(path).telemetry.to_pandas()

    assert frame[columns].to_numpy().tolist() == source[columns].to_numpy().tolist()
