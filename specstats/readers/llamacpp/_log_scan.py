"""Finding the telling lines of a llama-server log without looking at each line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from specstats.readers._scan import CHUNK, blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = ["Hit", "scan"]

_CHUNK = CHUNK
_LOOK_BACK = 512
# Signs that are rare and cheap to look for; what stands around them tells the line,
# and one character beside them spares most of that looking.
_EQUALS = re.compile(
    rb"=(?:(?<=[e ] =)(?:(?P<timing>(?= {0,12}-?\d{1,15}\.\d\d ms))"
    rb"|(?P<draft>(?= {0,12}\d\.\d+ \( {0,12}\d+ accepted)))"
    rb"|(?:(?<=[sx)] =)|(?<=[xd]=))(?:(?P<positions>(?<=acc per pos =))"
    rb"|(?P<statistics>(?<=#calls =)|(?<=#calls\(b,g,a\) =))"
    rb"|(?P<prompt>(?<=task\.n_tokens =))"
    rb"|(?P<setting>(?<=n_max=)|(?<= build=)|(?<=n_slots =)|(?<=new slot, n_ctx =))))"
)
_COLON = re.compile(
    rb": (?:(?=[felatcs]|init|POST)|(?<=[dlrno]: ))"
    rb"(?:(?P<failure>(?=failed to )|(?<=failed: )|(?<=loading model: )"
    rb"|(?<=CUDA error: )|(?=the (?:target|draft) )|(?=exiting due ))"
    rb"|(?P<error>(?<=send_error: )|(?<=got exception: ))"
    rb"|(?P<http>(?<=done request: )(?=POST +\S+ +\S+ +[45]))"
    rb"|(?P<setting>(?<=build_info: )|(?<=build: )|(?=loading |adding spec|"
    rb"creating MTP|speculative decoding |listening on|server is listening|"
    rb"initializing)))"
)
_NEEDLES = (
    ("accepted", b" draft tokens, new"),
    ("setting", b"ynthetic"),
    ("setting", b"no implementations specified"),
)
# The lines of a request stand together, but for those of other threads.
_LEAD = rb"(?:[^\n|]*print_timing: (?P=ids)|[^\n|]{0,40}\||) *"
_TIME = rb"eval time = +(\d{1,12}\.\d\d) ms / +(\d{1,12}) tokens "
_RATES = rb"\( *(\d{1,12}\.\d\d) ms per token, +(\d{1,12}\.\d\d) tokens per second\)"
_END = rb" *\r?\n"
_TIMINGS = re.compile(
    rb"(?:[^\n|]*print_timing: (?P<ids>id +\d+ \| task +\d+ \|)|[^\n|]{0,40}\||) *"
    + (rb"prompt " + _TIME + rb"\([^\n)]{0,80}\)" + _END)
    + (_LEAD + _TIME + _RATES + _END)
    + (_LEAD + rb"total time = +(\d{1,12}\.\d\d) ms / +(\d{1,12}) tokens" + _END)
    + (rb"(?:" + _LEAD + rb"graphs reused = +\d+" + _END + rb")?")
    + (rb"(?P<draft>" + _LEAD + rb"draft acceptance[^\n]*\n)?")
)


class Hit(NamedTuple):
    """A line that tells something.

    Attributes
    ----------
    kind : str
        What it may tell.
    line : int
        Its number, from 1.
    data : bytes
        The block of lines that it stands in.
    start, place, end : int
        Where it begins, where it was recognised and where it ends in that block.
    timings : match or None
        All timing lines of a request, where they stand together from this line on.
    """

    kind: str
    line: int
    data: bytes
    start: int
    place: int
    end: int
    timings: re.Match[bytes] | None

    @property
    def text(self) -> bytes:
        """The line, without its line end."""
        return self.data[self.start : self.end].rstrip(b"\r")


def scan(source: Source) -> Iterator[Hit]:
    """Yield the lines that tell something, in order, each once.

    Parameters
    ----------
    source : Source
        The log.

    Yields
    ------
    Hit
        Line and where it stands.
    """
    blocks_of = blocks(source, chunk=_CHUNK, look_back=_LOOK_BACK)
    for first, before, data in blocks_of:
        line, start, end = first, before, before
        for place, kind in _places(data):
            if place < end:
                continue
            begin = data.rfind(b"\n", start, place) + 1
            if begin:
                line += data.count(b"\n", start, begin)
                start = begin
            timings = _TIMINGS.match(data, start) if kind == "timing" else None
            end = timings.end() if timings else data.find(b"\n", place)
            yield Hit(kind, line, data, start, place, end, timings)


def _places(data: bytes) -> list[tuple[int, str]]:
    found = [(hit.start(), str(hit.lastgroup)) for hit in _EQUALS.finditer(data)]
    before = len(found)
    found += [(hit.start(), str(hit.lastgroup)) for hit in _COLON.finditer(data)]
    for kind, needle in _NEEDLES:
        place = data.find(needle)
        while place >= 0:
            found.append((place, kind))
            place = data.find(needle, place + len(needle))
    if len(found) > before:
        found.sort()
    return found
