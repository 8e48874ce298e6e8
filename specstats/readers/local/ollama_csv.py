"""CSV of a harness that repeats one prompt through Ollama: a request a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._base import Match, Reader, Row
from specstats.readers._results import settings_text
from specstats.readers._text import count_in, real_in
from specstats.readers.local._csv import first_columns, rows_of
from specstats.readers.local._ollama import (
    COUNT_IS_AMBIGUOUS,
    LOAD,
    add_prompt_tokens,
    check_parts,
    started,
)
from specstats.readers.local._sink import NANO, Sink, positive, rate_convention, unix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.readers._base import Batch
    from specstats.source import Source

__all__ = ["READER"]

_NEEDED = frozenset({"eval_count", "eval_duration_ns", "prompt_eval_duration_ns"})
_CLOSE = 1e-6
_LAST_DIGIT = 1e-9

Cells = dict[str, str]


def _sniff(head: bytes, name: str) -> Match:
    del name
    known = first_columns(head) >= _NEEDED
    return Match(90 if known else 0, "no columns eval_count, eval_duration_ns")


def _parse(source: Source) -> Iterator[Batch]:
    sink = Sink(source)
    for line, cells in rows_of(sink):
        _add(sink, line, cells)
        if sink.is_full:
            yield sink.take()
    yield sink.close()


def _nano(cells: Cells, name: str) -> float | None:
    return positive(real_in(cells.get(name)), NANO)


def _add(sink: Sink, line: int, cells: Cells) -> None:
    count, decode_s = (
        count_in(cells.get("eval_count")),
        _nano(cells, "eval_duration_ns"),
    )
    if count is None or (decode_s is None and count > 1):
        sink.skip(line, "eval_count or eval_duration_ns is no number")
        return
    total, ended = _nano(cells, "total_duration_ns"), unix(cells.get("created_at"))
    settings = settings_text(
        {
            "id.engine": "ollama",
            "id.model": cells.get("model"),
        }
    )
    row: Row = {
        "settings": settings,
        "repetition": count_in(cells.get("run")),
        "finish_reason": cells.get("done_reason") or None,
        "ended_s": ended,
        "started_s": started(ended, total),
        "prompt_s": _nano(cells, "prompt_eval_duration_ns"),
        "n_output": count,
        "e2e_s": positive(real_in(cells.get("wall_s"))) or total,
    }
    if count:
        row["decode_s"] = decode_s
        _take_rate(sink, line, row, positive(real_in(cells.get("eval_tps"))))
    else:
        sink.says_nothing(line)
    load = _nano(cells, "load_duration_ns")
    check_parts(sink, line, {**row, "e2e_s": total}, load)
    sink.request(line, row)
    told = "time of loading the model, small where it was loaded"
    about: Row = {"settings": settings}
    sink.aggregate(line, about, LOAD, load, scope="request", definition=told)
    prompt = count_in(cells.get("prompt_eval_count"))
    add_prompt_tokens(sink, line, about, prompt)


def _take_rate(sink: Sink, line: int, row: Row, rate: float | None) -> None:
    count, decode_s = row["n_output"], row["decode_s"]
    if rate is None or not isinstance(count, int) or not isinstance(decode_s, float):
        return
    row["engine_rate_tps"] = rate
    row["rate_convention"] = rate_convention(count, decode_s, rate, _LAST_DIGIT)
    if row["rate_convention"] is None:
        message = "eval_tps is not eval_count over eval_duration_ns"
        right = count / decode_s
        sink.compare(line, message, (rate, right), _CLOSE * right)


READER = Reader(
    name="ollama-csv",
    label="CSV of Ollama's response metrics, a request a row",
    producers=("0.21.2", "0.23.1"),
    levels=("request", "aggregate"),
    boundary="unknown: rows do not name the server, so a file counts as one run",
    traps=(
        "eval_tps counts n tokens over the time of n-1 steps",
        COUNT_IS_AMBIGUOUS,
        "the cold row has the loading of the model in its latency; the load rows tell",
        "response_chars is 0 where all text was thought: it does not count tokens",
    ),
    fields=(
        ("run", "requests.repetition: as written"),
        ("created_at", "requests.ended_s: Unix time"),
        ("created_at less total_duration_ns", "requests.started_s: Unix time"),
        ("wall_s", "requests.e2e_s: s, seen by the client; else total_duration_ns"),
        ("prompt_eval_count", "aggregates.value: tokens, cached ones perhaps in it"),
        ("prompt_eval_duration_ns", "requests.prompt_s: ns to s"),
        ("eval_count", "requests.n_output: tokens"),
        ("eval_duration_ns", "requests.decode_s: ns to s"),
        ("eval_tps", "requests.engine_rate_tps: tok/s, checked against both"),
        ("load_duration_ns", "aggregates.value: ns to s, metric load"),
        ("done_reason", "requests.finish_reason"),
        ("model", "requests.settings: id.model"),
    ),
    marks=(b"eval_duration_ns",),
    sniff=_sniff,
    parse=_parse,
)
