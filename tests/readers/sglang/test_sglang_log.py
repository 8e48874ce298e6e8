"""SGLang logs: windows, idle stretches, what the accept rate means, launches."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import specstats
from specstats.errors import MalformedArtifactError

FOLDER = "sglang-log"
LINE = (
    "[2025-10-01 09:00:21 TP0] Decode batch. #running-req: 1, #token: 90, token "
    "usage: 0.00, accept len: {}, accept rate: {}, cuda graph: True, gen throughput "
    "(token/s): {}, #queue-req: 0, \n"
)
Rows = Callable[..., list[dict[str, object]]]
Codes = Callable[[bytes | str], list[tuple[str, str]]]


def values(rows: list[dict[str, object]], metric: str) -> list[object]:
    return [row["value"] for row in rows if row["metric"] == metric]


def test_windows(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / FOLDER / "2025-10/rates.log").read_bytes()
    found = rows(content, "aggregates")

    assert values(found, "decode_rate") == [160.25]
    assert values(found, "decode_rate_after_idle") == [1.5, 0.07]
    assert values(found, "mean_accepted_length") == [2.4, 2.0, 1.0]
    assert values(found, "acceptance_rate") == [0.6, 0.5, 0.25]
    assert values(found, "running_requests") == [1.0, 1.0, 1.0]
    assert {row["scope"] for row in found} == {"window"}
    assert {row["entry"] for row in found} == {3, 4, 7}


def test_settings_of_the_launch(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / FOLDER / "2025-10/rates.log").read_bytes()
    row = rows(content, "aggregates")[0]
    settings = json.loads(str(row["settings"]))

    assert settings["cfg.speculative_num_draft_tokens"] == 4
    assert settings["cfg.mem_fraction_static"] == 0.85
    assert settings["cfg.disable_radix_cache"] is True
    assert settings["id.draft_model"] == "tiny-eagle3"
    assert "secret" not in str(settings)
    assert str(row["process"]).endswith("#0")


def test_a_rate_with_the_bonus_token(artifacts: Path, codes: Codes) -> None:
    folder = artifacts / FOLDER

    # 2.40 / 4 = 0.60, 2.00 / 4 = 0.50 and 1.00 / 4 = 0.25.
    assert codes((folder / "2025-10/rates.log").read_bytes()) == [("SPS308", "case:3")]
    # (2.50 - 1) / 3 = 0.50 and so on: drafts over drafts, nothing to say.
    assert codes((folder / "2026-06/ranks.log").read_bytes()) == []
    assert codes((folder / "2025-03/no-rate.log").read_bytes()) == []


def test_a_rate_that_nothing_explains(codes: Codes, rows: Rows) -> None:
    content = LINE.format("2.17", "0.91", "5.0") + LINE.format("1.30", "0.20", "5.0")

    assert codes(content) == [("SPS308", "case:1")]
    found = rows(content, "aggregates")
    assert "not told" in str(
        next(row for row in found if row["metric"] == "acceptance_rate")["definition"]
    )


def test_schedulers_and_launches(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / FOLDER / "2026-06/ranks.log").read_bytes()
    found = [
        row
        for row in rows(content, "aggregates")
        if str(row["metric"]).startswith("decode_rate")
    ]

    assert [row["prompt_id"] for row in found] == [
        "DP0 TP0 EP0",
        "DP1 TP0 EP0",
        "DP0 TP0 EP0",
        "DP0 TP0 EP0",
    ]
    assert [str(row["process"])[-2:] for row in found] == ["#0", "#0", "#0", "#1"]


def test_without_the_launch_nothing_tells_it(artifacts: Path, rows: Rows) -> None:
    content = (artifacts / FOLDER / "2025-03/no-rate.log").read_bytes()
    found = rows(content, "aggregates")

    assert {row["process"] for row in found} == {None}
    assert values(found, "decode_rate") == [310.0]
    assert values(found, "acceptance_rate") == []


def test_a_log_that_decodes_nothing() -> None:
    content = b"[2025-10-01 09:00:00] server_args=ServerArgs(model_path='m')\n"

    with pytest.raises(MalformedArtifactError, match="no line about a decode batch"):
        specstats.read(content)


def test_long_lines_take_no_time(rows: Rows) -> None:
    long = LINE.format("2.00", "0.50", "5.0").replace("cuda", "a" * 100_000)

    assert len(values(rows(long * 20, "aggregates"), "decode_rate")) == 0
    assert len(values(rows(long * 20, "aggregates"), "mean_accepted_length")) == 20


@pytest.mark.parametrize("wrong", ["nan", "-1", "1e999", "x", "", "9" * 400])
def test_lines_without_numbers(wrong: str, codes: Codes) -> None:
    good = LINE.format("2.00", "0.50", "5.0")
    content = good * 2 + LINE.format(wrong, wrong, wrong)

    assert ("SPS002", "case:3") in codes(content)
