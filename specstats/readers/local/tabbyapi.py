"""TabbyAPI's log: the metrics line of a request."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from specstats.readers._base import Match, Reader, Row
from specstats.readers._text import count_in, real_in, text_lines
from specstats.readers.local._sink import Sink, positive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.readers._base import Batch
    from specstats.source import Source

__all__ = ["READER"]

_MARK = re.compile(
    rb"Metrics(?: \(ID: [0-9a-f]{1,64}\))?: \d{1,12} tokens generated in"
)
_BEGIN = re.compile(
    r"Metrics(?: \(ID: ([0-9a-f]{1,64})\))?: (\d{1,12}) tokens generated in "
    r"(\d{1,12}(?:\.\d{1,9})?) seconds \((.{0,600})",
    re.ASCII,
)
_NUMBER = r"(\d{1,15}(?:\.\d{1,9})?|Indeterminate)"
_QUEUE = re.compile(rf"Queue: {_NUMBER} s", re.ASCII)
_PROCESS = re.compile(
    r"Process: (\d{1,12}) cached tokens and (\d{1,12}) new tokens at "
    rf"{_NUMBER} T/s",
    re.ASCII,
)
_GENERATE = re.compile(rf"Generate: {_NUMBER} T/s", re.ASCII)
_DRAFT = re.compile(
    r"Draft: (\d{1,12}) / (\d{1,12}) tokens accepted \((\d{1,3}(?:\.\d{1,6})?)%\)",
    re.ASCII,
)
_NEW_LINE = re.compile(r"\d{4}-\d\d-\d\d |(?:INFO|WARNING|ERROR|DEBUG):", re.ASCII)
_STARTED = "Started server process ["
_MOST_WRAPS = 6
_SHARE = 0.00011  # of a percentage with two digits
_SLACK = 0.05
_RELATIVE = 0.02


def _sniff(head: bytes, name: str) -> Match:
    del name
    known = _MARK.search(head) is not None
    return Match(85 if known else 0, "no line Metrics (ID: x): N tokens generated in")


def _parse(source: Source) -> Iterator[Batch]:
    sink, launch = Sink(source), 0
    for line, content in _joined(source):
        if _STARTED in content:
            launch += 1
            continue
        if "tokens generated in" not in content:
            continue
        found = _BEGIN.search(content)
        sink.batch.entries += 1
        if found is None or _is_open(content):
            sink.skip(line, "the metrics line is cut off")
            continue
        _add(sink, line, found, launch)
        if sink.is_full:
            yield sink.take()
    yield sink.close()


def _is_open(content: str) -> bool:
    told = content.partition(" tokens generated in")[2]
    return told.count("(") != told.count(")") or "(" not in told


def _joined(source: Source) -> Iterator[tuple[int, str]]:
    """Yield lines; a metrics line that a terminal wrapped is put together."""
    pending: tuple[int, str] | None = None
    wraps = 0
    for line, content in text_lines(source):
        if pending is not None:
            wraps += 1
            new = _NEW_LINE.match(content) or _MARK.search(content.encode())
            if new is None and content.strip() and wraps <= _MOST_WRAPS:
                pending = pending[0], f"{pending[1].rstrip()} {content.strip()}"
                if not _is_open(pending[1]):
                    yield pending
                    pending = None
                continue
            yield pending
            pending = None
        if _MARK.search(content.encode()) is not None and _is_open(content):
            pending, wraps = (line, content), 0
            continue
        yield line, content
    if pending is not None:
        yield pending


def _add(sink: Sink, line: int, found: re.Match[str], launch: int) -> None:
    told = found[4]
    count, whole_s = count_in(found[2]), positive(real_in(found[3]))
    process, generate = _PROCESS.search(told), _GENERATE.search(told)
    rate = None if generate is None else positive(real_in(generate[1]))
    shared: Row = {
        "process": f"{sink.source.sha256[:12]}#{launch}" if launch else None,
        "settings": '{"id.engine": "tabbyapi"}',
    }
    row: Row = {
        **shared,
        "request_id": found[1],
        "n_output": count,
        "e2e_s": whole_s,
        "n_cached": None if process is None else count_in(process[1]),
        "n_prompt": None if process is None else count_in(process[2]),
    }
    if not count:
        sink.says_nothing(line)
    elif count > 1 and rate is not None:
        row.update(engine_rate_tps=rate, rate_convention="n")
    row.update(_drafts(sink, line, told))
    queue = _QUEUE.search(told)
    waited = None if queue is None else real_in(queue[1])
    prompt_rate = None if process is None else positive(real_in(process[3]))
    _check_whole(sink, line, row, (waited, prompt_rate))
    sink.request(line, row)
    about: Row = {**shared, "scope": "request"}
    told = "new tokens over a time that was rounded to 0.01 s"
    about["definition"] = told
    sink.aggregate(line, about, ("prompt_rate", "tok/s", "value"), prompt_rate)
    about["definition"] = "time before the prompt was processed"
    sink.aggregate(line, about, ("queue_time", "s", "value"), waited)


def _drafts(sink: Sink, line: int, told: str) -> Row:
    found = _DRAFT.search(told)
    if found is None:
        return {}
    accepted, drafted = int(found[1]), int(found[2])
    if accepted > drafted:
        sink.note(
            "SPS006",
            line,
            "more draft tokens accepted than drafted: the counts are not used",
            observed=f"{accepted} accepted of {drafted}",
            required="accepted <= drafted",
        )
        return {}
    if not drafted:
        return {}
    message = "the printed share of accepted tokens is not that of the counts"
    printed = float(found[3]) / 100
    sink.compare(line, message, (printed, accepted / drafted), _SHARE)
    return {"n_draft": drafted, "n_accepted": accepted}


def _check_whole(
    sink: Sink, line: int, row: Row, told: tuple[float | None, float | None]
) -> None:
    waited, prompt_rate = told
    count, prompt = row.get("n_output"), row.get("n_prompt")
    rate, whole_s = row.get("engine_rate_tps"), row.get("e2e_s")
    if waited is None or prompt_rate is None or not isinstance(whole_s, float):
        return
    if isinstance(rate, float) and isinstance(count, int) and isinstance(prompt, int):
        together = waited + prompt / prompt_rate + count / rate
        message = "queue, prompt and generation do not last as long as the whole"
        allowed = _SLACK + _RELATIVE * whole_s
        sink.compare(line, message, (whole_s, together), allowed)


READER = Reader(
    name="tabbyapi-log",
    label="TabbyAPI log (metrics line of a request)",
    producers=("September 2026",),
    levels=("request", "aggregate"),
    boundary="proved by the lines Started server process; unknown without",
    traps=(
        (
            "the rate is n tokens over the time from the first to the last; of one "
            "token it means nothing and is not taken"
        ),
        "either rate may be the word Indeterminate",
        "the prompt's time is rounded to 0.01 s before the rate is formed",
        "draft counts are a / t: accepted of proposed, no bonus token",
        "terminals wrap the line",
        "times of the log are local and are not taken",
        "requests without a metrics line (unfinished or failed) give no row",
    ),
    fields=(
        ("ID", "requests.request_id"),
        ("N tokens generated", "requests.n_output: tokens"),
        ("in T seconds", "requests.e2e_s: s, queue and prompt included"),
        ("Queue", "aggregates.value: s, metric queue_time"),
        (
            "cached tokens, new tokens",
            "requests.n_cached: and requests.n_prompt; tokens",
        ),
        ("Process: T/s", "aggregates.value: tok/s, metric prompt_rate"),
        ("Generate: T/s", "requests.engine_rate_tps: tok/s"),
        ("Draft: a / t", "requests.n_accepted: and requests.n_draft; tokens"),
        ("Started server process", "requests.process"),
    ),
    marks=(b"tokens generated in",),
    sniff=_sniff,
    parse=_parse,
)
