"""The study manifest, study.toml."""

from __future__ import annotations

import glob
import os
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from specstats.errors import DesignError, MalformedArtifactError
from specstats.layout._checked import Checked
from specstats.source import Source

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

__all__ = [
    "MANIFEST_NAME",
    "ManifestExclusion",
    "ManifestRun",
    "ManifestTelemetry",
    "Study",
]

MANIFEST_NAME = "study.toml"
_ZONE = re.compile(r"([+-])([01]\d|2[0-3]):([0-5]\d)", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestRun:
    """One ``[[runs]]`` entry.

    Attributes
    ----------
    run, arm : str
        Names.
    block, workload : str or None
        Session, and group of prompts.
    order : float or None
        Place in the schedule.
    files : tuple of str
        Globs relative to the manifest.
    settings : mapping
        Declared settings, keys with ``cfg.``.
    """

    run: str
    arm: str
    block: str | None
    workload: str | None
    order: float | None
    files: tuple[str, ...]
    settings: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestTelemetry:
    """One ``[[telemetry]]`` entry.

    Attributes
    ----------
    files : tuple of str
        Globs relative to the manifest.
    arm, run : str or None
        What the samples belong to; by time when both are None.
    timezone_s : float or None
        Offset of the local times from UTC, in seconds.
    """

    files: tuple[str, ...]
    arm: str | None
    run: str | None
    timezone_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestExclusion:
    """One ``[[excluded]]`` entry: a launch that is left out.

    Attributes
    ----------
    run : str
        Its name, as in ``[[runs]]`` or in the ``{run}`` field.
    arm, block : str or None
        Which of several launches of that name; all of them when None.
    reason : str or None
        Why it is left out; None is SPS401.
    """

    run: str
    arm: str | None
    block: str | None
    reason: str | None


_Entry = ManifestRun | ManifestTelemetry


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """A study manifest.

    Attributes
    ----------
    root : Path
        Folder of the manifest.
    title, baseline, block, layout, order : str or None
        As written under ``[study]``.
    controls : tuple of (str, str)
        Pairs of arms declared identical.
    warmup : int or None
        First requests of a launch to leave out.
    ignore : tuple of str
        Settings that the analysis ignores.
    runs : tuple of ManifestRun
        Declared launches.
    telemetry : tuple of ManifestTelemetry
        Declared telemetry.
    excluded : tuple of ManifestExclusion
        Launches left out, with the reason.
    planned_runs : int or None
        Launches of each arm that were planned.
    """

    root: Path
    title: str | None
    baseline: str | None
    block: str | None
    layout: str | None
    order: str | None
    controls: tuple[tuple[str, str], ...]
    warmup: int | None
    ignore: tuple[str, ...]
    runs: tuple[ManifestRun, ...]
    telemetry: tuple[ManifestTelemetry, ...]
    excluded: tuple[ManifestExclusion, ...] = ()
    planned_runs: int | None = None
    _paths: dict[str, _Entry] = field(default_factory=dict, repr=False)

    @classmethod
    def load(cls, path: str | Path, /) -> Study:
        """Read a manifest.

        Parameters
        ----------
        path : path
            The file.

        Returns
        -------
        Study
            The manifest, its globs resolved.

        Raises
        ------
        MalformedArtifactError
            If it is no TOML.
        DesignError
            If a key has the wrong type, is unknown, or a glob matches nothing.
        """
        manifest = Path(path)
        try:
            content = tomllib.loads(manifest.read_text(encoding="utf-8-sig"))
        except (OSError, ValueError, RecursionError) as error:
            raise MalformedArtifactError(
                f"not a readable study manifest ({error})", source=manifest.name
            ) from error
        return cls._build(Checked(content, manifest.name), manifest.absolute().parent)

    @classmethod
    def _build(cls, content: Checked, root: Path) -> Study:
        content.only("study", "runs", "telemetry", "excluded", "collect", "arms")
        head = content.table("study")
        head.only(
            *("title", "baseline", "controls", "block", "warmup", "ignore", "layout"),
            *("order", "seed", "planned_runs"),
        )
        # Read by the collector only, but a slip in them should show here too.
        head.count("seed")
        content.table("collect")
        content.tables("arms")
        runs = tuple(_run(entry) for entry in content.tables("runs"))
        telemetry = tuple(_telemetry(entry) for entry in content.tables("telemetry"))
        excluded = tuple(_exclusion(entry) for entry in content.tables("excluded"))
        gone = {item.run for item in excluded}
        return cls(
            root=root,
            title=head.text("title"),
            baseline=head.text("baseline"),
            block=head.text("block"),
            layout=head.text("layout"),
            order=head.text("order"),
            controls=head.pairs("controls"),
            warmup=head.count("warmup"),
            ignore=head.texts("ignore"),
            runs=runs,
            telemetry=telemetry,
            excluded=excluded,
            planned_runs=head.count("planned_runs"),
            _paths=_resolve((*runs, *telemetry), root, content.where, gone),
        )

    def sources(self) -> Iterator[Source]:
        """Yield the files that the manifest names, in its order, itself left out."""
        for path in self._paths:
            if Path(path).name == MANIFEST_NAME:
                continue
            yield Source(
                name=_relative(path, self.root),
                root=str(self.root),
                file=path,
            )

    def _entry(self, source: Source) -> _Entry | None:
        if source.path is None:
            return None
        return self._paths.get(os.path.normpath(source.path.absolute()))

    def run_of(self, source: Source) -> ManifestRun | None:
        """Return the ``[[runs]]`` entry of a file, if it has one.

        Parameters
        ----------
        source : Source
            The artifact.
        """
        entry = self._entry(source)
        return entry if isinstance(entry, ManifestRun) else None

    def telemetry_of(self, source: Source) -> ManifestTelemetry | None:
        """Return the ``[[telemetry]]`` entry of a file, if it has one.

        Parameters
        ----------
        source : Source
            The artifact.
        """
        entry = self._entry(source)
        return entry if isinstance(entry, ManifestTelemetry) else None


def _resolve(
    entries: Iterable[_Entry], root: Path, name: str, gone: Collection[str]
) -> dict[str, _Entry]:
    """Return the entry of each file that the globs match.

    Files of a launch that is declared as left out may be gone.
    """
    found: dict[str, _Entry] = {}
    for entry in entries:
        for pattern in entry.files:
            matched = _matches(root, pattern)
            if not matched and not (
                isinstance(entry, ManifestRun) and entry.run in gone
            ):
                raise DesignError(
                    f"{name}: files {pattern!r} match nothing in the folder of the "
                    "manifest. Expected globs relative to it"
                )
            for path in matched:
                if found.setdefault(path, entry) is not entry:
                    raise DesignError(
                        f"{name}: {_relative(path, root)!r} belongs to two entries. "
                        "Expected each file in one"
                    )
    return found


def _matches(root: Path, pattern: str) -> list[str]:
    try:
        found = glob.glob(pattern, root_dir=root, recursive=True)  # noqa: PTH207 - takes ..
        paths = {os.path.normpath(root / path) for path in found}
        return sorted(path for path in paths if Path(path).is_file())
    except (OSError, ValueError):
        return []


def _relative(path: str, root: Path) -> str:
    name = Path(os.path.relpath(path, root)).as_posix()
    return name.encode("utf-8", "replace").decode("utf-8")


def _run(entry: Checked) -> ManifestRun:
    entry.only("run", "arm", "block", "workload", "order", "files", "settings")
    settings = entry.table("settings").scalars()
    return ManifestRun(
        run=entry.required("run"),
        arm=entry.required("arm"),
        block=entry.text("block"),
        workload=entry.text("workload"),
        order=entry.number("order"),
        files=entry.some_texts("files"),
        settings={
            key if key.startswith(("cfg.", "id.")) else f"cfg.{key}": value
            for key, value in settings.items()
        },
    )


def _telemetry(entry: Checked) -> ManifestTelemetry:
    entry.only("files", "arm", "run", "timezone")
    return ManifestTelemetry(
        files=entry.some_texts("files"),
        arm=entry.text("arm"),
        run=entry.text("run"),
        timezone_s=_offset(entry),
    )


def _exclusion(entry: Checked) -> ManifestExclusion:
    entry.only("run", "arm", "block", "reason")
    reason = entry.text("reason")
    return ManifestExclusion(
        run=entry.required("run"),
        arm=entry.text("arm"),
        block=entry.text("block"),
        reason=reason.strip() or None if reason is not None else None,
    )


def _offset(entry: Checked) -> float | None:
    zone = entry.text("timezone")
    if zone is None:
        return None
    if zone.upper() in {"UTC", "Z"}:
        return 0.0
    match = _ZONE.fullmatch(zone)
    if match is None:
        raise DesignError(
            f"{entry.where}: timezone {zone!r}. Expected an offset such as '+02:00'"
        )
    seconds = 3600.0 * int(match[2]) + 60.0 * int(match[3])
    return -seconds if match[1] == "-" else seconds
