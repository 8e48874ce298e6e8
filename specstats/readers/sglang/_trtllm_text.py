"""The block that trtllm-bench prints: labels of old and new versions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from specstats.readers._text import real_in, text_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = ["blocks"]

_LABELS = {
    "Model": ("engine", "model"),
    "TensorRT-LLM Version": ("engine", "version"),
    "TensorRT LLM Version": ("engine", "version"),
    "Dtype": ("engine", "dtype"),
    "KV Cache Dtype": ("engine", "kv_cache_dtype"),
    "Quantization": ("engine", "quantization"),
    "Max Input Length": ("engine", "max_input_length"),
    "Max Sequence Length": ("engine", "max_sequence_length"),
    "TP Size": ("world_info", "tp_size"),
    "PP Size": ("world_info", "pp_size"),
    "EP Size": ("world_info", "ep_size"),
    "Max Runtime Batch Size": ("world_info", "max_batch_size"),
    "Max Runtime Tokens": ("world_info", "max_num_tokens"),
    "Scheduling Policy": ("world_info", "scheduling_policy"),
    "Issue Rate (req/sec)": ("world_info", "issue_rate"),
    "Number of requests": ("request_info", "num_requests"),
    "Number of concurrent requests": ("request_info", "avg_num_concurrent_requests"),
    "Average Input Length (tokens)": ("request_info", "avg_input_length"),
    "Average Output Length (tokens)": ("request_info", "avg_output_length"),
    "Token Throughput (tokens/sec)": ("performance", "system_output_throughput_tok_s"),
    "Total Output Throughput (tokens/sec)": (
        "performance",
        "system_output_throughput_tok_s",
    ),
    "Total Token Throughput (tokens/sec)": (
        "performance",
        "system_total_throughput_tok_s",
    ),
    "Request Throughput (req/sec)": ("performance", "request_throughput_req_s"),
    "Total Latency (ms)": ("performance", "total_latency_ms"),
    "Average request latency (ms)": ("performance", "avg_request_latency_ms"),
    "Per User Output Throughput [w/ ctx] (tps/user)": (
        "performance",
        "output_throughput_per_user_tok_s",
    ),
    "Per GPU Output Throughput (tps/gpu)": (
        "performance",
        "output_throughput_per_gpu_tok_s",
    ),
    "Average time-to-first-token [TTFT] (ms)": ("streaming_metrics", "avg_ttft_ms"),
    "Average time-per-output-token [TPOT] (ms)": ("streaming_metrics", "avg_tpot_ms"),
}
_GROUPS = {
    "Latency": ("performance", "request_latency_percentiles_ms"),
    "TTFT": ("streaming_metrics", "ttft_percentiles"),
    "TPOT": ("streaming_metrics", "tpot_percentiles"),
    "GTPS": ("streaming_metrics", "gen_tps_percentiles"),
    "DAR": ("decoding_stats", "draft_acceptance_rate_percentiles"),
    "AL": ("decoding_stats", "acceptance_length_percentiles"),
}
_GROUPED = re.compile(r"\[(\w{2,7})\] (\w{3,7}) *: *(\S{1,40})", re.ASCII)
_STARTS = ("= ENGINE DETAILS", "= PYTORCH BACKEND")

Block = dict[str, dict[str, object]]


def blocks(source: Source) -> Iterator[tuple[int, Block]]:
    """Yield each printed result in the form of the JSON report.

    Parameters
    ----------
    source : Source
        The log.

    Yields
    ------
    tuple of int and dict
        Line of the performance heading, and sections by name.
    """
    found: Block = {}
    begun = 0
    for line, content in text_lines(source):
        shown = content.strip()
        if shown.startswith(_STARTS):
            if begun:
                yield begun, found
            found, begun = {}, 0
        elif shown.startswith("= PERFORMANCE OVERVIEW"):
            if begun:
                yield begun, found
                found = {"engine": found.get("engine", {})}
            begun = line
        else:
            _take(found, shown)
    if begun:
        yield begun, found


def _take(found: Block, line: str) -> None:
    grouped = _GROUPED.fullmatch(line)
    if grouped is not None and grouped[1] in _GROUPS:
        section, name = _GROUPS[grouped[1]]
        group = found.setdefault(section, {}).setdefault(name, {})
        if isinstance(group, dict):
            group[grouped[2].lower()] = real_in(grouped[3])
        return
    label, mark, value = line.partition(":")
    place = _LABELS.get(label.strip()) if mark else None
    if place is None:
        return
    shown = value.strip()
    number = real_in(shown)
    is_text = place[0] == "engine" and place[1] in {"model", "version"}
    found.setdefault(place[0], {})[place[1]] = (
        shown if is_text or number is None else number
    )
