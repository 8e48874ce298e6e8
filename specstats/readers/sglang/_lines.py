"""Lines of an SGLang server log: launches, windows of decoding, idle stretches."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from specstats.readers._text import count_in, real_in
from specstats.readers.sglang._server import ARGUMENTS

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Window", "argument_values", "batch_kind", "rank_of", "window_of"]

_RANK = re.compile(r"\[[^\]\n]{10,40}?((?: [A-Z]{2}\d{1,4})+)\]", re.ASCII)
_ARGUMENT = re.compile(r"\b(\w{2,60})=('[^'\n]{0,300}'|[\w.+-]{1,60})", re.ASCII)
_WANTED = frozenset(
    {
        *ARGUMENTS,
        *("model_path", "speculative_draft_model_path", "quantization", "random_seed"),
    }
)
_LONGEST = 2000
_LAUNCH = "server_args=ServerArgs("
_CONSTANTS: dict[str, object] = {"True": True, "False": False, "None": None}


@dataclass(slots=True)
class Window:
    """What one line says of the batches since the line before.

    Attributes
    ----------
    rank : str
        Which scheduler wrote it, such as ``TP0``; empty if the line does not say.
    rate : float or None
        Tokens a second.
    length, accept_rate : float or None
        Accepted length and rate, as printed.
    running : int or None
        Requests in the batch.
    """

    rank: str = ""
    rate: float | None = None
    length: float | None = None
    accept_rate: float | None = None
    running: int | None = None


def batch_kind(line: str) -> str:
    """Return what a log line reports.

    Parameters
    ----------
    line : str
        The line.

    Returns
    -------
    str
        ``decode``, ``prefill``, ``launch``, or empty.
    """
    if "Decode batch" in line and "gen throughput" in line:
        return "decode"
    if "Prefill batch" in line and "#new-token" in line:
        return "prefill"
    return "launch" if _LAUNCH in line else ""


def rank_of(line: str) -> str:
    """Return which scheduler wrote a line, such as ``DP1 TP0``; empty if not said.

    Parameters
    ----------
    line : str
        The line.

    Returns
    -------
    str
        The ranks.
    """
    found = _RANK.search(line[:120])
    return "" if found is None else found[1].strip()


def window_of(line: str) -> Window:
    """Read a line about decoding.

    Parameters
    ----------
    line : str
        The line.

    Returns
    -------
    Window
        What it says; what is not there, or is no number, is missing.
    """
    _, _, tail = line.partition("batch")
    parts = (part.partition(":") for part in tail[:_LONGEST].split(","))
    pairs = {name.strip(" ."): value.strip() for name, _, value in parts}
    return Window(
        rank=rank_of(line),
        rate=_above_zero(pairs.get("gen throughput (token/s)")),
        length=_above_zero(pairs.get("accept len")),
        accept_rate=_fraction(pairs.get("accept rate")),
        running=count_in(pairs.get("#running-req")),
    )


def _above_zero(cell: str | None) -> float | None:
    value = real_in(cell)
    return value if value is not None and 0 < value < 1e12 else None  # noqa: PLR2004


def _fraction(cell: str | None) -> float | None:
    value = real_in(cell)
    return value if value is not None and 0 <= value <= 1 else None


def argument_values(line: str) -> Mapping[str, object]:
    """Return the server arguments that a launch line prints.

    Parameters
    ----------
    line : str
        The line.

    Returns
    -------
    mapping
        Values by name, of the arguments that matter.
    """
    _, _, printed = line.partition(_LAUNCH)
    return {
        name: _value(shown)
        for name, shown in _ARGUMENT.findall(printed[:100_000])
        if name in _WANTED
    }


def _value(shown: str) -> object:
    if shown in _CONSTANTS:
        return _CONSTANTS[shown]
    if shown.startswith("'"):
        return shown.strip("'")
    count = count_in(shown)
    return count if count is not None else real_in(shown)
