"""llmperf: summaries, single responses, and summaries by concurrency."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import entries, first_entry, number, text, whole
from specstats.readers._results import (
    add_aggregate,
    file_name,
    mapping,
    positive,
    reason_of,
    settings_text,
)
from specstats.readers._text import real_in
from specstats.readers.loadgen._llmperf_responses import (
    check_response,
    is_response,
    note_chunks,
    response_row,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_MINUTE = 60.0
_FIRST_VALUES = 8
_TOLERANCE = 0.005
_LARGEST = 1 << 62
_MOST_TEXT = 4096
_ERROR = re.compile(r"(-?[\w.]{1,20})'?: ?(\d{1,12})", re.ASCII)
_STATISTIC = re.compile(
    r"results_(inter_token_latency_s|ttft_s|end_to_end_latency_s"
    r"|request_output_throughput_token_per_s|number_(?:input|output)_tokens)"
    r"_(?:quantiles_)?(p\d\d|mean|min|max)",
    re.ASCII,
)
_METRICS = {
    "inter_token_latency_s": ("itl", "s"),
    "ttft_s": ("ttft", "s"),
    "end_to_end_latency_s": ("e2e", "s"),
    "request_output_throughput_token_per_s": ("request_output_throughput", "tok/s"),
    "number_input_tokens": ("input_tokens", "tokens"),
    "number_output_tokens": ("output_tokens", "tokens"),
}
_DEFINITIONS = {
    "itl": "mean of a request: time to its last token over its tokens, prefill "
    "included",
    "request_output_throughput": "chunks of a request over its latency, prefill "
    "included; a chunk may hold several tokens",
}
_OTHER = "requests without an error; sd divides by n - 1"


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = mapping(first_entry(head))
    inside = islice(entry.values(), _FIRST_VALUES)
    known = (
        "results_ttft_s_mean" in entry
        or is_response(entry)
        or any("results_ttft_s_mean" in mapping(value) for value in inside)
    )
    return Match(90 if known else 0, "no results_ttft_s_mean")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    chunked: list[tuple[int, float, int]] = []
    for line, value in entries(source):
        entry = mapping(value)
        if is_response(entry):
            batch.entries += 1
            row = response_row(entry)
            batch.add("requests", {"source": source.name, "entry": line, **row})
            check_response(batch, row, entry, line, trouble)
            note_chunks(chunked, row, entry, line)
            batch.parsed += 1
        else:
            _add_summaries(batch, source, line, value, trouble)
        if max(batch.count("requests"), batch.count("aggregates")) >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    if chunked:
        line, found, tokens = chunked[0]
        trouble.note(
            *(batch, "SPS006", line),
            f"in {len(chunked)} responses request_output_throughput_token_per_s counts "
            "chunks, not tokens: it is not read",
            observed=f"{found:.6g} over the latency",
            required=f"number_output_tokens {tokens}",
        )
    trouble.close(batch)
    yield batch


def _add_summaries(
    batch: Batch, source: Source, line: int, value: object, trouble: Trouble
) -> None:
    """Add a summary, or each summary of an object of them by concurrency."""
    entry = mapping(value)
    inside = [x for x in entry.values() if "results_ttft_s_mean" in mapping(x)]
    for place, summary in enumerate(inside or [value], start=line):
        batch.entries += 1
        found = mapping(summary)
        if found and _add_summary(batch, source, place, found):
            _check_summary(batch, found, place, trouble)
            batch.parsed += 1
        else:
            why = reason_of(summary, "neither a response nor a summary")
            trouble.note(batch, "SPS002", place, f"entry skipped: {why}")


def _counted(value: object) -> float | None:
    """Return a number, also where it was written as a string."""
    return real_in(value) if isinstance(value, str) else number(value)


def _add_summary(
    batch: Batch, source: Source, line: int, entry: Mapping[str, object]
) -> bool:
    n = whole(entry.get("results_num_completed_requests"))
    place: Row = {
        "source": source.name,
        "entry": line,
        "workload": _workload(entry),
        "settings": settings_text(_settings(entry)),
    }
    added = False
    for key, value in entry.items():
        found = _STATISTIC.fullmatch(key)
        if found is None:
            continue
        metric, unit = _METRICS[found[1]]
        statistic = "median" if found[2] == "p50" else found[2]
        sd = number(entry.get(key.removesuffix("mean") + "stddev"))
        added |= add_aggregate(
            *(batch, place, metric, unit, statistic),
            value=positive(_counted(value)),
            sd=sd if statistic == "mean" and sd is not None and sd >= 0 else None,
            n=n,
            scope="request",
            definition=_DEFINITIONS.get(metric, _OTHER),
        )
    rates = (
        ("results_mean_output_throughput_token_per_s", 1.0, "output_throughput"),
        ("results_num_completed_requests_per_min", 1 / _MINUTE, "request_throughput"),
    )
    for key, scale, metric in rates:
        unit = "req/s" if metric == "request_throughput" else "tok/s"
        value = positive(entry.get(key), scale)
        added |= add_aggregate(
            *(batch, place, metric, unit, "rate"), value=value, scope="run"
        )
    failed = whole(entry.get("results_number_errors"))
    if added or failed:
        batch.add("counters", {**place, **_counts(entry, n, failed)})
    return added or bool(failed)


def _workload(entry: Mapping[str, object]) -> str:
    prompt, output, users = (
        text(entry.get(key)) or "?"
        for key in (
            "mean_input_tokens",
            "mean_output_tokens",
            "num_concurrent_requests",
        )
    )
    return f"{prompt}+{output} tokens, concurrency {users}"


def _settings(entry: Mapping[str, object]) -> Row:
    values: Row = {
        f"cfg.{key}": entry.get(key)
        for key in (
            *("mean_input_tokens", "stddev_input_tokens", "mean_output_tokens"),
            *("stddev_output_tokens", "framework"),
        )
    }
    values["cfg.concurrency"] = whole(entry.get("num_concurrent_requests"))
    values["id.model"] = file_name(entry.get("model"))
    return values


def _counts(entry: Mapping[str, object], n: int | None, failed: int | None) -> Row:
    return {
        "scope": "run",
        "ended_s": positive(entry.get("timestamp")),
        "duration_s": _duration(entry),
        "n_requests": n,
        "n_failed": failed,
        "n_prompt": _total(entry, "results_number_input_tokens_mean"),
        "n_output": _total(entry, "results_number_output_tokens_mean"),
    }


def _duration(entry: Mapping[str, object]) -> float | None:
    """Return how long the load took: completed requests over their rate."""
    n = positive(entry.get("results_num_completed_requests"))
    rate = positive(entry.get("results_num_completed_requests_per_min"), 1 / _MINUTE)
    return positive(n / rate) if n and rate else None


def _total(entry: Mapping[str, object], key: str) -> int | None:
    n = positive(entry.get("results_num_completed_requests"))
    total = positive(entry.get(key), n or 0.0)
    if total is None or total > _LARGEST or abs(total - round(total)) > _TOLERANCE:
        return None
    return round(total)


def _check_summary(
    batch: Batch, entry: Mapping[str, object], line: int, trouble: Trouble
) -> None:
    started = whole(entry.get("results_num_requests_started"))
    done = whole(entry.get("results_num_completed_requests"))
    failed = whole(entry.get("results_number_errors"))
    if failed:
        shown = text(entry.get("results_error_code_frequency")) or ""
        trouble.note(
            *(batch, "SPS007", line, "requests failed and are left out of the summary"),
            observed=f"{failed} of {'?' if started is None else started}, "
            f"by code {shown[:80]}",
        )
    seconds, tokens = (
        _duration(entry),
        _total(entry, "results_number_output_tokens_mean"),
    )
    rate = positive(entry.get("results_mean_output_throughput_token_per_s"))
    pairs = (
        (
            "results_num_requests_started is not completed and failed together",
            started,
            done + failed if done is not None and failed is not None else None,
        ),
        (
            "results_error_code_frequency does not add up to results_number_errors",
            _errors(entry.get("results_error_code_frequency")),
            failed,
        ),
        (
            "output throughput times duration is not the output tokens",
            rate * seconds if rate and seconds else None,
            tokens,
        ),
    )
    for message, found, right in pairs:
        if found is None or right is None or abs(found - right) <= _TOLERANCE * right:
            continue
        trouble.note(
            *(batch, "SPS006", line, message),
            observed=f"{found:.6g}",
            required=f"{right:.6g}",
        )


def _errors(value: object) -> int | None:
    """Return how many errors the printed dict of codes holds."""
    if not isinstance(value, str) or len(value) > _MOST_TEXT:
        return None
    inside = value.strip()
    if not (inside.startswith("{") and inside.endswith("}")):
        return None
    return whole(sum(int(found[2]) for found in _ERROR.finditer(inside)))


READER = Reader(
    name="llmperf",
    label="llmperf results (summary, individual responses, summaries by concurrency)",
    producers=("2023-08-31",),
    levels=("request", "counter", "aggregate"),
    boundary="unknown: nothing identifies the endpoint or its launch",
    traps=(
        (
            "request_output_throughput counts chunks, which hold several tokens under "
            "speculation and with some providers: 52 for 151 tokens in a real file"
        ),
        (
            "tokens are counted with the Llama tokenizer, whatever the model: counts "
            "and rates of other models are in other tokens"
        ),
        (
            "requests that failed are left out of the summary, a third or more of "
            "them in some real files; answers that came out too short count as failed"
        ),
        (
            "the rows of failed requests are zeros, or hold a sum in "
            "inter_token_latency_s: they get no times"
        ),
        (
            "inter_token_latency_s is the time to the last token over the tokens, so "
            "prefill is in it"
        ),
        (
            "the least and greatest count of tokens are strings, the error frequency "
            "is a printed dict"
        ),
        "prompts are drawn with a fixed seed and are not in the file",
    ),
    fields=(
        (
            "results_ttft_s, _inter_token_latency_s, _end_to_end_latency_s",
            "aggregates.value: ttft, itl, e2e, s; stddev beside the mean",
        ),
        (
            "results_request_output_throughput_token_per_s",
            "aggregates.value: request_output_throughput, tok/s",
        ),
        (
            "results_number_input_tokens, _number_output_tokens",
            (
                "aggregates.value: input_tokens, output_tokens; counters: mean "
                "times completed"
            ),
        ),
        (
            "results_mean_output_throughput_token_per_s",
            "aggregates.value: output_throughput",
        ),
        (
            "results_num_completed_requests_per_min",
            (
                "aggregates.value: request_throughput, a minute to a second; "
                "counters.duration_s as completed over it"
            ),
        ),
        (
            "results_num_completed_requests, results_number_errors",
            "counters.n_requests: and n_failed",
        ),
        ("timestamp", "counters.ended_s"),
        ("ttft_s, end_to_end_latency_s", "requests.ttft_s: and e2e_s; s"),
        (
            "inter_token_latency_s times number_output_tokens, less ttft_s",
            "requests.decode_s: s, first token to last",
        ),
        (
            "number_input_tokens, number_output_tokens",
            "requests.n_prompt: and n_output",
        ),
        ("error_code, error_msg", "requests.ok: and error"),
        (
            "model, framework, mean_.._tokens, num_concurrent_requests",
            "requests.settings: id.model, cfg.*; workload",
        ),
    ),
    marks=(b'"results_ttft_s_', b'"end_to_end_latency_s"'),
    sniff=_sniff,
    parse=_parse,
)
