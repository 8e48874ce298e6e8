"""SGLang /server_info replies: lifetime accepted length and identity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import entries, first_entry
from specstats.readers._results import (
    add_aggregate,
    items,
    mapping,
    positive,
    reason_of,
    settings_text,
)
from specstats.readers.sglang._server import (
    LENGTH,
    launch_of,
    parts_of,
    server_settings,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_MOST_STATES = 4096
_MEMORY = {
    "weight": "weight_memory",
    "kvcache": "kv_cache_memory",
    "graph": "graph_memory",
}


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = mapping(first_entry(head))
    server = "model_path" in entry or "prefill" in entry or "decode" in entry
    known = server and "internal_states" in entry
    if server and not known:
        # The reply is longer than the head only with very many schedulers.
        known = "random_seed" in entry and "speculative_algorithm" in entry
    return Match(90 if known else 0, "no internal_states beside the server arguments")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    for line, value in entries(source):
        batch.entries += 1
        info = mapping(value)
        if not info:
            why = reason_of(value, "no state of a scheduler")
            trouble.note(batch, "SPS002", line, f"entry skipped: {why}")
            continue
        place: Row = {
            "source": source.name,
            "entry": line,
            "process": launch_of(info),
            "settings": settings_text(server_settings(info)),
        }
        added = sum(
            _add_states(batch, place, part, line, trouble) for part in parts_of(info)
        )
        if added:
            batch.parsed += 1
        else:
            why = reason_of(value, "no state of a scheduler")
            trouble.note(batch, "SPS002", line, f"entry skipped: {why}")
        if batch.count("aggregates") >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


def _add_states(
    batch: Batch,
    place: Row,
    part: tuple[str, Mapping[str, object]],
    line: int,
    trouble: Trouble,
) -> int:
    role, server = part
    states = items(server.get("internal_states"))[:_MOST_STATES]
    known = [(index, mapping(state)) for index, state in enumerate(states) if state]
    added = 0
    with_length = 0
    for index, state in known:
        shown = f"{role} scheduler {index}".strip()
        length = positive(state.get("avg_spec_accept_length"))
        with_length += length is not None
        added += _add_state(batch, {**place, "prompt_id": shown}, state, length)
    if with_length and with_length < len(states):
        trouble.note(
            *(batch, "SPS308", line),
            "the accepted length is known of some schedulers only, each since it began",
            observed=f"{with_length} of {len(states)} schedulers",
            required="all schedulers, or counts to weigh them with",
        )
    return added


def _add_state(
    batch: Batch, place: Row, state: Mapping[str, object], length: float | None
) -> int:
    memory = mapping(state.get("memory_usage"))
    added = 0
    added += add_aggregate(
        *(batch, place, "mean_accepted_length", "tokens", "ratio"),
        value=length,
        scope="lifetime",
        definition=LENGTH,
    )
    added += add_aggregate(
        *(batch, place, "decode_rate", "tok/s", "last"),
        value=positive(state.get("last_gen_throughput")),
        scope="window",
        definition="of the last window of this scheduler, whoever used it",
    )
    for key, metric in _MEMORY.items():
        added += add_aggregate(
            *(batch, place, metric, "GB", "value"),
            value=positive(memory.get(key)),
            scope="lifetime",
        )
    added += add_aggregate(
        *(batch, place, "kv_cache_capacity", "tokens", "value"),
        value=positive(memory.get("token_capacity")),
        scope="lifetime",
    )
    return added


READER = Reader(
    name="sglang-server-info",
    label="SGLang /server_info (or /get_server_info) reply",
    producers=("sglang 0.5.10.post1", "0.5.5.post3"),
    levels=("aggregate",),
    boundary="proved by the seed that the server drew (random_seed); unknown where "
    "somebody chose it",
    traps=(
        (
            "avg_spec_accept_length is since the server began: warm-up counts, the "
            "bonus token is in it, and two replies give no difference"
        ),
        "a state is one scheduler; with data parallelism states may be null",
        "last_gen_throughput is 0 until something was decoded, and is left out then",
        "with prefill and decode apart there is one object of each",
    ),
    fields=(
        (
            "internal_states[].avg_spec_accept_length",
            "aggregates.value: mean_accepted_length, scope lifetime",
        ),
        (
            "internal_states[].last_gen_throughput",
            "aggregates.value: decode_rate, last",
        ),
        (
            "internal_states[].memory_usage",
            (
                "aggregates.value: weight_memory, kv_cache_memory, graph_memory, "
                "GB; kv_cache_capacity, tokens"
            ),
        ),
        ("random_seed", "aggregates.process: as written"),
        (
            "version, model_path, quantization, speculative_draft_model_path",
            "aggregates.settings: id.build, id.model, id.quantisation, id.draft_model",
        ),
        (
            "server arguments that change the work or the speed",
            "aggregates.settings: cfg.*",
        ),
    ),
    marks=(b'"internal_states"', b'"speculative_algorithm"'),
    sniff=_sniff,
    parse=_parse,
)
