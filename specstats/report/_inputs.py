"""What was read, and how the settings of the arms differ."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from specstats.report._section import Section, counted, filled_grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from specstats.bench import InputFile
    from specstats.results import ArmSummary, StudySummary

__all__ = ["inputs_section", "settings_section"]

_LISTED_FILES = 8
_PLAIN = {None: "null", True: "true", False: "false"}


def inputs_section(study: StudySummary) -> Section:
    """Return the files of a study, or how many of each format where they are many.

    Parameters
    ----------
    study : StudySummary
        The study.

    Returns
    -------
    Section
        Entries, failed requests and how launches are told.
    """
    if len(study.inputs) > _LISTED_FILES:
        formats = dict.fromkeys(item.format for item in study.inputs)
        lines = tuple(
            _line(name, [item for item in study.inputs if item.format == name])
            for name in formats
        )
        return Section(title="Inputs", before=lines)
    rows = [
        (
            item.path,
            item.format,
            f"{item.parsed} of {item.entries}",
            str(item.failed_requests or ""),
            item.run_boundary or "",
        )
        for item in study.inputs
    ]
    titles = ("file", "format", "entries", "failed", "launches")
    return Section(title="Inputs", grid=filled_grid(titles, rows, left=2))


def _line(name: str, files: Sequence[InputFile]) -> str:
    parsed = sum(item.parsed for item in files)
    entries = sum(item.entries for item in files)
    failed = sum(item.failed_requests for item in files)
    told = [f"{counted(len(files), f'{name} file')}: {parsed} of {entries} entries"]
    bounds = Counter(
        item.run_boundary for item in files if item.run_boundary is not None
    )
    if bounds:
        told.append(counted(failed, "failed request") if failed else "none failed")
    if len(bounds) == 1:
        told.append(f"launches {next(iter(bounds))}")
    elif bounds:
        each = (f"{bound} in {counted(n, 'file')}" for bound, n in bounds.items())
        told.append(f"launches {', '.join(each)}")
    return "; ".join(told)


def settings_section(study: StudySummary) -> Section | None:
    """Return the settings that are not the same in all arms.

    Parameters
    ----------
    study : StudySummary
        The study.

    Returns
    -------
    Section or None
        Arms as rows where they outnumber the settings, else as columns.
    """
    arms = study.arms
    keys = dict.fromkeys(key for arm in arms for key in arm.settings)
    differing = [
        key for key in keys if len({repr(_value(arm, key)) for arm in arms}) > 1
    ]
    if not differing:
        return None
    if len(arms) > len(differing):
        titles = ("arm", *differing)
        rows = [(arm.arm, *(_value(arm, key) for key in differing)) for arm in arms]
    else:
        titles = ("setting", *(arm.arm for arm in arms))
        rows = [(key, *(_value(arm, key) for arm in arms)) for key in differing]
    grid = filled_grid(titles, rows, wraps=titles[1:])
    return Section(title="Settings that differ between arms", grid=grid)


def _value(arm: ArmSummary, key: str) -> str:
    """Return a setting as JSON writes it; empty where the arm lacks it."""
    if key not in arm.settings:
        return ""
    value = arm.settings[key]
    if value is None or isinstance(value, bool):
        return _PLAIN[value]
    return str(value)
