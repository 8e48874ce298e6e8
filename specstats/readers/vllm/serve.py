"""``vllm bench serve`` and benchmark_serving.py: result files, detailed or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import entries, first_entry
from specstats.readers._results import mapping, reason_of
from specstats.readers.vllm._checks import Checker, drafts_of
from specstats.readers.vllm._requests import (
    LISTS,
    Listed,
    check_lists,
    listed_requests,
)
from specstats.readers.vllm._result import (
    add_result,
    kind_of,
    place_of,
    result_settings,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from specstats.source import Source

__all__ = ["READER", "check_result", "note_synthetic"]

_ROWS_A_BATCH = 20_000
_MOST_STEPS = 4_000_000


def _sniff(head: bytes, name: str) -> Match:
    del name
    known = kind_of(mapping(first_entry(head))) == "serve"
    return Match(90 if known else 0, "no model_id with request_throughput or mean_*_ms")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    requests = steps = 0
    for line, value in entries(source):
        batch.entries += 1
        entry = mapping(value)
        if kind_of(entry) != "serve":
            why = reason_of(value, "no result of bench serve")
            trouble.note(batch, "SPS002", line, f"entry skipped: {why}")
            continue
        settings = result_settings(entry)
        place = place_of(source.name, line, settings)
        checker = Checker(batch, trouble, line)
        note_synthetic(checker, settings)
        add_result(batch, place, entry)
        check_result(checker, entry)
        listed: Sequence[Listed] = (
            list(listed_requests(entry)) if any(entry.get(key) for key in LISTS) else ()
        )
        check_lists(checker, entry, listed)
        batch.parsed += 1
        for item in listed:
            requests += 1
            row: Row = {**place, **item.row, "entry": requests}
            batch.add("requests", row)
            steps += len(item.gaps)
            if steps <= _MOST_STEPS:
                _add_steps(batch, row, item)
            if max(batch.count("requests"), batch.count("steps")) >= _ROWS_A_BATCH:
                yield batch
                batch = Batch()
        if batch.count("aggregates") >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    if steps > _MOST_STEPS:
        message = f"only the first {_MOST_STEPS} chunks are listed as steps"
        trouble.note(batch, "SPS002", 1, message, observed=f"{steps} chunks")
    trouble.close(batch)
    yield batch


def check_result(checker: Checker, entry: Mapping[str, object]) -> None:
    """Compare the fields of a result with each other.

    Parameters
    ----------
    checker : Checker
        Notes contradictions.
    entry : mapping
        The result.
    """
    checker.failures(entry)
    checker.rates(entry)
    told = drafts_of(entry)
    checker.drafts(told)
    checker.traffic(entry, told)


def note_synthetic(checker: Checker, settings: Mapping[str, object]) -> None:
    """Note that the engine accepted drafts at a configured rate.

    Parameters
    ----------
    checker : Checker
        Knows the place.
    settings : mapping
        Settings of the load.
    """
    if settings.get("cfg.synthetic_acceptance"):
        checker.trouble.note(
            *(checker.batch, "SPS309", checker.line),
            "drafts were accepted at a configured rate: acceptance was not measured",
            observed="synthetic acceptance in the settings",
            required="rejection sampling of real drafts",
        )


def _add_steps(batch: Batch, row: Row, item: Listed) -> None:
    for step, seconds in enumerate(item.gaps):
        batch.add(
            "steps",
            {
                "source": row["source"],
                "entry": row["entry"],
                "step": step,
                "step_s": seconds,
            },
        )


READER = Reader(
    name="vllm-bench-serve",
    label="vLLM bench serve and benchmark_serving.py results (JSON)",
    producers=("vllm 0.6", "0.7", "0.10", "0.25.1", "0.26", "InferenceX raw files"),
    levels=("request", "step", "counter", "aggregate"),
    boundary="unknown: nothing in the file says which server process answered, also "
    "where --append-result put several loads into one file",
    traps=(
        "latencies are ms, the lists ttfts, itls and latencies are seconds",
        ("spec_decode_acceptance_rate is percent, the rates by position are fractions"),
        "draft counts are those of the server over the load: other traffic is in them",
        "the acceptance length leaves out steps without a draft (n-gram, suffix)",
        (
            "answers of 0 tokens without an error count as completed and are in the "
            "printed times to the first token"
        ),
        "a load of which all failed has 0.0 everywhere and looks like a result",
        "older files have no key failed: it is num_prompts - completed",
        (
            "request_rate below what the server manages measures arrivals; above it, "
            "the time to first token is waiting"
        ),
        "endpoint_type and backend are the protocol of the client, not the engine",
        "an itl is the time of a chunk: with drafting of a verify step, not a token",
        "max_concurrent_requests is binned by seconds and can exceed max_concurrency",
        (
            "prompts are named by their place in the load: the same prompts only with "
            "the same dataset and seed"
        ),
        "date is local time without a zone, so loads have no Unix time",
        "request_goodput had a colon in its key in 0.6.5 to 0.7",
    ),
    fields=(
        (
            "mean, median, p.. of _ttft_ms, _tpot_ms, _itl_ms, _e2el_ms",
            ("aggregates.value: ttft, tpot, itl, e2e: ms to s; std_* is their sd"),
        ),
        (
            "request_, output_, total_token_throughput, request_goodput",
            "aggregates.value: req/s, tok/s",
        ),
        ("max_output_tokens_per_s", "aggregates.value: output_throughput, max"),
        ("max_concurrent_requests", "aggregates.value: concurrency, max"),
        (
            "completed, failed, duration, total_input_tokens, total_output_tokens",
            ("counters.n_requests: and n_failed, duration_s, n_prompt, n_output"),
        ),
        (
            "spec_decode_num_drafts, _draft_tokens, _accepted_tokens",
            "counters.n_verify: and n_draft, n_accepted",
        ),
        (
            "spec_decode_per_position_acceptance_rates",
            "counters.accepted_by_position: times the drafts",
        ),
        (
            "spec_decode_acceptance_rate, _length",
            (
                "aggregates.value: acceptance_rate (percent to fraction), "
                "mean_accepted_length"
            ),
        ),
        ("place in the lists", "requests.entry: and prompt_id, steps.entry; number"),
        ("input_lens, output_lens", "requests.n_prompt: and n_output"),
        ("ttfts", "requests.ttft_s: s"),
        ("itls", "steps.step_s: s; requests.decode_s: s, their sum"),
        ("latencies", "requests.e2e_s: s; without it ttft and the sum of itls"),
        ("start_times", "requests.started_s: where they are Unix times"),
        ("errors", "requests.ok: and error"),
        ("generated_texts", "requests.output_sha256"),
        ("model_id and what --metadata added", "requests.settings: id.*, cfg.*"),
    ),
    marks=(b'"model_id"', b'"burstiness"'),
    sniff=_sniff,
    parse=_parse,
)
