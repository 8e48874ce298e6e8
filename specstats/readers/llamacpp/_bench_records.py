"""llama-bench records in a file, whatever surrounds or wraps them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from specstats.readers._json import BadEntry, decoded, entries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = ["WRAPPED", "Record", "is_wrapped", "records", "starts_an_array"]

WRAPPED = "bench_raw"
_NO_JSON = frozenset({"not a JSON object", "expecting value"})
_FIRST_JSON = re.compile(rb"^[ \t]*(\[[ \t]*\r?$|\[[ \t]*\{|\{)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Record:
    """A record, or what stands in its place.

    Attributes
    ----------
    line : int
        Line or number of the entry that it stands in.
    value : object
        Decoded value or `BadEntry`.
    harness : int or None
        Number of the harness record that wraps it; None where nothing does.
    """

    line: int
    value: object
    harness: int | None = None


def starts_an_array(head: bytes) -> bool:
    """Whether the first JSON of a file, behind any noise, is an array."""
    found = _FIRST_JSON.search(head)
    return found is not None and found[1].startswith(b"[")


def is_wrapped(entry: object) -> bool:
    """Whether a harness record holds the output of llama-bench."""
    if not isinstance(entry, dict) or "samples_ns" in entry:
        return False
    raw = entry.get(WRAPPED)
    if isinstance(raw, str):
        return "samples_ns" in raw
    items = raw if isinstance(raw, list) else [raw]
    return any(isinstance(item, dict) and "samples_ns" in item for item in items[:9])


class _Lines:
    """Lines of a file by number; entries come in the order of their lines."""

    def __init__(self, source: Source) -> None:
        self._rest = source.lines()
        self._number, self._content = 0, b""

    def at(self, wanted: int) -> bytes:
        while self._number < wanted:
            self._number, self._content = next(self._rest, (wanted, b""))
        return self._content


def records(source: Source) -> Iterator[Record]:
    """Yield the records of a file; lines that are no JSON are noise of the devices.

    Parameters
    ----------
    source : Source
        The artifact.

    Yields
    ------
    Record
        One for each record, and one for each that is broken.
    """
    lines = _Lines(source)
    harness = 0
    for line, value in entries(source):
        if isinstance(value, BadEntry) and value.reason in _NO_JSON:
            if value.reason == "not a JSON object":
                continue
            if not lines.at(line).lstrip().startswith((b"{", b"[")):
                continue
        if not is_wrapped(value):
            yield Record(line, value)
            continue
        raw = value.get(WRAPPED) if isinstance(value, dict) else None
        for item in _unwrapped(raw):
            yield Record(line, item, harness)
        harness += 1


def _unwrapped(raw: object) -> Iterator[object]:
    if isinstance(raw, str):
        content = raw.encode("utf-8", "replace")
        value = decoded(content)
        if not isinstance(value, BadEntry):
            yield from _unwrapped(value)
            return
        for line in content.split(b"\n"):
            if line.lstrip().startswith((b"{", b"[")):
                inner = decoded(line.strip())
                yield from inner if isinstance(inner, list) else [inner]
    elif isinstance(raw, list):
        yield from raw
    elif isinstance(raw, dict):
        yield raw
