"""MLPerf LoadGen: mlperf_log_summary.txt and mlperf_log_detail.txt."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import BadEntry, decoded, number, scalar, text
from specstats.readers._results import mapping
from specstats.readers._text import clean_head, real_in, text_lines
from specstats.readers.suites._loadgen import LoadGen, statistic_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["READER"]

_TITLE = "MLPerf Results Summary"
_MARK = ":::MLLOG"
_NO_ERRORS = re.compile(r"\A\s*(?:No|\d+) warnings? encountered[^\n]*\n\s*(?:No|\d+) e")
_RATE = re.compile(
    r"(completed |scheduled )?(samples|tokens|queries) per second", re.IGNORECASE
)
_LATENCY = re.compile(
    r"(Min|Max|Mean|\d+\.\d+|\d+th) (?:percentile )?"
    r"(latency|first token latency|time to output token) \(ns\)",
    re.IGNORECASE,
)
_KINDS = {
    "latency": "e2e",
    "first token latency": "ttft",
    "time to output token": "tpot",
}
_RATES = {
    "samples": ("request_throughput", "req/s"),
    "queries": ("request_throughput", "req/s"),
    "tokens": ("output_throughput", "tok/s"),
}
_SCHEDULED = ("scheduled_request_rate", "req/s")
_RESULT = re.compile(
    r"result_(first_token_|time_per_output_token_|time_to_output_token_)?"
    r"(min|max|mean|\d+\.\d+_percentile)(?:_latency)?(?:_ns)?"
)
_DETAIL_KINDS = {
    None: "e2e",
    "first_token_": "ttft",
    "time_per_output_token_": "tpot",
    "time_to_output_token_": "tpot",
}
_DETAIL_RATES = {
    "result_completed_samples_per_sec": ("request_throughput", "req/s"),
    "result_samples_per_second": ("request_throughput", "req/s"),
    "result_scheduled_samples_per_sec": _SCHEDULED,
    "result_completed_tokens_per_second": ("output_throughput", "tok/s"),
    "result_tokens_per_second": ("output_throughput", "tok/s"),
    "result_token_throughput_with_loadgen_overhead": (
        "output_throughput_with_overhead",
        "tok/s",
    ),
}
_KEY = re.compile(r'"key": ?"([\w.]{1,80})"')
_NO_SETTING = re.compile(r".*_seed")
_NO_RATE = 1e-3


def _sniff(head: bytes, name: str) -> Match:
    del name
    shown = clean_head(head)
    if _TITLE in shown[:4096]:
        return Match(90, _TITLE)
    if shown.lstrip().startswith(_MARK) and '"key"' in shown:
        return Match(90, _MARK)
    if _NO_ERRORS.match(shown[:4096]):
        return Match(60, "the last lines of a LoadGen summary")
    return Match(0, f"neither {_TITLE!r} nor {_MARK}")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    detail = clean_head(source.head()).lstrip().startswith(_MARK)
    runs = _details(source, batch, trouble) if detail else _summaries(source)
    for run in runs:
        run.finish(batch, source, trouble)
    trouble.close(batch)
    yield batch


def _summaries(source: Source) -> Iterator[LoadGen]:
    run: LoadGen | None = None
    for line, content in text_lines(source):
        if _TITLE in content:
            if run is not None:
                yield run
            run = LoadGen(line=line)
        elif run is not None:
            _take_line(run, content)
    yield run or LoadGen()


def _take_line(run: LoadGen, content: str) -> None:
    key, mark, value = (part.strip() for part in content.partition(":"))
    lowered = key.lower()
    if content.rstrip().endswith("errors encountered. See detailed log."):
        run.reasons.append(content.strip())
    if content.startswith(" * ") and "success" not in content.lower():
        run.reasons.append(content.strip(" *"))
    if not mark:
        return
    if lowered in {"scenario", "mode"}:
        setattr(run, lowered, value[:80])
    elif lowered == "result is":
        run.validity = value[:80]
    elif lowered == "sut name":
        run.settings["id.sut"] = value[:200]
    else:
        _take_number(run, key, value)


def _take_number(run: LoadGen, key: str, value: str) -> None:
    real = real_in(value)
    if real is None:
        return
    latency, rate = _LATENCY.fullmatch(key), _RATE.fullmatch(key)
    if latency is not None:
        statistic = statistic_name(latency[1])
        if statistic is not None:
            run.latencies.append((_KINDS[latency[2].lower()], statistic, real))
    elif rate is not None:
        scheduled = (rate[1] or "").lower().startswith("scheduled")
        run.rates[_SCHEDULED if scheduled else _RATES[rate[2].lower()]] = real
    elif re.fullmatch(r"[a-z_]{1,60}(?: \((?:ns|ms)\))?", key):
        _take_setting(run, key, real)


def _take_setting(run: LoadGen, key: str, real: float) -> None:
    name, _, unit = key.partition(" ")
    if _NO_SETTING.fullmatch(name):
        return
    suffix = f"_{unit.strip('()')}" if unit else ""
    run.settings[f"cfg.{name}{suffix}"] = real


def _details(source: Source, batch: Batch, trouble: Trouble) -> Iterator[LoadGen]:
    run: LoadGen | None = None
    for line, content in text_lines(source):
        if not content.startswith(_MARK):
            continue
        value = decoded(content[len(_MARK) :].strip().encode())
        if isinstance(value, BadEntry):
            found = _KEY.search(content)
            if found is not None and found[1].startswith("result_"):
                batch.entries += 1
                message = f"line skipped: {found[1]}: {value.reason}"
                trouble.note(batch, "SPS002", line, message)
            continue
        entry = mapping(value)
        key = text(entry.get("key")) or ""
        if key == "loadgen_version" and run is not None:
            yield run
            run = None
        run = run or LoadGen(line=line)
        _take_entry(run, key, entry)
        _note_unit(batch, key, entry, line, trouble)
    yield run or LoadGen()


def _take_entry(run: LoadGen, key: str, entry: Mapping[str, object]) -> None:
    value = entry.get("value")
    if mapping(entry.get("metadata")).get("is_error") is True:
        run.reasons.append(f"{key}: {text(value)}"[:200])
    if key == "loadgen_version":
        run.settings["id.build"] = text(value)
    elif key == "effective_scenario":
        run.scenario = text(value)
    elif key == "effective_test_mode":
        run.mode = text(value)
    elif key == "sut_name":
        run.settings["id.sut"] = text(value)
    elif key == "result_validity":
        run.validity = text(value)
    elif key.startswith("effective_"):
        setting: Row = {f"cfg.{key.removeprefix('effective_')}": scalar(value)}
        if not _NO_SETTING.fullmatch(key):
            run.settings.update(setting)
    else:
        _take_result(run, key, number(value))


def _take_result(run: LoadGen, key: str, real: float | None) -> None:
    if real is None:
        return
    rate, latency = _DETAIL_RATES.get(key), _RESULT.fullmatch(key)
    if rate is not None:
        run.rates[rate] = real
    elif latency is not None:
        statistic = statistic_name(latency[2].removesuffix("_percentile"))
        if statistic is not None:
            run.latencies.append((_DETAIL_KINDS[latency[1]], statistic, real))


def _note_unit(
    batch: Batch, key: str, entry: Mapping[str, object], line: int, trouble: Trouble
) -> None:
    if key != "result_token_throughput":
        return
    value = number(entry.get("value"))
    if value is not None and 0 < value < _NO_RATE:
        trouble.note(
            batch,
            "SPS010",
            line,
            "result_token_throughput is no rate in tokens a second and was not read",
            observed=f"{value:g}",
            required="tokens a second",
        )


READER = Reader(
    name="mlperf",
    label="MLPerf LoadGen results (mlperf_log_summary.txt, mlperf_log_detail.txt)",
    producers=("LoadGen 5.1",),
    levels=("aggregate",),
    boundary="not stated: a file is one run of LoadGen, and nothing says when the "
    "system under test was started",
    traps=(
        "latencies are in nanoseconds",
        "INVALID, ranging and accuracy runs give no rows",
        "the interactive benchmark is written as scenario Server",
        "offline latencies include the wait of every sample",
        "hardware and model stand in the path only",
        "result_token_throughput of the detailed log is no rate",
    ),
    fields=(
        (
            "Samples per second, Completed samples per second",
            "aggregates.value: request_throughput, req/s",
        ),
        (
            "Tokens per second, Completed tokens per second",
            "aggregates.value: output_throughput, tok/s",
        ),
        (
            "Scheduled samples per second",
            "aggregates.value: scheduled_request_rate, req/s",
        ),
        ("latency (ns)", "aggregates.value: e2e, ns to s"),
        ("first token latency (ns)", "aggregates.value: ttft, ns to s"),
        ("time to output token (ns)", "aggregates.value: tpot, ns to s"),
        ("Scenario", "aggregates.workload: also settings cfg.scenario"),
        ("Test Parameters Used", "aggregates.settings: cfg.*, seeds left out"),
        ("result_*, effective_*", "aggregates.*: the same, from the detailed log"),
        (
            "result_token_throughput_with_loadgen_overhead",
            "aggregates.value: output_throughput_with_overhead, tok/s",
        ),
    ),
    marks=(b"MLPerf Results Summary", b":::MLLOG", b" encountered"),
    sniff=_sniff,
    parse=_parse,
)
