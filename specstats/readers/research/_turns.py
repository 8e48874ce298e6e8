"""The turns of one answer: their texts, tokens, times and steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.readers._json import text, whole
from specstats.readers._results import items, mapping, positive

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["FAILED", "TIMED", "Choice", "Dialect", "Turn", "choices_of", "read_choices"]

TIMED = ("decoding_steps", "idxs", "wall_time", "new_tokens")
FAILED = "ERROR"
_MOST_TURNS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """What tells the answer files of one project from those of another.

    Attributes
    ----------
    steps : str
        Key of the steps of each turn.
    last_index : bool
        Whether that is the index of the last step, from 0, and not their number.
    lengths : str or None
        Key of the tokens of each step, over all turns.
    short_first : bool
        Whether the first step of a turn may be written one token short.
    seconds : str
        Column of the time of a turn: ``e2e_s`` when it includes the prompt.
    """

    steps: str
    last_index: bool
    lengths: str | None
    short_first: bool
    seconds: str


@dataclass(slots=True)
class Turn:
    """One turn of an answer.

    Attributes
    ----------
    number : int
        Place in the dialogue, from 0.
    text : str or None
        The answer.
    steps, tokens : int or None
        Verify steps and new tokens.
    seconds : float or None
        Time of the turn.
    lengths : sequence of int
        Tokens of each step, where they are known.
    agrees : bool
        Whether those add up to the tokens.
    """

    number: int
    text: str | None
    steps: int | None
    tokens: int | None
    seconds: float | None
    lengths: Sequence[int] = ()
    agrees: bool = False

    @property
    def failed(self) -> bool:
        """Whether the writer caught an error in place of an answer."""
        return self.text == FAILED


@dataclass(slots=True)
class Choice:
    """One answer to a question: its turns.

    Attributes
    ----------
    repetition : int
        Place among the answers to the question, from 0.
    turns : list of Turn
        In order.
    problems : list of (str, str, str)
        Contradictions: message, what was observed, what was required.
    """

    repetition: int
    turns: list[Turn]
    problems: list[tuple[str, str, str]] = field(default_factory=list)


def choices_of(entry: Mapping[str, object]) -> list[Mapping[str, object]]:
    """Return the answers of an entry; a fork writes its only one bare.

    Parameters
    ----------
    entry : mapping
        A line of an answer file.

    Returns
    -------
    list of mapping
        Empty where there are none.
    """
    listed = [choice for choice in items(entry.get("choices")) if mapping(choice)]
    if listed:
        return [mapping(choice) for choice in listed]
    return [entry] if any(key in entry for key in TIMED) else []


def _listed(value: object) -> Sequence[object]:
    """Return a list; a fork writes the bare value of its only turn."""
    if isinstance(value, list):
        return value
    return [] if value is None else [value]


def read_choices(entry: Mapping[str, object], dialect: Dialect) -> list[Choice]:
    """Return the answers of an entry that say anything.

    Parameters
    ----------
    entry : mapping
        A line of an answer file.
    dialect : Dialect
        Its keys and conventions.

    Returns
    -------
    list of Choice
        With their turns.
    """
    found = []
    for position, raw in enumerate(choices_of(entry)):
        choice = _choice(raw, position, entry, dialect)
        told = (
            turn.failed or (turn.tokens, turn.steps, turn.seconds) != (None, None, None)
            for turn in choice.turns
        )
        if any(told):
            found.append(choice)
    return found


def _choice(
    raw: Mapping[str, object],
    position: int,
    entry: Mapping[str, object],
    dialect: Dialect,
) -> Choice:
    texts = _listed(raw.get("turns", raw.get("summary", entry.get("summary"))))
    steps = _listed(raw.get(dialect.steps))
    tokens = _listed(raw.get("new_tokens"))
    seconds = _listed(raw.get("wall_time"))
    lists = (texts, steps, tokens, seconds)
    told = {len(values) for values in lists if values}
    choice = Choice(position, [])
    if len(told) > 1:
        observed = ", ".join(str(len(values)) for values in lists)
        choice.problems.append(
            ("turns, steps, tokens and times differ in number", observed, "one a turn")
        )
    turns = max(told, default=0)
    if turns > _MOST_TURNS:
        choice.problems.append(
            (
                "more turns than a conversation has: the rest is not read",
                f"{turns} turns",
                f"at most {_MOST_TURNS}",
            )
        )
    for number_ in range(min(turns, _MOST_TURNS)):
        count = whole(_at(steps, number_))
        if count is not None and dialect.last_index:
            count = whole(count + 1)
        said = _at(texts, number_)
        choice.turns.append(
            Turn(
                number=number_,
                text=text(said) if isinstance(said, str) else None,
                steps=count,
                tokens=whole(_at(tokens, number_)),
                seconds=positive(_at(seconds, number_)),
            )
        )
    _check_times(choice, seconds)
    if dialect.lengths is not None:
        _share_lengths(choice, _listed(raw.get(dialect.lengths)), dialect)
    return choice


def _at(values: Sequence[object], index: int) -> object:
    return values[index] if index < len(values) else None


def _check_times(choice: Choice, seconds: Sequence[object]) -> None:
    bad = [
        turn.number
        for turn in choice.turns
        if turn.seconds is None
        and not turn.failed
        and _at(seconds, turn.number) is not None
    ]
    if bad:
        choice.problems.append(
            ("an answer without a usable time", f"turn {bad[0] + 1}", "seconds above 0")
        )


def _share_lengths(choice: Choice, listed: Sequence[object], dialect: Dialect) -> None:
    """Give each turn its steps of the list, if their number and sum agree."""
    lengths = [whole(value) for value in listed]
    known = [value for value in lengths if value is not None]
    counts = [turn.steps or 0 for turn in choice.turns]
    if not listed:
        return
    if len(known) != len(lengths) or sum(counts) != len(known):
        choice.problems.append(
            (
                "the number of accept lengths is not that of the steps",
                f"{len(known)} accept lengths",
                f"{sum(counts)} steps",
            )
        )
        return
    begin, missing = 0, 0
    for turn, count in zip(choice.turns, counts, strict=True):
        part = known[begin : begin + count]
        begin += count
        short = (turn.tokens or 0) - sum(part)
        if dialect.short_first and short == 1 and part:
            part[0] += 1
            short = 0
        turn.lengths = part
        turn.agrees = short == 0 and turn.tokens is not None
        missing += abs(short) if not turn.failed else 0
    if missing:
        told = sum(turn.tokens or 0 for turn in choice.turns)
        choice.problems.append(
            (
                "accept lengths do not add up to the tokens",
                f"{sum(known)} tokens in steps",
                f"{told} new_tokens",
            )
        )
