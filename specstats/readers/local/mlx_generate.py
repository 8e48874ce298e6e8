"""The summary that mlx_lm.generate and mlx_vlm.generate print below an answer."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.readers._base import Match, Reader, Row
from specstats.readers._text import count_in, real_in, text_lines
from specstats.readers.local._sink import Sink, digest, positive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.readers._base import Batch
    from specstats.source import Source

__all__ = ["READER"]

_RATE = r": (\d{1,12}) tokens?, (\d{1,15}(?:\.\d{1,15})?) tokens-per-sec"
_PROMPT = re.compile(rf"\s{{0,8}}Prompt{_RATE}", re.ASCII)
_OUTPUT = re.compile(rf"\s{{0,8}}Generation{_RATE}", re.ASCII)
_PEAK = re.compile(r"\s{0,8}Peak memory: (\d{1,9}(?:\.\d{1,9})?) GB", re.ASCII)
_MARK = re.compile(
    rb"(?:\A|\n)[ \t]{0,8}Generation: \d{1,12} tokens?, [\d.]{1,30} tokens-per-sec"
)
_FENCE = "=========="
_FENCES = 2


@dataclass(slots=True)
class _Text:
    """The answer between two fences, where it is unmistakable."""

    fences: int = 0
    lines: list[str] = field(default_factory=list)

    def take(self, content: str) -> None:
        if content.strip() == _FENCE:
            self.fences += 1
        elif self.fences == 1:
            self.lines.append(content)

    @property
    def sha256(self) -> str | None:
        known = self.fences == _FENCES and self.lines
        return digest("\n".join(self.lines)) if known else None


def _sniff(head: bytes, name: str) -> Match:
    del name
    known = _MARK.search(head) is not None
    return Match(85 if known else 0, "no line Generation: N tokens, X tokens-per-sec")


def _parse(source: Source) -> Iterator[Batch]:
    sink, answer = Sink(source), _Text()
    prompt: tuple[int | None, float | None] | None = None
    process = f"{source.sha256[:12]}#1" if _is_single(source) else None
    shared: Row = {"process": process}
    line_of_last = 0
    for line, content in text_lines(source):
        if ": " not in content:
            answer.take(content)
            continue
        found = _PROMPT.match(content)
        if found is not None:
            prompt = count_in(found[1]), real_in(found[2])
            continue
        found = _OUTPUT.match(content)
        if found is not None:
            told = (count_in(found[1]), real_in(found[2]))
            _add(sink, line, {**shared, "output_sha256": answer.sha256}, (prompt, told))
            prompt, answer, line_of_last = None, _Text(), line
        peak = _PEAK.match(content)
        if peak is not None and line_of_last:
            key = ("peak_memory", "GB", "max")
            sink.aggregate(
                line_of_last, {**shared, "scope": "lifetime"}, key, real_in(peak[1])
            )
        answer.take(content)
        if sink.is_full:
            yield sink.take()
    yield sink.close()


def _is_single(source: Source) -> bool:
    seen = 0
    for _, content in text_lines(source):
        seen += _OUTPUT.match(content) is not None
        if seen > 1:
            return False
    return True


def _add(
    sink: Sink,
    line: int,
    shared: Row,
    told: tuple[
        tuple[int | None, float | None] | None, tuple[int | None, float | None]
    ],
) -> None:
    sink.batch.entries += 1
    prompt, (count, rate) = told
    row: Row = {**shared, "n_output": count, "settings": '{"id.engine": "mlx"}'}
    if prompt is not None:
        row["n_prompt"] = prompt[0]
    if not count:
        sink.says_nothing(line)
    elif count > 1 and positive(rate) is not None:
        row.update(engine_rate_tps=rate, rate_convention="n")
    sink.request(line, row)
    if prompt is not None:
        about = {"process": shared["process"], "scope": "request"}
        key = ("prompt_rate", "tok/s", "value")
        sink.aggregate(line, about, key, positive(prompt[1]))


READER = Reader(
    name="mlx-generate",
    label="summary of mlx_lm.generate and mlx_vlm.generate",
    producers=("2025",),
    levels=("request", "aggregate"),
    boundary="proved for the only summary of a file; unknown where there are several",
    traps=(
        "the rate is n tokens over the time since the first token",
        "the rate of one token means nothing and is not taken",
        "draft tokens are not counted, though a draft model can be used",
    ),
    fields=(
        ("Prompt: N tokens", "requests.n_prompt: tokens"),
        ("Prompt: X tokens-per-sec", "aggregates.value: tok/s, metric prompt_rate"),
        ("Generation: N tokens", "requests.n_output: tokens"),
        ("Generation: X tokens-per-sec", "requests.engine_rate_tps: tok/s"),
        ("Peak memory", "aggregates.value: GB"),
        ("text between two lines of ==========", "requests.output_sha256"),
    ),
    marks=(b"tokens-per-sec",),
    sniff=_sniff,
    parse=_parse,
)
