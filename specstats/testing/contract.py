"""What every reader keeps to, as checks for readers of your own."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from specstats.errors import ArtifactError
from specstats.readers._registry import formats
from specstats.schema import TABLES
from specstats.source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from specstats.readers._base import Batch, Reader

__all__ = ["READER_CHECKS", "ReaderCheck", "check_reader"]

_MUTATIONS = 200
_PREFIXES = 100
_NAMES = ("", "bench.csv", "llama-bench.json", "results")
_KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
}
_LARGEST = 2**63


@dataclass(frozen=True, slots=True)
class ReaderCheck:
    """One thing that every reader keeps to.

    Attributes
    ----------
    name : str
        What is checked, in words.
    problems : callable
        ``problems(reader, content) -> iterator of str``: what is wrong.
    """

    name: str
    problems: Callable[[Reader, bytes], Iterator[str]]


def check_reader(reader: Reader, content: bytes, /) -> None:
    """Check a reader on one of its artifacts.

    Parameters
    ----------
    reader : Reader
        The reader.
    content : bytes
        An artifact in its format that gives at least one row.

    Raises
    ------
    AssertionError
        With all that is wrong, one line each.

    Examples
    --------
    >>> import specstats
    >>> from specstats.testing import check_reader
    >>> reader = specstats.formats()[0]
    >>> check_reader(reader, b'{"timings":{"predicted_n":9,"predicted_ms":80.0}}')
    """
    wrong = [
        f"{check.name}: {problem}"
        for check in READER_CHECKS
        for problem in check.problems(reader, content)
    ]
    if wrong:
        listed = "\n".join(f"- {line}" for line in wrong)
        raise AssertionError(f"reader {reader.name!r}:\n{listed}")


def _described(reader: Reader, content: bytes) -> Iterator[str]:
    del content
    for name in ("name", "label", "producers", "levels", "boundary"):
        if not getattr(reader, name):
            yield f"{name} is empty"
    for _, target in reader.fields:
        table, _, column = target.split(":", maxsplit=1)[0].strip().partition(".")
        if table not in TABLES or column not in (*TABLES[table].names, "*"):
            yield f"fields name {target!r}, and there is no such column"


def _claims_alone(reader: Reader, content: bytes) -> Iterator[str]:
    head = Source(name="x", data=content).head()
    if not reader.claim(head, "x").score:
        yield "does not claim its own artifact"
    if not reader.sniff(head, "x").score:
        yield "sniff says no to its own artifact"
    for other in formats():
        if other.name != reader.name and other.claim(head, "x").score:
            yield f"{other.name!r} claims it too"


def _ignores_names(reader: Reader, content: bytes) -> Iterator[str]:
    head = Source(name="x", data=content).head()
    if len({reader.sniff(head, name) for name in _NAMES}) > 1:
        yield "the name of the file decides"


def _is_deterministic(reader: Reader, content: bytes) -> Iterator[str]:
    if _parsed(reader, content) != _parsed(reader, content):
        yield "the same bytes give different batches"


def _gives_rows(reader: Reader, content: bytes) -> Iterator[str]:
    batches = _parsed(reader, content)
    if not any(batch.tables for batch in batches):
        yield "gives no row"
    for batch in batches:
        for name, columns in batch.tables.items():
            yield from _column_problems(name, columns)


def _column_problems(name: str, columns: dict[str, list[object]]) -> Iterator[str]:
    table = TABLES[name]
    if tuple(columns) != table.names:
        yield f"{name}: columns are not those of the table"
        return
    if len({len(values) for values in columns.values()}) > 1:
        yield f"{name}: columns differ in length"
    for column in table.columns:
        for value in columns[column.name]:
            if value is not None and not _fits(value, column.kind):
                yield f"{name}.{column.name}: {value!r} is no {column.kind}"
                break
    if not all(isinstance(entry, int) and entry > 0 for entry in columns["entry"]):
        yield f"{name}: a row without the number of its entry"
    for text in columns.get("settings", []):
        yield from _settings_problems(text)


def _fits(value: object, kind: str) -> bool:
    if isinstance(value, bool) and kind != "bool":
        return False
    if isinstance(value, float) and not abs(value) < float("inf"):
        return False
    if isinstance(value, int) and not -_LARGEST <= value < _LARGEST:
        return False
    return isinstance(value, _KINDS[kind])


def _settings_problems(text: object) -> Iterator[str]:
    if text is None:
        return
    settings = json.loads(str(text))
    for key, value in settings.items():
        if not key.startswith(("cfg.", "id.")):
            yield f"setting {key!r} is neither cfg.* nor id.*"
        if isinstance(value, dict | list):
            yield f"setting {key!r} is no scalar"


def _counts_entries(reader: Reader, content: bytes) -> Iterator[str]:
    batches = _parsed(reader, content)
    entries = sum(batch.entries for batch in batches)
    parsed = sum(batch.parsed for batch in batches)
    if not 0 < parsed <= entries:
        yield f"{parsed} of {entries} entries gave rows"
    found = [item for batch in batches for item in batch.findings]
    if parsed < entries and not any(item.code == "SPS002" for item in found):
        yield "entries were skipped without a finding SPS002"
    for item in found:
        if not item.where or not item.where[0].startswith("x"):
            yield f"a finding {item.code} that does not say where"


def _survives_anything(reader: Reader, content: bytes) -> Iterator[str]:
    for broken in _broken(content):
        try:
            batches = _parsed(reader, broken)
        except ArtifactError:
            continue
        except Exception as error:  # noqa: BLE001 - any other is what is looked for
            yield f"{type(error).__name__}: {error} on {broken[:200]!r}"
            return
        for batch in batches:
            for name, columns in batch.tables.items():
                problems = list(_column_problems(name, columns))
                if problems:
                    yield f"{problems[0]} on {broken[:200]!r}"
                    return


def _broken(content: bytes) -> Iterator[bytes]:
    yield content
    chance = random.Random(0)  # noqa: S311 - repeatable, not secret
    step = max(1, len(content) // _PREFIXES)
    for end in range(0, len(content), step):
        yield content[:end]
    for _ in range(_MUTATIONS):
        data = bytearray(content)
        place = chance.randrange(len(data) or 1)
        kind = chance.randrange(4)
        if kind == 0 and data:
            data[place] = chance.randrange(256)
        elif kind == 1:
            del data[place : place + chance.randrange(1, 9)]
        elif kind == 2:  # noqa: PLR2004
            data[place:place] = data[place : place + chance.randrange(1, 64)]
        else:
            data[place:place] = chance.choice(
                (b"null", b"-1", b"1e999", b'"x"', b"[]", b"{}", b"NaN", b"\0", b"\n")
            )
        yield bytes(data)


def _parsed(reader: Reader, content: bytes) -> list[Batch]:
    return list(reader.parse(Source(name="x", data=content)))


READER_CHECKS: tuple[ReaderCheck, ...] = (
    ReaderCheck("says what it is", _described),
    ReaderCheck("claims its artifacts alone", _claims_alone),
    ReaderCheck("decides by content", _ignores_names),
    ReaderCheck("is deterministic", _is_deterministic),
    ReaderCheck("gives rows of the canonical tables", _gives_rows),
    ReaderCheck("counts entries and locates findings", _counts_entries),
    ReaderCheck("gives rows, findings or typed errors on anything", _survives_anything),
)
