"""genai-perf: raw profile, summary (JSON and CSV) and the console table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from specstats.errors import MalformedArtifactError
from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import entries, first_entry
from specstats.readers._results import (
    items,
    mapping,
    reason_of,
    settings_text,
)
from specstats.readers._text import clean_head, text_lines
from specstats.readers.loadgen._aiperf_metrics import METRICS, Found, add_metrics
from specstats.readers.loadgen._distributions import begins_like, flat, model_name
from specstats.readers.loadgen._genai_perf_profile import (
    add_experiment,
    is_profile,
)
from specstats.readers.loadgen._metric_tables import (
    console_rows,
    header_kind,
    read_table,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_ROUNDING = 0.0051
_SIGNS = frozenset({"perf_analyzer", "service_kind", "formatted_model_name"})
_TITLE = re.compile(r"GenAI-Perf \| (?:LLM )?Metrics")
_LEFT_OUT = frozenset(
    {
        *("url", "u", "urls", "header", "headers", "verbose", "output", "tokenizer"),
        *("model", "model_names", "formatted_model_name", "artifact_dir", "subcommand"),
        *("profile_export_file", "input_file", "path", "server_metrics_url"),
    }
)


def _sniff(head: bytes, name: str) -> Match:
    del name
    first = first_entry(head)
    if first is not None:
        entry = mapping(first)
        known = is_profile(entry) or _is_summary(entry)
        return Match(90 if known else 0, "no experiments and no genai-perf config")
    if begins_like(head, b'"experiments"', b'"response_timestamps"'):
        return Match(70, "beginning of a genai-perf profile")
    content = clean_head(head)
    line = content.lstrip().partition("\n")[0].strip()
    if header_kind(line.split(",")) == "genai-perf":
        return Match(85, "header of a genai-perf table")
    known = _TITLE.search(content) is not None and "Statistic" in content
    return Match(80 if known else 0, "no table of genai-perf")


def _is_summary(entry: Mapping[str, object]) -> bool:
    config = mapping(entry.get("input_config"))
    printed = any("unit" in mapping(entry.get(tag)) for tag in METRICS)
    return printed and not _SIGNS.isdisjoint(config)


def _parse(source: Source) -> Iterator[Batch]:
    trouble = Trouble(source)
    head = source.head().lstrip()
    batch = Batch()
    if head[:1] in (b"{", b"["):
        for line, value in entries(source):
            yield from _read(source, line, value, trouble)
    elif header_kind(clean_head(head).partition("\n")[0].strip().split(",")):
        _read_csv(batch, source, trouble)
    else:
        _read_console(batch, source, trouble)
    trouble.close(batch)
    yield batch


def _read(
    source: Source, line: int, value: object, trouble: Trouble
) -> Iterator[Batch]:
    batch, entry = Batch(), mapping(value)
    if not is_profile(entry):
        batch.entries = 1
        batch.parsed = int(
            bool(entry) and _add_summary(batch, source.name, line, entry, trouble)
        )
        if not batch.parsed:
            why = reason_of(value, "no experiments and no metrics")
            trouble.note(batch, "SPS002", line, f"entry skipped: {why}")
        yield batch
        return
    number = line
    for experiment in items(entry.get("experiments")):
        for request in add_experiment(source.name, entry, experiment):
            batch.entries += 1
            if request.add(batch, number):
                batch.parsed += 1
            else:
                message = "entry skipped: no timestamps in order"
                trouble.note(batch, "SPS002", number, message)
            number += 1
            if batch.count("requests") + batch.count("steps") >= _ROWS_A_BATCH:
                yield batch
                batch = Batch()
    yield batch


def _add_summary(
    batch: Batch, source: str, line: int, entry: Mapping[str, object], trouble: Trouble
) -> bool:
    if not _is_summary(entry):
        return False
    config = mapping(entry.get("input_config"))
    named = config.get("model_names", config.get("model"))
    settings: Row = {"id.model": model_name(named)}
    settings.update(flat("cfg.", config, without=_LEFT_OUT))
    place: Row = {
        "source": source,
        "entry": line,
        "settings": settings_text(settings),
    }
    return add_metrics(batch, place, entry, trouble, failed=None) > 0


def _read_csv(batch: Batch, source: Source, trouble: Trouble) -> None:
    found: Found = {}
    for number, tag, values in read_table(source):
        batch.entries += 1
        if values is None:
            message = "row skipped: cells do not fit the header"
            trouble.note(batch, "SPS002", number, message)
            continue
        batch.parsed += 1
        found.setdefault(tag, values)
    place: Row = {"source": source.name, "entry": 1}
    add_metrics(batch, place, found, trouble, failed=None, rounding=_ROUNDING)


def _read_console(batch: Batch, source: Source, trouble: Trouble) -> None:
    found, begins = console_rows(list(text_lines(source)))
    if not found:
        raise MalformedArtifactError(
            "no row of the genai-perf table", source=source.name
        )
    place: Row = {"source": source.name, "entry": begins}
    batch.entries = batch.parsed = len(found)
    add_metrics(batch, place, found, trouble, failed=None, rounding=_ROUNDING)


READER = Reader(
    name="genai-perf",
    label="genai-perf (profile_export.json, profile_export_genai_perf.json and .csv, "
    "console table)",
    producers=("console table of 0.0.x", "files: source only"),
    levels=("request", "step", "counter", "aggregate"),
    boundary="unknown: genai-perf loads a server that runs already; an export merged "
    "by process-export-files has lost its runs",
    traps=(
        "retired in favour of AIPerf; its files are known from the source code alone",
        "the CSV is told from AIPerf's by the order of its columns",
        "process-export-files merges the runs of several machines into one",
        (
            "profile_export.json counts no tokens: n_output is there only where the "
            "server sent its own usage"
        ),
        "responses without text (the role at the start, the end mark) are no tokens",
        "experiments of one file are load levels on one server, not repeats",
    ),
    fields=(
        (
            "experiments[].requests[].timestamp, response_timestamps",
            (
                "requests.started_s: and ended_s, ttft_s, e2e_s, decode_s; ns to "
                "s; steps.step_s between responses with text"
            ),
        ),
        (
            "experiments[].requests[].response_outputs",
            "requests.output_sha256: usage gives n_output, n_prompt",
        ),
        (
            "experiments[].experiment.mode, value",
            "requests.workload: also settings cfg.*",
        ),
        (
            "<tag>.unit, avg, std, p1 .. p99, min, max",
            "aggregates.value: ttft, tpot, e2e, decode_rate, lengths; s, tok/s, tokens",
        ),
        ("request_count", "counters.n_requests: scope run"),
        ("input_config", "requests.settings: cfg.*, id.model"),
    ),
    marks=(
        b'"experiments"',
        b'"input_config"',
        b"Metric,avg,min,max",
        b"GenAI-Perf |",
    ),
    experimental=True,
    sniff=_sniff,
    parse=_parse,
)
