"""Values of real artifacts of general harnesses and plain tables."""

import json
from pathlib import Path

import pytest

import specstats

Row = dict[str, object]


def requests(path: Path) -> list[Row]:
    found: list[Row] = specstats.read(path).requests.to_pylist()
    return found


def aggregates(path: Path) -> list[Row]:
    found: list[Row] = specstats.read(path).aggregates.to_pylist()
    return found


def total(rows: list[Row], name: str) -> float:
    return sum(float(str(row[name])) for row in rows if row[name] is not None)


def value(rows: list[Row], prompt: str | None, statistic: str) -> object:
    return next(
        row["value"]
        for row in rows
        if row["statistic"] == statistic
        and row["metric"] == "e2e"
        and prompt in {None, row["prompt_id"]}
    )


def test_hyperfine(corpus: Path) -> None:
    folder = corpus / "hyperfine"
    found = requests(folder / "hyperfine_1.15_param_sweep.json")
    second = [row for row in found if "4000000" in str(row["arm"])]
    means = aggregates(folder / "hyperfine_1.15_param_sweep.csv")

    # times[] of the second command; their mean is the mean that the CSV prints.
    assert second[0]["e2e_s"] == 0.16212003500000002
    assert total(second, "e2e_s") / 12 == pytest.approx(0.18962366741666667)
    assert value(means, str(second[0]["arm"]), "mean") == 0.18962366741666667
    assert second[0]["settings"] == '{"cfg.size": "4000000"}'


def test_pyperf(corpus: Path) -> None:
    bench = specstats.read(corpus / "pyperf/telco.json")
    found = bench.requests.to_pylist()
    measured = [row for row in found if row["phase"] is None]

    # 40 processes with 3 values and a warm-up each; one more only calibrates.
    assert len(bench.runs) == 40
    assert len(found) - len(measured) == 40
    assert [row["e2e_s"] for row in measured[:2]] == [
        0.022752201875846367,
        0.022529058374857414,
    ]
    assert total(measured, "e2e_s") == pytest.approx(2.7036894944922096)


def test_pyperf_with_a_unit(corpus: Path) -> None:
    found = requests(corpus / "pyperf/pyperf_2.11_timeit.json")
    measured = [row for row in found if row["phase"] is None]

    # Sum of the 20 values; the warm-up is warmups[0][1], per loop already.
    assert total(measured, "e2e_s") == pytest.approx(0.018074242339998818)
    assert found[0]["e2e_s"] == 0.0007333909199996924
    assert {row["prompt_id"] for row in found} == {"timeit"}


def test_pytest_benchmark(corpus: Path) -> None:
    folder = corpus / "pytest_benchmark"
    found = requests(folder / "v5.3_with_data.json")
    old = aggregates(folder / "v2.5_storage_0030.json")

    # stats.total is the sum of data, which is the mean times 12 rounds.
    assert total(found, "e2e_s") == pytest.approx(0.09105883950019233)
    assert value(old, None, "mean") == 2.61205074138546e-07
    assert old[0]["n"] == 9710


def test_google_benchmark(corpus: Path) -> None:
    found = requests(corpus / "google_benchmark/test3_run1.json")

    # The entries without run_type aggregate: BM_One 9, BM_Two 7, short 800, medium 5.
    assert [(row["prompt_id"], row["e2e_s"]) for row in found] == [
        ("BM_One", pytest.approx(9e-9)),
        ("BM_Two", pytest.approx(7e-9)),
        ("short", pytest.approx(800e-9)),
        ("medium", pytest.approx(5e-9)),
    ]


def test_go(corpus: Path) -> None:
    bench = specstats.read(corpus / "go_benchfmt/old.txt")
    found = bench.requests.to_pylist()
    as_json = [row for row in found if row["prompt_id"] == "Encode/format=json"]

    # awk '/json-48/ {s += $3}' gives 17227 ns over ten lines.
    assert total(as_json, "e2e_s") == pytest.approx(17227e-9)
    assert len(as_json) == 10
    assert json.loads(str(found[0]["settings"]))["cfg.gomaxprocs"] == 48
    assert [run.boundary for run in bench.runs] == ["proved"]


def test_go_units(corpus: Path) -> None:
    found = aggregates(corpus / "go_benchfmt/units.txt")

    assert [row["value"] for row in found] == [100, 100, 101, 101, 105, 101, 101, 101]
    assert {row["unit"] for row in found} == {"text-bytes"}


def test_criterion(corpus: Path) -> None:
    start = "Fibonacci_Iterative__new_"
    folder = corpus / "criterion"
    found = requests(folder / f"{start}sample.json")
    raw = requests(folder / f"{start}raw.csv")
    estimates = aggregates(folder / f"{start}estimates.json")

    # 1128000 ns over 209454 iterations; the mean of the quotients is their Mean.
    assert found[0]["e2e_s"] == pytest.approx(5.385430691225759e-09)
    assert [row["e2e_s"] for row in raw] == [row["e2e_s"] for row in found]
    assert total(found, "e2e_s") / 100 == pytest.approx(4.723173110355467e-9)
    assert value(estimates, None, "mean") == pytest.approx(4.723173110355467e-9)
    assert value(estimates, None, "value") == pytest.approx(4.708418938929127e-9)


def test_criterion_change(corpus: Path) -> None:
    found = aggregates(corpus / "criterion/Fibonacci_Iterative__change_estimates.json")

    assert [row["value"] for row in found] == [
        0.002615814736259159,
        -0.00042408598385557106,
    ]


def test_asv(corpus: Path) -> None:
    found = requests(corpus / "asv/v2_with_samples.json")
    medians = aggregates(corpus / "asv/v2_with_samples.json")

    # The median of the ten samples of the second case is its result.
    large = sorted(
        float(str(row["e2e_s"])) for row in found if "20000" in str(row["prompt_id"])
    )
    assert (large[4] + large[5]) / 2 == pytest.approx(0.0017475344545387502)
    assert value(medians, "b.S.time_sum(20000)", "median") == 0.0017475344545387502
    assert [row["value"] for row in medians[2:]] == [1000.0, 50.0]


def test_asv_version_1(corpus: Path) -> None:
    found = aggregates(corpus / "asv/v1_fcf8c079.json")
    memory = next(row for row in found if row["metric"] == "memory")

    assert memory["value"] == 344
    assert value(found, "time_other.time_parameterized(2)", "value") == 4


def test_rebench(corpus: Path) -> None:
    bench = specstats.read(corpus / "rebench/spec.data")
    found = bench.requests.to_pylist()

    # 2 runs of 4 invocations of 3 iterations; awk sums the third column to 2103.392.
    assert [run.n_requests for run in bench.runs] == [3] * 8
    assert total(found, "e2e_s") == pytest.approx(2.103392)


@pytest.mark.parametrize(
    ("name", "drafted", "accepted"),
    [("gsm8k", 6098785, 2033365), ("humaneval", 5478135, 3323604)],
)
def test_factorial_study(name: str, drafted: int, accepted: int, corpus: Path) -> None:
    bench = specstats.read(corpus / f"plain_csv/factorial_{name}_96runs.csv")
    counters = bench.counters.to_pylist()

    # k x num_drafts, and acceptance_rate x k x num_drafts, over the 48 drafting rows.
    assert total(counters, "n_draft") == drafted
    assert total(counters, "n_accepted") == accepted
    assert len(bench.runs) == 8
    assert {run.boundary for run in bench.runs} == {"unknown"}


def test_factorial_row(corpus: Path) -> None:
    bench = specstats.read(corpus / "plain_csv/factorial_gsm8k_96runs.csv")
    rate, counted = bench.aggregates.to_pylist()[0], bench.counters.to_pylist()[0]

    # 5766 x 5 = 28830; 0.37069 x 28830 = 10687; 16384 / 84.9956 = 192.763.
    assert bench.requests.num_rows == 0
    assert (rate["metric"], rate["value"]) == ("output_throughput", 192.7629806035981)
    assert (counted["n_verify"], counted["n_draft"]) == (5766, 28830)
    assert (counted["n_accepted"], counted["n_requests"]) == (10687, 64)
    assert (counted["n_output"], counted["duration_s"]) == (16384, 84.99557305400049)
    assert counted["started_s"] == pytest.approx(1783551702.925829)
