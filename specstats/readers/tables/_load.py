"""Rows of plain tables that each sum up a whole load of requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._json import whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.readers._base import Batch, Row

__all__ = ["add_load"]

_CLOSE = 1e-3
_WHOLE = 0.01
_NO_REQUEST = ("repetition", "phase", "request_id", "finish_reason")


def add_load(
    batch: Batch,
    row: Row,
    values: Mapping[str, float | None],
    k: float | None,
    *,
    declared: bool,
) -> None:
    """Add what a row says of a load: counts and summaries.

    It becomes a request only where the user says which column is which: the rate of a
    load is no decode rate, and loads of several widths are not of one kind.

    Parameters
    ----------
    batch : Batch
        Where the rows go.
    row : dict
        Columns that all rows have.
    values : mapping of str to float or None
        What was read, by canonical name.
    k : float or None
        Draft tokens a step, where the table has a column k.
    declared : bool
        Whether the user declared the columns.
    """
    if declared:
        rate = values.get("decode_rate")
        sample: Row = {**row, "ok": True, "engine_rate_tps": rate}
        for name, column in (("ttft", "ttft_s"), ("e2e", "e2e_s")):
            sample[column] = values.get(name)
        batch.add("requests", sample)
    shared = {key: value for key, value in row.items() if key not in _NO_REQUEST}
    drafted, accepted = _drafts(values, k)
    counts: Row = {
        **shared,
        "scope": "run",
        "n_requests": _count(values.get("requests")),
        "n_prompt": _count(values.get("n_prompt")),
        "n_output": _count(values.get("n_output")),
        "n_verify": _count(values.get("n_steps")),
        "n_draft": drafted,
        "n_accepted": accepted,
        "duration_s": values.get("duration"),
    }
    batch.add("counters", counts)
    for aggregate in _summaries(values, k):
        batch.add("aggregates", {**shared, **aggregate, "scope": "run"})


def _count(value: float | None) -> int | None:
    return None if value is None else int(value)


def _bonus(values: Mapping[str, float | None], k: float | None) -> bool | None:
    """Whether the mean length counts the bonus token: the rate and k tell."""
    share, length = values.get("acceptance_rate"), values.get("mean_accepted_length")
    if share is None or length is None or not k:
        return None
    if abs(1 + share * k - length) <= _CLOSE * length:
        return True
    return False if abs(share * k - length) <= _CLOSE * length else None


def _drafts(
    values: Mapping[str, float | None], k: float | None
) -> tuple[int | None, int | None]:
    """Return draft and accepted tokens: as counted, else exactly from the means.

    Where the mean length follows from the rate and k, each step drafted k tokens,
    and the product of rate, k and steps must be a whole number of tokens.
    """
    drafted, accepted = values.get("n_draft"), values.get("n_accepted")
    if drafted is not None or accepted is not None:
        return _count(drafted), _count(accepted)
    steps, share = values.get("n_steps"), values.get("acceptance_rate")
    if _bonus(values, k) is None or steps is None or share is None or k is None:
        return None, None
    product = share * k * steps
    if abs(product - round(product)) > _WHOLE or k != int(k):
        return None, None
    return whole(k * steps), whole(round(product))


def _summaries(values: Mapping[str, float | None], k: float | None) -> Iterator[Row]:
    requests = _count(values.get("requests"))
    for name, statistic, unit in (
        ("decode_rate", "rate", "tok/s"),
        ("output_throughput", "rate", "tok/s"),
        ("ttft", "value", "s"),
        ("e2e", "value", "s"),
        ("acceptance_rate", "ratio", "1"),
        ("mean_accepted_length", "mean", "tokens"),
    ):
        value = values.get(name)
        if value is None:
            continue
        row: Row = {
            "metric": name,
            "unit": unit,
            "statistic": statistic,
            "value": value,
            "n": requests,
        }
        if name == "decode_rate" and _is_throughput(values):
            row["metric"] = "output_throughput"
            row["definition"] = "output tokens over the time of the whole load"
        if name == "mean_accepted_length":
            told = {None: "not told", True: "included", False: "left out"}
            row["definition"] = f"bonus token {told[_bonus(values, k)]}"
        yield row


def _is_throughput(values: Mapping[str, float | None]) -> bool:
    rate, tokens = values.get("decode_rate"), values.get("n_output")
    seconds = values.get("duration")
    if not (rate and tokens and seconds):
        return False
    return abs(rate * seconds / tokens - 1) <= _CLOSE
