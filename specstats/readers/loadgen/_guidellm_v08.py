"""GuideLLM 0.8: as 0.5, with the command's settings under config.spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._json import text
from specstats.readers._results import items, mapping
from specstats.readers.loadgen._distributions import flat, model_name
from specstats.readers.loadgen._guidellm_v04 import benchmark_load

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.readers._base import Row
    from specstats.readers.loadgen._guidellm_rows import Load

__all__ = ["is_report", "loads"]

_LEFT_OUT = frozenset({"kind", "load_kwargs", "api_key", "path", "source"})
_MAX_SOURCES = 20


def is_report(entry: Mapping[str, object]) -> bool:
    """Whether an entry is a report of GuideLLM 0.8."""
    version = mapping(entry.get("metadata")).get("guidellm_version")
    return isinstance(version, str) and "config" in entry


def loads(entry: Mapping[str, object]) -> Iterator[Load]:
    """Yield the load levels; the list may hold nothing where one was cut out."""
    spec = mapping(mapping(entry.get("config")).get("spec"))
    backend = mapping(spec.get("backend"))
    shared: Row = {
        "id.model": model_name(backend.get("model")),
        "id.guidellm": mapping(entry.get("metadata")).get("guidellm_version"),
        "cfg.streaming": backend.get("stream"),
        "cfg.max_tokens": backend.get("max_tokens"),
        "cfg.seed": mapping(spec.get("seed")).get("value"),
        "cfg.profile": text(mapping(spec.get("profile")).get("kind")),
    }
    for data in items(spec.get("data"))[:_MAX_SOURCES]:
        shared["cfg.data"] = text(mapping(data).get("kind"))
        shared.update(flat("cfg.data.", data, without=_LEFT_OUT))
    for benchmark in items(entry.get("benchmarks")):
        yield benchmark_load(mapping(benchmark), shared)
