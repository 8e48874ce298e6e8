"""Columns of regular llama.cpp responses as rows of the table of requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from specstats.readers._arrays import fixed, repeated, texts, truths
from specstats.readers.llamacpp._counts import _CONVENTION_TOLERANCE, _MILLI
from specstats.readers.llamacpp._regular import NUMBERS
from specstats.schema import REQUESTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from specstats.readers.llamacpp._columnar import Stretch
    from specstats.readers.llamacpp._regular import Digests, Levels, Texts

    Integers = NDArray[np.int64]
    Reals = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["merged", "requests"]

_DIGITS = 64  # of a SHA-256
_CONVENTIONS = (None, "n", "n-1")


def requests(name: str, stretches: Sequence[Stretch]) -> tuple[pa.Table, list[int]]:
    """Return regular responses as a table.

    Parameters
    ----------
    name : str
        Display name of the artifact.
    stretches : sequence of Stretch
        Decoded lines, one stretch after another.

    Returns
    -------
    table : pyarrow.Table
        Rows of the table of requests.
    doubtful : list of int
        Lines that contradict themselves, which are not among the rows.
    """
    columns, doubtful = _columns(stretches)
    entry = np.concatenate([_entries(stretch) for stretch in stretches])
    columns |= {
        "source": repeated(name, len(entry)),
        "entry": fixed(entry),
        "ok": truths(len(entry)),
    }
    arrays = [
        columns[field.name]
        if field.name in columns
        else pa.nulls(len(entry), field.type)
        for field in REQUESTS.arrow_schema()
    ]
    table = pa.Table.from_arrays(arrays, schema=REQUESTS.arrow_schema())
    if not doubtful.any():
        return table, []
    return table.filter(pa.array(~doubtful)), entry[doubtful].tolist()


def merged(regular: pa.Table, rows: dict[str, list[object]]) -> pa.Table:
    """Return rows and columns as one table in the order of the file.

    Parameters
    ----------
    regular : pyarrow.Table
        Some requests.
    rows : dict
        Columns of the others.

    Returns
    -------
    pyarrow.Table
        All of them.
    """
    others = pa.table(rows, schema=regular.schema)
    return pa.concat_tables([regular, others]).sort_by("entry")


def _entries(stretch: Stretch) -> Integers:
    first, columns = stretch.first, stretch.columns
    lines = np.arange(first, first + columns.lines, dtype=np.int64)
    return np.delete(lines, columns.odd) if columns.odd else lines


def _columns(stretches: Sequence[Stretch]) -> tuple[dict[str, pa.Array], Mask]:
    packs = [stretch.columns for stretch in stretches]
    numbers = np.frombuffer(
        b"".join(pack.numbers for pack in packs), np.dtype(list(NUMBERS))
    )
    created = np.frombuffer(b"".join(pack.created for pack in packs), np.float64)
    conventions, contradicted = _conventions(numbers)
    drafted, accepted = numbers["draft_n"], numbers["draft_n_accepted"]
    told = (drafted >= 0) & (accepted >= 0)
    columns = {
        "n_cached": _known(numbers["cache_n"]),
        "n_prompt": _known(numbers["prompt_n"]),
        "n_output": _known(numbers["predicted_n"]),
        "prompt_s": _seconds(numbers["prompt_ms"]),
        "decode_s": _seconds(numbers["predicted_ms"]),
        "engine_rate_tps": _known(numbers["predicted_per_second"]),
        "rate_convention": conventions,
        "n_draft": fixed(drafted, ~told),
        "n_accepted": fixed(accepted, ~told),
        "ended_s": _known(created),
        "request_id": _joined(_texts(pack.ids) for pack in packs),
        "output_sha256": _joined(_digests(pack.digests, pack.rows) for pack in packs),
        "finish_reason": _joined(_levels(pack.reasons, pack.rows) for pack in packs),
        "settings": _joined(_levels(pack.settings, pack.rows) for pack in packs),
    }
    return columns, contradicted | (told & (accepted > drafted))


def _known(values: Integers | Reals) -> pa.Array:
    return fixed(values, values < 0)


def _seconds(milliseconds: Reals) -> pa.Array:
    return fixed(milliseconds * _MILLI, milliseconds < 0)


def _conventions(
    numbers: NDArray[np.void],
) -> tuple[pa.Array, Mask]:
    """Return the conventions of the rates, and which rates fit none."""
    n_output = numbers["predicted_n"]
    seconds = numbers["predicted_ms"] * _MILLI
    rate = numbers["predicted_per_second"]
    with np.errstate(over="ignore"):
        implied = rate * seconds
    all_tokens = np.abs(implied - n_output)
    one_less = np.abs(implied - n_output + 1)
    allowed = np.maximum(_CONVENTION_TOLERANCE, 1e-3 * n_output)
    testable = (n_output > 0) & (seconds > 0) & (rate > 0)
    fits = np.minimum(all_tokens, one_less) <= allowed
    which = np.where(testable & fits, (one_less < all_tokens) + 1, 0)
    return _chosen(_CONVENTIONS, which), testable & ~fits


def _joined(arrays: Iterable[pa.Array]) -> pa.Array:
    return pa.concat_arrays(list(arrays))


def _texts(packed: Texts) -> pa.Array:
    joined, lengths = packed
    return texts(joined, np.frombuffer(lengths, np.int32))


def _digests(digests: Digests, rows: int) -> pa.Array:
    joined, missing = digests
    lengths = np.full(rows, _DIGITS, np.int32)
    lengths[missing] = -1
    return texts(joined.hex().encode(), lengths)


def _levels(levels: Levels, rows: int) -> pa.Array:
    values, numbers = levels
    if numbers is None:
        return _chosen(values, np.zeros(rows, np.int32))
    return _chosen(values, np.frombuffer(numbers, np.int32))


def _chosen(values: Sequence[str | None], which: NDArray[np.integer]) -> pa.Array:
    """Return texts by their numbers."""
    rows = len(which)
    if rows and (which == which[0]).all():
        sole = values[which[0]]
        return pa.nulls(rows, pa.string()) if sole is None else repeated(sole, rows)
    written = [None if value is None else value.encode() for value in values]
    lengths = [-1 if value is None else len(value) for value in written]
    joined = b"".join([written[place] or b"" for place in which.tolist()])
    return texts(joined, np.array(lengths, np.int32)[which])
