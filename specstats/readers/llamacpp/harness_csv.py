"""The results.csv of the llama-benchmark harness (isotopp): a request a row."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from specstats.readers._base import Match, Reader, Row
from specstats.readers._text import count_in, real_in, text_lines
from specstats.readers.llamacpp._harness import Sink, positive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.readers._base import Batch
    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_NEEDED = frozenset(
    {"test", "phase", "run", "predicted_n", "predicted_ms", "http_code"}
)
_MILLI = 1e-3
_GOOD = 200
_TOTAL = 0.01  # milliseconds


def _sniff(head: bytes, name: str) -> Match:
    del name
    first = head.partition(b"\n")[0].decode("utf-8", "replace")
    columns = {cell.strip() for cell in first.split(",")}
    known = columns >= _NEEDED
    return Match(90 if known else 0, "no columns test, phase, run, predicted_ms")


def _parse(source: Source) -> Iterator[Batch]:
    sink = Sink(source)
    columns: list[str] = []
    for line, content in text_lines(source):
        if not content.strip():
            continue
        cells = _cells(content)
        if not columns:
            columns = cells
            continue
        sink.batch.entries += 1
        if len(cells) != len(columns):
            sink.skip(line, f"{len(cells)} cells under {len(columns)} columns")
            continue
        _add(sink, line, dict(zip(columns, cells, strict=True)))
        if sink.batch.count("requests") >= _ROWS_A_BATCH:
            done, sink.batch = sink.batch, type(sink.batch)()
            yield done
    yield sink.close()


def _cells(content: str) -> list[str]:
    if '"' not in content:
        return [cell.strip() for cell in content.split(",")]
    try:
        return [cell.strip() for cell in next(csv.reader([content]), [])]
    except csv.Error:
        return []


def _add(sink: Sink, line: int, cells: dict[str, str]) -> None:
    status = count_in(cells.get("http_code"))
    run = count_in(cells.get("run"))
    row: Row = {
        "source": sink.source.name,
        "entry": line,
        "workload": cells.get("test") or None,
        "prompt_id": cells.get("test") or None,
        "repetition": run - 1 if run else None,
        "phase": "warmup" if cells.get("phase") == "warmup" else None,
    }
    if status is None:
        sink.skip(line, "http_code is no number")
        return
    if status != _GOOD:
        row.update(ok=False, error=f"HTTP status {status}")
    elif not _take_times(sink, line, cells, row):
        return
    sink.batch.add("requests", row)
    sink.batch.parsed += 1


def _take_times(sink: Sink, line: int, cells: dict[str, str], row: Row) -> bool:
    output = count_in(cells.get("predicted_n"))
    decode_s = positive(real_in(cells.get("predicted_ms")), _MILLI)
    if output is None or (decode_s is None and output > 1):
        sink.skip(line, "predicted_n or predicted_ms is no number")
        return False
    row.update(ok=True, n_output=output, n_prompt=count_in(cells.get("prompt_n")))
    row["prompt_s"] = positive(real_in(cells.get("prompt_ms")), _MILLI)
    if output == 0:
        sink.note(
            "SPS007",
            line,
            "a request succeeded without one output token: it has no decode time",
            observed="0 tokens",
            required="1 token or more",
        )
        return True
    row["decode_s"] = decode_s
    sink.check_rate(line, row, real_in(cells.get("predicted_tps")))
    _check_total(sink, line, cells)
    return True


def _check_total(sink: Sink, line: int, cells: dict[str, str]) -> None:
    parts = [real_in(cells.get(name)) for name in ("prompt_ms", "predicted_ms")]
    total = real_in(cells.get("total_ms"))
    if total is None or parts[0] is None or parts[1] is None:
        return
    together = parts[0] + parts[1]
    if abs(together - total) > _TOTAL + 1e-6 * abs(total):
        sink.note(
            "SPS006",
            line,
            "prompt and decode time do not add up to the total time",
            observed=f"{together:.3f} ms",
            required=f"{total:.3f} ms",
        )


READER = Reader(
    name="llama-benchmark-csv",
    label="results.csv of the llama-benchmark harness around llama-server",
    producers=("July 2026",),
    levels=("request",),
    boundary="unknown: no column names the server process; give each file its run",
    traps=(
        "warm-up rows stand among the measured ones and are told by the phase column",
        "a failed request has an http_code other than 200 and no times",
        "single repeats may stall for minutes; they stay rows",
        "total_ms is the sum of the two server times, not a client's latency",
    ),
    fields=(
        ("test", "requests.workload: and requests.prompt_id; as written"),
        ("phase", "requests.phase: 'warmup' or missing"),
        ("run", "requests.repetition: less 1"),
        ("prompt_n, prompt_ms", "requests.n_prompt: and requests.prompt_s; ms to s"),
        (
            "predicted_n, predicted_ms",
            "requests.n_output: and requests.decode_s; ms to s",
        ),
        ("predicted_tps", "requests.engine_rate_tps: convention recomputed"),
        ("http_code", "requests.ok: and requests.error"),
        ("total_ms", "requests.*: checked against its parts, not kept"),
    ),
    marks=(b"predicted_ms",),
    sniff=_sniff,
    parse=_parse,
)
