"""SGLang server logs: windows of decoding, with what was accepted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.errors import MalformedArtifactError
from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._results import (
    add_aggregate,
    process_of,
    settings_text,
)
from specstats.readers._text import clean_head, text_lines
from specstats.readers.sglang._lines import (
    Window,
    argument_values,
    batch_kind,
    rank_of,
    window_of,
)
from specstats.readers.sglang._server import server_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
_DEEPEST = 64
_ROUNDING = 0.0101  # both numbers have two decimals
_FEWEST = 2  # of so many windows a constant quotient says something
_LENGTH = "tokens a verify step, bonus token included, of the window"
_RATES = {
    "length": "accepted length over the draft tokens of a step: (accepted + 1) over "
    "(proposed + 1), so never 0",
    "drafts": "accepted draft tokens over proposed draft tokens",
    "unknown": "accepted over proposed; whether the bonus token counts is not told",
}


def _sniff(head: bytes, name: str) -> Match:
    del name
    content = clean_head(head)
    known = any(
        batch_kind(line) for line in content.splitlines() if "batch" in line
    ) or ("server_args=ServerArgs(" in content)
    return Match(85 if known else 0, "no line about a decode or prefill batch")


@dataclass(slots=True)
class _State:
    source: Source
    trouble: Trouble
    meaning: str
    batch: Batch = field(default_factory=Batch)
    launch: int = -1
    settings: str | None = None
    # Schedulers whose last line was about prefilling with nothing else to do.
    idle: set[str] = field(default_factory=set)
    known: set[str] = field(default_factory=set)


def _parse(source: Source) -> Iterator[Batch]:
    meaning, proposed, example = _meaning_of_rates(source)
    state = _State(source, Trouble(source), meaning)
    state.settings = settings_text({"id.engine": "sglang"})
    if example is not None and meaning != "drafts":
        line, window = example
        state.trouble.note(
            *(state.batch, "SPS308", line, _ambiguity(meaning, proposed)),
            observed=f"accept len {window.length}, accept rate {window.accept_rate}",
            required="a rate of draft tokens over draft tokens",
            remedy="use the accepted length, or a version of 2026-05 or later",
        )
    for line, content in text_lines(source):
        kind = batch_kind(content)
        if kind == "launch":
            _begin(state, content)
        elif kind == "prefill":
            _note_prefill(state, content)
        elif kind == "decode":
            _add_window(state, line, window_of(content))
            if state.batch.count("aggregates") >= _ROWS_A_BATCH:
                yield state.batch
                state.batch = Batch()
    if not state.known:
        raise MalformedArtifactError("no line about a decode batch", source=source.name)
    state.trouble.close(state.batch)
    yield state.batch


def _meaning_of_rates(
    source: Source,
) -> tuple[str, int, tuple[int, Window] | None]:
    """Tell by arithmetic what the rates are, and the draft tokens of a step."""
    as_length = list(range(1, _DEEPEST + 1))
    as_drafts = list(as_length)
    first: tuple[int, Window] | None = None
    seen = 0
    for line, content in text_lines(source):
        if "accept rate" not in content or batch_kind(content) != "decode":
            continue
        window = window_of(content)
        length, rate = window.length, window.accept_rate
        if length is None or rate is None:
            continue
        seen += 1
        first = first or (line, window)
        as_length = [k for k in as_length if abs(length / k - rate) <= _ROUNDING]
        as_drafts = [k for k in as_drafts if abs((length - 1) / k - rate) <= _ROUNDING]
        if not as_length and not as_drafts:
            break
    if seen >= _FEWEST and as_length and not as_drafts:
        return "length", as_length[0], first
    if seen >= _FEWEST and as_drafts and not as_length:
        return "drafts", as_drafts[0], first
    return "unknown", 0, first


def _ambiguity(meaning: str, proposed: int) -> str:
    if meaning == "length":
        return (
            f"accept rate is accept len over {proposed} in every line: the bonus token "
            "is in it, so it reads high"
        )
    return "the lines do not tell whether the bonus token is in accept rate"


def _begin(state: _State, content: str) -> None:
    state.launch += 1
    state.settings = settings_text(server_settings(argument_values(content)))
    state.idle = set()
    state.known.discard("")


def _note_prefill(state: _State, content: str) -> None:
    if "#running-req: 0," in content or content.rstrip().endswith("#running-req: 0"):
        state.idle.add(rank_of(content))


def _add_window(state: _State, line: int, window: Window) -> None:
    batch = state.batch
    batch.entries += 1
    after_idle = window.rank in state.idle or window.rank not in state.known
    state.idle.discard(window.rank)
    state.known.add(window.rank)
    if window.rate is None and window.length is None:
        message = "line skipped: neither a throughput nor a length above 0"
        state.trouble.note(batch, "SPS002", line, message)
        return
    launched = state.launch >= 0
    place: Row = {
        "source": state.source.name,
        "entry": line,
        "prompt_id": window.rank or None,
        "process": process_of(state.source, state.launch) if launched else None,
        "scope": "window",
        "settings": state.settings,
    }
    add_aggregate(
        *(batch, place),
        "decode_rate_after_idle" if after_idle else "decode_rate",
        "tok/s",
        "value",
        value=window.rate,
        definition="tokens over the time since the line before, idle time included"
        if after_idle
        else "tokens of all running requests over the time since the line before",
    )
    add_aggregate(
        *(batch, place, "mean_accepted_length", "tokens", "value"),
        value=window.length,
        definition=_LENGTH,
    )
    add_aggregate(
        *(batch, place, "acceptance_rate", "1", "value"),
        value=window.accept_rate,
        definition=_RATES[state.meaning],
    )
    running = float(window.running) if window.running else None
    add_aggregate(
        *(batch, place, "running_requests", "requests", "value"), value=running
    )
    batch.parsed += 1


READER = Reader(
    name="sglang-log",
    label="SGLang server log (Decode batch lines)",
    producers=("2025-03", "2025-10"),
    levels=("aggregate",),
    boundary="proved where the log prints server_args, once a launch; else unknown",
    traps=(
        "a line covers decode_log_interval batches, 40 unless set, and has no counts",
        (
            "the first line after an idle stretch divides by the idle time: it is "
            "kept apart, as decode_rate_after_idle"
        ),
        (
            "accept rate was accept len over num_draft_tokens until April 2026: the "
            "bonus token is in it and it never falls below one over that number"
        ),
        "accept len includes the bonus token",
        "the throughput is of all running requests, not of one",
        "do not average the lines: windows have different lengths",
    ),
    fields=(
        (
            "gen throughput (token/s)",
            "aggregates.value: decode_rate or decode_rate_after_idle, tok/s",
        ),
        ("accept len", "aggregates.value: mean_accepted_length, tokens"),
        (
            "accept rate",
            (
                "aggregates.value: acceptance_rate, a fraction; its meaning is "
                "told by arithmetic"
            ),
        ),
        ("#running-req", "aggregates.value: running_requests"),
        ("[.. DP0 TP0]", "aggregates.prompt_id: the scheduler"),
        (
            "server_args=ServerArgs(..)",
            "aggregates.process: and settings cfg.*, id.model",
        ),
    ),
    marks=(b"Decode batch", b"Prefill batch", b"server_args=ServerArgs("),
    sniff=_sniff,
    parse=_parse,
)
