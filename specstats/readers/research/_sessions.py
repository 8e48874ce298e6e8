"""Sessions that were appended to one answer file, and what tells them apart."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.readers._json import entries, number, text, whole
from specstats.readers._results import items, mapping

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["Drafters", "Sessions", "survey"]

_ENOUGH = 2
_MOSTLY = 0.5

_Key = tuple[str | None, str | None, int]


@dataclass(slots=True)
class _Model:
    drafts: bool = False
    repeats: bool = False
    ordered: bool = True
    last: float | None = None
    seen: set[str] = field(default_factory=set)


class Drafters:
    """What a first pass says of the models of a file.

    Parameters
    ----------
    models : dict
        By model_id.
    """

    __slots__ = ("_models",)

    def __init__(self, models: dict[str | None, _Model]) -> None:
        self._models = models

    def drafts(self, model: str | None) -> bool:
        """Return whether any step of the model gave more than one token."""
        found = self._models.get(model)
        return found is not None and found.drafts

    def has_sessions(self, model: str | None) -> bool:
        """Return whether questions come again, in the order of time."""
        found = self._models.get(model)
        return found is not None and found.repeats and found.ordered


def survey(source: Source, lengths: str | None) -> Drafters:
    """Go through an answer file once, for what no single line tells.

    Parameters
    ----------
    source : Source
        The artifact.
    lengths : str or None
        Key of the tokens of each step.

    Returns
    -------
    Drafters
        Which models draft, and which have several sessions.
    """
    models: dict[str | None, _Model] = {}
    answers = set[str]()
    for _, value in entries(source):
        entry = mapping(value)
        question = _question(entry) if entry else None
        if question is None:
            continue
        answer = text(entry.get("answer_id"))
        if answer in answers:
            continue
        if answer is not None:
            answers.add(answer)
        model = models.setdefault(text(entry.get("model_id")), _Model())
        model.repeats = model.repeats or question in model.seen
        model.seen.add(question)
        moment = number(entry.get("tstamp"))
        if moment is None or moment < (model.last or moment):
            model.ordered = False
        model.last = moment
        if lengths is not None and not model.drafts:
            model.drafts = _drafts(entry, lengths)
    return Drafters(models)


def _drafts(entry: Mapping[str, object], key: str) -> bool:
    choices = [mapping(choice) for choice in items(entry.get("choices"))]
    return any(
        (whole(length) or 0) > 1
        for choice in (*choices, entry)
        for length in items(choice.get(key))
    )


def _question(entry: Mapping[str, object]) -> str | None:
    return text(entry.get("question_id")) or text(entry.get("article_idx"))


class Sessions:
    """Numbers the sessions of a file: a question that comes again begins another.

    A pause between two time stamps alone proves nothing, so it begins none.

    Parameters
    ----------
    drafters : Drafters
        Of the first pass.
    """

    __slots__ = ("_answers", "_counts", "_drafters", "_first", "_numbers", "_seen")

    def __init__(self, drafters: Drafters) -> None:
        self._drafters = drafters
        self._answers: set[str] = set()
        self._seen: dict[str | None, set[str]] = {}
        self._numbers: dict[str | None, int] = {}
        self._first: dict[_Key, tuple[str, int, int]] = {}
        self._counts: dict[str | None, list[int]] = {}

    def is_copy(self, answer: str | None) -> str | None:
        """Return why an answer is not read: its id was read before.

        Parameters
        ----------
        answer : str or None
            The answer_id.

        Returns
        -------
        str or None
            The reason.
        """
        if answer is None:
            return None
        if answer in self._answers:
            return f"answer_id {answer[:40]} was read before"
        self._answers.add(answer)
        return None

    def session(self, entry: Mapping[str, object]) -> int | None:
        """Return the number of the session of an entry; None if nothing tells.

        Parameters
        ----------
        entry : mapping
            An answer.

        Returns
        -------
        int or None
            Number in the file, from 0.
        """
        model, question = text(entry.get("model_id")), _question(entry)
        if question is None or not self._drafters.has_sessions(model):
            return None
        seen = self._seen.setdefault(model, set())
        if model not in self._numbers or question in seen:
            seen.clear()
            self._numbers[model] = max(self._numbers.values(), default=-1) + 1
        seen.add(question)
        return self._numbers[model]

    def compare(
        self,
        entry: Mapping[str, object],
        repetition: int,
        digest: str,
        lengths: tuple[int, ...],
    ) -> None:
        """Compare the steps of an answer with those of the same text before.

        Parameters
        ----------
        entry : mapping
            An answer.
        repetition : int
            Number of the choice.
        digest : str
            Of its texts; empty where they do not count.
        lengths : tuple of int
            Tokens of its steps.
        """
        model = text(entry.get("model_id"))
        key = (model, _question(entry), repetition)
        now = (digest, len(lengths), hash(lengths))
        met = self._first.setdefault(key, now)
        if met is now or not (digest and lengths and met[1]) or met[0] != digest:
            return
        counts = self._counts.setdefault(model, [0, 0])
        counts[0] += met != now
        counts[1] += 1

    def silent(self) -> Iterator[tuple[str, int, int]]:
        """Yield the models whose sessions accept differently on equal texts.

        Yields
        ------
        tuple of str, int and int
            The model_id, and how many of the compared answers differ.
        """
        for model, (differing, compared) in self._counts.items():
            if differing >= _ENOUGH and differing > _MOSTLY * compared:
                yield str(model)[:80], differing, compared
