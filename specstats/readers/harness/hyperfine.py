"""hyperfine: --export-json, with each time, and --export-csv, with means only."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from specstats.errors import MalformedArtifactError
from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._document import document
from specstats.readers._json import first_entry, number, text, whole
from specstats.readers._results import items, mapping, process_of, settings_text
from specstats.readers._text import real_in, text_lines
from specstats.readers.harness._samples import ROWS_A_BATCH, Summary, measured

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["READER"]

_CENTURY = 3.2e9
_MOST_TIMES = 500_000
_HEADER = ("command", "mean", "stddev")
_TIMES = frozenset({"user", "system", "min", "max"})
_STATISTICS = ("mean", "median", "min", "max")
_CPU = {"user": "user_time", "system": "system_time"}
_ERROR = " [ERROR]"
_DEFINITION = "wall time of the command, time to start the shell subtracted"


def _sniff(head: bytes, name: str) -> Match:
    del name
    why = "no results with command and times, and no header command,mean,stddev"
    if head.lstrip()[:1] not in {b"{", b"["}:
        cells = head.partition(b"\n")[0].decode("utf-8", "replace").strip().split(",")
        known = tuple(cells[:3]) == _HEADER and set(cells) >= _TIMES
        return Match(90 if known else 0, why)
    entry = mapping(first_entry(head))
    found = items(entry.get("results"))
    first = mapping(found[0]) if found else {}
    known = isinstance(first.get("command"), str) and (
        "times" in first or {"mean", "user", "system"} <= first.keys()
    )
    return Match(90 if known else 0, why)


def _parse(source: Source) -> Iterator[Batch]:
    if source.head().lstrip()[:1] == b"{":
        yield from _parse_json(source)
    else:
        yield _parse_table(source)


def _parse_json(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    value, complete = document(source, batch, trouble)
    found = items(mapping(value).get("results"))
    results = found if complete else found[:-1]
    if not results:
        raise MalformedArtifactError(
            "no complete result. Expected 'results' with command and times",
            source=source.name,
        )
    executions = 0
    several = len({_command(mapping(one)) for one in results}) > 1
    for entry, result in enumerate(results, start=1):
        batch.entries += 1
        if len(items(mapping(result).get("times"))) > _MOST_TIMES:
            message = f"entry skipped: more than {_MOST_TIMES} executions"
            trouble.note(batch, "SPS002", entry, message)
            continue
        executions += _add_result(
            mapping(result),
            entry,
            executions,
            source,
            batch,
            several=several,
        )
        _check_result(mapping(result), entry, batch, trouble)
        if batch.count("requests") >= ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


def _command(result: Mapping[str, object]) -> str | None:
    command = text(result.get("command"))
    return None if command is None else command.removesuffix(_ERROR) or None


def _add_result(
    result: Mapping[str, object],
    entry: int,
    executions: int,
    source: Source,
    batch: Batch,
    *,
    several: bool,
) -> int:
    """Add the rows of a command; return how often it was executed."""
    command = _command(result)
    times, codes = items(result.get("times")), result.get("exit_codes")
    summary = _summary(result)
    if command is None or not (times or any(summary.printed.values())):
        return 0
    parameters = mapping(result.get("parameters"))
    shared: Row = {
        "source": source.name,
        "entry": entry,
        "arm": command if several else None,
        # Parameters say what differs between commands, and the command repeats them.
        "settings": settings_text(
            {f"cfg.{text(key)}": value for key, value in parameters.items()}
            or {"cfg.command": command}
        ),
    }
    for index, value in enumerate(times):
        failure = _failure(codes, index)
        row: Row = {
            **shared,
            "repetition": index,
            "process": process_of(source, executions + index),
            # Commands of one file are run one after another.
            "order": float(executions + index) if several else None,
            "ok": failure is None,
            "error": failure,
            "e2e_s": measured(value) if failure is None else None,
        }
        batch.add("requests", row)
    for row in _aggregates(result, summary):
        batch.add("aggregates", {**shared, "prompt_id": command, **row})
    batch.parsed += 1
    return len(times)


def _failure(codes: object, index: int) -> str | None:
    if not isinstance(codes, list) or index >= len(codes):
        return None
    if codes[index] is None:
        return "ended by a signal"
    return None if codes[index] == 0 else f"exit code {text(codes[index])}"


def _summary(result: Mapping[str, object]) -> Summary:
    times = items(result.get("times"))
    return Summary(
        printed={name: measured(result.get(name)) for name in _STATISTICS},
        sd=measured(result.get("stddev")),
        n=len(times) or None,
        label=_command(result) or "a command",
    )


def _aggregates(result: Mapping[str, object], summary: Summary) -> Iterator[Row]:
    yield from summary.rows({"scope": "runs"}, definition=_DEFINITION)
    for name, metric in _CPU.items():
        value = measured(result.get(name))
        if value is not None:
            yield {
                "metric": metric,
                "unit": "s",
                "statistic": "mean",
                "value": value,
                "n": summary.n,
                "scope": "runs",
            }
    used = [whole(size) for size in items(result.get("memory_usage_byte"))]
    known = [size for size in used if size]
    if known:
        yield {
            "metric": "peak_memory",
            "unit": "bytes",
            "statistic": "max",
            "value": float(max(known)),
            "n": len(known),
            "scope": "runs",
        }


def _check_result(
    result: Mapping[str, object], entry: int, batch: Batch, trouble: Trouble
) -> None:
    times, codes = items(result.get("times")), result.get("exit_codes")
    summary = _summary(result)
    if _command(result) is None or not (times or any(summary.printed.values())):
        why = "entry skipped: no command" if _command(result) is None else "no times"
        trouble.note(batch, "SPS002", entry, why)
        return
    failures = [_failure(codes, index) for index in range(len(times))]
    failed = len(times) - failures.count(None)
    if failed or str(result.get("command")).endswith(_ERROR):
        trouble.note(
            batch,
            "SPS007",
            entry,
            f"{summary.label}: {failed or 'some'} of {len(times)} executions failed; "
            "the printed mean counts them",
            remedy="run without --ignore-failure, or mend the command",
        )
    if isinstance(codes, list) and len(codes) != len(times):
        trouble.note(
            batch,
            "SPS006",
            entry,
            f"{summary.label}: exit codes and times differ in number",
            observed=f"{len(codes)} exit codes",
            required=f"{len(times)}, one a time",
        )
    seconds = [_plain(value) for value in times]
    untimed = sum(
        measured(value) is None and failure is None
        for value, failure in zip(times, failures, strict=True)
    )
    if untimed:
        trouble.note(
            batch,
            "SPS002",
            entry,
            f"{summary.label}: {untimed} times are 0 or no time (the command is as "
            "short as the start of the shell)",
            required="times above 0",
            remedy="use --shell=none, or a command that takes longer",
        )
    known = [value for value in seconds if value is not None]
    if len(known) == len(seconds):
        summary.check(known, entry, batch, trouble)


def _plain(value: object) -> float | None:
    """Return a time as it stands, 0 and less too; what is no time is missing."""
    real = number(value)
    return real if real is not None and abs(real) < _CENTURY else None


def _parse_table(source: Source) -> Batch:
    batch, trouble = Batch(), Trouble(source)
    lines = text_lines(source)
    header = next(lines, (1, ""))[1].strip().split(",")
    for line, content in lines:
        if not content.strip():
            continue
        batch.entries += 1
        cells = _cells(content)
        row = dict(zip(header, cells, strict=False))
        result: Row = {
            key: real_in(cell) if key in (*_STATISTICS, "stddev", *_CPU) else cell
            for key, cell in row.items()
        }
        if len(cells) != len(header) or not measured(result.get("mean")):
            trouble.note(batch, "SPS002", line, "row skipped: cells do not fit")
            continue
        result["parameters"] = {
            key.removeprefix("parameter_"): cell
            for key, cell in row.items()
            if key.startswith("parameter_")
        }
        if not _command(result):
            trouble.note(batch, "SPS002", line, "row skipped: no command")
            continue
        _add_result(result, line, 0, source, batch, several=True)
    trouble.close(batch)
    return batch


def _cells(line: str) -> list[str]:
    try:
        return next(csv.reader([line], strict=True), [])
    except csv.Error:
        return []


READER = Reader(
    name="hyperfine",
    label="hyperfine results (--export-json, --export-csv)",
    producers=("1.15",),
    levels=("sample", "aggregate"),
    boundary="proved: hyperfine starts a fresh process for each execution",
    traps=(
        (
            "all executions of one command precede those of the next, so drift counts "
            "as a difference between commands"
        ),
        (
            "commands of one file are its arms; of files with one command each the "
            "files are"
        ),
        "the CSV export has means only",
        "time to start the shell is subtracted, so a time may be 0",
        "--ignore-failure keeps failed executions in the printed mean",
    ),
    fields=(
        ("results[].command", "requests.arm: where there are several; without [ERROR]"),
        ("results[].times[]", "requests.e2e_s: s, as printed"),
        ("results[].exit_codes[]", "requests.ok: and requests.error; 0 is ok"),
        ("results[].parameters", "requests.settings: cfg.NAME"),
        ("mean, stddev, median, min, max", "aggregates.value: e2e in s, scope runs"),
        ("user, system", "aggregates.value: user_time, system_time in s, mean"),
        ("memory_usage_byte[]", "aggregates.value: peak_memory in bytes, max"),
        ("parameter_NAME (CSV)", "aggregates.settings: cfg.NAME"),
    ),
    marks=(b'"command"', b"command,mean,"),
    sniff=_sniff,
    parse=_parse,
)
