"""InferenceX (InferenceMAX): aggregated results, SLO files and ATOM results."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import entries, first_entry, text, whole
from specstats.readers._results import (
    add_aggregate,
    file_name,
    mapping,
    positive,
    reason_of,
)
from specstats.readers.vllm._checks import Checker
from specstats.readers.vllm._result import (
    ITL,
    add_result,
    is_measured,
    kind_of,
    model_name,
    place_of,
    result_settings,
    statistic_of,
)
from specstats.readers.vllm.serve import check_result, note_synthetic

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["READER"]

_KINDS = ("agg", "slo", "atom")
_ROWS_A_BATCH = 20_000
_TOLERANCE = 0.005
_SECONDS = re.compile(
    r"(mean|median|p\d{1,2}(?:\.\d{1,3})?)_(ttft|tpot|itl|e2el|intvty)", re.ASCII
)
_NAMES = {"e2el": "e2e", "intvty": "interactivity"}
_PER_GPU = {
    "tput_per_gpu": ("total_throughput_per_gpu", "prompt and output tokens"),
    "output_tput_per_gpu": ("output_throughput_per_gpu", "output tokens"),
    "input_tput_per_gpu": ("input_throughput_per_gpu", "prompt tokens"),
}
_SETTINGS = (
    *("conc", "framework", "precision", "spec_decoding", "disagg", "isl", "osl"),
    *("is_multinode", "tp", "ep", "dp_attention", "pp"),
    *("prefill_tp", "prefill_ep", "prefill_dp_attention", "prefill_num_workers"),
    *("decode_tp", "decode_ep", "decode_dp_attention", "decode_num_workers"),
    *("num_prefill_gpu", "num_decode_gpu"),
)
_ARGUMENTS = (
    *("backend", "dataset_name", "random_input_len", "random_output_len"),
    *("random_range_ratio", "num_prompts", "max_concurrency", "request_rate"),
)
_SYNTHETIC = "cfg.synthetic_acceptance"
_WORDS = {"true": True, "false": False}
_STEP = (
    "mean ITL over mean TPOT: tokens of a chunk, which is a verify step; of answers "
    "of equal length"
)


def _sniff(head: bytes, name: str) -> Match:
    del name
    known = kind_of(mapping(first_entry(head))) in _KINDS
    return Match(90 if known else 0, "no infmax_model_prefix, benchmark_args or SLO")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    for line, value in entries(source):
        batch.entries += 1
        entry = mapping(value)
        kind = kind_of(entry)
        if kind not in _KINDS:
            why = reason_of(value, "no result of InferenceX")
            trouble.note(batch, "SPS002", line, f"entry skipped: {why}")
            continue
        batch.parsed += 1
        settings = _settings(entry, kind)
        place = place_of(source.name, line, settings)
        checker = Checker(batch, trouble, line)
        note_synthetic(checker, settings)
        if kind == "agg":
            _add_seconds(batch, place, entry, settings)
        else:
            add_result(batch, place, entry)
            check_result(checker, entry)
        if kind == "slo" and is_measured(entry):
            _add_seconds(batch, place, entry, settings)
        _add_rates(batch, place, entry)
        _check(checker, entry)
        if batch.count("aggregates") >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


def _settings(entry: Mapping[str, object], kind: str) -> dict[str, object]:
    if kind == "slo":
        return result_settings(entry)
    if kind == "atom":
        told = mapping(entry.get("benchmark_args"))
        found = result_settings(told)
        found = {key: value for key, value in found.items() if key == _SYNTHETIC}
        found.update({f"cfg.{key}": told.get(key) for key in _ARGUMENTS})
        found["id.model"] = model_name(told.get("model"))
        return found
    found = {f"cfg.{key}": _plain(entry.get(key)) for key in _SETTINGS}
    found["id.device"] = text(entry.get("hw"))
    found["id.build"] = file_name(entry.get("image"))
    found["id.engine"] = text(entry.get("framework"))
    found["id.model"] = model_name(entry.get("model"))
    found["id.quantisation"] = text(entry.get("precision"))
    if result_settings(entry).get(_SYNTHETIC):
        found[_SYNTHETIC] = True
    return found


def _plain(value: object) -> object:
    """Return a truth value that is written as a text."""
    return _WORDS.get(value.lower(), value) if isinstance(value, str) else value


def _add_seconds(
    batch: Batch,
    place: Row,
    entry: Mapping[str, object],
    settings: Mapping[str, object],
) -> None:
    for key, value in entry.items():
        found = _SECONDS.fullmatch(key)
        statistic = found and statistic_of(found[1], found[2], entry)
        if found is None or statistic is None:
            continue
        metric = found[2]
        is_rate = metric == "intvty"
        sd = entry.get(f"std_{metric}") if statistic == "mean" and not is_rate else None
        add_aggregate(
            *(batch, place, _NAMES.get(metric, metric)),
            *("tok/s" if is_rate else "s", statistic),
            value=positive(value),
            sd=positive(sd),
            n=whole(entry.get("completed")) if metric in {"ttft", "e2el"} else None,
            scope="request",
            definition=_definition(metric, found[1]),
        )
    itl, tpot = positive(entry.get("mean_itl")), positive(entry.get("mean_tpot"))
    drafting = text(settings.get("cfg.spec_decoding")) not in {None, "none", ""}
    if itl and tpot and drafting:
        add_aggregate(
            *(batch, place, "tokens_per_chunk", "tokens", "ratio"),
            value=itl / tpot,
            scope="run",
            definition=_STEP,
        )


def _definition(metric: str, statistic: str) -> str:
    if metric == "intvty":
        return f"1 / {statistic}_tpot, tokens a second of one user"
    return ITL if metric == "itl" else "sd divides by n"


def _add_rates(batch: Batch, place: Row, entry: Mapping[str, object]) -> None:
    for key, (metric, meaning) in _PER_GPU.items():
        add_aggregate(
            *(batch, place, metric, "tok/s", "rate"),
            value=positive(entry.get(key)),
            scope="run",
            definition=f"{meaning} over the duration, by GPU",
        )
    add_aggregate(
        *(batch, place, "interactivity", "tok/s", "median"),
        value=positive(entry.get("interactivity")),
        scope="request",
        definition=_definition("intvty", "median"),
    )


def _check(checker: Checker, entry: Mapping[str, object]) -> None:
    for statistic in ("mean", "median", "p99"):
        rate = positive(entry.get(f"{statistic}_intvty"))
        seconds = positive(entry.get(f"{statistic}_tpot"))
        if rate and seconds:
            checker.compare(
                f"{statistic}_intvty is not 1 / {statistic}_tpot",
                *(rate, 1 / seconds, _TOLERANCE / seconds),
            )
    parts = [positive(entry.get(key)) for key in _PER_GPU]
    if all(parts):
        total, output, prompt = (part or 0.0 for part in parts)
        checker.compare(
            "tput_per_gpu is not the sum of its input and output",
            *(total, output + prompt, _TOLERANCE * total),
        )
    status = text(mapping(entry.get("accuracy_validation")).get("status"))
    if status and status.upper() != "PASSED":
        checker.trouble.note(
            *(checker.batch, "SPS014", checker.line),
            "the file says that its accuracy check did not pass",
            observed=f"accuracy_validation.status {status[:60]}",
            required="PASSED",
        )


READER = Reader(
    name="inferencex",
    label="InferenceX (InferenceMAX) results: agg_*, SLO and ATOM files (JSON)",
    producers=("February to May 2026",),
    levels=("counter", "aggregate"),
    boundary="unknown: one file a load, and nothing says which launch answered it",
    traps=(
        (
            "agg and SLO files are in seconds, the raw file beside them and ATOM files "
            "in ms"
        ),
        "std_intvty is 1 / std_tpot, which means nothing, and is not read",
        "p99_intvty is 1 / p99_tpot: the slow tail",
        "mean_intvty is 1 / mean_tpot, not a mean of rates",
        "dp_attention is a text, true or false",
        "the version of the engine stands in the name of the image",
        (
            "there is no acceptance in it; mean ITL over mean TPOT gives tokens a "
            "chunk, where all answers are equally long"
        ),
        "runs of one configuration are told apart by names such as _rerun only",
        "the baseline block of ATOM files is a target, not a measurement",
    ),
    fields=(
        (
            "mean, median, p.. of _ttft, _tpot, _itl, _e2el",
            "aggregates.value: ttft, tpot, itl, e2e, s; std_* is their sd",
        ),
        (
            "mean, median, p.. of _intvty, interactivity",
            "aggregates.value: interactivity",
        ),
        (
            "tput_per_gpu, output_tput_per_gpu, input_tput_per_gpu",
            ("aggregates.value: total_, output_, input_throughput_per_gpu, tok/s"),
        ),
        (
            "mean_itl, mean_tpot",
            "aggregates.value: tokens_per_chunk: their ratio, drafting",
        ),
        (
            "hw, image, model, precision",
            "aggregates.settings: id.device, build, model, ..",
        ),
        ("spec_decoding, conc, isl, osl, tp, ..", "aggregates.settings: cfg.*"),
        ("benchmark_args", "aggregates.settings: cfg.* and id.model (ATOM)"),
        ("accuracy_validation.status", "aggregates.*: finding SPS014 unless it passed"),
        (
            "everything else of SLO and ATOM files",
            "aggregates.*: as in vllm-bench-serve",
        ),
    ),
    marks=(b'"infmax_model_prefix"', b'"benchmark_args"', b'"median_ttft"'),
    sniff=_sniff,
    parse=_parse,
)
