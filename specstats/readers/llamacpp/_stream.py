"""Server-sent event streams, folded into one response each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from specstats.readers._json import BadEntry, decoded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = ["is_stream", "stream_entries"]

_START = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*(?:event:|data:|: )")
_KEPT = ("id", "model", "created", "system_fingerprint", "usage", "timings", "error")

_NO_DATA = b"<no event>"
_NO_EVENT = BadEntry("a line that is no event")

Entry = dict[str, object]


def is_stream(head: bytes) -> bool:
    """Whether the bytes begin like a server-sent event stream.

    Parameters
    ----------
    head : bytes
        First bytes of an artifact.

    Returns
    -------
    bool
        True for ``data:`` and ``event:`` lines.
    """
    return _START.match(head) is not None


def stream_entries(source: Source) -> Iterator[tuple[int, object]]:
    """Yield one response for each stream in the artifact.

    Parameters
    ----------
    source : Source
        Artifact of ``data:`` lines.

    Yields
    ------
    tuple of int and object
        Line of the first event and the folded response, or a `BadEntry`.
    """
    response: _Folded | None = None
    for line, content in source.lines():
        payload = _payload(content)
        if payload is None:
            continue
        if payload == b"[DONE]":
            if response is not None:
                yield response.line, response.entry()
            response = None
            continue
        chunk = _NO_EVENT if payload is _NO_DATA else decoded(payload)
        if isinstance(chunk, BadEntry):
            yield line, chunk
            continue
        if not isinstance(chunk, dict):
            yield line, BadEntry("an event that is no JSON object")
            continue
        if response is not None and response.is_other(chunk):
            yield response.line, response.entry()
            response = None
        response = response or _Folded(line)
        response.take(chunk)
    if response is not None:
        yield response.line, response.entry()


def _payload(content: bytes) -> bytes | None:
    """Return what an event carries; None for lines that carry nothing."""
    stripped = content.removeprefix(b"\xef\xbb\xbf").strip(b" \t\r\n\x00")
    if stripped.startswith((b"data:", b"error:")):
        return stripped.partition(b":")[2].strip()
    if not stripped or stripped.startswith((b":", b"event:", b"id:", b"retry:")):
        return None
    return _NO_DATA


class _Folded:
    """One response in the making."""

    __slots__ = ("content", "finished", "kept", "line", "reasoning")

    def __init__(self, line: int) -> None:
        self.line = line
        self.content: list[str] = []
        self.reasoning: list[str] = []
        self.kept: Entry = {}
        self.finished: str | None = None

    def is_other(self, chunk: Entry) -> bool:
        """Whether a chunk belongs to another response."""
        mine, other = self.kept.get("id"), chunk.get("id")
        return mine is not None and other is not None and mine != other

    def take(self, chunk: Entry) -> None:
        """Add a chunk."""
        self.kept.update({key: chunk[key] for key in _KEPT if chunk.get(key)})
        if isinstance(chunk.get("content"), str):
            self.content.append(str(chunk["content"]))
        if chunk.get("stop") is True:
            self.finished = "length" if chunk.get("stop_type") == "limit" else "stop"
        choices = chunk.get("choices")
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            self._take_choice(choices[0])

    def _take_choice(self, choice: Entry) -> None:
        reason = choice.get("finish_reason")
        if isinstance(reason, str):
            self.finished = reason
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            return
        for key, parts in (
            ("content", self.content),
            ("reasoning_content", self.reasoning),
        ):
            if isinstance(delta.get(key), str):
                parts.append(delta[key])

    def entry(self) -> Entry:
        """Return the response as a non-streaming one would look."""
        parts = {"content": self.content, "reasoning_content": self.reasoning}
        message = {key: "".join(texts) for key, texts in parts.items() if texts}
        choice = {"finish_reason": self.finished, "message": message}
        return {
            **self.kept,
            "choices": [choice],
            "truncated_stream": self.finished is None and "error" not in self.kept,
        }
