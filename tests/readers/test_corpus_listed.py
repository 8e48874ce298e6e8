"""Every real artifact is listed once, claimed once, and gives the rows listed."""

import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import specstats
from specstats.errors import MalformedArtifactError, UnknownFormatError
from specstats.readers._base import Batch
from specstats.readers._registry import READERS, choose
from specstats.source import Source

LISTS = sorted((Path(__file__).parent / "corpus").glob("*.toml"))
TABLES = ("requests", "steps", "counters", "aggregates", "telemetry")
REFUSALS = {"unknown": UnknownFormatError, "malformed": MalformedArtifactError}
KEYS = {*TABLES, "reader", "failed", "codes", "refused", "why", "level", "launches"}
# What reading says of a file on its own, whoever reads it: nothing tells its arm, or
# it was not used.
OF_READING = {"SPS012", "SPS013"}
# Entries that were met and that gave rows, of files of which the lists do not tell.
ENTRIES = {
    "llama-bench/crash_header_only.log": (0, 0),
    "llama-bench/dgx_spark_gptoss20b.md": (10, 10),
    "llama-bench/epyc9274f_nps1_b4461.json": (2, 2),
    "llama-bench/ik_b3599_old_backend_flags.json": (2, 2),
    "llama-bench/qwen3coder_b9010_r20_run1.csv": (2, 2),
    "llama-bench/qwen3coder_b9010_r20_run2.csv": (2, 2),
    "llama-bench/rx7900xtx_run1.txt": (12, 12),
    "llama-bench/rx7900xtx_run2.txt": (12, 12),
    "llama-bench/strixhalo_b368_load_mode.json": (10, 10),
    "llama-bench/strixhalo_b6865_noise.jsonl": (6, 6),
    "llama-server/errors.jsonl": (2, 2),
    "llama-server/stream_ik_timings_per_token_truncated.sse": (1, 1),
    "pascal-p5200/pascal-p5200-2026-08-02/gemma-bench.jsonl": (4, 4),
    "pascal-p5200/pascal-p5200-2026-08-02/gemma12-mtp-bench.jsonl": (3, 3),
    "pascal-p5200/pascal-p5200-2026-08-02/qwen-bench.jsonl": (4, 4),
}


def listed() -> list[tuple[str, str, dict[str, Any]]]:
    """Return the list, the file and what is expected of it."""
    return [
        (path.name, name, expected)
        for path in LISTS
        for name, expected in tomllib.loads(path.read_text(encoding="utf-8")).items()
    ]


ENTRIES_LISTED = {name: expected for _, name, expected in listed()}
READ = sorted(name for name, about in ENTRIES_LISTED.items() if "reader" in about)
REFUSED = sorted(name for name, about in ENTRIES_LISTED.items() if "refused" in about)


@cache
def source_of(path: Path) -> Source:
    return Source(name=path.name, file=path)


def file_of(corpus: Path, name: str) -> Path:
    path = corpus / name
    if not path.is_file():
        pytest.fail(f"{name} is listed, but there is no such file", pytrace=False)
    return path


def test_every_file_is_listed_exactly_once(corpus: Path) -> None:
    files = {
        path.relative_to(corpus).as_posix()
        for path in corpus.rglob("*")
        if path.is_file()
    }
    times = Counter(name for _, name, _ in listed())
    lists: dict[str, list[str]] = {}
    for of, name, _ in listed():
        lists.setdefault(name, []).append(of)

    wrong = [
        *(f"{name}: in no list" for name in sorted(files - set(times))),
        *(f"{name}: in {lists[name]}, but gone" for name in sorted(set(times) - files)),
        *(f"{name}: listed twice, {lists[name]}" for name in times if times[name] > 1),
    ]
    assert wrong == []


@pytest.mark.parametrize("name", ENTRIES_LISTED)
def test_what_is_listed_is_well_formed(name: str) -> None:
    about = ENTRIES_LISTED[name]

    assert set(about) <= KEYS
    assert ("reader" in about) != ("refused" in about)
    if "refused" in about:
        assert about["refused"] in REFUSALS
        assert about["why"]
        return
    assert about["reader"] in {reader.name for reader in READERS}
    assert about["codes"] == sorted(set(about["codes"]))
    assert any(about.get(table, 0) for table in TABLES) or about["codes"]


@pytest.mark.parametrize("name", READ)
def test_claimed_by_one_reader_alone(name: str, corpus: Path) -> None:
    head = source_of(file_of(corpus, name)).head()

    claims = [reader.name for reader in READERS if reader.claim(head, "x").score]

    assert claims == [ENTRIES_LISTED[name]["reader"]]


@pytest.mark.parametrize("name", READ)
def test_rows_and_findings(name: str, corpus: Path) -> None:
    about = ENTRIES_LISTED[name]
    path = file_of(corpus, name)
    bench = specstats.read(path)
    codes = {item.code for item in bench.findings} - OF_READING

    got = {table: getattr(bench, table).num_rows for table in TABLES}
    got["failed"] = sum(ok is False for ok in bench.column("requests", "ok"))

    assert [item.format for item in bench.inputs] == [about["reader"]]
    assert got == {key: about.get(key, 0) for key in got}
    assert sorted(codes) == sorted({*about["codes"]} - OF_READING)


@pytest.mark.parametrize("name", READ)
def test_entries_are_counted(name: str, corpus: Path) -> None:
    source = source_of(file_of(corpus, name))
    batches = list(choose(source).parse(source))

    entries = sum(batch.entries for batch in batches)
    parsed = sum(batch.parsed for batch in batches)

    assert parsed <= entries
    if name in ENTRIES:
        assert (entries, parsed) == ENTRIES[name]
    if not skipped(batches):
        assert parsed == entries


def skipped(batches: list[Batch]) -> bool:
    return any(item.code == "SPS002" for batch in batches for item in batch.findings)


@pytest.mark.parametrize("name", READ)
def test_launches(name: str, corpus: Path) -> None:
    told, _, more = str(ENTRIES_LISTED[name]["launches"]).partition(": ")
    if told not in {"proved", "unknown"}:
        return
    bench = specstats.read(file_of(corpus, name))
    proved = [run for run in bench.runs if run.boundary == "proved"]

    if told == "unknown":
        assert proved == []
    elif bench.runs:
        least = int(more.partition(" ")[0].strip(",;"))
        assert len({run.processes for run in proved}) >= least


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, corpus: Path) -> None:
    path = file_of(corpus, name)
    expected = REFUSALS[ENTRIES_LISTED[name]["refused"]]

    with pytest.raises(expected) as refusal:
        specstats.read(path)

    assert type(refusal.value) is expected
    assert refusal.value.source == path.name
    if expected is UnknownFormatError:
        assert "no reader knows this format" in str(refusal.value)
        assert "SPS001" in str(refusal.value)
        head = source_of(path).head()
        assert [item.name for item in READERS if item.claim(head, "x").score] == []


def test_the_h200_study(corpus: Path) -> None:
    found = Counter(
        (about["reader"], about.get("requests", 0), about.get("telemetry", 0))
        for name, about in ENTRIES_LISTED.items()
        if name.startswith("h200-tinyspec/") and "reader" in about
    )

    assert found == {("llama-server", 36, 0): 33, ("nvidia-smi", 0, 682): 1}
