"""Responses of a llama.cpp server that are like almost all: typed, many at once.

A line is regular when its typed decoding succeeds and it has no key that only
harnesses write; what a regular line means is then the same as in `server`, without
the care that other lines need. No numpy or pyarrow here: worker processes start fast.
"""

from __future__ import annotations

import hashlib
import json
import struct
from array import array
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import starmap
from typing import Annotated

import msgspec
from msgspec.structs import astuple

from specstats.readers.llamacpp._identity import settings_of

__all__ = [
    "FAILURES",
    "NUMBERS",
    "Digests",
    "Levels",
    "Packed",
    "Response",
    "Texts",
    "output_digest",
    "packed",
    "take_cached",
    "whole",
    "written_settings",
]

# Missing numbers are -1: what is regular is never negative.
Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Amount = Annotated[float, msgspec.Meta(ge=0)]

# Keys of a response or beside it that `server` understands and this module does not.
_HARNESS = frozenset(
    {
        *("accepted", "arm", "block", "cache_prompt", "depth", "draft_model"),
        *("drafted", "drafter", "engine", "generation_settings", "n_max", "n_min"),
        *("n_steps", "output_sha256", "p_min", "pid", "process_start", "prompt"),
        *("prompt_class", "prompt_id", "rep", "repeat", "repetition"),
        *("request_start", "run", "run_index", "sha256", "sigma", "spec", "step_ms"),
        *("truncated_stream", "workload"),
    }
)
_OTHER_TEXTS = frozenset({"content_sha256", "text"})

FAILURES = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class _Message(msgspec.Struct, gc=False):
    content: str | None = None
    reasoning_content: str | None = None


class _Choice(msgspec.Struct, gc=False):
    message: _Message
    finish_reason: str | None = None


class _Timings(msgspec.Struct, gc=False, kw_only=True):
    """Counts, then times and rates: in the order of `NUMBERS`."""

    predicted_n: Count
    cache_n: Count = -1
    prompt_n: Count = -1
    draft_n: Count = -1
    draft_n_accepted: Count = -1
    predicted_ms: Amount
    prompt_ms: Amount = -1.0
    predicted_per_second: Amount = -1.0
    prompt_per_token_ms: float = 0.0
    prompt_per_second: float = 0.0
    predicted_per_token_ms: float = 0.0


NUMBERS = tuple(
    (name, "<i8" if kind == "Count" else "<f8")
    for name, kind in _Timings.__annotations__.items()
)


class _Details(msgspec.Struct, gc=False):
    cached_tokens: Count = -1


class _Usage(msgspec.Struct, gc=False):
    prompt_tokens_details: _Details | None = None


class Response(msgspec.Struct, gc=False):
    choices: Annotated[Sequence[_Choice], msgspec.Meta(min_length=1)]
    timings: _Timings
    id: str | None = None
    created: Amount = -1.0
    model: str | None = None
    system_fingerprint: str | None = None
    usage: _Usage | None = None


# The same with every key that the server writes: values of keys that no type names are
# passed over without a look, and a broken one there must not make a line regular.
class _WholeMessage(_Message, gc=False, forbid_unknown_fields=True):
    role: str | None = None


class _WholeChoice(_Choice, gc=False, forbid_unknown_fields=True, kw_only=True):
    message: _WholeMessage
    index: int | None = None
    logprobs: None = None


class _WholeTimings(_Timings, gc=False, forbid_unknown_fields=True):
    pass


class _WholeDetails(_Details, gc=False, forbid_unknown_fields=True):
    pass


class _WholeUsage(_Usage, gc=False, forbid_unknown_fields=True):
    prompt_tokens_details: _WholeDetails | None = None
    completion_tokens: int | None = None
    prompt_tokens: int | None = None
    total_tokens: int | None = None


class _WholeResponse(Response, gc=False, forbid_unknown_fields=True, kw_only=True):
    choices: Annotated[Sequence[_WholeChoice], msgspec.Meta(min_length=1)]
    timings: _WholeTimings
    usage: _WholeUsage | None = None
    object: str | None = None


whole = msgspec.json.Decoder(_WholeResponse).decode
_known = msgspec.json.Decoder(Response).decode

_pack = struct.Struct("<5q6d").pack
_begun = hashlib.sha256().copy  # half the price of a new one
Texts = tuple[bytes, bytes]
Digests = tuple[bytes, list[int]]
Levels = tuple[list[str | None], bytes | None]


class Packed(msgspec.Struct, array_like=True, gc=False):
    """Columns of the regular lines of a stretch of a file, as bytes.

    Attributes
    ----------
    lines : int
        Lines of the stretch.
    odd : list of int
        Those that are not regular, counted from 0.
    numbers : bytes
        Rows of `NUMBERS`; -1 is missing.
    created : bytes
        When the response was made.
    ids : tuple of bytes
        Texts joined, in UTF-8, and their lengths; -1 is missing.
    reasons, settings : tuple
        Different texts and the number of each row's; no numbers if all are one.
    digests : tuple
        SHA-256 of the outputs one after another, and rows that have none.
    """

    lines: int
    odd: list[int]
    numbers: bytes
    created: bytes
    ids: Texts
    reasons: Levels
    settings: Levels
    digests: Digests

    @property
    def rows(self) -> int:
        """How many lines are regular."""
        return self.lines - len(self.odd)


def packed(lines: Sequence[bytes]) -> Packed:
    """Decode the regular lines of a stretch into columns.

    Parameters
    ----------
    lines : sequence of bytes
        Lines as they lie in the file.

    Returns
    -------
    Packed
        Their columns, and which lines are left over.
    """
    odd: list[int] = []
    try:
        rows: list[Response] = list(map(whole, lines))
    except FAILURES:
        rows, odd = _sifted(lines)
    timings = [row.timings for row in rows]
    if any(found.cache_n < 0 for found in timings):
        take_cached(rows)
    choices = [row.choices[0] for row in rows]
    return Packed(
        lines=len(lines),
        odd=odd,
        numbers=b"".join(starmap(_pack, map(astuple, timings))),
        created=array("d", [row.created for row in rows]).tobytes(),
        ids=_texts([row.id for row in rows]),
        reasons=_levels([choice.finish_reason for choice in choices]),
        settings=_settings(rows),
        digests=_digests([choice.message for choice in choices]),
    )


def _sifted(lines: Sequence[bytes]) -> tuple[list[Response], list[int]]:
    rows: list[Response] = []
    odd: list[int] = []
    for place, line in enumerate(lines):
        row = _regular(line)
        if row is None:
            odd.append(place)
        else:
            rows.append(row)
    return rows, odd


def _regular(line: bytes) -> Response | None:
    try:
        return whole(line)
    except FAILURES:
        pass
    try:
        value = msgspec.json.decode(line)
        row = _known(line)
    except FAILURES:
        return None
    message = value["choices"][0]["message"]
    regular = _HARNESS.isdisjoint(value) and _OTHER_TEXTS.isdisjoint(message)
    return row if regular else None


def take_cached(rows: Iterable[Response]) -> None:
    for row in rows:
        if row.timings.cache_n < 0 and row.usage is not None:
            details = row.usage.prompt_tokens_details
            row.timings.cache_n = -1 if details is None else details.cached_tokens


def _texts(values: list[str | None]) -> Texts:
    known = [value for value in values if value is not None]
    joined = "".join(known)
    if len(known) == len(values) and joined.isascii():
        return joined.encode(), array("i", map(len, known)).tobytes()
    written = [None if value is None else value.encode() for value in values]
    lengths = [-1 if text is None else len(text) for text in written]
    return b"".join(filter(None, written)), array("i", lengths).tobytes()


def _settings(rows: list[Response]) -> Levels:
    models = {row.model for row in rows}
    builds = {row.system_fingerprint for row in rows}
    if len(models) == len(builds) == 1:
        return [written_settings(models.pop(), builds.pop())], None
    identities = [(row.model, row.system_fingerprint) for row in rows]
    written = {
        identity: written_settings(*identity) for identity in dict.fromkeys(identities)
    }
    return _levels([written[identity] for identity in identities])


@lru_cache(maxsize=256)
def written_settings(model: str | None, build: str | None) -> str:
    entry: dict[str, object] = {"model": model, "system_fingerprint": build}
    return json.dumps(settings_of(entry, {}), sort_keys=True)


def _levels(values: list[str | None]) -> Levels:
    numbers = {value: number for number, value in enumerate(dict.fromkeys(values))}
    if len(numbers) <= 1:
        return list(numbers), None
    return list(numbers), array("i", map(numbers.__getitem__, values)).tobytes()


def _digests(messages: list[_Message]) -> Digests:
    found = [
        output_digest(message.content, message.reasoning_content)
        for message in messages
    ]
    missing = [row for row, digest in enumerate(found) if digest is None]
    return b"".join(filter(None, found)), missing


def output_digest(content: str | None, reasoning: str | None) -> bytes | None:
    if reasoning is not None:
        content = f"{content or ''}{reasoning}"
    elif content is None:
        return None
    found = _begun()
    found.update(content.encode())
    return found.digest()
