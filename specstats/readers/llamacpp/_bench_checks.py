"""What llama-bench prints of its samples, compared with the samples."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from specstats.readers._json import number, whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from specstats.readers._base import Batch, Trouble

__all__ = ["check_record", "has_wrapped"]

_WRAP_TOLERANCE = 0.01
_TOLERANCE = 1e-3
_WRAP = 3.5e9, 4.2951e9  # the root of nearly 2^64
_WRAP_FACTOR = 4.0


def check_record(
    entry: Mapping[str, object], label: str, line: int, batch: Batch, trouble: Trouble
) -> None:
    """Compare means and deviations of a record with its samples.

    Parameters
    ----------
    entry : mapping
        The record; its samples are numbers above 0.
    label : str
        Name of the test.
    line : int
        Where it stands.
    batch : Batch
        Where findings go.
    trouble : Trouble
        Findings of the file.
    """
    told = entry["samples_ns"]
    samples = [number(x) or 0.0 for x in told] if isinstance(told, list) else []
    tokens = (whole(entry.get("n_prompt")) or 0) + (whole(entry.get("n_gen")) or 0)
    rates = [1e9 * tokens / sample for sample in samples]
    _check_rates(entry.get("samples_ts"), rates, (label, line), batch, trouble)
    for key, values, unit in (("ns", samples, "ns"), ("ts", rates, "tok/s")):
        mean = math.fsum(values) / len(values)
        printed = number(entry.get(f"avg_{key}"))
        if printed is not None and abs(printed - mean) > max(_TOLERANCE * mean, 1e-3):
            trouble.note(
                batch,
                "SPS006",
                line,
                f"{label}: avg_{key} is not the mean of the samples",
                observed=f"{printed:.6g} {unit}",
                required=f"{mean:.6g} {unit}",
            )
        field = f"stddev_{key}", number(entry.get(f"stddev_{key}"))
        _check_deviation(field, (values, mean, unit), (label, line), batch, trouble)


def _check_rates(
    printed: object,
    rates: Sequence[float],
    place: tuple[str, int],
    batch: Batch,
    trouble: Trouble,
) -> None:
    if not isinstance(printed, list):
        return
    label, line = place
    if len(printed) != len(rates):
        trouble.note(
            batch,
            "SPS006",
            line,
            f"{label}: samples_ts and samples_ns differ in length",
            observed=f"{len(printed)} rates",
            required=f"{len(rates)} times",
        )
        return
    for told, rate in zip(map(number, printed), rates, strict=True):
        if told is not None and abs(told - rate) > _TOLERANCE * rate:
            trouble.note(
                batch,
                "SPS006",
                line,
                f"{label}: a rate in samples_ts is not tokens over its time",
                observed=f"{told:.6g} tok/s",
                required=f"{rate:.6g} tok/s",
            )
            return


def _check_deviation(
    field: tuple[str, float | None],
    samples: tuple[Sequence[float], float, str],
    place: tuple[str, int],
    batch: Batch,
    trouble: Trouble,
) -> None:
    (key, printed), (values, mean, unit), (label, line) = field, samples, place
    if printed is None or len(values) < 2:  # noqa: PLR2004 - a deviation needs two
        return
    variance = math.fsum((x - mean) ** 2 for x in values) / (len(values) - 1)
    right = math.sqrt(variance)
    floor = 1000.0 if unit == "ns" else 1e-4 * mean + 1e-6
    if abs(printed - right) > max(_WRAP_TOLERANCE * right, floor):
        shown = "{:.0f}" if unit == "ns" else "{:.6g}"
        trouble.note(
            batch,
            "SPS009",
            line,
            f"{label}: {key} is wrong and was recomputed from samples_ns",
            observed=f"{shown.format(printed)} {unit}",
            required=f"{shown.format(right)} {unit}",
        )


def has_wrapped(
    times: tuple[float | None, float | None], rates: tuple[float | None, float | None]
) -> bool:
    """Whether a printed deviation of times is one that wrapped at 2^64.

    Parameters
    ----------
    times : tuple of float or None
        avg_ns and stddev_ns.
    rates : tuple of float or None
        avg_ts and stddev_ts, which are right.

    Returns
    -------
    bool
        True where the relative deviation of times is several times that of rates
        and lies where wrapped values do.
    """
    mean_s, deviation_s = times
    mean, deviation = rates
    if not mean_s or deviation_s is None or not mean or deviation is None:
        return False
    low, high = _WRAP
    if not low <= deviation_s <= high:
        return False
    return deviation_s / mean_s > _WRAP_FACTOR * max(deviation / mean, 1e-6)
