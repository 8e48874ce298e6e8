"""llama-server logs: every generation of lines, launches, steps, counters, failures."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import specstats
from specstats.errors import LimitExceededError
from specstats.limits import Limits
from specstats.readers.llamacpp import log
from specstats.source import Source

Row = dict[str, object]
Rows = Callable[..., list[Row]]
Codes = Callable[..., list[tuple[str, str]]]

START = "0.00.030.000 I srv    load_model: loading model '/m/a.gguf'\n"


def fixture(artifacts: Path, name: str) -> bytes:
    return (artifacts / "llama-server-log" / name).read_bytes()


def rates(per_token: float, rate: float) -> str:
    return f"({per_token:8.2f} ms per token, {rate:8.2f} tokens per second)"


def request(
    *,
    stamp: str = "0.09.000.000 I ",
    ids: str = "id  0 | task 5",
    ms: float = 1000.0,
    tokens: int = 101,
    rate: float = 100.0,
    draft: str = "",
) -> str:
    """Write the timing lines of a request with 10 prompt tokens in 50 ms."""
    lead = f"{stamp}slot print_timing: {ids} | "
    per = ms / (rate * ms / 1000) if rate else 0.0
    lines = [
        f"prompt eval time = {50.0:10.2f} ms / {10:5d} tokens {rates(5.0, 200.0)}",
        f"       eval time = {ms:10.2f} ms / {tokens:5d} tokens {rates(per, rate)}",
        f"      total time = {ms + 50:10.2f} ms / {tokens + 10:5d} tokens",
    ]
    return "".join(f"{lead}{line}\n" for line in [*lines, *([draft] if draft else [])])


def test_lines_of_2024(artifacts: Path, rows: Rows) -> None:
    first, second = rows(fixture(artifacts, "2024/keys.log"))

    assert (first["n_prompt"], first["prompt_s"]) == (16, 0.08)
    assert (first["n_output"], first["decode_s"]) == (64, 1.6)
    assert (first["engine_rate_tps"], first["rate_convention"]) == (40.0, "n")
    assert (first["request_id"], second["request_id"]) == ("0", "7")
    assert (first["ended_s"], second["ended_s"]) == (1720000003.0, 1720000009.0)
    assert json.loads(str(first["settings"])) == {"id.build": "b3300-abcdef12"}
    assert str(first["process"]).endswith("#1")


def test_bare_lines_behind_a_header(artifacts: Path, rows: Rows) -> None:
    content = fixture(artifacts, "2025/bare.log")
    first, second = rows(content)

    assert (first["entry"], first["request_id"]) == (13, "0")
    # 30 tokens of the task, 20 of them processed.
    assert (first["n_cached"], first["n_prompt"]) == (10, 20)
    assert (first["n_draft"], first["n_accepted"], first["n_steps"]) == (12, 7, 3)
    assert [str(row["process"])[-2:] for row in (first, second)] == ["#1", "#2"]
    settings = json.loads(str(first["settings"]))
    assert settings["id.model"] == "target-q4.gguf"
    assert settings["id.draft_model"] == "draft-q8.gguf"
    assert "id.draft_model" not in json.loads(str(second["settings"]))
    steps = rows(content, "steps")
    assert [(row["n_draft"], row["n_accepted"], row["n_output"]) for row in steps] == [
        (4, 3, 4),
        (4, 0, 1),
        (4, 4, 5),
    ]
    assert {row["entry"] for row in steps} == {13}


def test_cumulative_statistics_are_differenced(artifacts: Path, rows: Rows) -> None:
    content = fixture(artifacts, "may2026/docker.log")
    counters = rows(content, "counters")

    assert [(row["n_draft"], row["n_accepted"]) for row in counters] == [
        (80, 60),
        (40, 20),
    ]
    assert [row["n_verify"] for row in counters] == [30, 15]
    assert {row["scope"] for row in counters} == {"delta"}
    failed = [row for row in rows(content) if row["ok"] is False]
    assert [(row["entry"], row["error"]) for row in failed] == [(13, "400 no prompt")]
    assert failed[0]["decode_s"] is None


def test_positions_and_a_log_without_its_start(artifacts: Path, rows: Rows) -> None:
    content = fixture(artifacts, "june2026/positions.log")
    counters = rows(content, "counters")

    assert [row["scope"] for row in counters] == ["lifetime", "delta"]
    # 0.9, 0.7 and 0.5 of 20 and of 30 verify steps.
    assert [row["accepted_by_position"] for row in counters] == [
        "[18, 14, 10]",
        "[9, 7, 5]",
    ]
    assert [row["n_steps"] for row in rows(content)] == [20, 10]
    rates = [row["value"] for row in rows(content, "aggregates")]
    assert rates == [0.9, 0.7, 0.5] * 2


def test_slots_that_interleave_and_a_second_launch(artifacts: Path, rows: Rows) -> None:
    content = fixture(artifacts, "august2026/launches.log")
    found = sorted(rows(content), key=lambda row: int(str(row["entry"])))

    assert [row["request_id"] for row in found] == ["1", "0", "0", "9"]
    assert [row["n_output"] for row in found] == [101, 201, 11, 1]
    assert [row["n_prompt"] for row in found] == [10, 20, 20, 20]
    assert [str(row["process"])[-1] for row in found] == ["1", "1", "2", "2"]
    assert [row["rate_convention"] for row in found] == ["n-1", "n-1", "n-1", None]
    # 75 / (4.00 - 1) = 25; 180 / 0.9 lies between 198.9 and 201.2: not told.
    assert [row["n_steps"] for row in found] == [25, None, None, None]
    assert found[3]["decode_s"] is None
    settings = json.loads(str(found[0]["settings"]))
    assert settings["cfg.speculative"] == "draft-dflash"
    assert (settings["cfg.n_max"], settings["cfg.p_min"]) == (6, 0.5)
    assert (settings["cfg.n_slots"], settings["cfg.n_ctx_slot"]) == (2, 8192)
    (mean,) = rows(content, "aggregates")
    assert (mean["metric"], mean["value"]) == ("mean_accepted_length", 1.9)


def test_warnings_of_memory_fitting_are_no_failure(
    artifacts: Path, codes: Codes
) -> None:
    assert codes(fixture(artifacts, "august2026/launches.log")) == []


def test_children_of_a_router(artifacts: Path, rows: Rows) -> None:
    one, two = rows(fixture(artifacts, "router/ports.log"))

    assert (one["decode_s"], two["decode_s"]) == (0.1, 0.2)
    assert json.loads(str(one["settings"])) == {"id.model": "one.gguf"}
    assert json.loads(str(two["settings"])) == {"id.model": "two.gguf"}
    assert one["process"] != two["process"]


def test_runs_of_a_log(artifacts: Path) -> None:
    bench = specstats.read(artifacts / "llama-server-log/august2026/launches.log")

    assert [(run.boundary, run.n_requests) for run in bench.runs] == [
        ("proved", 2),
        ("proved", 2),
    ]


@pytest.mark.parametrize(
    ("tokens", "rate", "convention"),
    [(101, 101.0, "n"), (101, 100.0, "n-1"), (2, 1.0, "n-1"), (2, 2.0, "n")],
)
def test_the_digits_tell_the_convention(
    tokens: int, rate: float, convention: str, rows: Rows
) -> None:
    (row,) = rows(request(tokens=tokens, rate=rate))

    assert (row["rate_convention"], row["engine_rate_tps"]) == (convention, rate)


def test_long_answers_follow_what_the_process_showed(rows: Rows) -> None:
    long = request(ids="id  0 | task 9", ms=320_000.0, tokens=10_001, rate=31.25)

    alone = rows(long)
    after = rows(request() + long)

    assert alone[0]["rate_convention"] is None
    assert [row["rate_convention"] for row in after] == ["n-1", "n-1"]


def test_a_rate_that_fits_no_count(codes: Codes) -> None:
    assert codes(request(rate=100.0)) == []
    assert codes(request(rate=80.0)) == [("SPS006", "case:1")]


@pytest.mark.parametrize(
    "wrong",
    [
        ("1050.00 ms /   111 tokens", "1150.00 ms /   111 tokens"),
        ("1050.00 ms /   111 tokens", "1050.00 ms /   112 tokens"),
        ("0.50000", "0.60000"),
        ("50 accepted /   100", "150 accepted /   100"),
    ],
)
def test_lines_that_contradict_each_other(wrong: tuple[str, str], codes: Codes) -> None:
    draft = "draft acceptance = 0.50000 (   50 accepted /   100 generated)"
    good = request(draft=draft)

    assert wrong[0] in good
    assert codes(good) == []
    assert codes(good.replace(*wrong)) == [("SPS006", "case:1")]


def test_steps_that_do_not_add_up(codes: Codes, rows: Rows) -> None:
    draft = "draft acceptance = 0.50000 (    4 accepted /     8 generated)"
    step = "slot update_slots: id  0 | task 5 | accepted {}/4 draft tokens, new n = 1\n"

    assert codes(step.format(1) + step.format(3) + request(draft=draft)) == []
    assert codes(step.format(1) + step.format(2) + request(draft=draft)) == [
        ("SPS006", "case:3")
    ]
    old = step.replace("/4", "/0").format(2)
    assert [row["n_draft"] for row in rows(old + request(), "steps")] == [None]


def test_accepted_may_exceed_the_output(rows: Rows, codes: Codes) -> None:
    draft = "draft acceptance = 0.66667 (    4 accepted /     6 generated)"
    content = request(ms=100.0, tokens=2, rate=10.0, draft=draft + ", mean len =  5.00")

    (row,) = rows(content)

    assert (row["n_output"], row["n_accepted"], row["n_steps"]) == (2, 4, 1)
    assert codes(content) == []


def statistics(drafted: int, accepted: int, name: str = "mtp") -> str:
    return (
        f"statistics {name}: #calls = {drafted}, #gen drafts = {drafted}, "
        f"#acc drafts = {accepted}, #gen tokens = {drafted}, "
        f"#acc tokens = {accepted}\n"
    )


def test_counters_that_go_back_are_another_process(rows: Rows) -> None:
    found = rows(
        START + statistics(10, 8) + statistics(14, 9) + statistics(6, 5), "counters"
    )

    assert [(row["n_draft"], row["n_accepted"]) for row in found] == [
        (10, 8),
        (4, 1),
        (6, 5),
    ]
    assert [str(row["process"])[-1] for row in found] == ["1", "1", "2"]


def test_implementations_are_differenced_apart(rows: Rows) -> None:
    lines = (
        statistics(10, 8),
        statistics(3, 1, "ngram"),
        statistics(12, 9),
        statistics(3, 1, "ngram"),
    )
    found = rows("".join(lines), "counters")

    assert [row["n_draft"] for row in found] == [10, 3, 2, 0]
    assert [row["scope"] for row in found] == ["lifetime"] * 2 + ["delta"] * 2


def test_statistics_that_cannot_be(codes: Codes) -> None:
    assert codes(statistics(5, 5)) == []
    assert codes(statistics(5, 6)) == [("SPS002", "case:1")]


@pytest.mark.parametrize(
    "failure",
    [
        "0.07.0 E srv    load_model: failed to load draft model, '/m/draft.gguf'",
        "common_speculative_init: failed to create draft context",
        "ggml_alloc: allocating 9.00 MiB on device 0: cudaMalloc failed: out of memory",
        "srv    load_model: the draft model is not compatible with the target",
    ],
)
def test_failures_are_producer_warnings(failure: str, codes: Codes) -> None:
    assert codes(START + request()) == []
    assert codes(START + failure + "\n" + request()) == [("SPS014", "case:2")]


def test_a_server_that_is_up_but_cannot_decode(codes: Codes) -> None:
    lines = (
        "0.05.000.000 I srv  llama_server: listening on http://127.0.0.1:8080\n",
        "0.07.206.856 E decode: failed to initialize batch\n",
        "0.07.206.857 E llama_decode: failed to decode, ret = -1\n",
    )

    assert codes(START + "".join(lines)) == [
        ("SPS014", "case:3"),
        ("SPS014", "case:4"),
        ("SPS007", "case:3"),
    ]
    assert codes(START + lines[0] + request()) == []


def test_refused_requests(rows: Rows) -> None:
    sent = "srv    send_error: task id = 7, error: the request exceeds the context\n"
    done = "srv  log_server_r: done request: POST /v1/chat/completions 127.0.0.1 {}\n"
    page = "srv  log_server_r: done request: GET /favicon.ico 127.0.0.1 404\n"

    found = rows(START + sent + done.format(400) + page + done.format(200) + request())

    assert [(row["ok"], row["request_id"]) for row in found] == [
        (False, "7"),
        (True, "5"),
    ]
    assert found[0]["error"] == "the request exceeds the context"
    (alone,) = rows(START + done.format(503))
    assert (alone["ok"], alone["error"]) == (False, "HTTP status 503")
    (kept,) = rows(START + sent)
    assert kept["error"] == "the request exceeds the context"


def test_synthetic_acceptance(rows: Rows, codes: Codes) -> None:
    told = "0.00.1 W srv: synthetic acceptance is on, benchmarks only\n"
    draft = "draft acceptance = 0.50000 (   50 accepted /   100 generated)"

    assert [code for code, _ in codes(START + told + request(draft=draft))] == [
        "SPS309"
    ]
    assert codes(START + request(draft=draft)) == []
    (row,) = rows(START + told + request(draft=draft))
    assert json.loads(str(row["settings"]))["cfg.synthetic_acceptance"] is True


def test_checkpoints_make_old_acceptance_ambiguous(codes: Codes) -> None:
    told = "srv    load_model: speculative decoding will use checkpoints\n"
    draft = "draft acceptance = 0.50000 (   50 accepted /   100 generated)"

    old = START + told + request(draft=draft, rate=101.0)

    assert codes(old) == [("SPS308", "case:3")]
    assert codes(old.replace(told, "")) == []
    assert codes(START + told + request(draft=draft, rate=100.0)) == []
    assert codes(START + told + request(rate=101.0)) == []


def test_an_empty_answer_is_a_failure(rows: Rows, codes: Codes) -> None:
    empty = request(ms=0.0, tokens=0, rate=0.0)

    (row,) = rows(empty)

    assert (row["n_output"], row["decode_s"], row["engine_rate_tps"]) == (0, None, None)
    assert codes(empty) == [("SPS007", "case:1")]


def test_a_log_that_ends_within_a_request(rows: Rows, codes: Codes) -> None:
    cut = request().splitlines(keepends=True)[0]

    (row,) = rows(cut)

    assert (row["n_prompt"], row["prompt_s"], row["decode_s"]) == (10, 0.05, None)
    assert codes(cut) == [("SPS002", "case:1")]


def test_a_negative_time_is_not_used(rows: Rows, codes: Codes) -> None:
    wrong = request().replace("     50.00 ms /    10", "    -50.00 ms /    10")

    (row,) = rows(wrong)

    assert row["prompt_s"] is None
    assert {code for code, _ in codes(wrong)} == {"SPS006"}


def test_line_ends_and_colours_change_nothing(rows: Rows) -> None:
    plain = START + request() + request(ids="id  1 | task 6")
    kept = ("entry", "n_prompt", "n_output", "decode_s", "rate_convention", "settings")

    def values(content: str) -> list[list[object]]:
        return [[row[name] for name in kept] for row in rows(content)]

    assert values(plain.replace("\n", "\r\n")) == values(plain)
    assert values(plain.replace("slot ", "\x1b[32mslot\x1b[0m ")) == values(plain)
    assert values(plain.removesuffix("\n")) == values(plain)


def test_blocks_may_end_anywhere(
    artifacts: Path, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = fixture(artifacts, "2025/bare.log")
    whole = rows(content), rows(content, "steps")

    for size in (64, 257, 1000):
        monkeypatch.setattr("specstats.readers.llamacpp._log_scan._CHUNK", size)
        parts = rows(content), rows(content, "steps")
        assert [row["entry"] for row in parts[0]] == [row["entry"] for row in whole[0]]
        assert [row["n_output"] for row in parts[0]] == [11, 11]
        assert len(parts[1]) == 3


def test_small_batches(artifacts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = fixture(artifacts, "august2026/launches.log")
    source = Source(name="x", data=content)
    monkeypatch.setattr(log, "_ROWS_A_BATCH", 1)

    batches = list(log.READER.parse(source))

    assert sum(batch.count("requests") for batch in batches) == 4
    assert sum(batch.parsed for batch in batches) == 4
    assert len(batches) > 2


def test_a_line_without_an_end() -> None:
    limits = Limits(line_bytes=1000)
    source = Source(name="x", data=START.encode() + b"x" * 5000, limits=limits)

    with pytest.raises(LimitExceededError, match="a line of more than 1000 bytes"):
        list(log.READER.parse(source))


@pytest.mark.parametrize(
    "other",
    [
        "llama_perf_context_print: prompt eval time = 10.00 ms / 5 tokens (2.00 ms",
        "llama_print_timings:        eval time =    10.00 ms /     5 runs   (",
        '{"log": "slot print_timing: id 0 | task 0 | "}',
        "the word slot and the eval time = a long time",
    ],
)
def test_what_is_no_server_log(other: str) -> None:
    assert log.READER.claim(other.encode(), "server.log").score == 0


def test_tasks_without_end_take_no_memory_without_end(rows: Rows) -> None:
    line = "slot update_slots: id  0 | task {} | accepted 1/2 draft tokens, new n = 1\n"
    many = "".join(line.format(task) for task in range(10_000))

    assert len(rows(many + request(ids="id  0 | task 3"), "steps")) == 1
