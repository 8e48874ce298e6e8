"""Generations that drafted: which of them differ, and what may vary between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from specstats.design.view import View

__all__ = ["Cluster", "Drafts", "Generation", "drafts_of"]

_ENOUGH = 2

Cluster = Literal["prompt", "run", "prompt and run"]


@dataclass(frozen=True, slots=True)
class Generation:
    """One answered request with draft counts.

    Attributes
    ----------
    prompt, run : int
        Codes in the view.
    drafted : int or None
        Drafted tokens; None where the artifact counts accepted ones alone.
    accepted : int
        Accepted tokens.
    cached, digest : object
        Cached prompt tokens and digest of the output, None where unknown.
    row : int
        Row of the requests.
    """

    prompt: int
    run: int
    drafted: int | None
    accepted: int
    cached: object
    digest: object
    row: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafts:
    """Generations of an arm, and the unit that may vary.

    Attributes
    ----------
    everything : tuple of Generation
        Every request with counts.
    distinct : tuple of Generation
        Each distinct generation once; once a launch where launches vary.
    cluster : {"prompt", "run", "prompt and run"}
        What may vary.
    n_distinct : int
        Generations that differ, whatever the launch.
    """

    everything: tuple[Generation, ...]
    distinct: tuple[Generation, ...]
    cluster: Cluster
    n_distinct: int

    @property
    def labels(self) -> list[int]:
        """Cluster of each distinct generation; the fewer of prompts and launches."""
        prompts = [item.prompt for item in self.distinct]
        runs = [item.run for item in self.distinct]
        if self.cluster == "prompt":
            return prompts
        if self.cluster == "run":
            return runs
        return prompts if len(set(prompts)) <= len(set(runs)) else runs

    @property
    def rows(self) -> list[int]:
        """Request rows of the distinct generations."""
        return [item.row for item in self.distinct]


def drafts_of(view: View, arm: str, *, needs_drafted: bool = True) -> Drafts | None:
    """Return the generations of an arm that drafted.

    Parameters
    ----------
    view : View
        The data.
    arm : str
        The arm.
    needs_drafted : bool
        Whether drafted tokens must be counted, or accepted ones are enough.

    Returns
    -------
    Drafts or None
        None when no request of the arm has the counts.
    """
    everything = _generations(view, arm, needs_drafted=needs_drafted)
    if not everything:
        return None
    cluster, once = _cluster(everything), _distinct(everything)
    distinct = once if cluster == "prompt" else _distinct(everything, by_run=True)
    return Drafts(
        everything=tuple(everything),
        distinct=tuple(distinct),
        cluster=cluster,
        n_distinct=len(once),
    )


def _generations(view: View, arm: str, *, needs_drafted: bool) -> list[Generation]:
    names = ("n_draft", "n_accepted", "n_cached", "output_sha256")
    drafted, accepted, cached, digests = (
        view.bench.column("requests", name) for name in names
    )
    found = []
    counted = np.isfinite(view.column("n_accepted"))
    for row in np.flatnonzero(view.rows_of(arm) & view.measured & counted).tolist():
        tries, hits = drafted[row], accepted[row]
        if not isinstance(hits, int) or (isinstance(tries, int) and tries <= 0):
            continue
        if isinstance(tries, int) or not needs_drafted:
            found.append(
                Generation(
                    prompt=int(view.prompt[row]),
                    run=int(view.run[row]),
                    drafted=tries if isinstance(tries, int) else None,
                    accepted=hits,
                    cached=cached[row],
                    digest=digests[row],
                    row=row,
                )
            )
    return found


def _distinct(
    everything: Sequence[Generation], *, by_run: bool = False
) -> list[Generation]:
    first: dict[tuple[object, ...], Generation] = {}
    for item in everything:
        key = (item.prompt, item.digest, item.drafted, item.accepted)
        first.setdefault((*key, item.run) if by_run else key, item)
    return list(first.values())


def _cluster(everything: Sequence[Generation]) -> Cluster:
    """Decide what may vary: prompts, launches, or both.

    Launches vary when the same prompt in the same cache state gave different
    generations in different launches.
    """
    prompts = {item.prompt for item in everything}
    seen: dict[tuple[int, object], dict[int, set[object]]] = {}
    for item in everything:
        runs = seen.setdefault((item.prompt, item.cached), {})
        made = runs.setdefault(item.run, set())
        made.add((item.digest, item.drafted, item.accepted))
    varies = any(
        len({frozenset(made) for made in runs.values()}) > 1 for runs in seen.values()
    )
    if not varies:
        return "prompt"
    return "prompt and run" if len(prompts) >= _ENOUGH else "run"
