"""Answer files of the FastChat family that carry timing: one question a line."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Row, Trouble
from specstats.readers._json import BadEntry, entries, first_entry, number, text
from specstats.readers._results import (
    mapping,
    process_of,
    settings_text,
)
from specstats.readers.research._sessions import Drafters, Sessions, survey
from specstats.readers.research._turns import (
    FAILED,
    Choice,
    Dialect,
    Turn,
    choices_of,
    read_choices,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from specstats.source import Source

__all__ = ["first_answer", "parse_answers"]

_ROWS_A_BATCH = 20_000
_NUL = b"\x00"
_SUFFIX = re.compile(
    r"-(temperature|temp|top_p|posterior_threshold|posterior_alpha)-(\d+(?:\.\d+)?)"
)
_TYPE = re.compile(r"-(float16|bfloat16|float32)(?=-|\Z)")
_ID = ("question_id", "article_idx")


def first_answer(head: bytes) -> tuple[Mapping[str, object], Mapping[str, object]]:
    """Return the first entry of the head of a file and its first choice.

    Parameters
    ----------
    head : bytes
        First bytes of the artifact.

    Returns
    -------
    tuple of two mappings
        Empty where there are none; the entry itself where it holds no choices.
    """
    entry = mapping(first_entry(head))
    if not any(key in entry for key in _ID):
        return {}, {}
    choices = choices_of(entry)
    return entry, choices[0] if choices else {}


def parse_answers(source: Source, dialect: Dialect) -> Iterator[Batch]:
    """Yield the rows of an answer file.

    Parameters
    ----------
    source : Source
        The artifact.
    dialect : Dialect
        Its keys and conventions.

    Yields
    ------
    Batch
        One request a turn, and its steps.
    """
    batch, trouble = Batch(), Trouble(source)
    drafters = survey(source, dialect.lengths)
    sessions = Sessions(drafters)
    for line, value in entries(source):
        batch.entries += 1
        problem = _problem(value)
        if problem:
            trouble.note(batch, "SPS002", line, f"entry skipped: {problem}")
            continue
        entry = mapping(value)
        problem = sessions.is_copy(text(entry.get("answer_id")))
        choices = [] if problem else read_choices(entry, dialect)
        if not problem and not choices:
            problem = "no turn with a time, tokens or steps"
        if problem:
            trouble.note(batch, "SPS002", line, f"entry skipped: {problem}")
            continue
        launch = sessions.session(entry)
        process = None if launch is None else process_of(source, launch)
        place: Row = {"source": source.name, "entry": line, "process": process}
        for choice in choices:
            _note(choice, line, batch, trouble)
            sessions.compare(entry, choice.repetition, *_fingerprint(choice))
        _add(batch, place, entry, choices, dialect=dialect, drafters=drafters)
        batch.parsed += 1
        if batch.count("steps") + batch.count("requests") >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    for model, differing, compared in sessions.silent():
        trouble.note(
            batch,
            "SPS308",
            1,
            f"sessions under one model_id ({model}) accept differently on identical "
            "texts: they had other drafter settings and are no repeats of one arm",
            observed=f"{differing} of {compared} repeated answers differ in their "
            "accept lengths",
            required="equal accept lengths for equal texts",
            remedy="split the file by session and give each setting an arm",
        )
    _note_nul_bytes(source, batch, trouble)
    trouble.close(batch)
    yield batch


def _note_nul_bytes(source: Source, batch: Batch, trouble: Trouble) -> None:
    for line, content in source.lines():
        if content[:1] == _NUL and not content.strip(_NUL + b" \r"):
            message = "a line of NUL bytes: the writer was killed and an answer is lost"
            trouble.note(batch, "SPS002", line, message)


def _problem(value: object) -> str | None:
    if isinstance(value, BadEntry):
        return value.reason
    if not isinstance(value, dict):
        return "not a JSON object"
    if not any(text(value.get(key)) for key in _ID):
        return "no question_id"
    return None if choices_of(value) else "no choices"


def _note(choice: Choice, line: int, batch: Batch, trouble: Trouble) -> None:
    for message, observed, required in choice.problems:
        trouble.note(
            batch, "SPS006", line, message, observed=observed, required=required
        )
    empty = [turn for turn in choice.turns if turn.tokens == 0 and not turn.failed]
    if empty:
        message = "an answer of 0 tokens that claims success: its time is not used"
        trouble.note(batch, "SPS007", line, message)


def _fingerprint(choice: Choice) -> tuple[str, tuple[int, ...]]:
    texts = "\x00".join(turn.text or "" for turn in choice.turns)
    failed = any(turn.failed for turn in choice.turns)
    lengths = [count for turn in choice.turns for count in turn.lengths]
    return "" if failed else _digest(texts), tuple(lengths)


def _digest(content: str) -> str:
    return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()


def _add(
    batch: Batch,
    place: Row,
    entry: Mapping[str, object],
    choices: Sequence[Choice],
    *,
    dialect: Dialect,
    drafters: Drafters,
) -> None:
    named = next(found for key in _ID if (found := text(entry.get(key))))
    answer = text(entry.get("answer_id"))
    model = text(entry.get("model_id"))
    shared: Row = {
        **place,
        "workload": text(entry.get("category")),
        "settings": _settings(model),
    }
    for choice in choices:
        several = len(choice.turns) > 1
        for turn in choice.turns:
            suffix = f"/{turn.number + 1}" if several else ""
            row: Row = {
                **shared,
                "prompt_id": named + suffix,
                "repetition": choice.repetition,
                "request_id": None if answer is None else answer + suffix,
                **_measured(turn, dialect, drafts=drafters.drafts(model)),
            }
            if choice is choices[-1] and turn is choice.turns[-1]:
                row["ended_s"] = number(entry.get("tstamp"))
            batch.add("requests", row)
            if drafters.drafts(model) and not turn.failed:
                _add_steps(batch, place, turn)


def _measured(turn: Turn, dialect: Dialect, *, drafts: bool) -> Row:
    if turn.failed:
        return {"ok": False, "error": FAILED}
    row: Row = {
        "ok": True,
        "n_output": turn.tokens,
        "n_steps": turn.steps,
        dialect.seconds: turn.seconds if turn.tokens != 0 else None,
    }
    if turn.text is not None:
        row["output_sha256"] = _digest(turn.text)
    if drafts and turn.agrees and turn.steps and (turn.tokens or 0) >= turn.steps:
        row["n_accepted"] = (turn.tokens or 0) - turn.steps
    return row


def _add_steps(batch: Batch, place: Row, turn: Turn) -> None:
    for step, length in enumerate(turn.lengths):
        batch.add(
            "steps",
            {
                "source": place["source"],
                "entry": place["entry"],
                "step": step,
                "n_accepted": length - 1 if length else None,
                "n_output": length,
            },
        )


def _settings(model: str | None) -> str | None:
    """Return the model and what its name says of the settings."""
    if model is None:
        return None
    found = list(_SUFFIX.finditer(model))
    kind = _TYPE.search(model)
    ends = [match.start() for match in found] + ([kind.start()] if kind else [])
    values: Row = {"id.model": model[: min(ends)] if ends else model}
    if kind is not None:
        values["cfg.dtype"] = kind[1]
    for match in found:
        key = "temperature" if match[1] == "temp" else match[1]
        values[f"cfg.{key}"] = float(match[2])
    return settings_text(values)
