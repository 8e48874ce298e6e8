"""llama-speculative and llama-speculative-simple: the summary of each process."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._results import process_of, settings_text
from specstats.readers._text import real_in, text_lines
from specstats.readers.llamacpp._preamble import Preamble, heading_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_COUNT = re.compile(
    r"\b(n_draft|n_predict|n_drafted|n_accept) {1,20}= {1,20}(\d{1,9})\b", re.ASCII
)
_RATE = re.compile(r"\baccept {1,20}= {1,20}([\d.]{1,20}|-?nan|-?inf)%", re.ASCII)
_WORK = re.compile(
    r"\b(encoded|decoded|generated) {1,20}(\d{1,9}) tokens in {1,20}([\d.]{1,20}) "
    r"seconds(?:, speed: {1,20}([\d.]{1,20}|inf|nan) t(?:okens)?[/ ])?",
    re.ASCII,
)
_DIGITS = re.compile(r"[\d\W_]+")
_MOST_NAMED = 10_000
_LARGEST_TIME = 1e7
_PERCENT_ROUNDING = 0.06
_TOLERANCE = 2e-3
_TIME_ROUNDING = 0.0006
_RATE_ROUNDING = 0.0006


@dataclass(slots=True)
class _Block:
    """What one process printed."""

    line: int
    heading: str | None = None
    counts: dict[str, int] = field(default_factory=dict)
    work: dict[str, tuple[int, float, float | None]] = field(default_factory=dict)
    rate: float | None = None

    def has(self, hit: _Hit) -> bool:
        """Whether the block has the line already, so that it begins another."""
        if hit.count is not None:
            return hit.count[0] in self.counts
        return hit.work is not None and hit.work[0] in self.work

    def take(self, hit: _Hit) -> None:
        """Keep what a line says."""
        if hit.count is not None:
            name, value = hit.count
            self.counts[name] = value
        elif hit.work is not None:
            kind, tokens, seconds, rate = hit.work
            self.work[kind] = tokens, seconds, rate
        else:
            self.rate = hit.rate


@dataclass(frozen=True, slots=True)
class _Hit:
    count: tuple[str, int] | None = None
    work: tuple[str, int, float, float | None] | None = None
    rate: float | None = None


def _sniff(head: bytes, name: str) -> Match:
    del name
    known = b"n_accept " in head and b"n_drafted" in head and b" tokens in " in head
    return Match(80 if known else 0, "no n_drafted, n_accept and tokens in seconds")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    preamble = Preamble()
    arms = _arms(source)
    for number, block in enumerate(_blocks(source, preamble)):
        batch.entries += 1
        row = _row(block)
        if row is None:
            why = "block skipped: no n_accept, n_drafted or no number of tokens"
            trouble.note(batch, "SPS002", block.line, why)
            continue
        row.update(
            source=source.name,
            arm=arms.get(block.line),
            process=process_of(source, number),
            settings=settings_text(
                {
                    **preamble.settings,
                    "cfg.n_draft_max": block.counts.get("n_draft"),
                }
            ),
        )
        preamble.close_launch()
        batch.add("requests", row)
        batch.parsed += 1
        _check(block, batch, trouble)
        if batch.parsed >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    preamble.note_crash(batch, trouble, "its launch may lack a summary")
    trouble.close(batch)
    yield batch


def _arms(source: Source) -> dict[int, str]:
    """Return the heading above each summary, where headings tell arms apart.

    Headings that differ in numbers only name repeats.
    """
    named: dict[int, str] = {}
    for block in _blocks(source, Preamble()):
        if block.heading is None or len(named) >= _MOST_NAMED:
            return {}
        named[block.line] = block.heading
    words = {_DIGITS.sub(" ", heading).strip().lower() for heading in named.values()}
    return named if len(words) > 1 else {}


def _hit(text: str) -> _Hit | None:
    if " = " in text:
        count = _COUNT.search(text)
        if count is not None:
            return _Hit(count=(count[1], int(count[2])))
        rate = _RATE.search(text)
        if rate is not None:
            return _Hit(rate=real_in(rate[1]))
    if " tokens in " in text:
        work = _WORK.search(text)
        seconds = None if work is None else real_in(work[3])
        if work is not None and seconds is not None:
            kind = "encoded" if work[1] == "encoded" else "decoded"
            return _Hit(work=(kind, int(work[2]), seconds, real_in(work[4])))
    return None


def _blocks(source: Source, preamble: Preamble) -> Iterator[_Block]:
    """Yield the summaries; one that repeats what the last has begins another.

    Old versions print times behind the counts, newer ones before: a block is full
    when both are there.
    """
    block: _Block | None = None
    heading: str | None = None
    for line, text in text_lines(source):
        if not text:
            continue
        hit = _hit(text)
        if hit is None:
            heading = heading_of(text) or heading
            preamble.take(line, text)
            continue
        if block is not None and block.has(hit):
            yield block
            block = None
        if block is None:
            block, heading = _Block(line, heading), None
        block.take(hit)
    if block is not None:
        yield block


def _row(block: _Block) -> Row | None:
    drafted, accepted = block.counts.get("n_drafted"), block.counts.get("n_accept")
    output = block.counts.get("n_predict")
    decoded = block.work.get("decoded")
    if output is None and decoded is not None:
        output = decoded[0]
    if drafted is None or accepted is None or output is None:
        return None
    row: Row = {"entry": block.line, "ok": True, "n_output": output}
    if drafted and accepted <= drafted:
        row.update(n_draft=drafted, n_accepted=accepted)
    if output > accepted <= drafted:
        row["n_steps"] = output - accepted
    if "encoded" in block.work:
        tokens, seconds, _ = block.work["encoded"]
        if tokens and 0 < seconds < _LARGEST_TIME:
            row.update(n_prompt=tokens, prompt_s=seconds)
    if decoded is not None and output and 0 < decoded[1] < _LARGEST_TIME:
        tokens, seconds, rate = decoded
        row.update(n_output=tokens, decode_s=seconds, engine_rate_tps=rate or None)
        row["rate_convention"] = "n" if rate else None
    return row


def _check(block: _Block, batch: Batch, trouble: Trouble) -> None:
    def note(message: str, observed: str, required: str) -> None:
        trouble.note(
            batch,
            "SPS006",
            block.line,
            message,
            observed=observed,
            required=required,
        )

    drafted, accepted = block.counts["n_drafted"], block.counts["n_accept"]
    if accepted > drafted:
        note(
            "more draft tokens accepted than drafted: the counts are not used",
            f"{accepted} accepted of {drafted}",
            "accepted <= drafted",
        )
    elif drafted and block.rate is not None:
        right = 100 * accepted / drafted
        if abs(block.rate - right) > _PERCENT_ROUNDING:
            note(
                "the printed acceptance is not n_accept over n_drafted",
                f"{block.rate:g} %",
                f"{right:.3f} %",
            )
    output, decoded = block.counts.get("n_predict"), block.work.get("decoded")
    if output is not None and output < accepted:
        note(
            "more draft tokens accepted than tokens emitted",
            f"{accepted} accepted",
            f"at most {output}",
        )
    if decoded is None:
        return
    tokens, seconds, rate = decoded
    if output is not None and output != tokens:
        note("n_predict is not the decoded tokens", f"{output}", f"{tokens}")
    if rate and seconds > 0:
        right = tokens / seconds
        allowed = _TOLERANCE + _TIME_ROUNDING / seconds
        if abs(rate - right) > allowed * right + _RATE_ROUNDING:
            note(
                "the printed speed is not tokens over seconds",
                f"{rate:g} tok/s",
                f"{right:.3f} tok/s",
            )


READER = Reader(
    name="llama-speculative",
    label="llama-speculative, llama-speculative-simple: printed summary",
    producers=("2023-09 (PR 3006)", "2023-10", "2024-11"),
    levels=("request",),
    boundary="proved: one prompt a process, so each summary is a launch",
    traps=(
        "n_predict - n_accept is the number of target passes",
        "the decode time includes drafting",
        "n_draft is the most that a step drafts, n_drafted what was drafted",
        "with several sequences n_drafted sums over branches",
        "the performance lines below sum over both models and are not read",
        "accept = nan% where nothing was drafted, inf where no time was measured",
    ),
    fields=(
        ("n_predict, decoded N tokens", "requests.n_output: the bonus tokens included"),
        ("n_drafted", "requests.n_draft: tokens; missing where nothing was drafted"),
        ("n_accept", "requests.n_accepted: tokens, without bonus tokens"),
        ("n_predict - n_accept", "requests.n_steps: target passes"),
        ("decoded ... in T seconds", "requests.decode_s: s, drafting included"),
        ("encoded N tokens", "requests.n_prompt: tokens"),
        ("encoded ... in T seconds", "requests.prompt_s: s"),
        ("speed", "requests.engine_rate_tps: tok/s, n over time"),
        ("n_draft", "requests.settings: cfg.n_draft_max"),
        ("loaded meta data ... from, build", "requests.settings: id.*"),
        ("headings", "requests.arm: where several differ in more than numbers"),
    ),
    marks=(b"n_accept ",),
    sniff=_sniff,
    parse=_parse,
)
