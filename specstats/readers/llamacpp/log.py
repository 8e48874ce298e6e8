"""llama-server logs: timing, draft and statistics lines of requests and launches."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from specstats.readers._base import Match, Reader
from specstats.readers.llamacpp._log_scan import scan
from specstats.readers.llamacpp._log_state import Log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.readers._base import Batch
    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_JSON = re.compile(rb"\s*(?:\{|\[\s*[\[{\"])")
_OURS = re.compile(
    rb"\bslot +(?:print_timing|release|launch_slot_|update_slots|get_availabl|"
    rb"load_model)\b|\bsrv +(?:load_model|update_slots|llama_server|log_server_r|"
    rb"send_error|operator\(\)): |\[ +print_timings\] "
)
_BARE = re.compile(
    rb"^(?:(?!llama_)[^\n|]{0,40}\| ?)? *(?:prompt )?eval time *= +\d+\.\d\d ms / +\d+ "
    rb"tokens \(",
    re.MULTILINE,
)
_COUNTED = re.compile(rb"^[^\n{]{0,60}\bstatistics +[\w-]+: #calls", re.MULTILINE)
_PERF = re.compile(rb"llama_perf_|llama_print_timings|common_perf_print|n_drafted")


def _sniff(head: bytes, name: str) -> Match:
    del name
    if _JSON.match(head):
        return Match(0, "JSON")
    if _OURS.search(head):
        return Match(80, "lines of llama-server's slots")
    if _PERF.search(head):
        return Match(0, "performance lines of another llama.cpp tool")
    looks = _BARE.search(head) or _COUNTED.search(head)
    return Match(60 if looks else 0, "no timing or statistics lines of llama-server")


def _parse(source: Source) -> Iterator[Batch]:
    log = Log(source)
    for hit in scan(source):
        log.take(hit)
        if log.out.rows >= _ROWS_A_BATCH:
            yield log.hand_over()
    yield log.close()


READER = Reader(
    name="llama-server-log",
    label="llama-server log (stderr), 2024 to today",
    producers=("2024 key=value lines", "b9010", "May 2026", "June 2026", "August 2026"),
    levels=("request", "step", "counter", "aggregate"),
    boundary="proved: the uptime stamp goes back, counters go back, or a line of the "
    "start comes again; a log without any of these leaves it unknown",
    traps=(
        "rates count all n tokens before August 2026 and n-1 after it",
        "statistics lines are cumulative over the process and are differenced",
        "mean len counts verify steps only, the bonus token included",
        "the two digits of mean len do not always give the number of steps",
        "accepted tokens may exceed the output where an answer stops inside a draft",
        "a prompt that repeats within a launch finds cached text and a warmed drafter",
        "restored checkpoints inflate acceptance in builds before August 2026",
        "warnings while memory is measured are normal; failed decoding is not",
        "tg and tg_3s are interim rates of a running request and are not read",
    ),
    fields=(
        ("prompt eval time", "requests.n_prompt: and requests.prompt_s; ms to s"),
        ("eval time", "requests.n_output: and requests.decode_s; ms to s"),
        (
            "eval time: tokens per second",
            "requests.engine_rate_tps: and rate_convention; recomputed from the digits",
        ),
        ("task", "requests.request_id: as written"),
        ("task.n_tokens", "requests.n_cached: less the processed prompt tokens"),
        ("timestamp (2024)", "requests.ended_s: Unix time"),
        (
            "draft acceptance",
            "requests.n_accepted: and requests.n_draft; tokens of the request",
        ),
        (
            "mean len",
            "requests.n_steps: accepted / (mean len - 1), where one number fits",
        ),
        (
            "acc per pos",
            "aggregates.value: rate over verify steps, a row a position",
        ),
        (
            "accepted a/d draft tokens",
            "steps.n_accepted: and steps.n_draft, steps.n_output; a + 1",
        ),
        (
            "statistics: #gen tokens, #acc tokens",
            "counters.n_draft: and counters.n_accepted; since the line before",
        ),
        ("statistics: #calls a", "counters.n_verify: since the line before"),
        (
            "statistics: #acc rate/pos",
            "counters.accepted_by_position: rate times calls, where it is whole",
        ),
        (
            "send_error, got exception, done request",
            "requests.ok: and requests.error; a refused request",
        ),
        (
            "build_info, loading model, adding speculative implementation, n_max",
            "requests.settings: of the launch",
        ),
    ),
    marks=(b"eval time", b"slot ", b"srv ", b"statistics ", b"print_timings]"),
    sniff=_sniff,
    parse=_parse,
)
