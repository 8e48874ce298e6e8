"""Fields that all results of ``vllm bench serve`` and of its forks share."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from specstats.readers._json import number, scalar, text, whole
from specstats.readers._results import (
    add_aggregate,
    file_name,
    items,
    mapping,
    positive,
    settings_text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from specstats.readers._base import Batch, Row

__all__ = [
    "ITL",
    "LENGTH",
    "RATE",
    "SYNTHETIC",
    "add_result",
    "draft_counts",
    "failed_requests",
    "is_measured",
    "kind_of",
    "model_name",
    "place_of",
    "result_settings",
    "statistic_of",
]

_MILLI = 1e-3
_PERCENT = 0.01
_MOST_POSITIONS = 1000
_LATENCY = re.compile(
    r"(mean|median|p\d{1,2}(?:\.\d{1,3})?)_(ttft|tpot|itl|e2el_including_client_queue"
    r"|e2el|client_queue_time)_ms",
    re.ASCII,
)
_METRICS = {
    "ttft": "ttft",
    "tpot": "tpot",
    "itl": "itl",
    "e2el": "e2e",
    "client_queue_time": "client_queue",
    "e2el_including_client_queue": "e2e_with_client_queue",
}
ITL = "between chunks of all requests; with drafting a chunk is a verify step; sd / n"
_DEFINED = {
    "ttft": "of requests that claim success, empty ones too; sd divides by n",
    "tpot": "(latency - ttft) / (tokens - 1), of answers of two tokens and more; "
    "sd divides by n",
    "itl": ITL,
    "e2e": "sd divides by n",
}
_RATES = {
    "request_throughput": ("request_throughput", "req/s", "answers over the duration"),
    "request_goodput": ("request_goodput", "req/s", "answers within the objectives"),
    "request_goodput:": ("request_goodput", "req/s", "answers within the objectives"),
    "input_throughput": ("input_throughput", "tok/s", "prompt tokens over duration"),
    "output_throughput": ("output_throughput", "tok/s", "output tokens over duration"),
    "total_token_throughput": (
        "total_throughput",
        "tok/s",
        "prompt and output tokens over the duration",
    ),
}
_PEAKS = {
    "max_output_tokens_per_s": (
        "output_throughput",
        "tok/s",
        "best second; counts chunks, not tokens",
    ),
    "max_concurrent_requests": (
        "concurrency",
        "1",
        "counted by seconds, so it can exceed the limit",
    ),
}
RATE = (
    "accepted over drafted tokens, no bonus token; counted by the server over the "
    "load, other traffic included"
)
LENGTH = (
    "1 + accepted / drafts, bonus token included; steps without a draft are not "
    "counted; counted by the server over the load, other traffic included"
)
_KINDS = {
    "NUM_SPEC_TOKENS": "table",
    "run_number": "sweep",
    "median_ttft": "slo",
    "good_completed": "slo",
}
# With sorted keys these stand before lists that may be longer than the head.
_SORTED_FIRST = ("burstiness", "completed", "date")
_LOAD = (
    *("endpoint_type", "backend", "label", "num_prompts", "burstiness"),
    *("max_concurrency", "best_of", "use_beam_search", "ramp_up_strategy"),
    *("ramp_up_start_rps", "ramp_up_end_rps"),
)
_IDENTITIES = {
    **dict.fromkeys(("version", "vllm_version", "engine_version", "build"), "id.build"),
    **dict.fromkeys(("gpu", "gpu_type", "gpu_name", "device"), "id.device"),
    **dict.fromkeys(("hardware", "accelerator"), "id.device"),
    **dict.fromkeys(("driver", "driver_version"), "id.driver"),
    **dict.fromkeys(("quantization", "quantisation"), "id.quantisation"),
}
_NO_SETTING = re.compile(
    r"_ms$|_s$|throughput|goodput|duration|completed|^failed$|^total_|spec_decode|"
    r"rtfx|concurrent_requests|^date$|time|host|user|url|path|dir$|api_key|secret|"
    r"model_id|tokenizer_id|run_number|per_s$"
)
SYNTHETIC = re.compile(
    r"rejection_sample_method\W{1,6}synthetic|synthetic_acceptance_rate|\bfixed_ar\b"
)
_SNAPSHOT = re.compile(r"models--(?:[^/]{1,100}--)?([^/]{1,200})/snapshots/")
_LONGEST = 300


def kind_of(entry: Mapping[str, object]) -> str:
    """Return which of the related forms a JSON object has.

    Parameters
    ----------
    entry : mapping
        First object of a file.

    Returns
    -------
    str
        ``serve``, ``sweep``, ``table``, ``agg``, ``slo``, ``atom``, or empty.
    """
    if "tput_per_gpu" in entry and "infmax_model_prefix" in entry:
        return "agg"
    if not _is_load(entry):
        return ""
    if "dataset_name" in mapping(entry.get("benchmark_args")):
        return "atom"
    if "model_id" not in entry and not all(key in entry for key in _SORTED_FIRST):
        return ""
    return next((kind for key, kind in _KINDS.items() if key in entry), "serve")


def _is_load(entry: Mapping[str, object]) -> bool:
    rate = entry.get("request_throughput")
    listed = "errors" in entry and all(key in entry for key in _SORTED_FIRST)
    latencies = any(_LATENCY.fullmatch(key) for key in entry)
    measured = rate is not None or latencies or listed
    others = isinstance(rate, dict) or "total_output_tokens_retokenized" in entry
    return measured and not others


def model_name(value: object) -> str | None:
    """Return the name of a model without folders, of cached snapshots too.

    Parameters
    ----------
    value : object
        Name, repository or path.

    Returns
    -------
    str or None
        The name.
    """
    named = text(value)
    cached = None if named is None else _SNAPSHOT.search(named)
    return cached[1] if cached else file_name(named)


def result_settings(
    entry: Mapping[str, object], *, numbers: bool = False
) -> dict[str, object]:
    """Return settings (``cfg.*``) and identities (``id.*``) of a load.

    Parameters
    ----------
    entry : mapping
        The result.
    numbers : bool
        Whether unknown numbers are settings too (a sweep writes what it varied), and
        not only the texts that ``--metadata`` adds.

    Returns
    -------
    dict
        Scalars by key.
    """
    found: dict[str, object] = {f"cfg.{key}": entry.get(key) for key in _LOAD}
    found["cfg.request_rate"] = _request_rate(entry.get("request_rate"))
    found["id.model"] = model_name(entry.get("model_id"))
    positions = items(entry.get("spec_decode_per_position_acceptance_rates"))
    if positions:
        found["cfg.num_speculative_tokens"] = len(positions)
    for key, value in entry.items():
        told = key in _LOAD or key == "request_rate" or _NO_SETTING.search(key)
        if told or _LATENCY.fullmatch(key) or key in _PEAKS or key.startswith("std_"):
            continue
        if isinstance(value, str) or (numbers and scalar(value) is not None):
            kept = value[:_LONGEST] if isinstance(value, str) else value
            found[_IDENTITIES.get(key.lower(), f"cfg.{text(key)}")] = kept
    if any(isinstance(x, str) and SYNTHETIC.search(x) for x in entry.values()):
        found["cfg.synthetic_acceptance"] = True
    return found


def _request_rate(value: object) -> object:
    unlimited = isinstance(value, float) and value == float("inf")
    return "inf" if unlimited else scalar(value)


def is_measured(entry: Mapping[str, object]) -> bool:
    """Return whether any request of a load was answered with a token."""
    return all(
        whole(entry.get(key)) != 0 for key in ("completed", "total_output_tokens")
    )


def failed_requests(entry: Mapping[str, object]) -> int | None:
    """Return how many requests failed; older files have only what was asked for."""
    if "failed" in entry:
        return whole(entry.get("failed"))
    asked, completed = whole(entry.get("num_prompts")), whole(entry.get("completed"))
    if asked is None or completed is None or completed > asked:
        return None
    return asked - completed


def draft_counts(entry: Mapping[str, object]) -> dict[str, object]:
    """Return the columns of counters that tell of drafting."""
    drafts = whole(entry.get("spec_decode_num_drafts"))
    accepted = whole(entry.get("spec_decode_accepted_tokens"))
    found: dict[str, object] = {
        "n_verify": drafts,
        "n_draft": whole(entry.get("spec_decode_draft_tokens")),
        "n_accepted": accepted,
    }
    rates = items(entry.get("spec_decode_per_position_acceptance_rates"))
    shares = [_share(rate) for rate in rates[:_MOST_POSITIONS]]
    known = [share for share in shares if share is not None]
    if drafts and known and len(known) == len(rates):
        counts = [round(share * drafts) for share in known]
        if sum(counts) == accepted:
            found["accepted_by_position"] = json.dumps(counts)
    return found


def _share(value: object) -> float | None:
    real = number(value)
    return real if real is not None and 0 <= real <= 1 else None


def add_result(
    batch: Batch,
    place: Row,
    entry: Mapping[str, object],
    *,
    counters: bool = True,
    also: str = "",
) -> None:
    """Add the numbers that a load printed, and what it counted.

    Parameters
    ----------
    batch : Batch
        Where they go.
    place : Row
        Columns that all rows share.
    entry : mapping
        The result.
    counters : bool
        Whether to add what was counted.
    also : str
        What every definition says too.
    """
    if counters:
        _add_counters(batch, place, entry)
    if not is_measured(entry):
        return
    for key, value in entry.items():
        found = _LATENCY.fullmatch(key)
        if found is not None:
            _add_latency(batch, place, entry, found, also)
        elif key in _RATES or key in _PEAKS:
            metric, unit, meaning = _RATES.get(key) or _PEAKS[key]
            add_aggregate(
                *(batch, place, metric, unit, "rate" if key in _RATES else "max"),
                value=positive(value),
                scope="run",
                definition=meaning + also,
            )
    if whole(entry.get("spec_decode_num_drafts")):
        add_aggregate(
            *(batch, place, "acceptance_rate", "1", "ratio"),
            value=_at_least_zero(entry.get("spec_decode_acceptance_rate"), _PERCENT),
            scope="run",
            definition=RATE + also,
        )
        add_aggregate(
            *(batch, place, "mean_accepted_length", "tokens", "ratio"),
            value=positive(entry.get("spec_decode_acceptance_length")),
            scope="run",
            definition=LENGTH + also,
        )


def _at_least_zero(value: object, scale: float) -> float | None:
    real = number(value)
    return real * scale if real is not None and real >= 0 else None


def _add_counters(batch: Batch, place: Row, entry: Mapping[str, object]) -> None:
    row: Row = {
        **place,
        "scope": "run",
        "n_requests": whole(entry.get("completed")),
        "n_failed": failed_requests(entry),
    }
    if is_measured(entry):
        row.update(
            duration_s=positive(entry.get("duration")),
            n_prompt=whole(entry.get("total_input_tokens")),
            n_output=whole(entry.get("total_output_tokens")),
            **draft_counts(entry),
        )
    counted = ("n_requests", "n_failed", "n_prompt", "n_output", "n_verify")
    if any(row.get(name) is not None for name in counted):
        batch.add("counters", row)


def statistic_of(name: str, metric: str, entry: Mapping[str, object]) -> str | None:
    """Return the statistic; None for a p50 that stands beside the median."""
    if name == "p50":
        return None if f"median_{metric}" in entry else "median"
    return name


def _add_latency(
    batch: Batch,
    place: Row,
    entry: Mapping[str, object],
    found: re.Match[str],
    also: str,
) -> None:
    named, metric = found[1], _METRICS[found[2]]
    statistic = statistic_of(named, f"{found[2]}_ms", entry)
    if statistic is None:
        return
    sd = None
    if statistic == "mean":
        sd = _at_least_zero(entry.get(found.string.replace("mean", "std", 1)), _MILLI)
    add_aggregate(
        *(batch, place, metric, "s", statistic),
        value=positive(entry.get(found.string), _MILLI),
        sd=sd,
        n=whole(entry.get("completed")) if metric in {"ttft", "e2e"} else None,
        scope="request",
        definition=_DEFINED.get(metric, "of the client") + also,
    )


def place_of(source: str, line: int, settings: Mapping[str, object]) -> Row:
    """Return the columns that all rows of a load share."""
    return {"source": source, "entry": line, "settings": settings_text(settings)}
