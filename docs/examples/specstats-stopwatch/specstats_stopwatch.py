"""Lets specstats read what the stopwatch tool writes.

One line a request, after a line that begins with ``stopwatch``::

    stopwatch 2 pid=4711
    p1 96 tokens in 2.41 s
    p2 failed
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from specstats.readers import (
    Batch,
    Match,
    Reader,
    Trouble,
    count_in,
    real_in,
    text_lines,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

_HEADER = re.compile(r"stopwatch (\d{1,4}) pid=(\d{1,9})", re.ASCII)
_ANSWER = re.compile(r"(\S{1,80}) (\S{1,20}) tokens in (\S{1,20}) s", re.ASCII)
_FAILURE = re.compile(r"(\S{1,80}) failed", re.ASCII)


def _sniff(head: bytes, name: str) -> Match:
    del name  # the content decides
    known = _HEADER.match(head[:100].decode("ascii", "replace"))
    return Match(90 if known else 0, "no line 'stopwatch VERSION pid=N' at the start")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    process, settings = None, None
    for line, text in text_lines(source):
        header = _HEADER.fullmatch(text)
        if header is not None:
            # Another header is another launch, appended to the same file.
            process = f"{source.sha256[:12]}#{line} pid {header[2]}"
            settings = json.dumps({"id.build": header[1]})
            continue
        if not text.strip():
            continue
        batch.entries += 1
        row = _row(text)
        if row is None:
            trouble.note(batch, "SPS002", line, "entry skipped: no request")
            continue
        row.update(source=source.name, entry=line, process=process, settings=settings)
        batch.add("requests", row)
        batch.parsed += 1
    trouble.close(batch)
    yield batch


def _row(text: str) -> dict[str, object] | None:
    failure = _FAILURE.fullmatch(text)
    if failure is not None:
        return {"prompt_id": failure[1], "ok": False, "error": "failed"}
    answer = _ANSWER.fullmatch(text)
    if answer is None:
        return None
    tokens, seconds = count_in(answer[2]), real_in(answer[3])
    if tokens is None or seconds is None or seconds <= 0:
        return None
    return {"prompt_id": answer[1], "ok": True, "n_output": tokens, "decode_s": seconds}


READER = Reader(
    name="stopwatch",
    label="stopwatch: tokens and seconds of each request",
    producers=("2",),
    levels=("request",),
    boundary="proved: one header line a launch",
    traps=("a request that failed has no time",),
    fields=(
        ("pid", "requests.process"),
        ("tokens", "requests.n_output"),
        ("s", "requests.decode_s: seconds"),
    ),
    marks=(b"stopwatch ",),
    sniff=_sniff,
    parse=_parse,
)
