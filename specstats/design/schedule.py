"""The order of launches, drawn before they are run."""

from __future__ import annotations

import json
import random
import re
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from specstats.errors import DesignError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Schedule", "ScheduleDesign", "ScheduledRun", "schedule"]

ScheduleDesign = Literal["abba", "randomised blocks", "alternating"]
_NOT_IN_FILES = re.compile(r"[^A-Za-z0-9_.-]+")
_LARGEST_SEED = 2**63 - 1  # what a TOML integer holds
_FEWEST_ARMS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledRun:
    """One launch to be made.

    Attributes
    ----------
    order : int
        Place in the schedule, from 1.
    run : str
        Name of the launch, and the beginning of the names of its files.
    arm : str
        Setting to launch.
    block : str
        Block of launches, one of each arm.
    """

    order: int
    run: str
    arm: str
    block: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """Launches in their order.

    Attributes
    ----------
    arms : tuple of str
        Settings, the baseline first.
    design : {"abba", "randomised blocks", "alternating"}
        How the order was made.
    seed : int
        Seed that the order was drawn with; the same seed gives the same order.
    blocks : bool
        Whether blocks are declared, so that arms are compared inside them.
    runs : tuple of ScheduledRun
        What to launch, in order.
    """

    arms: tuple[str, ...]
    design: ScheduleDesign
    seed: int
    blocks: bool
    runs: tuple[ScheduledRun, ...]

    def to_toml(self) -> str:
        """Return a study manifest that declares the launches.

        Returns
        -------
        str
            Content of study.toml. Save the artifacts of a launch beside it under
            names that begin with the name of the launch and a dot.
        """
        drawn = "" if self.design == "alternating" else f", drawn with seed {self.seed}"
        first = self.runs[0].run
        lines = [
            f"# {len(self.runs)} launches, {self.design}{drawn}. Save what launch",
            f"# {first} writes as {first}.json (or .jsonl, .log), and so on,",
            "# then run `specstats summarize .` here.",
            "",
            "[study]",
            f"baseline = {_quoted(self.arms[0])}",
            f"order = {_quoted(_ORDER[self.design])}",
        ]
        if drawn:
            lines.append(f"seed = {self.seed}")
        for run in self.runs:
            lines += [
                "",
                "[[runs]]",
                f"run = {_quoted(run.run)}",
                f"arm = {_quoted(run.arm)}",
                *([f"block = {_quoted(run.block)}"] if self.blocks else []),
                f"order = {run.order}",
                f"files = [{_quoted(f'{run.run}.*')}]",
            ]
        return "\n".join([*lines, ""])

    def __str__(self) -> str:
        return " ".join(run.arm for run in self.runs)


_ORDER = {
    "abba": "abba",
    "randomised blocks": "randomised",
    "alternating": "alternating",
}


def schedule(
    arms: Sequence[str],
    /,
    *,
    runs: int,
    design: ScheduleDesign = "abba",
    seed: int | None = None,
    blocks: bool = True,
) -> Schedule:
    """Draw the order in which to launch the arms.

    Parameters
    ----------
    arms : sequence of str
        Settings, the baseline first; two or more.
    runs : int
        Launches of each arm.
    design : {"abba", "randomised blocks", "alternating"}
        ``abba``: blocks of one launch of each arm in a random order, every second
        block in the reverse order of the one before. ``randomised blocks``: a fresh
        random order in each block. ``alternating``: the same order in each block.
    seed : int, optional
        Seed of the order; drawn and recorded where none is given.
    blocks : bool
        Whether the manifest declares the blocks, so that arms are compared inside
        them; false to compare arms of independent launches.

    Returns
    -------
    Schedule
        The launches; ``.to_toml()`` is a study manifest.

    Raises
    ------
    DesignError
        If there are fewer than two arms, a name is empty, repeated or not printable,
        or `runs`, `seed` or `design` is out of range.

    Notes
    -----
    With an even number of launches an ABBA order gives every arm the same mean place,
    so a linear drift cancels exactly; with an odd one, 1/runs of what one block
    drifts remains. Random orders cancel it on average, and forestall drifts of other
    shapes. ``alternating`` biases every difference by the drift between two launches
    and is there for comparison.

    Examples
    --------
    >>> import specstats
    >>> drawn = specstats.schedule(["off", "mtp"], runs=4, seed=1)
    >>> print(drawn)
    off mtp mtp off mtp off off mtp
    """
    names = _checked(arms)
    if runs < 1:
        raise DesignError(f"runs {runs!r}: expected 1 launch of each arm or more")
    if design not in get_args(ScheduleDesign):
        raise DesignError.not_listed("schedule", design, get_args(ScheduleDesign))
    if seed is None:
        seed = secrets.randbits(32)
    if not 0 <= seed <= _LARGEST_SEED:
        raise DesignError(f"seed {seed!r}: expected 0 or more, and below 2**63")
    width = len(str(runs * len(names)))
    planned: list[ScheduledRun] = []
    for block, ordered in enumerate(_orders(names, runs, design, seed), start=1):
        for arm in ordered:
            order = len(planned) + 1
            stem = _NOT_IN_FILES.sub("-", arm).strip("-.") or "arm"
            planned.append(
                ScheduledRun(
                    order=order,
                    run=f"{order:0{width}d}-{stem}",
                    arm=arm,
                    block=str(block),
                )
            )
    return Schedule(
        arms=names, design=design, seed=seed, blocks=blocks, runs=tuple(planned)
    )


def _orders(
    arms: tuple[str, ...], runs: int, design: ScheduleDesign, seed: int
) -> list[list[str]]:
    """Return the arms of each block in their order."""
    # Only random() is promised to give the same numbers in every version of Python.
    draw = random.Random(seed).random  # noqa: S311 - an order, no secret
    found: list[list[str]] = []
    for block in range(runs):
        if design == "alternating":
            found.append(list(arms))
        elif design == "abba" and block % 2:
            found.append(found[-1][::-1])
        else:
            found.append(sorted(arms, key=lambda _: draw()))
    return found


def _checked(arms: Sequence[str]) -> tuple[str, ...]:
    if isinstance(arms, str):
        raise DesignError(f"arms {arms!r}: expected a list of names, not one text")
    names = tuple(arms)
    if len(names) < _FEWEST_ARMS or len(set(names)) < len(names):
        raise DesignError(
            f"arms {', '.join(map(repr, names)) or 'none'}: expected two different "
            "names or more, the baseline first"
        )
    for name in names:
        if not name.strip() or not name.isprintable():
            raise DesignError(f"arm {name!r}: expected a printable name")
    return names


def _quoted(text: str) -> str:
    """Quote a printable text as a TOML string."""
    return json.dumps(text, ensure_ascii=False)
