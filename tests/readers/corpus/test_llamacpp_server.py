"""Values of real logs of llama-server and of harness files around it."""

import json
from pathlib import Path

import pytest

import specstats

Row = dict[str, object]


def table(path: Path, name: str = "requests") -> list[Row]:
    found: list[Row] = getattr(specstats.read(path), name).to_pylist()
    return sorted(found, key=lambda row: int(str(row["entry"])))


def column(rows: list[Row], name: str) -> list[object]:
    return [row[name] for row in rows]


def test_a_log_of_may_2026(corpus: Path) -> None:
    path = corpus / "llama-server-log/docker_mtp_may2026.log"
    requests, counters = table(path), table(path, "counters")
    answered = [row for row in requests if row["ok"]]

    assert column(requests, "entry") == [11, 18, 30, 42]
    assert str(requests[0]["error"]).startswith("500 [json.exception.parse_error.101]")
    assert column(answered, "n_output") == [2048, 10, 2048]
    assert column(answered, "decode_s") == [30.38712, 0.10428, 33.91697]
    assert column(answered, "n_cached") == [0, 0, 0]
    # 67.40 x 30.38712 = 2048.09; 95.89 x 0.10428 = 9.9995; 60.38 x 33.91697 = 2047.9.
    assert column(answered, "rate_convention") == ["n", "n", "n"]
    # The cumulative lines say 1207, 1213, 2384 drafted and 1186, 1192, 2348 accepted:
    # their differences are the draft lines of the single requests.
    assert column(counters, "n_draft") == column(answered, "n_draft")
    assert column(counters, "n_draft") == [1207, 6, 1171]
    assert column(counters, "n_accepted") == [1186, 6, 1156]
    assert column(counters, "n_verify") == [690, 3, 688]


def test_a_log_of_june_2026(corpus: Path) -> None:
    path = corpus / "llama-server-log/pr24536_jun2026.log"
    (request,), (counter,) = table(path), table(path, "counters")

    # 167 accepted / (2.92 - 1) = 86.98; 256 tokens = 1 + 167 + 87, and one undrafted.
    assert (request["n_steps"], counter["n_verify"]) == (87, 87)
    # 0.805, 0.632 and 0.483 of 87 are 70.0, 55.0 and 42.0, together 167.
    assert counter["accepted_by_position"] == "[70, 55, 42]"
    assert column(table(path, "aggregates"), "value") == [0.805, 0.632, 0.483]


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        # accepted / (mean len - 1): 4/4, 96/3.2, 135/2.14, 124/1.68, 126/1.73, 77/11.
        ("kyanite_mtp_aug2026.log", [1, 30, 63, 74, 73, 7, 7, 7]),
        ("kyanite_off_aug2026.log", [None] * 8),
        ("piebru_hip_dflash2.log", [85] * 3),
    ],
)
def test_logs_of_august_2026(name: str, steps: list[object], corpus: Path) -> None:
    requests = table(corpus / "llama-server-log" / name)

    assert column(requests, "n_steps") == steps
    assert set(column(requests, "rate_convention")) == {"n-1"}
    for row, step in zip(requests, steps, strict=True):
        if step is not None and row["n_output"] in {128, 200}:
            # Not cut by a stop: the first token, the accepted ones, one a step; the
            # last step has no draft where one token is left.
            told = 1 + int(str(row["n_accepted"])) + int(str(step))
            assert int(str(row["n_output"])) - told in {0, 1}
    rates = [
        (int(str(row["n_output"])) - 1) / float(str(row["decode_s"]))
        for row in requests
    ]
    printed = [float(str(rate)) for rate in column(requests, "engine_rate_tps")]
    assert rates == pytest.approx(printed, abs=0.006)


def test_settings_of_logs(corpus: Path) -> None:
    folder = corpus / "llama-server-log"
    (hip,) = {row["settings"] for row in table(folder / "piebru_hip_dflash2.log")}
    (old,) = {row["settings"] for row in table(folder / "hogeheer_b9010_np1.log")}

    assert json.loads(str(hip)) == {
        "cfg.n_ctx_slot": 131072,
        "cfg.n_max": 6,
        "cfg.n_min": 0,
        "cfg.n_slots": 1,
        "cfg.p_min": 0.0,
        "cfg.speculative": "draft-dflash",
        "id.draft_model": "Qwen3.8-27B-DFlash2-Q8_0.gguf",
        "id.model": "Qwen3.8-27B-UD-Q6_K_XL.gguf",
    }
    assert json.loads(str(old)) == {
        "cfg.n_ctx_slot": 4096,
        "cfg.n_slots": 1,
        "cfg.speculative": "none",
        "id.build": "b9010-d05fe1d7d",
        "id.model": "Qwen3.6-35B-A3B-UD-Q4_K_M.gguf",
    }


def test_one_prompt_four_times(corpus: Path) -> None:
    requests = table(corpus / "llama-server-log/pr10455_repeat_prompt_reuse.log")

    # 440 tokens / 9.43251 s and / 2.62682 s: the repeats are not the first.
    rates = [
        int(str(row["n_output"])) / float(str(row["decode_s"]))
        for row in requests
        if row["decode_s"] is not None
    ]
    assert rates == pytest.approx([46.647, 167.503, 167.344], abs=1e-3)
    assert column(requests, "n_prompt") == [8318, 1, 1, 1]
    assert column(requests, "process") == [None] * 4


def test_statistics_of_the_documentation(corpus: Path) -> None:
    path = corpus / "llama-server-log/docs_ngram_statistics.txt"
    counters = table(path, "counters")

    # The first two implementations share the first request: 187 + 110, 73 + 98.
    assert sum(int(str(x)) for x in column(counters[:2], "n_draft")) == 297
    assert sum(int(str(x)) for x in column(counters[:2], "n_accepted")) == 171
    assert column(table(path), "n_draft") == [297, 128]
    assert column(counters, "n_verify") == [None, None, None, 26]


def test_the_server_that_could_not_decode(corpus: Path) -> None:
    bench = specstats.read(
        corpus / "pascal-p5200/repro-2026-08-07/G2.server.log.excerpt"
    )
    found = {
        item.where[0].rpartition(":")[2]: item for item in bench.findings.of("SPS014")
    }

    # Lines 1 and 2 (normal while memory is fitted) are no failures.
    assert sorted(found) == ["11", "12"]
    assert found["12"].observed == "llama_decode: failed to decode, ret = -1"
    assert [
        item.where[0].rpartition(":")[2] for item in bench.findings.of("SPS007")
    ] == ["11"]


@pytest.mark.parametrize("arm", ["on", "off"])
def test_isotopp(arm: str, corpus: Path) -> None:
    name = f"llama-server-harness/isotopp_bf16_turbo3_sym-{arm}_results.csv"
    requests = table(corpus / name)
    numeric = [
        float(str(row["engine_rate_tps"]))
        for row in requests
        if row["workload"] == "numeric-analysis" and row["phase"] is None
    ]

    assert column(requests, "phase").count("warmup") == 4
    assert set(column(requests, "rate_convention")) == {"n"}
    if arm == "on":
        # The stalled repeat (384 tokens in 1109.4 s) stays.
        assert numeric == pytest.approx(
            [6.0701, 5.9986, 6.1906, 6.3845, 0.3461], abs=1e-4
        )
        assert max(float(str(row["decode_s"])) for row in requests) == 1109.416725


def test_piebru(corpus: Path) -> None:
    requests = table(corpus / "llama-server-harness/piebru_spec_battery_n3.csv")
    arms: dict[object, int] = {}
    for row in requests:
        arms[row["arm"]] = arms.get(row["arm"], 0) + int(str(row["n_accepted"]))

    # 3 x 161; 166 + 165 + 167; 3 x 170; 168 + 169 + 169.
    assert arms == {
        "vk-dflash2": 483,
        "vk-mtp": 498,
        "hip-dflash2": 510,
        "hip-mtp": 506,
    }


@pytest.mark.parametrize(
    ("mode", "drafted", "accepted", "wall"),
    [("baseline", None, None, 273.39), ("mtp-2", 1321, 1053, 147.31)],
)
def test_kyuz0(
    mode: str, drafted: int | None, accepted: int | None, wall: float, corpus: Path
) -> None:
    requests = table(corpus / f"llama-server-harness/kyuz0_27B_rocm_{mode}.json")

    # The sums that the file itself prints.
    assert sum(int(str(x)) for x in column(requests, "n_output")) == 1728
    assert sum(float(str(x)) for x in column(requests, "e2e_s")) == pytest.approx(
        wall, abs=0.01
    )
    known = [row for row in requests if row["n_draft"] is not None]
    assert sum(int(str(row["n_draft"])) for row in known) == (drafted or 0)
    assert sum(int(str(row["n_accepted"])) for row in known) == (accepted or 0)


def test_inventivehq(corpus: Path) -> None:
    requests = table(corpus / "llama-server-harness/inventivehq_1080ti.json")
    arms = dict.fromkeys(column(requests, "arm"), 0)
    for row in requests:
        arms[row["arm"]] += row["n_draft"] is not None

    # Counted in the file: null drafts in both baselines and for most n-gram records.
    assert arms == {
        "cuda/baseline": 0,
        "cuda/draft_0_5b": 12,
        "cuda/ngram": 0,
        "vulkan/baseline": 0,
        "vulkan/draft_0_5b": 12,
        "vulkan/ngram": 1,
    }
    assert (requests[0]["decode_s"], requests[0]["n_output"]) == (5.022431, 256)
    assert set(column(requests, "output_sha256")) == {None}


def test_khungura(corpus: Path) -> None:
    path = corpus / "llama-server-harness/khungura_mtp_n1_qualitative.json"
    requests = table(path)

    # Client less server time is 2.1 s for one turn, 4.2 s for two, 6.3 s for three:
    # the server times of a sample are sums over its turns, not those of one answer.
    untimed = [row["entry"] for row in requests if row["decode_s"] is None]
    assert untimed == [2, 5, 11]
    assert column(requests, "n_output")[:2] == [354, 2048]
    assert sum(int(str(x)) for x in column(requests, "n_draft")) == 4743
    assert sum(int(str(x)) for x in column(requests, "n_accepted")) == 3834
    # 72.115 tok/s over 55.467 ms are 4 of the 26 prompt tokens.
    assert (requests[6]["n_prompt"], requests[6]["n_cached"]) == (4, 22)
    assert len(specstats.read(path).findings.of("SPS006")) == 3


def test_hogeheer(corpus: Path) -> None:
    path = corpus / "llama-server-harness/hogeheer_np4_benchmark.txt"
    counters = table(path, "counters")

    assert column(counters, "workload") == ["warmup"] + [None] * 5
    # 512 tokens / 3.687457 s.
    rates = [
        float(str(row["value"]))
        for row in table(path, "aggregates")
        if row["metric"] == "output_throughput"
    ]
    assert rates[1] == pytest.approx(512 / 3.6874567410013697)


@pytest.mark.parametrize(
    ("name", "baselines", "acceptances"),
    [
        ("llama-server-harness/draftbench_qwen25-72b.json", 2, 62),
        ("draftbench/m4max_llamacpp_qwen25-14b.json", 4, 88),
    ],
)
def test_draftbench(name: str, baselines: int, acceptances: int, corpus: Path) -> None:
    found = table(corpus / name, "aggregates")
    means = {
        str(row["arm"]): row["value"]
        for row in found
        if (row["metric"], row["statistic"]) == ("decode_rate", "mean")
    }
    rates = [row["value"] for row in found if row["metric"] == "acceptance_rate"]

    assert sum(" + " not in arm for arm in means) == baselines
    assert len(rates) == acceptances
    assert all(0 < float(str(rate)) < 1 for rate in rates)
    assert table(corpus / name) == []
