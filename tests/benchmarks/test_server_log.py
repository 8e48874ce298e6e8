"""Reading a large llama-server log: speed on one core, and flat memory."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.benchmark

ROOT = Path(__file__).resolve().parents[2]
MEGABYTE = 1_000_000
LARGE = 200
START = """\
0.00.030.000 I srv    load_model: loading model '/models/target-27b-q4.gguf'
0.05.200.010 I common_speculative_impl_draft_simple: adding speculative implementation \
'draft-simple'
0.05.300.000 I srv  llama_server: listening on http://127.0.0.1:8094
"""
BEFORE = """\
{stamp} I srv  params_from_: Chat format: peg-native
{stamp} I slot get_availabl: {ids} | selected slot by LCP similarity, f_sim_best = 0.900
{stamp} I srv  get_availabl: updating prompt cache
{stamp} I srv   prompt_save:  - saving prompt with length 151, total size = 65.766 MiB
{stamp} I srv        update:  - cache state: 3 prompts, 197.297 MiB (limit 8192)
{stamp} I srv  get_availabl: prompt cache update took 6.94 ms
{stamp} I slot launch_slot_: {ids} | sampler chain: logits -> top-k -> top-p -> dist
{stamp} I slot launch_slot_: {ids} | processing task, is_child = 0
{stamp} I slot update_slots: {ids} | new prompt, n_keep = 0, task.n_tokens = {whole}
{stamp} I slot update_slots: {ids} | n_tokens = 0, memory_seq_rm [0, end)
{stamp} I slot update_slots: {ids} | prompt processing progress, n_tokens = 20
{stamp} I slot init_sampler: {ids} | init sampler, took 0.01 ms, tokens: text = 24
{stamp} I slot update_slots: {ids} | prompt processing done, n_tokens = 24
"""
WHILE = """\
{stamp} I slot print_timing: {ids} | n_gen = {n:6d}, tg = 50.00 t/s, tg_3s = 51.00 t/s
"""
AFTER = """\
{stamp} I slot print_timing: {ids} | prompt eval time =     200.00 ms /    20 tokens \
(   10.00 ms per token,   100.00 tokens per second)
{stamp} I slot print_timing: {ids} |        eval time = {ms:10.2f} ms / {n:5d} \
tokens (   20.00 ms per token,    50.00 tokens per second)
{stamp} I slot print_timing: {ids} |       total time = {total:10.2f} ms / \
{all_n:5d} tokens
{stamp} I slot print_timing: {ids} |    graphs reused = {n:10d}
{stamp} I slot print_timing: {ids} | draft acceptance = 0.50000 (   75 accepted / \
  150 generated), mean len =  4.00
{stamp} I srv  log_server_r: done request: POST /v1/chat/completions 127.0.0.1 200
{stamp} I slot      release: {ids} | stop processing: n_tokens = {n}, truncated = 0
{stamp} I srv  update_slots: all slots are idle
"""
READ = """
import resource, sys, time
from pathlib import Path
from specstats.readers.llamacpp import log
from specstats.source import Source
source = Source(name="server.log", file=Path(sys.argv[1]))
before = time.process_time()
rows = sum(batch.count("requests") for batch in log.READER.parse(source))
spent = time.process_time() - before
print(rows, spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def write_log(path: Path, size: int) -> int:
    """Write a log of about `size` bytes; the number of its requests."""
    written, count = 0, 0
    with path.open("w", encoding="utf-8") as stream:
        written += stream.write(START)
        while written < size:
            seconds = 10 + 8 * count
            tokens = 201 + count % 600
            values: dict[str, object] = {
                "stamp": f"{seconds // 60}.{seconds % 60:02d}.000.000",
                "ids": f"id {count % 4:2d} | task {3 * count}",
                "whole": 20 + count % 7,
                "n": tokens,
                "ms": 20.0 * (tokens - 1),
                "total": 20.0 * (tokens - 1) + 200.0,
                "all_n": tokens + 20,
            }
            parts = [BEFORE, *[WHILE] * (tokens // 150), AFTER]
            written += stream.write("".join(parts).format(**values))
            count += 1
    return count


def read_log(path: Path) -> tuple[int, float, int]:
    """Read a log in a fresh process: requests, processor seconds, peak kilobytes."""
    done = subprocess.run(
        [sys.executable, "-c", READ, str(path)],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    rows, seconds, peak = done.stdout.split()
    return int(rows), float(seconds), int(peak)


def test_a_large_log(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    path = tmp_path / "server.log"
    requests = write_log(path, LARGE * MEGABYTE)

    rows, seconds, _ = read_log(path)

    rate = path.stat().st_size / MEGABYTE / seconds
    record_property("megabytes_a_second", f"{rate:.0f}")
    print(f"{rows} requests: {rate:.0f} MB/s")  # noqa: T201
    assert rows == requests
    assert rate > 60


def test_memory_is_flat(tmp_path: Path) -> None:
    peaks = []
    for megabytes in (80, 160):
        path = tmp_path / f"{megabytes}.log"
        write_log(path, megabytes * MEGABYTE)
        peaks.append(read_log(path)[2])
    print(f"{peaks[0]} KB, {peaks[1]} KB")  # noqa: T201
    assert peaks[1] / peaks[0] < 1.10
