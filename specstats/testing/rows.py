"""Studies with given run values, for tests of code that uses specstats."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from specstats.bench import Bench, read
from specstats.readers.own.jsonl import HEADER_KEY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["launch_rows", "read_rows"]


def launch_rows(
    arms: Mapping[str, Sequence[float]],
    /,
    *,
    prompts: Sequence[str] = ("p0",),
    n_requests: int = 1,
    n_output: int = 128,
    blocked: bool = False,
) -> list[dict[str, object]]:
    """Return rows of launches whose decode rates are given.

    Parameters
    ----------
    arms : mapping of str to sequence of float
        Geometric mean rate of each launch, in tokens per second.
    prompts : sequence of str
        Prompts; each is slower than the one before by 1 %, the same in all launches.
    n_requests : int
        Repeats of each prompt in a launch.
    n_output : int
        Output tokens of a request.
    blocked : bool
        Whether the launches of one place in the sequences form a block.

    Returns
    -------
    list of dict
        One a request, in specstats' own columns; the arms are launched in turn,
        forwards and backwards.

    Examples
    --------
    >>> from specstats.testing import launch_rows
    >>> [row["run"] for row in launch_rows({"off": [24.0], "on": [56.4]})]
    ['off-0', 'on-0']
    """
    rows: list[dict[str, object]] = []
    centre = (len(prompts) - 1) / 2.0
    for place, (arm, rates) in enumerate(arms.items()):
        for launch, rate in enumerate(rates):
            turn = place if launch % 2 == 0 else len(arms) - 1 - place
            for number, prompt in enumerate(prompts):
                own = rate * math.exp(0.01 * (centre - number))
                row: dict[str, object] = {
                    "run": f"{arm}-{launch}",
                    "arm": arm,
                    "order": launch * len(arms) + turn,
                    "prompt": prompt,
                    "n_output": n_output,
                    "decode_s": (n_output - 1) / own,
                    "rate_convention": "n-1",
                }
                if blocked:
                    row["block"] = f"b{launch}"
                rows += [row | {"repeat": repeat} for repeat in range(n_requests)]
    return rows


def read_rows(
    rows: Iterable[Mapping[str, object]], /, *, table: str = "requests"
) -> Bench:
    """Read rows as if they stood in a file of specstats' own JSONL.

    Parameters
    ----------
    rows : iterable of mapping
        Values by column.
    table : str
        Name of their table.

    Returns
    -------
    Bench
        The data.
    """
    lines = [json.dumps({HEADER_KEY: table, "version": 1})]
    lines += [json.dumps(dict(row)) for row in rows]
    return read("\n".join(lines).encode())
