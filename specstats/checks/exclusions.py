"""Rules about launches that were left out: SPS401, SPS402."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from specstats.design.excluded import is_excluded, label_of
from specstats.diagnostics import counted, finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from specstats.bench import Run
    from specstats.design import View
    from specstats.diagnostics import Finding
    from specstats.layout.study import ManifestExclusion

__all__ = ["excluded_runs", "missing_runs"]

_NUMBERED = re.compile(r"(\D*)(\d{1,3})(\D*)", re.ASCII)
_FEWEST = 3
# What says that a file is there and gave nothing.
_LOSSES = frozenset({"SPS002", "SPS003", "SPS013"})


def excluded_runs(view: View) -> Iterator[Finding]:
    """SPS402 and SPS401: launches that the manifest leaves out."""
    study = view.bench.study
    for entry in () if study is None else study.excluded:
        found = [run for run in view.excluded if is_excluded(run, entry)]
        what = entry.run if entry.arm is None else f"{entry.arm}/{entry.run}"
        requests = sum(run.n_requests for run in found)
        how = (
            f"left out with {counted(requests, 'request')}"
            if found
            else "not in the data"
        )
        arms = tuple(dict.fromkeys(run.arm for run in found))
        if entry.reason is None:
            yield finding(
                "SPS401",
                f"launch {what} is {how}, and no reason is given",
                where=(what,),
                observed="no reason",
                required='reason = "..." in [[excluded]] of study.toml',
                remedy="write down why the launch does not count, or put it back",
                subject=arms or (() if entry.arm is None else (entry.arm,)),
            )
        else:
            yield finding(
                "SPS402",
                f"launch {what} is {how}, as declared: {entry.reason}",
                where=(what,),
                observed=counted(len(found), "launch", "launches"),
                subject=arms,
            )


def missing_runs(view: View) -> Iterator[Finding]:
    """SPS401: numbers of launches have gaps that nothing explains."""
    declared = [run for run in (*view.runs, *view.excluded) if _is_named(run)]
    told = _told_of_files(view)
    for group in _series(declared):
        numbers = _numbers(group)
        if numbers is None:
            continue
        gone = sorted(set(range(min(numbers), max(numbers))) - set(numbers))
        arms = tuple(dict.fromkeys(run.arm for run in group))
        listed = () if view.bench.study is None else view.bench.study.excluded
        gone = [
            number
            for number in gone
            if number not in told and not _explained(number, arms, listed)
        ]
        if not gone:
            continue
        shown = ", ".join(str(number) for number in gone[:5])
        names = " and ".join(arms[:3]) if len(arms) < 4 else "the study"  # noqa: PLR2004
        yield finding(
            "SPS401",
            f"{names}: launches are numbered {min(numbers)} to {max(numbers)} and "
            f"{shown}{', ...' if len(gone) > len(gone[:5]) else ''} "
            f"{'is' if len(gone) == 1 else 'are'} missing",
            where=[run.run_id for run in group][:5],
            observed=f"{len(numbers)} of {len(numbers) + len(gone)} launches",
            required="all launches, or the reason why one is left out",
            remedy="put them back, or log them under [[excluded]] in study.toml with "
            "run, arm and reason",
            subject=arms,
        )


def _is_named(run: Run) -> bool:
    return run.boundary == "declared" and run.declared_by in {
        "layout",
        "manifest",
        "rows",
    }


def _series(runs: Sequence[Run]) -> list[list[Run]]:
    """Return the launches that are numbered together.

    Arms that use the same numbers count each for itself; arms that share none were
    numbered in one sequence. Where blocks are declared, a block counts for itself if
    its numbers return in another.
    """
    by_arm: dict[str, list[Run]] = {}
    for run in runs:
        by_arm.setdefault(run.arm, []).append(run)
    if len(by_arm) > 1 and not _shared(list(by_arm.values())):
        groups = [list(runs)]
    else:
        groups = list(by_arm.values())
    found: list[list[Run]] = []
    for group in groups:
        blocks: dict[str | None, list[Run]] = {}
        for run in group:
            blocks.setdefault(run.block, []).append(run)
        own = list(blocks.values())
        found.extend(own if len(own) > 1 and _shared(own) else [group])
    return found


def _shared(groups: Sequence[Sequence[Run]]) -> bool:
    seen: set[str] = set()
    for group in groups:
        labels = {label_of(run) for run in group}
        if labels & seen:
            return True
        seen |= labels
    return False


def _numbers(runs: Sequence[Run]) -> list[int] | None:
    """Return the numbers of a series that begins at 0 or 1; None where it is none."""
    matches = [_NUMBERED.fullmatch(label_of(run)) for run in runs]
    parts = [(match[1], match[2], match[3]) for match in matches if match is not None]
    if len(parts) < len(runs) or len({(part[0], part[2]) for part in parts}) != 1:
        return None
    numbers = [int(part[1]) for part in parts]
    several = len(set(numbers)) == len(numbers) >= _FEWEST
    if not several or min(numbers) > 1:
        return None
    missing = max(numbers) - min(numbers) + 1 - len(numbers)
    # 1, 2, 4, 8 or 1, 8, 64 are sizes, not a count of launches.
    doubling = all(number & (number - 1) == 0 for number in numbers)
    if missing >= len(numbers) or (doubling and max(numbers) >= 8):  # noqa: PLR2004
        return None
    return numbers


def _told_of_files(view: View) -> set[int]:
    """Return the numbers in names of files that other findings say were not used."""
    return {
        int(number)
        for item in view.bench.findings
        if item.code in _LOSSES
        for where in item.where
        for number in re.findall(r"\d{1,3}", where.rpartition("/")[2])
    }


def _explained(
    number: int, arms: Sequence[str], listed: Sequence[ManifestExclusion]
) -> bool:
    for entry in listed:
        match = _NUMBERED.fullmatch(entry.run.rpartition("/")[2])
        same = match is not None and int(match[2]) == number
        if same and (entry.arm is None or entry.arm in arms):
            return True
    return False
