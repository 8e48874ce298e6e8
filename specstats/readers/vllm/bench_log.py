"""The block that ``vllm bench serve`` (and SGLang's) prints: one load a block."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.errors import MalformedArtifactError
from specstats.readers._base import NO_MATCH, Batch, Match, Reader, Row, Trouble
from specstats.readers._json import whole
from specstats.readers._results import add_aggregate, positive, settings_text
from specstats.readers._text import count_in, real_in, text_lines
from specstats.readers.vllm._arguments import namespace_settings
from specstats.readers.vllm._windows import by_position

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = ["READER"]

_DURATION = "Benchmark duration (s)"
_BEGIN = "Serving Benchmark Result"
# It may stand in front of more progress lines than the head of a file has.
_LOAD = b"Namespace(subparser='bench', bench_type='serve'"
_PAIR = re.compile(r"([^:]{1,60}): +(\S{1,40})\s*")
_COUNTS = {
    "Successful requests": "n_requests",
    "Failed requests": "n_failed",
    "Total input tokens": "n_prompt",
    "Total generated tokens": "n_output",
    "Drafts": "n_verify",
    "Draft tokens": "n_draft",
    "Accepted tokens": "n_accepted",
}
_RATES = {
    "Request throughput (req/s)": ("request_throughput", "req/s"),
    "Input token throughput (tok/s)": ("input_throughput", "tok/s"),
    "Output token throughput (tok/s)": ("output_throughput", "tok/s"),
    "Total Token throughput (tok/s)": ("total_throughput", "tok/s"),
    "Total token throughput (tok/s)": ("total_throughput", "tok/s"),
}
_METRICS = {
    "TTFT": "ttft",
    "TPOT": "tpot",
    "ITL": "itl",
    "E2EL": "e2e",
    "E2E Latency": "e2e",
}
_LATENCY = re.compile(
    r"(Mean|Median|Max|Min|P[\d.]{1,5}) (TTFT|TPOT|ITL|E2EL|E2E Latency) \(ms\)",
    re.ASCII,
)
_A_REQUEST = frozenset({"ttft", "e2e"})
_POSITION = re.compile(r"\s*Position (\d{1,4})", re.ASCII)
_LENGTHS = {
    "Acceptance length": {"scope": "run", "definition": "bonus token included"},
    "Accept length": {
        "scope": "lifetime",
        "definition": "bonus token included; since the server began",
    },
}
_MOST_POSITIONS = 1_000
_POSITION_ROUNDING = 0.0000501
_PERCENT_ROUNDING = 0.011
_LENGTH_ROUNDING = 0.011
_RATE_TOLERANCE = 0.01


@dataclass(slots=True)
class _Block:
    line: int
    values: dict[str, str] = field(default_factory=dict)
    positions: dict[int, str] = field(default_factory=dict)


def _sniff(head: bytes, name: str) -> Match:
    del name
    if head.lstrip()[:1] == b"{":
        return NO_MATCH
    score = 85 if _BEGIN.encode() in head else 60 if _LOAD in head else 0
    return Match(score, f"no {_BEGIN!r}")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    settings: dict[str, object] = {}
    block: _Block | None = None
    for line, text in text_lines(source):
        if "Namespace(" in text:
            settings = namespace_settings(text)
        elif _BEGIN in text:
            if block is not None:
                _finish(block, source, settings, batch, trouble)
            block = _Block(line)
        elif block is not None and text.startswith("====="):
            _finish(block, source, settings, batch, trouble)
            block, settings = None, {}
        elif block is not None:
            _take(block, text)
    if block is not None:
        _finish(block, source, settings, batch, trouble)
    if not batch.entries:
        raise MalformedArtifactError(
            "no block of results: the load did not come to its end", source=source.name
        )
    trouble.close(batch)
    yield batch


def _take(block: _Block, text: str) -> None:
    found = _PAIR.fullmatch(text)
    if found is None:
        return
    position = _POSITION.fullmatch(found[1])
    if position is not None:
        block.positions[int(position[1])] = found[2]
    else:
        block.values.setdefault(found[1].strip(), found[2])


def _finish(
    block: _Block,
    source: Source,
    settings: dict[str, object],
    batch: Batch,
    trouble: Trouble,
) -> None:
    batch.entries += 1
    counts = {
        column: count_in(block.values.get(label)) for label, column in _COUNTS.items()
    }
    if counts["n_requests"] is None:
        message = "block skipped: no number of successful requests"
        trouble.note(batch, "SPS002", block.line, message)
        return
    batch.parsed += 1
    told = {**settings, **_load(block)}
    place: Row = {
        "source": source.name,
        "entry": block.line,
        "settings": settings_text(told),
    }
    row: Row = {**place, "scope": "run", **counts}
    row["duration_s"] = positive(real_in(block.values.get(_DURATION)))
    if not counts["n_requests"]:
        # Everything else is printed as zero, though nothing was measured.
        failed = counts["n_failed"] or whole(settings.get("cfg.num_prompts"))
        _note_failure(block, 0, failed, batch, trouble)
        batch.add(
            "counters",
            {**place, "scope": "run", "n_requests": 0, "n_failed": failed or None},
        )
        return
    if counts["n_failed"]:
        _note_failure(block, counts["n_requests"], counts["n_failed"], batch, trouble)
    row["accepted_by_position"] = _positions(block, counts)
    batch.add("counters", row)
    _add_aggregates(block, place, counts["n_requests"], batch)
    _check(block, counts, batch, trouble)


def _load(block: _Block) -> dict[str, object]:
    """Return what the block itself says of the load."""
    concurrency = count_in(
        block.values.get("Maximum request concurrency")
        or block.values.get("Max request concurrency")
    )
    told = {
        "cfg.backend": block.values.get("Backend"),
        "cfg.max_concurrency": concurrency,
        "cfg.request_rate": real_in(block.values.get("Request rate configured (RPS)")),
    }
    return {key: value for key, value in told.items() if value is not None}


def _note_failure(
    block: _Block, answered: int, failed: int | None, batch: Batch, trouble: Trouble
) -> None:
    told = f"{failed} requests" if answered else "all requests"
    trouble.note(
        batch,
        "SPS007",
        block.line,
        f"{told} of the load failed",
        observed=f"{answered} successful, {failed or 'all'} failed",
        required="requests that are answered",
        remedy="look into the log of the server; no value of a failed load is used",
    )


def _positions(block: _Block, counts: dict[str, int | None]) -> str | None:
    """Return accepted tokens by position, where the percents give whole ones."""
    drafts, accepted = counts["n_verify"], counts["n_accepted"]
    percents = [real_in(block.positions.get(place)) for place in range(_MOST_POSITIONS)]
    rates = [percent / 100 for percent in percents if percent is not None]
    if drafts is None or accepted is None or len(rates) != len(block.positions):
        return None
    found = by_position(rates, _POSITION_ROUNDING, drafts, accepted)
    return None if found is None else json.dumps(found)


def _add_aggregates(block: _Block, place: Row, requests: int, batch: Batch) -> None:
    for label, text in block.values.items():
        value = real_in(text)
        latency = _LATENCY.fullmatch(label)
        if not value or value < 0:  # zeros stand for what was not measured
            continue
        if latency is not None:
            metric = _METRICS[latency[2]]
            deviation = real_in(block.values.get(f"Std {latency[2]} (ms)"))
            mean = latency[1] == "Mean"
            add_aggregate(
                *(batch, place, metric, "s", latency[1].lower()),
                value=value / 1e3,
                sd=deviation / 1e3 if mean and deviation else None,
                n=requests if metric in _A_REQUEST else None,
                scope="run",
            )
        elif label in _RATES:
            metric, unit = _RATES[label]
            add_aggregate(batch, place, metric, unit, "rate", value=value, scope="run")
        elif label == "Acceptance rate (%)":
            more = {"value": value / 100, "scope": "run"}
            add_aggregate(batch, place, "acceptance_rate", "1", "ratio", **more)  # type: ignore[arg-type]
        elif label in _LENGTHS:
            what = ("mean_accepted_length", "tokens", "ratio")
            more = {"value": value, **_LENGTHS[label]}
            add_aggregate(batch, place, *what, **more)  # type: ignore[arg-type]


def _check(
    block: _Block, counts: dict[str, int | None], batch: Batch, trouble: Trouble
) -> None:
    values = {label: real_in(text) for label, text in block.values.items()}
    drafts, accepted = counts["n_verify"], counts["n_accepted"]
    drafted, output = counts["n_draft"], counts["n_output"]
    length, percent = values.get("Acceptance length"), values.get("Acceptance rate (%)")
    seconds = values.get(_DURATION)
    rate = values.get("Output token throughput (tok/s)")

    def note(message: str, observed: float, required: float) -> None:
        told = {"observed": f"{observed:g}", "required": f"{required:.2f}"}
        trouble.note(batch, "SPS006", block.line, message, **told)

    if length is not None and drafts and accepted is not None:
        right = 1 + accepted / drafts
        if abs(length - right) > _LENGTH_ROUNDING:
            note("the acceptance length is not 1 + accepted / drafts", length, right)
    if percent is not None and drafted and accepted is not None:
        right = 100 * accepted / drafted
        if abs(percent - right) > _PERCENT_ROUNDING:
            note("the acceptance rate is not accepted / drafted", percent, right)
    if seconds and rate is not None and output is not None:
        right = output / seconds
        # The duration is printed to 0.01 s.
        if abs(rate - right) > _RATE_TOLERANCE * (1 + right / seconds):
            note("the output rate is not tokens / duration", rate, right)


READER = Reader(
    name="vllm-bench-log",
    label="printed block of vllm bench serve, or of SGLang's bench_serving",
    producers=("vLLM 0.10", "vLLM 0.20.0", "vLLM 0.21.0"),
    levels=("counter", "aggregate"),
    boundary="unknown: the block is the client's; loads of one server look the same",
    traps=(
        (
            "acceptance is the difference of the server's counters over the load, and "
            "includes whatever else the server did"
        ),
        "SGLang's Accept length counts since its server began",
        "a load whose requests all failed prints zeros and ends normally",
        "temperature is no longer 0 by default: equal seeds may sample",
    ),
    fields=(
        ("Successful requests", "counters.n_requests"),
        ("Failed requests", "counters.n_failed"),
        (_DURATION, "counters.duration_s: s"),
        ("Total input tokens", "counters.n_prompt"),
        ("Total generated tokens", "counters.n_output"),
        ("Drafts", "counters.n_verify"),
        ("Draft tokens", "counters.n_draft"),
        ("Accepted tokens", "counters.n_accepted"),
        ("Position i", "counters.accepted_by_position: percent of drafts, times them"),
        ("Mean, Median, Pxx (ms)", "aggregates.value: s"),
        ("throughputs", "aggregates.value: as printed"),
        ("Acceptance rate (%)", "aggregates.value: a fraction"),
        ("Namespace(...)", "counters.settings"),
    ),
    marks=(_BEGIN.encode(), _LOAD),
    sniff=_sniff,
    parse=_parse,
)
