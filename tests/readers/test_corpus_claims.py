"""Which real artifacts are claimed, by which reader, and what they hold."""

from collections import Counter
from pathlib import Path

import pytest

import specstats
from specstats.errors import UnknownFormatError
from specstats.readers._registry import choose
from specstats.source import Source

BENCH = {
    "crash_header_only.log": ("llama-bench-table", 0, 0),
    "crash_no_rows.log": None,
    "dgx_spark_gptoss20b.md": ("llama-bench-table", 10, 10),
    "epyc9274f_nps1_b4461.json": ("llama-bench", 2, 2),
    "ik_b3599_old_backend_flags.json": ("llama-bench", 2, 2),
    "qwen3coder_b9010_r20_run1.csv": ("llama-bench-table", 2, 2),
    "qwen3coder_b9010_r20_run2.csv": ("llama-bench-table", 2, 2),
    "readme_sql_output.sql": None,
    "rx7900xtx_run1.txt": ("llama-bench-table", 12, 12),
    "rx7900xtx_run2.txt": ("llama-bench-table", 12, 12),
    "strixhalo_b368_load_mode.json": ("llama-bench", 10, 10),
    "strixhalo_b368_load_mode.meta": None,
    "strixhalo_b6865_noise.jsonl": ("llama-bench", 7, 6),
}
SERVER = {
    "chat_gptoss120b_ctx16384_summary_plan.json": ("llama-server", 1, 1),
    "chat_qwen36_warmup.json": ("llama-server", 1, 1),
    "errors.jsonl": ("llama-server", 2, 2),
    **{
        f"isotopp_on_numeric-analysis-measured-{number}.json": ("llama-server", 1, 1)
        for number in range(1, 6)
    },
    "isotopp_on_numeric-analysis-warmup-1.json": ("llama-server", 1, 1),
    "pr12603_timings_draft.json": ("llama-server", 1, 1),
    "stream_ik_timings_per_token_truncated.sse": ("llama-server", 1, 1),
}
FIRST_DAY = {
    "README.md": None,
    "gemma-bench.jsonl": ("llama-bench", 4, 4),
    "gemma-telemetry.csv": ("nvidia-smi", 76, 76),
    "gemma12-baseline-bench.jsonl": ("llama-server", 3, 3),
    "gemma12-baseline-smoke.json": ("llama-server", 1, 1),
    "gemma12-baseline-telemetry.csv": ("nvidia-smi", 34, 34),
    "gemma12-mtp-bench.jsonl": ("llama-server", 3, 3),
    "gemma12-mtp-cpu-sampler-1.json": ("llama-server", 1, 1),
    "gemma12-mtp-cpu-sampler-2.json": ("llama-server", 1, 1),
    "gemma12-mtp-smoke-2.json": ("llama-server", 1, 1),
    "gemma12-mtp-smoke.json": ("llama-server", 1, 1),
    "gemma12-mtp-telemetry.csv": ("nvidia-smi", 15, 15),
    "qwen-bench.jsonl": ("llama-bench", 4, 4),
    "qwen-bench.log": None,
    "qwen-telemetry.csv": ("nvidia-smi", 238, 238),
}
SECOND_DAY = {
    **{
        f"{launch}.{number}.json": ("llama-server", 1, 1)
        for launch in "ABCDEF"
        for number in range(1, 6)
    },
    "G2.1.json": ("llama-server", 1, 1),
    "G2.server.log.excerpt": None,
    "summary.txt": None,
}
FOLDERS = {
    "llama-bench": BENCH,
    "llama-server": SERVER,
    "pascal-p5200/pascal-p5200-2026-08-02": FIRST_DAY,
    "pascal-p5200/repro-2026-08-07": SECOND_DAY,
}
OWN = ("llama-bench/", "llama-server/", "pascal-p5200/", "h200-tinyspec/")


def claim(path: Path) -> tuple[str, int, int] | None:
    source = Source(name=path.name, path=path)
    try:
        reader = choose(source)
    except UnknownFormatError:
        return None
    batches = list(reader.parse(source))
    entries = sum(batch.entries for batch in batches)
    return reader.name, entries, sum(batch.parsed for batch in batches)


@pytest.mark.parametrize("folder", FOLDERS)
def test_claims_and_counts(folder: str, corpus: Path) -> None:
    files = sorted(path for path in (corpus / folder).iterdir() if path.is_file())

    assert {path.name: claim(path) for path in files} == FOLDERS[folder]


def test_the_h200_study(corpus: Path) -> None:
    folder = corpus / "h200-tinyspec"
    found = Counter(claim(path) for path in sorted(folder.rglob("*")) if path.is_file())

    assert found == {
        ("llama-server", 36, 36): 33,
        ("nvidia-smi", 682, 682): 1,
        None: 6,
    }


def test_no_file_of_another_format_is_claimed(corpus: Path) -> None:
    others = [
        path
        for path in sorted(corpus.rglob("*"))
        if path.is_file() and not path.relative_to(corpus).as_posix().startswith(OWN)
    ]

    claimed = [path.name for path in others if path.stat().st_size and claim(path)]

    assert len(others) > 200
    assert claimed == []


def test_a_named_file_of_another_format_is_an_error(corpus: Path) -> None:
    path = next(path for path in sorted((corpus / "aiperf").rglob("*.json*")))

    with pytest.raises(
        UnknownFormatError, match=r"no reader knows this format.*SPS001"
    ):
        specstats.read(path)
