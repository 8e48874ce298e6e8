"""Arrow arrays straight from buffers.

``pa.array``, ``pa.scalar`` and `take` load pandas and Arrow's functions at their first
call, which takes longer than a hundred megabytes of artifacts do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Reals = NDArray[np.float64]
    Mask = NDArray[np.bool_]

__all__ = ["fixed", "repeated", "texts", "truths"]


def fixed(values: Integers | Reals, missing: Mask | None = None) -> pa.Array:
    """Return numbers, some of them missing."""
    kind = pa.int64() if values.dtype == np.int64 else pa.float64()
    content = pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(kind, len(values), [_present(missing), content])


def _present(missing: Mask | None) -> pa.Buffer | None:
    if missing is None or not missing.any():
        return None
    return pa.py_buffer(np.packbits(~missing, bitorder="little"))


def texts(joined: bytes, lengths: NDArray[np.int32]) -> pa.Array:
    """Return texts of these lengths; -1 is missing."""
    missing = lengths < 0
    ends = np.zeros(len(lengths) + 1, np.int32)
    np.cumsum(np.maximum(lengths, 0), out=ends[1:])
    return pa.StringArray.from_buffers(
        len(lengths), pa.py_buffer(ends), pa.py_buffer(joined), _present(missing)
    )


def repeated(text: str, rows: int) -> pa.Array:
    """Return one text many times."""
    written = text.encode()
    ends = np.arange(rows + 1, dtype=np.int32) * np.int32(len(written))
    return pa.StringArray.from_buffers(
        rows, pa.py_buffer(ends), pa.py_buffer(written * rows)
    )


def truths(rows: int) -> pa.Array:
    """Return true many times."""
    content = pa.py_buffer(np.packbits(np.ones(rows, np.bool_), bitorder="little"))
    return pa.Array.from_buffers(pa.bool_(), rows, [None, content])
