"""Prometheus text of vLLM's, SGLang's or llama.cpp's /metrics."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._results import add_aggregate, file_name, settings_text
from specstats.readers.vllm._samples import (
    PREFIXES,
    START,
    BadSample,
    Reading,
    readings,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_SAMPLE = re.compile(
    rb"^(?:vllm|sglang|llamacpp):\w{1,120}(?:\{\w{1,60}=\"| +[-+\d.N])", re.MULTILINE
)
_GAP = 0.02
_MOST = 2.0**53
# The producer's counter by our column; the first that is there counts.
_COUNTERS = {
    "n_verify": ("spec_decode_num_drafts_total",),
    "n_draft": ("spec_decode_num_draft_tokens_total",),
    "n_accepted": ("spec_decode_num_accepted_tokens_total",),
    "n_prompt": ("prompt_tokens_total",),
    "n_output": ("generation_tokens_total", "tokens_predicted_total"),
    "n_requests": ("time_to_first_token_seconds_count",),
}
# SGLang counts tokens here, not steps.
_STEPS = (
    "inter_token_latency_seconds_count",
    "time_per_output_token_seconds_count",
)
_CREATED = ("spec_decode_num_drafts_created", "generation_tokens_created")
_EMITTED = "spec_decode_num_emitted_tokens_total"
_FAILED = frozenset({"abort", "error"})
_HISTOGRAMS = {
    "ttft": (("time_to_first_token_seconds",), "since the server began"),
    "itl": (
        ("inter_token_latency_seconds", "time_per_output_token_seconds"),
        "since the server began; vLLM: a step, of one or more tokens",
    ),
    "e2e": (("e2e_request_latency_seconds",), "since the server began"),
}
_GAUGES = {
    "spec_accept_length": ("mean_accepted_length", "bonus token included"),
    "spec_accept_rate": (
        "acceptance_rate",
        "of SGLang; before April 2026 it counts the bonus token",
    ),
    "spec_decode_draft_acceptance_rate": (
        "acceptance_rate",
        "counts positions after the first rejection (vLLM V0)",
    ),
}
_WANTED = frozenset(
    {
        *(name for names in _COUNTERS.values() for name in names),
        *(*_STEPS, *_CREATED, *_GAUGES, START),
        *("spec_decode_num_accepted_tokens_per_pos_total", "request_success_total"),
    }
)
_UNITS = {"mean_accepted_length": "tokens", "acceptance_rate": "1"}


def _sniff(head: bytes, name: str) -> Match:
    del name
    known = _SAMPLE.search(head) is not None
    return Match(80 if known else 0, "no sample of vllm:, sglang: or llamacpp:")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    for line, found in readings(source, _WANTED):
        if isinstance(found, Reading):
            _add_rows(found, source, batch, trouble)
            if batch.count("counters") + batch.count("aggregates") > _ROWS_A_BATCH:
                yield batch
                batch = Batch()
            continue
        batch.entries += 1
        if isinstance(found, BadSample):
            trouble.note(batch, "SPS002", line, f"sample skipped: {found.why}")
        else:
            batch.parsed += 1
    trouble.close(batch)
    yield batch


def _add_rows(reading: Reading, source: Source, batch: Batch, trouble: Trouble) -> None:
    settings = dict(reading.settings)
    if len(reading.models) == 1:
        settings["id.model"] = file_name(next(iter(reading.models)))
    settings["id.engine"] = reading.prefix.rstrip(":")
    place: Row = {
        "source": source.name,
        "entry": reading.line,
        "process": _process(reading),
        "settings": settings_text(settings),
    }
    counts: Row = {column: reading.count(names) for column, names in _COUNTERS.items()}
    if reading.prefix == "vllm:":
        counts["n_steps"] = reading.count(_STEPS)
    _leave_out_v0(reading, counts, trouble, batch)
    if reading.finished:
        failed = sum(reading.finished.get(reason, 0.0) for reason in _FAILED)
        counts["n_failed"] = int(min(failed, _MOST))
        if counts["n_requests"] is None:
            answered = sum(reading.finished.values()) - failed
            counts["n_requests"] = int(min(answered, _MOST))
    if any(value is not None for value in counts.values()):
        row: Row = {**place, "scope": "lifetime", **counts}
        row["started_s"] = reading.values.get(START)
        if reading.positions:
            positions = [
                int(reading.positions.get(place, 0.0))
                for place in range(max(reading.positions) + 1)
            ]
            row["accepted_by_position"] = json.dumps(positions)
            _check_positions(positions, row, trouble, batch)
        _check_tokens(row, trouble, batch)
        batch.add("counters", row)
    _add_means(reading, place, batch)


def _leave_out_v0(
    reading: Reading, counts: Row, trouble: Trouble, batch: Batch
) -> None:
    """Drop accepted tokens of V0, which counts emitted tokens and no drafts."""
    old = _EMITTED in reading.values and counts["n_verify"] is None
    if not old or counts["n_accepted"] is None:
        return
    counts["n_accepted"] = None
    trouble.note(
        *(batch, "SPS308", reading.line),
        "accepted tokens count positions after the first rejection (vLLM V0): they "
        "are left out",
        observed="spec_decode_num_emitted_tokens_total, and no number of drafts",
        required="accepted tokens before the first rejection",
        remedy="read the log of the server: its lines say how many steps there were",
    )


def _process(reading: Reading) -> str | None:
    start = reading.values.get(START)
    if start:
        return f"started {start:.2f}"
    for name in _CREATED:
        if reading.created.get(name):
            return f"counters of {reading.created[name]:.3f}"
    return None


def _check_positions(
    positions: list[int], row: Row, trouble: Trouble, batch: Batch
) -> None:
    accepted, line = row["n_accepted"], row["entry"]
    if isinstance(accepted, int) and sum(positions) != accepted:
        trouble.note(
            *(batch, "SPS006", int(str(line))),
            "accepted tokens by position do not add up to the accepted tokens",
            observed=f"{sum(positions)} over {len(positions)} positions",
            required=str(accepted),
        )


def _check_tokens(row: Row, trouble: Trouble, batch: Batch) -> None:
    """Compare tokens with steps, where every decode step verified a draft.

    Tokens accepted behind the end of an answer are counted but not given out: at most
    a step's draft a request.
    """
    names = ("n_verify", "n_draft", "n_accepted", "n_requests", "n_output", "n_steps")
    counts = [value for name in names if isinstance(value := row.get(name), int)]
    if len(counts) < len(names):
        return
    verified, drafted, accepted, requests, output, steps = counts
    if verified != steps or not verified or not output:
        return
    made = verified + accepted + requests
    cut_off = max(requests * drafted / verified, _GAP * output)
    if not -_GAP * output <= made - output <= cut_off:
        trouble.note(
            *(batch, "SPS006", int(str(row["entry"]))),
            "steps, accepted tokens and first tokens do not add up to the output",
            observed=f"{made} tokens from steps",
            required=f"{output} generated, and up to {cut_off:.0f} cut off at the end",
        )


def _add_means(reading: Reading, place: Row, batch: Batch) -> None:
    for metric, (names, meaning) in _HISTOGRAMS.items():
        for name in names:
            total = reading.values.get(f"{name}_sum")
            count = reading.count((f"{name}_count",))
            if total and count:
                add_aggregate(
                    *(batch, place, metric, "s", "mean"),
                    value=total / count,
                    n=count,
                    scope="lifetime",
                    definition=meaning,
                )
                break
    for name, (metric, meaning) in _GAUGES.items():
        value = reading.values.get(name)
        if value:
            add_aggregate(
                *(batch, place, metric, _UNITS[metric], "last"),
                value=value / reading.samples[name],
                scope="window",
                definition=meaning,
            )


READER = Reader(
    name="prometheus",
    label="/metrics of vLLM, SGLang or llama.cpp (Prometheus text)",
    producers=("vLLM 0.12.0", "vLLM 0.21.0", "vLLM 0.25.1"),
    levels=("counter", "aggregate"),
    boundary="proved by process_start_time_seconds, else by the time at which the "
    "counters were created; two readings of one process give their difference",
    traps=(
        (
            "a reading alone counts since the server began, warm-up included; read one "
            "before and one after the load"
        ),
        (
            "1 + accepted / drafts is tokens a step only if every step drafted: n-gram "
            "drafters often do not, so tokens over all decode steps are given"
        ),
        (
            "tokens accepted behind the end of an answer are counted: steps and "
            "accepted tokens exceed the output by about 1 %"
        ),
        "accepted tokens by position are unconditional: divide by drafts",
        "values of several engines (data parallel) are summed, gauges averaged",
        (
            "a reading under load has requests that are not finished: requests are "
            "those with a first token"
        ),
        "acceptance configured by the server (synthetic) does not show in /metrics",
        "accepted tokens of V0 count positions after the first rejection: left out",
        "SGLang counts tokens, not steps, in inter_token_latency_seconds_count",
    ),
    fields=(
        ("spec_decode_num_drafts_total", "counters.n_verify"),
        ("spec_decode_num_draft_tokens_total", "counters.n_draft"),
        ("spec_decode_num_accepted_tokens_total", "counters.n_accepted"),
        (
            "spec_decode_num_accepted_tokens_per_pos_total",
            "counters.accepted_by_position",
        ),
        ("generation_tokens_total, tokens_predicted_total", "counters.n_output"),
        ("prompt_tokens_total", "counters.n_prompt"),
        (
            "inter_token_latency_seconds_count, time_per_output_token_seconds_count",
            "counters.n_steps: decode steps, drafted or not; of vLLM alone",
        ),
        (
            "time_to_first_token_seconds_count, else request_success_total",
            "counters.n_requests",
        ),
        ("request_success_total of abort and error", "counters.n_failed"),
        (f"{START}, else *_created", "counters.process"),
        (START, "counters.started_s: Unix time, s"),
        ("histograms _sum / _count", "aggregates.value: s, means since the start"),
        ("spec_accept_length, spec_accept_rate", "aggregates.value: last window"),
        ("cache_config_info, model_name", "counters.settings"),
    ),
    marks=tuple(prefix.encode() for prefix in PREFIXES),
    sniff=_sniff,
    parse=_parse,
)
