"""SGLang bench_serving: one JSON object a load, appended line by line."""

from __future__ import annotations

import hashlib
import re
import statistics
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import entries, first_entry, number, text, whole
from specstats.readers._results import (
    add_aggregate,
    items,
    mapping,
    positive,
    reason_of,
    settings_text,
)
from specstats.readers.sglang._server import LENGTH, launch_of, server_settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_MILLI = 1e-3
_TOLERANCE = 0.005
_TOKENISER_TOLERANCE = 0.1
_STATISTIC = re.compile(
    r"(mean|median|p\d{1,2}|min|max)_(e2e_latency|ttft|tpot|itl)(?:_ms)?", re.ASCII
)
_METRICS = {"e2e_latency": "e2e", "ttft": "ttft", "tpot": "tpot", "itl": "itl"}
_RATES = {
    "request_throughput": ("request_throughput", "req/s"),
    "input_throughput": ("input_throughput", "tok/s"),
    "output_throughput": ("output_throughput", "tok/s"),
    "output_token_throughput": ("output_throughput", "tok/s"),
    "total_throughput": ("total_throughput", "tok/s"),
}
_LOAD = (
    *("backend", "dataset_name", "max_concurrency", "num_prompts"),
    *("sharegpt_output_len", "random_input_len", "random_output_len"),
    *("random_range_ratio", "seed"),
)
_ITL = "between chunks of all requests; a chunk may hold several tokens"

Entry = dict[str, object]


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = mapping(first_entry(head))
    known = "total_output_tokens_retokenized" in entry or (
        "dataset_name" in entry
        and "sharegpt_output_len" in entry
        and "request_rate" in entry
    )
    return Match(90 if known else 0, "no total_output_tokens_retokenized")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    for line, value in entries(source):
        batch.entries += 1
        entry = mapping(value)
        if whole(entry.get("completed")) is None:
            why = reason_of(value, "no count of completed requests")
            trouble.note(batch, "SPS002", line, f"entry skipped: {why}")
            continue
        place = _place(source, line, entry)
        _add_load(batch, place, entry)
        _check_load(batch, entry, line, trouble)
        rows = _requests(place, entry)
        _check_requests(batch, rows, entry, line, trouble)
        batch.parsed += 1
        for row in rows:
            if batch.count("requests") >= _ROWS_A_BATCH:
                yield batch
                batch = Batch()
            batch.add("requests", row)
        if batch.count("aggregates") >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


def _place(source: Source, line: int, entry: Mapping[str, object]) -> Row:
    info = mapping(entry.get("server_info"))
    settings: Entry = server_settings(info) if info else {}
    settings.update({f"cfg.{key}": entry.get(key) for key in _LOAD})
    settings["cfg.request_rate"] = _request_rate(entry.get("request_rate"))
    return {
        "source": source.name,
        "entry": line,
        "workload": text(entry.get("dataset_name")),
        "prompt_id": text(entry.get("tag")),
        "process": launch_of(info) if info else None,
        "settings": settings_text(settings),
    }


def _request_rate(value: object) -> float | str | None:
    """Return the rate; Python writes an unlimited one as the literal Infinity."""
    unlimited = isinstance(value, float) and value == float("inf")
    return "inf" if unlimited else number(value)


def _add_load(batch: Batch, place: Row, entry: Mapping[str, object]) -> None:
    n = whole(entry.get("completed"))
    batch.add(
        "counters",
        {
            **place,
            "scope": "run",
            "duration_s": positive(entry.get("duration")),
            "n_requests": n,
            "n_prompt": whole(entry.get("total_input_tokens")),
            "n_output": whole(entry.get("total_output_tokens")),
        },
    )
    for key, value in entry.items():
        found = _STATISTIC.fullmatch(key)
        if found is not None:
            _add_latency(batch, place, entry, found, positive(value, _MILLI))
        elif key in _RATES:
            metric, unit = _RATES[key]
            add_aggregate(
                *(batch, place, metric, unit, "rate"),
                value=positive(value),
                scope="run",
                definition="over the whole load, reading /server_info included",
            )
    add_aggregate(
        *(batch, place, "concurrency", "1", "mean"),
        value=positive(entry.get("concurrency")),
        scope="run",
        definition="sum of the latencies over the duration",
    )
    add_aggregate(
        *(batch, place, "mean_accepted_length", "tokens", "ratio"),
        value=positive(entry.get("accept_length")),
        scope="lifetime",
        definition=LENGTH,
    )


def _add_latency(
    batch: Batch,
    place: Row,
    entry: Mapping[str, object],
    found: re.Match[str],
    value: float | None,
) -> None:
    statistic, name = found[1], found[2]
    sd = number(entry.get(found.string.replace("mean", "std", 1)))
    add_aggregate(
        *(
            batch,
            place,
            _METRICS[name],
            "s",
            "median" if statistic == "p50" else statistic,
        ),
        value=value,
        sd=sd * _MILLI if statistic == "mean" and sd is not None and sd >= 0 else None,
        n=whole(entry.get("completed")) if name in {"e2e_latency", "ttft"} else None,
        scope="request",
        definition=_ITL if name == "itl" else "sd divides by n",
    )


def _requests(place: Row, entry: Mapping[str, object]) -> list[Row]:
    """Return a row a request, from the parallel lists of --output-details."""
    outputs = items(entry.get("output_lens"))
    inputs, firsts = items(entry.get("input_lens")), items(entry.get("ttfts"))
    gaps, texts = items(entry.get("itls")), items(entry.get("generated_texts"))
    errors = items(entry.get("errors"))
    rows: list[Row] = []
    for index, tokens in enumerate(outputs):
        row: Row = {
            **place,
            "prompt_id": str(index),
            "n_prompt": whole(_at(inputs, index)),
        }
        error = text(_at(errors, index))
        if error:
            row.update(ok=False, error=error)
        else:
            row.update(ok=True, n_output=whole(tokens))
        if row.get("n_output"):
            row["ttft_s"] = positive(_at(firsts, index))
            row["decode_s"] = _sum(_at(gaps, index))
            content = _at(texts, index)
            if isinstance(content, str) and content:
                raw = content.encode("utf-8", "replace")
                row["output_sha256"] = hashlib.sha256(raw).hexdigest()
        rows.append(row)
    return rows


def _at(values: Sequence[object], index: int) -> object:
    return values[index] if index < len(values) else None


def _sum(gaps: object) -> float | None:
    """Return the time between the first chunk and the last."""
    found = [number(gap) for gap in items(gaps)]
    known = [gap for gap in found if gap is not None and gap >= 0]
    return positive(sum(known)) if known and len(known) == len(found) else None


def _check_load(
    batch: Batch, entry: Mapping[str, object], line: int, trouble: Trouble
) -> None:
    n = whole(entry.get("completed"))
    if n == 0:
        message = "no request was completed, so there are no times"
        trouble.note(batch, "SPS007", line, message, observed="completed 0")
        return
    seconds = positive(entry.get("duration"))
    output = positive(entry.get("total_output_tokens"))
    latency = positive(entry.get("mean_e2e_latency_ms"), _MILLI)
    printed = {key: positive(entry.get(key)) for key in (*_RATES, "concurrency")}
    products = (
        ("request_throughput times duration", "request_throughput", n),
        ("output_throughput times duration", "output_throughput", output),
        (
            "concurrency times duration",
            "concurrency",
            latency * n if latency and n else None,
        ),
    )
    for what, key, right in products:
        rate = printed[key]
        if seconds and rate and right and not _close(rate * seconds, right):
            trouble.note(
                *(batch, "SPS006", line, f"{what} is not what was counted"),
                observed=f"{rate * seconds:.6g}",
                required=f"{right:.6g}",
            )
    _check_tokens(batch, entry, line, trouble)


def _check_tokens(
    batch: Batch, entry: Mapping[str, object], line: int, trouble: Trouble
) -> None:
    counted = positive(entry.get("total_output_tokens"))
    again = positive(entry.get("total_output_tokens_retokenized"))
    if counted and again and abs(again - counted) > _TOKENISER_TOLERANCE * counted:
        trouble.note(
            *(batch, "SPS006", line),
            "the answers have another number of tokens than the server reported",
            observed=f"{again:.0f} tokens when tokenised again",
            required=f"{counted:.0f} tokens",
        )


def _check_requests(
    batch: Batch,
    rows: Sequence[Row],
    entry: Mapping[str, object],
    line: int,
    trouble: Trouble,
) -> None:
    if not rows:
        return
    good = [row for row in rows if row["ok"]]
    empty = [row for row in good if not row["n_output"]]
    if empty:
        trouble.note(
            *(batch, "SPS007", line),
            f"{len(empty)} of {len(rows)} answers claim success and are empty: they "
            "get no times",
            observed="output_lens 0 without an error",
            required="an answer",
        )
    completed = whole(entry.get("completed"))
    if completed != len(good):
        trouble.note(
            *(batch, "SPS006", line),
            "as many requests as the lists hold were not completed",
            observed=f"{len(good)} requests without an error in the lists",
            required=f"completed {completed}",
        )
        return
    firsts = [float(str(row["ttft_s"])) for row in good if row.get("ttft_s")]
    printed = positive(entry.get("mean_ttft_ms"), _MILLI)
    if printed and len(firsts) == len(good):
        mean = statistics.fmean(firsts)
        if not _close(mean, printed):
            trouble.note(
                *(batch, "SPS006", line, "mean_ttft_ms is not the mean of ttfts"),
                observed=f"{printed:.6g} s",
                required=f"{mean:.6g} s",
            )


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= _TOLERANCE * abs(other)


READER = Reader(
    name="sglang-bench-serving",
    label="SGLang bench_serving results (JSONL, also with --output-details)",
    producers=("sglang 0.5.5.post3",),
    levels=("request", "counter", "aggregate"),
    boundary="proved by the seed that the server drew (server_info.random_seed), which "
    "lines of one launch share; unknown without server_info or with a chosen seed",
    traps=(
        (
            "accept_length is since the server began: warm-up and earlier loads "
            "count, and the bonus token is in it"
        ),
        "request_rate is the literal Infinity when it is not limited",
        "std divides by n",
        "itl is a time between chunks, of one or several tokens",
        "without --output-details a failed request leaves no trace",
        "with prefill and decode apart, server_info holds one object of each",
        "the acceptance that SGLANG_SIMULATE_ACC_LEN fakes is not to be seen in it",
    ),
    fields=(
        (
            "mean, median, p.., max of _ttft_ms, _tpot_ms, _itl_ms, _e2e_latency_ms",
            "aggregates.value: ttft, tpot, itl, e2e, s; std_* is their sd",
        ),
        (
            "request_, input_, output_, total_throughput",
            "aggregates.value: req/s, tok/s",
        ),
        ("concurrency", "aggregates.value: concurrency"),
        ("accept_length", "aggregates.value: mean_accepted_length, scope lifetime"),
        (
            "completed, total_input_tokens, total_output_tokens, duration",
            "counters.n_requests: and n_prompt, n_output, duration_s",
        ),
        ("input_lens, output_lens", "requests.n_prompt: and n_output"),
        ("ttfts", "requests.ttft_s: s"),
        ("itls", "requests.decode_s: s, their sum, first chunk to last"),
        ("errors", "requests.ok: and error"),
        ("generated_texts", "requests.output_sha256"),
        ("tag, dataset_name", "requests.prompt_id: the load; and workload"),
        (
            "server_info",
            "requests.settings: id.build, id.model, cfg.*; process: random_seed",
        ),
    ),
    marks=(b'"total_output_tokens_retokenized"', b'"sharegpt_output_len"'),
    sniff=_sniff,
    parse=_parse,
)
