"""Where a file belongs, by flags, then by the study manifest."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from specstats.errors import DesignError
from specstats.layout.globs import matches_glob
from specstats.layout.study import Study
from specstats.layout.template import Template

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from specstats.source import Source

__all__ = ["Layout", "Place"]

_COUNT = re.compile(r"\d{1,15}", re.ASCII)

Declared = Literal["layout", "manifest", "run-per-file"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What is declared of one file; None where nothing is.

    Attributes
    ----------
    arm, run, block, workload, prompt : str or None
        Declared identity of all rows of the file.
    repetition : str or None
        Declared number of the repeat.
    declared : {"layout", "manifest", "run-per-file"} or None
        What declares the launch; None when nothing does.
    blocks_closed : bool
        Whether the declaration of runs leaves no room for blocks from the rows.
    order : float or None
        Declared place in the schedule.
    number : float or None
        The run field as a number, a hint of the order.
    settings : mapping
        Declared settings, by key with ``cfg.``.
    timezone_s : float or None
        Offset of local times in the file, in seconds.
    """

    arm: str | None = None
    run: str | None = None
    block: str | None = None
    workload: str | None = None
    prompt: str | None = None
    repetition: str | None = None
    declared: Declared | None = None
    blocks_closed: bool = False
    order: float | None = None
    number: float | None = None
    settings: Mapping[str, object] = field(default_factory=dict)
    timezone_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Rules that say which file is which run.

    Attributes
    ----------
    template : Template or None
        Path template.
    arms : tuple of (str, str)
        Arm names with the globs of their files.
    run_per_file : bool
        Whether each file is declared one launch.
    study : Study or None
        The manifest.

    Examples
    --------
    >>> from specstats import Layout
    >>> layout = Layout.from_template("{block}/{arm}-{run}.jsonl")
    >>> layout.template.match("mon/base-1.jsonl")
    {'block': 'mon', 'arm': 'base', 'run': '1'}
    """

    template: Template | None = None
    arms: tuple[tuple[str, str], ...] = ()
    run_per_file: bool = False
    study: Study | None = None

    @classmethod
    def from_template(cls, text: str, /) -> Layout:
        """Build from a path template.

        Parameters
        ----------
        text : str
            Template, relative to the folder that is read.

        Returns
        -------
        Layout
            The layout.
        """
        return cls(template=Template.parse(text))

    @classmethod
    def from_manifest(cls, path: str | Path, /) -> Layout:
        """Build from a study manifest.

        Parameters
        ----------
        path : path
            A study.toml.

        Returns
        -------
        Layout
            The layout.
        """
        study = Study.load(path)
        template = Template.parse(study.layout) if study.layout else None
        return cls(template=template, study=study)

    @property
    def decides_files(self) -> bool:
        """Whether files that nothing places are left out."""
        runs = self.study is not None and bool(self.study.runs)
        return bool(self.template or self.arms or runs)

    def place(self, source: Source) -> Place | None:
        """Return what is declared of a file.

        Parameters
        ----------
        source : Source
            The artifact.

        Returns
        -------
        Place or None
            None when a layout, arms or runs are declared and none fits the file.

        Raises
        ------
        DesignError
            If two arms claim the file.
        """
        place = self._from_study(source)
        found = place is not None
        place = place or Place()
        if self.template is not None:
            values = self.template.match(source.relative)
            if values is not None:
                found, place = True, self._from_template(values, place)
        named = [name for name, glob in self.arms if matches_glob(source, glob)]
        if len(set(named)) > 1:
            raise DesignError(
                f"{source.name}: claimed by arms {' and '.join(map(repr, named))}. "
                "Expected globs that do not overlap"
            )
        if named:
            found, place = True, replace(place, arm=named[0])
        if self.arms and not named:
            return None if not _is_telemetry(place) else place
        if self.decides_files and not found:
            return None
        if self.run_per_file:
            place = replace(place, run=source.name, declared="run-per-file")
        return place

    def _from_template(self, values: dict[str, str], base: Place) -> Place:
        template = self.template
        declared: Declared | None = "layout" if "run" in values else None
        number = values.get("run", "")
        return replace(
            base,
            arm=values.get("arm", base.arm),
            run=template.run_key(values) if template is not None else base.run,
            block=values.get("block", base.block),
            workload=values.get("workload", base.workload),
            prompt=values.get("prompt", base.prompt),
            repetition=values.get("repeat", base.repetition),
            declared=declared or base.declared,
            blocks_closed=declared is not None,
            number=float(number) if _COUNT.fullmatch(number) else None,
        )

    def _from_study(self, source: Source) -> Place | None:
        if self.study is None:
            return None
        run = self.study.run_of(source)
        if run is not None:
            return Place(
                arm=run.arm,
                run=run.run,
                block=run.block,
                workload=run.workload,
                declared="manifest",
                blocks_closed=True,
                order=run.order,
                settings=run.settings,
            )
        telemetry = self.study.telemetry_of(source)
        if telemetry is None:
            return None
        return Place(
            arm=telemetry.arm,
            run=telemetry.run,
            timezone_s=telemetry.timezone_s,
            blocks_closed=True,
        )


def _is_telemetry(place: Place) -> bool:
    return place.timezone_s is not None or place.arm is not None


def arms_from_flags(flags: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Parse ``NAME=GLOB`` flags.

    Parameters
    ----------
    flags : sequence of str
        Values of ``--arm``.

    Returns
    -------
    tuple of (str, str)
        Names and globs.

    Raises
    ------
    DesignError
        If a flag has no ``=`` or an empty side.
    """
    parsed = []
    for flag in flags:
        name, equals, glob = flag.partition("=")
        if not (name and equals and glob):
            raise DesignError(f"--arm {flag!r}: expected NAME=GLOB")
        parsed.append((name, glob))
    return tuple(parsed)
