"""Cells of llama-bench tables: names, numbers and what rows of a test share."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from specstats.readers._json import number
from specstats.readers.llamacpp._bench_checks import has_wrapped
from specstats.readers.llamacpp.bench import (
    IDENTITIES,
    metric_of,
    settings_of,
    test_label,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from specstats.readers._base import Row

__all__ = ["SHORT_NAMES", "csv_row", "csv_test", "row_of", "value_of"]

SHORT_NAMES = {
    "model": "model_type",
    "backend": "backends",
    "ngl": "n_gpu_layers",
    "threads": "n_threads",
    "sm": "split_mode",
    "mg": "main_gpu",
    "nkvo": "no_kv_offload",
    "fa": "flash_attn",
    "dev": "devices",
    "ts": "tensor_split",
    "ot": "tensor_buft_overrides",
    "mmap": "use_mmap",
    "dio": "use_direct_io",
    "embd": "embeddings",
    "nopo": "no_op_offload",
}
_WHOLE = re.compile(r"-?\d{1,18}", re.ASCII)
_REAL = re.compile(r"-?\d{1,15}\.\d{1,15}", re.ASCII)


def value_of(cell: str) -> float | str:
    """Return a cell as number, where it is one."""
    if _WHOLE.fullmatch(cell):
        return int(cell)
    return float(cell) if _REAL.fullmatch(cell) else cell


def row_of(label: str, settings: str | None) -> Row:
    """Return what all rows of a test with the same settings share."""
    return {
        "prompt_id": label,
        "metric": metric_of(label),
        "unit": "tok/s",
        "statistic": "mean",
        "scope": "run",
        "definition": "mean and deviation of the rates of the repeats",
        "settings": settings,
    }


def csv_test(header: Sequence[str], cells: Sequence[str]) -> Row | None:
    """Return what rows of a test share; None where the cells name no test."""
    entry: dict[str, object] = {
        name: cell if name in IDENTITIES else value_of(cell)
        for name, cell in zip(header, cells, strict=True)
    }
    label = test_label(entry)
    if not label:
        return None
    return row_of(label, json.dumps(settings_of(entry), sort_keys=True))


def csv_row(cells: Mapping[str, str], test: Row | None) -> Row | None:
    """Return a row with mean and deviation; None where there is no mean.

    Parameters
    ----------
    cells : mapping
        Text of the cells by column.
    test : dict or None
        What rows of the test share.

    Returns
    -------
    dict or None
        The row; ``wrapped`` where the deviation of the times wrapped at 2^64.
    """
    told = {
        name: number(value_of(cells.get(name, "")))
        for name in ("avg_ts", "stddev_ts", "avg_ns", "stddev_ns")
    }
    mean, deviation = told["avg_ts"], told["stddev_ts"]
    if mean is None or mean < 0 or test is None:
        return None
    times = told["avg_ns"], told["stddev_ns"]
    row: Row = {**test, "value": mean, "sd": deviation}
    if has_wrapped(times, (mean, deviation)):
        row["wrapped"] = True
    return row
