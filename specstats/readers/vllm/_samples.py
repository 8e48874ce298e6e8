"""Samples of a Prometheus text: readings of engines, one after another."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.readers._text import count_in, real_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from specstats.source import Source

__all__ = ["PREFIXES", "START", "BadSample", "Reading", "readings"]

PREFIXES = ("vllm:", "sglang:", "llamacpp:")
START = "process_start_time_seconds"
_SAMPLE = re.compile(
    rb"((?:vllm|sglang|llamacpp):\w{1,120}|process_start_time_seconds)"
    rb"(?:\{((?:[^\"}\n]|\"(?:[^\"\\]|\\.)*\")*)\})?[ \t]+(\S{1,40})"
)
_NAMED = re.compile(rb"(?:vllm|sglang|llamacpp):\w|process_start_time_seconds[ {]")
_LABEL = re.compile(r'(\w{1,60})="((?:[^"\\]|\\.)*)"')
_POSITIONS = "spec_decode_num_accepted_tokens_per_pos_total"
_FINISHED = "request_success_total"
_CONFIG = "cache_config_info"
_OF_CONFIG = (
    *("cache_dtype", "block_size", "enable_prefix_caching", "gpu_memory_utilization"),
)
_LARGEST = 2.0**53
_LARGEST_SUM = 2.0**62
_MOST_POSITIONS = 1_000
_LONGEST_SAMPLE = 1 << 16


@dataclass(frozen=True, slots=True)
class BadSample:
    """A sample that cannot be used."""

    why: str


@dataclass(slots=True)
class Reading:
    """What one reading holds of one kind of engine, summed over its engines.

    Attributes
    ----------
    prefix : str
        Prefix of the names, which tells the engine.
    line : int
        Where it begins.
    values, samples : dict
        Sum of the values of a name, and how many there are.
    created : dict
        Latest moment at which a counter was created, of the names asked for.
    positions, finished : dict
        Accepted tokens by position, finished requests by reason.
    models : set of str
        Names of the models.
    settings : dict
        Settings of the cache.
    """

    prefix: str
    line: int
    values: dict[str, float] = field(default_factory=dict)
    samples: dict[str, int] = field(default_factory=dict)
    created: dict[str, float] = field(default_factory=dict)
    positions: dict[int, float] = field(default_factory=dict)
    finished: dict[str, float] = field(default_factory=dict)
    models: set[str] = field(default_factory=set)
    settings: dict[str, object] = field(default_factory=dict)

    def count(self, names: Sequence[str]) -> int | None:
        """Return the whole number of the first name that is there."""
        for name in names:
            value = self.values.get(name)
            if value is not None and value == int(value) and value < _LARGEST_SUM:
                return int(value)
        return None

    def take(self, name: str, labels: dict[str, str], value: float) -> None:
        """Take a sample into account."""
        if labels.get("model_name"):
            self.models.add(labels["model_name"])
        if name == _POSITIONS:
            position = count_in(labels.get("position"))
            if position is not None and position < _MOST_POSITIONS:
                self.positions[position] = self.positions.get(position, 0.0) + value
        elif name == _FINISHED:
            reason = labels.get("finished_reason", "")
            self.finished[reason] = self.finished.get(reason, 0.0) + value
        elif name == _CONFIG:
            found = {f"cfg.{key}": labels[key] for key in _OF_CONFIG if key in labels}
            self.settings.update(found)
        elif name.endswith("_created"):
            self.created[name] = max(value, self.created.get(name, 0.0))
        else:
            self.values[name] = self.values.get(name, 0.0) + value
            self.samples[name] = self.samples.get(name, 0) + 1


def readings(
    source: Source, wanted: frozenset[str]
) -> Iterator[tuple[int, Reading | BadSample | None]]:
    """Yield readings as they end, and for each wanted sample whether it is good.

    A sample that stands there a second time begins the next reading.

    Parameters
    ----------
    source : Source
        The artifact.
    wanted : frozenset of str
        Names, without prefix, that must be numbers.

    Yields
    ------
    tuple of int and Reading, BadSample or None
        Line and a reading that ended, a sample that cannot be used, or a good one.
    """
    open_: dict[str, Reading] = {}
    seen: set[bytes] = set()
    for line, content, is_whole in _whole_lines(source):
        if _NAMED.match(content) is None:
            continue
        if not is_whole:
            yield line, BadSample("the page ends inside it")
            continue
        found = _SAMPLE.match(content[:_LONGEST_SAMPLE])
        if found is None:
            yield line, BadSample("no name, labels and value")
            continue
        prefix, _, bare = found[1].decode().rpartition(":")
        value = _value(found[3])
        if isinstance(value, BadSample):
            if bare in wanted and value.why:
                yield line, value
            continue
        key = content[: found.start(3)]
        if key in seen:
            yield from _closed(open_)
            open_, seen = {}, set()
        seen.add(key)
        engine = f"{prefix}:" if prefix else ""
        reading = open_.setdefault(engine, Reading(engine, line))
        reading.take(bare or found[1].decode(), _labels(found[2], bare), value)
        yield line, None
    yield from _closed(open_)


def _whole_lines(source: Source) -> Iterator[tuple[int, bytes, bool]]:
    """Yield lines and whether they have an end; a page that is complete ends so."""
    with source.open() as stream:
        line = 0
        while chunk := stream.readline(_LONGEST_SAMPLE):
            line += 1
            yield line, chunk.rstrip(b"\r\n"), chunk.endswith(b"\n")


def _closed(open_: dict[str, Reading]) -> Iterator[tuple[int, Reading]]:
    start = open_.pop("", None)
    for reading in open_.values():
        if start is not None and start.samples[START] == 1:
            reading.values.update(start.values)
        yield reading.line, reading


def _labels(written: bytes | None, bare: str) -> dict[str, str]:
    if not written or bare.endswith("_bucket"):
        return {}
    return dict(_LABEL.findall(written.decode("utf-8", "replace")))


def _value(written: bytes) -> float | BadSample:
    text = written.decode("utf-8", "replace")
    if text.lower() in {"nan", "+inf", "-inf", "inf"}:
        return BadSample("")  # an empty summary, not a fault
    value = real_in(text)
    if value is None or not 0 <= value < _LARGEST:
        return BadSample("no number of 0 or more")
    return value
