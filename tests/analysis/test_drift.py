"""The verb `drift`, and public cases in which time or a launch decided."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import specstats
from specstats import Design
from specstats.errors import DesignError
from specstats.results import Verdict

Rows = list[dict[str, object]]
Read = Callable[[Rows], specstats.Bench]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def found(rows: Rows) -> specstats.Bench:
        path = tmp_path / "runs.jsonl"
        header: Rows = [{"specstats.table": "requests", "version": 1}]
        path.write_text("".join(json.dumps(row) + "\n" for row in [*header, *rows]))
        return specstats.read(path)

    return found


def launches(seconds: list[float], arm: str = "base", **extra: object) -> Rows:
    return [
        {
            "arm": arm,
            "run": number,
            "order": number,
            "prompt": "p1",
            "n_output": 129,
            "decode_s": value,
        }
        | extra
        for number, value in enumerate(seconds, start=1)
    ]


def one_launch(seconds: list[float], prompts: list[str] | None = None) -> Rows:
    names = prompts or ["p1"] * len(seconds)
    return [
        {"arm": "base", "run": 1, "prompt": name, "n_output": 129, "decode_s": value}
        for name, value in zip(names, seconds, strict=True)
    ]


def test_back_to_back_repeats_drift(read: Read) -> None:
    # lablup/mlxcel pull request 1182, 4 tokens a step, in milliseconds.
    four = [37.3, 39.8, 49.8, 50.4, 50.6]
    (found,) = specstats.drift(read(launches(four))).series
    assert found.trend is not None
    assert found.trend.exact
    assert found.trend.p_value == pytest.approx(1 / 60)
    assert found.trend.tau_b == -1.0  # the rate falls
    slopes = sorted(
        math.log(four[i] / four[j]) / (j - i) for i in range(5) for j in range(i + 1, 5)
    )
    assert found.trend.factor == pytest.approx(math.exp((slopes[4] + slopes[5]) / 2))
    assert found.trend.low == pytest.approx(math.exp(slopes[0]))
    assert found.trend.high == pytest.approx(math.exp(slopes[-1]))
    assert "exact p 0.017" in str(found)
    # Five launches: no rule speaks of drift, which is not the same as absence.
    assert "SPS203" not in specstats.check(read(launches(four))).codes


def test_interleaved_repeats_do_not_drift(read: Read) -> None:
    # The same case with pauses; values inside the published ranges are made up.
    rows = launches([32.96, 32.86, 33.0, 32.93, 32.98])
    (found,) = specstats.drift(read(rows)).series
    assert found.trend is not None
    assert found.trend.p_value > 0.2


def answer(prompt_n: int, rate: float) -> str:
    return json.dumps(
        {
            "timings": {
                "prompt_n": prompt_n,
                "prompt_ms": 4.0 * prompt_n,
                "predicted_n": 440,
                "predicted_ms": 440e3 / rate,
                "predicted_per_second": rate,
            }
        }
    )


def test_a_cached_repeat_is_not_a_replicate(tmp_path: Path) -> None:
    # ggml-org/llama.cpp pull request 10455: one prompt four times.
    rates = [46.65, 167.50, 167.34, 167.42]
    for number, rate in enumerate(rates):
        text = answer(8318 if number == 0 else 1, rate)
        (tmp_path / f"spec.p1.{number}.json").write_text(text)
    bench = specstats.read(tmp_path, layout="{arm}.{prompt}.{repeat}.json")
    found = specstats.check(bench)
    assert {"SPS107", "SPS108"} <= set(found.codes)
    (series,) = specstats.drift(bench, by="request").series
    assert series.estimate == pytest.approx(math.prod(rates) ** 0.25, rel=1e-6)
    assert series.estimate_without_first == pytest.approx(167.42, abs=0.01)


def test_the_boot_decides(read: Read) -> None:
    # hasso5703/dgx-spark-qwen38: 92 to 111 tok/s over boots of one setting, each boot
    # steady in itself. One boot an arm is refused however steady it is.
    rows = [
        {**row, "run": 1, "repeat": repeat, "decode_s": 128 / rate * (1 + repeat / 1e3)}
        for arm, rate in (("base", 92.0), ("chunked", 111.0))
        for repeat in range(8)
        for row in launches([1.0], arm)
    ]
    bench = read(rows)
    (found,) = specstats.compare_all(bench, Design(baseline="base"))
    assert found.verdict is Verdict.REFUSED
    assert "SPS101" in found.findings.codes
    assert found.leave_one_out is None
    band = specstats.aa_band(low=92.0, high=111.0)
    assert "1.207" in str(band)


def test_one_low_value_is_flagged_and_stays(read: Read) -> None:
    # ROCm/vllm pull request 1201: 78.4 among neighbours at 80.2 to 80.7, 80.5 when run
    # again. The neighbours between the published ones are made up.
    rates = [80.2, 80.7, 80.4, 80.5, 80.3, 78.4, 80.5]
    result = specstats.drift(read(launches([128 / rate for rate in rates])))
    (found,) = result.series
    assert found.outlying == ("6",)
    assert found.change_p is not None
    assert found.change_p > 0.05
    assert found.estimate == pytest.approx(math.prod(rates) ** (1 / 7), rel=1e-6)
    assert "SPS206" in result.findings.codes


def test_a_lasting_step_is_a_change(read: Read) -> None:
    # The other series of that pull request stayed low: 61.8, 61.6; the level before
    # is made up.
    rates = [64.1, 64.4, 63.9, 64.2, 64.0, 64.3, 61.8, 61.6, 61.9, 61.7, 61.8, 61.6]
    (found,) = specstats.drift(read(launches([128 / rate for rate in rates]))).series
    assert found.change_after == 6
    assert found.change_p is not None
    assert found.change_p < 0.01
    assert found.changes is None  # fewer than 20 values
    assert found.two_states


def test_twenty_values_are_segmented(read: Read) -> None:
    noise = [0.3, -0.2, 0.1, -0.4, 0.2, 0.0, -0.1, 0.4, -0.3, 0.1]
    seconds = [4 + x / 10 for x in noise] + [5 + x / 10 for x in noise]
    (found,) = specstats.drift(read(launches(seconds))).series
    assert found.changes == (10,)
    assert "segments end after 10" in str(found)


def test_repeated_values_are_not_segmented(read: Read) -> None:
    rows = launches([4.0] * 15 + [5.0] * 15)
    (found,) = specstats.drift(read(rows)).series
    assert found.changes is None
    assert found.change_after == 15
    (steady,) = specstats.drift(
        read(one_launch([9.0, *[4.0] * 6])), by="request"
    ).series
    assert steady.trend is not None
    assert steady.trend_without_first is None


def test_arms_without_the_metric_have_no_series(read: Read) -> None:
    bench = read(launches([4.0, 4.1, 4.2]))
    assert specstats.drift(bench, metric="ttft").series == ()
    assert specstats.drift(bench, metric="ttft", by="request").series == ()


def test_unknown_order_is_said(read: Read) -> None:
    rows = [
        {**row, "run": name, "order": None}
        for row, name in zip(launches([4.0, 4.1, 4.2, 4.3]), "dbca", strict=True)
    ]
    (found,) = specstats.drift(read(rows)).series
    assert found.why == "the order of the launches is not known"
    assert (found.trend, found.autocorrelation, found.changes) == (None, None, None)
    assert "time not checkable" in str(found)


def test_equal_values_are_said(read: Read) -> None:
    (found,) = specstats.drift(read(launches([4.0] * 7))).series
    assert found.why == "all values are equal"
    assert found.trend is None


def test_prompts_are_taken_out_of_requests(read: Read) -> None:
    # The long prompt is slower; without prompts there is no trend.
    names = ["a", "b", "a", "b", "b", "a", "b", "a"]
    seconds = [4.0 if name == "a" else 8.0 for name in names]
    wobble = [0.01, -0.02, 0.02, 0.01, -0.01, -0.02, 0.02, -0.01]
    rows = one_launch([s + w for s, w in zip(seconds, wobble, strict=True)], names)
    (found,) = specstats.drift(read(rows), by="request").series
    assert found.trend is not None
    assert found.trend.p_value > 0.2
    assert not found.two_states


def test_prompts_at_fixed_places_are_said(read: Read) -> None:
    rows = [
        {**row, "run": run}
        for run in (1, 2, 3)
        for row in one_launch([4.0, 4.1, 4.2 + run / 10], ["a", "b", "c"])
    ]
    for found in specstats.drift(read(rows), by="request").series:
        assert found.why is not None
        assert "same place" in found.why


def test_with_and_without_the_first_request(read: Read) -> None:
    seconds = [9.0, 4.0, 4.1, 4.05, 4.02, 4.08, 4.03]
    bench = read(one_launch(seconds))
    (found,) = specstats.drift(bench, by="request").series
    assert found.trend_without_first is not None
    assert found.trend_without_first.n == 6
    assert found.estimate_without_first is not None
    assert found.estimate_without_first > 1.1 * found.estimate
    (declared,) = specstats.drift(bench, Design(warmup=1), by="request").series
    assert declared.n == 6
    assert declared.estimate == pytest.approx(found.estimate_without_first)
    assert declared.names[0] == "request 1"


def test_one_arm_and_its_findings(read: Read) -> None:
    rows = launches([4.0, 4.05, 3.98, 4.03, 5.4]) + [
        {**row, "order": 10 + number}
        for number, row in enumerate(launches([3.0, 3.1, 3.05, 3.02, 4.4], "spec"))
    ]
    found = specstats.drift(read(rows), arm="spec")
    assert [item.arm for item in found.series] == ["spec"]
    assert found.of("base") == ()
    assert [item.subject for item in found.findings.of("SPS206")] == [("spec",)]


def test_what_cannot_be_asked(read: Read) -> None:
    bench = read(launches([4.0, 4.1]))
    with pytest.raises(DesignError, match="Expected 'run' or 'request'"):
        specstats.drift(bench, by="token")  # type: ignore[arg-type]
    with pytest.raises(DesignError, match="'nosuch'"):
        specstats.drift(bench, arm="nosuch")
    with pytest.raises(TypeError, match="ambiguous"):
        bool(specstats.drift(bench))


def test_the_result_is_json_safe(read: Read) -> None:
    found = specstats.drift(read(launches([4.0, 4.1, 4.05, 4.2, 4.15, 4.3])))
    content: dict[str, Any] = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert content["schema"] == "specstats.drift/1"
    (series,) = content["series"]
    assert series["names"] == ["1", "2", "3", "4", "5", "6"]
    assert series["trend"]["exact"] is True
    assert repr(found) == "Drift(decode_rate, by run, 1 series)"
    assert found.summary() == str(found)
