"""SpecForge: results of bench_eagle3 and the tables of SpecBundle."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import entries, first_entry, number, text, whole
from specstats.readers._results import (
    add_aggregate,
    file_name,
    items,
    mapping,
    positive,
    process_of,
    reason_of,
    settings_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["BASELINE", "LENGTH", "READER", "config_arm", "config_settings"]

BASELINE = "baseline"
LENGTH = (
    "output tokens over verify steps, the first token and the bonus included; 1.0 also "
    "where nothing was drafted or the counter is missing"
)
_KNOBS = ("batch_size", "steps", "topk", "num_draft_tokens")
# The published tables misspell it.
_WITHOUT = re.compile(r"(?:wi(?:th|ht)out|baseline)\b", re.IGNORECASE)
_ROWS_A_BATCH = 20_000


@dataclass(frozen=True, slots=True)
class _Config:
    model: str | None
    benchmark: str
    number: int
    values: Mapping[str, object]
    bundled: bool


def config_settings(values: Mapping[str, object]) -> Row:
    """Return the draft settings of a configuration.

    Parameters
    ----------
    values : mapping
        A record with batch_size, steps, topk and num_draft_tokens.

    Returns
    -------
    dict
        Those that are there, as ``cfg.*``.
    """
    return {f"cfg.{key}": whole(values.get(key)) for key in _KNOBS}


def config_arm(values: Mapping[str, object]) -> str | None:
    """Return a name of the arm: the draft settings, or ``baseline`` for 0 steps.

    Parameters
    ----------
    values : mapping
        A record with steps, topk and num_draft_tokens.

    Returns
    -------
    str or None
        None when the record says nothing of drafting.
    """
    steps = whole(values.get("steps"))
    if steps is None:
        return None
    if steps == 0:
        return BASELINE
    topk, drafts = whole(values.get("topk")), whole(values.get("num_draft_tokens"))
    return f"steps {steps}, topk {topk}, draft {drafts}"


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = mapping(first_entry(head))
    known = next(_configs(entry), None) is not None
    return Match(90 if known else 0, "no configurations with metrics")


def _is_config(value: object) -> bool:
    found = mapping(value)
    return (
        "metrics" in found
        and "num_draft_tokens" in found
        and "batch_size" in found
        and isinstance(found["metrics"], list)
    )


def _configs(entry: Mapping[str, object]) -> Iterator[_Config]:
    """Yield the configurations of either layout, in the order of the file."""
    draft = file_name(entry.get("model"))
    for key, value in entry.items():
        for number_, config in enumerate(items(value)):
            if _is_config(config):
                yield _Config(draft, key, number_, mapping(config), bundled=False)
        for benchmark, table in mapping(value).items():
            for number_, config in enumerate(items(mapping(table).get("results"))):
                if _is_config(config):
                    yield _Config(
                        key, benchmark, number_, mapping(config), bundled=True
                    )


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    reading = _Reading(source, trouble)
    for line, value in entries(source):
        configs = list(_configs(mapping(value)))
        if not configs:
            batch.entries += 1
            why = reason_of(value, "no configurations with metrics")
            trouble.note(batch, "SPS002", line, f"entry skipped: {why}")
        for config in configs:
            reading.take(batch, config)
            if batch.count("aggregates") >= _ROWS_A_BATCH:
                yield batch
                batch = Batch()
    reading.close(batch)
    trouble.close(batch)
    yield batch


class _Reading:
    """Counts configurations, and drops copies of one baseline measurement."""

    def __init__(self, source: Source, trouble: Trouble) -> None:
        self._source, self._trouble = source, trouble
        self._entry = 0
        self._copies = 0
        self._baselines: set[tuple[object, ...]] = set()

    def take(self, batch: Batch, config: _Config) -> None:
        self._entry += 1
        batch.entries += 1
        rows = copies = 0
        for position, value in enumerate(items(config.values["metrics"])):
            found = mapping(value)
            if config.bundled and self._is_copy(config, found):
                copies += 1
                continue
            rows += self._add(batch, config, found, position)
        self._copies += copies
        if rows or copies:
            batch.parsed += 1
            return
        self._trouble.note(
            batch, "SPS002", self._entry, "entry skipped: no usable metrics"
        )

    def _is_copy(self, config: _Config, found: Mapping[str, object]) -> bool:
        if not _is_baseline(found):
            return False
        printed = number(found.get("output_throughput"))
        batch_size = whole(config.values.get("batch_size"))
        key = (config.model, config.benchmark, batch_size, printed)
        if printed is None or key not in self._baselines:
            self._baselines.add(key)
            return False
        return True

    def _add(
        self,
        batch: Batch,
        config: _Config,
        found: Mapping[str, object],
        position: int,
    ) -> int:
        place = self._place(config, found, position)
        shared: Row = {"n": whole(found.get("num_questions")), "scope": "run"}
        throughput = positive(found.get("output_throughput"))
        seconds = positive(found.get("latency"))
        length = positive(found.get("accept_length"))
        rows = 0
        rows += add_aggregate(
            batch,
            place,
            "output_throughput",
            "tok/s",
            "rate",
            value=throughput,
            **shared,
        )
        rows += add_aggregate(
            batch,
            place,
            "duration",
            "s",
            "total",
            value=seconds,
            definition="time of the whole set of questions",
            **shared,
        )
        drafts = place["arm"] != BASELINE
        if drafts:
            rows += add_aggregate(
                batch,
                place,
                "mean_accepted_length",
                "tokens",
                "ratio",
                value=length,
                definition=LENGTH,
                **shared,
            )
        accuracy = number(found.get("accuracy"))
        add_aggregate(batch, place, "accuracy", "1", "mean", value=accuracy, **shared)
        if drafts and length == 1.0 and config.values.get("steps") is not None:
            self._trouble.note(
                batch,
                "SPS308",
                self._entry,
                f"{config.benchmark}: accept_length 1.0 with drafting on means that no "
                "token was accepted, or that the server had no counter",
                observed="1.0",
                required="a length above 1, or the counts of the server",
            )
        return rows

    def _place(
        self, config: _Config, found: Mapping[str, object], position: int
    ) -> Row:
        values = config.values
        process = None
        if config.bundled:
            named = text(found.get("Name"))
            arm = BASELINE if _is_baseline(found) else named
            identities: Row = {"id.model": file_name(config.model)}
            identities["id.draft_model"] = None if arm == BASELINE else named
        else:
            arm = config_arm(values)
            identities = {"id.draft_model": None if arm == BASELINE else config.model}
            if arm is not None:
                process = process_of(self._source, config.number)
        copied = config.bundled and arm == BASELINE
        knobs = config_settings({} if copied else values)
        knobs["cfg.batch_size"] = whole(values.get("batch_size"))
        several = len(items(values["metrics"])) > 1 and not config.bundled
        return {
            "source": self._source.name,
            "entry": self._entry,
            "arm": arm,
            "workload": text(config.benchmark),
            "prompt_id": f"subset {position + 1}" if several else None,
            "process": process,
            "settings": settings_text({**knobs, **identities}),
        }

    def close(self, batch: Batch) -> None:
        if self._copies:
            self._trouble.note(
                batch,
                "SPS014",
                1,
                "the measurement without drafting stands again in every configuration, "
                "the same to the last digit: it is one measurement and was read once",
                observed=f"{self._copies} copies",
                required="one measurement a configuration, or one in all",
            )


def _is_baseline(found: Mapping[str, object]) -> bool:
    return _WITHOUT.match(text(found.get("Name")) or "") is not None


READER = Reader(
    name="specforge",
    label="SpecForge bench_eagle3 results and SpecBundle data.json",
    producers=("SpecForge a6b6b02",),
    levels=("aggregate",),
    boundary="bench_eagle3 proves one server a configuration when it launched them "
    "(steps are given); SpecBundle tables: unknown",
    traps=(
        "the file is named .jsonl and holds one indented document",
        (
            "accept_length includes the first token, so it is a little above the "
            "tokens a verify step"
        ),
        "accept_length 1.0 stands both for no drafting and for no counter",
        "steps 0 is the baseline",
        (
            "SpecBundle repeats one baseline measurement in every configuration, "
            "under the name 'Wihtout EAGLE3'"
        ),
    ),
    fields=(
        (
            "<benchmark>, benchmark_name",
            "aggregates.workload: entries count configurations",
        ),
        (
            "batch_size, steps, topk, num_draft_tokens",
            "aggregates.settings: cfg.*; aggregates.arm of bench_eagle3",
        ),
        ("metrics[].Name", "aggregates.arm: of SpecBundle; id.draft_model"),
        ("metrics[].output_throughput", "aggregates.value: output_throughput, tok/s"),
        ("metrics[].latency", "aggregates.value: duration, s"),
        (
            "metrics[].accept_length",
            "aggregates.value: mean_accepted_length; not of a baseline",
        ),
        ("metrics[].accuracy", "aggregates.value: accuracy"),
        ("metrics[].num_questions", "aggregates.n"),
        ("model", "aggregates.settings: id.draft_model"),
    ),
    marks=(b'"num_draft_tokens"',),
    sniff=_sniff,
    parse=_parse,
)
