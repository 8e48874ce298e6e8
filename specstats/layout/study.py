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
    from collections.abc import Iterator, Mapping

__all__ = ["MANIFEST_NAME", "ManifestRun", "ManifestTelemetry", "Study"]

MANIFEST_NAME = "study.toml"
_ZONE = re.compile(r"^([+-])(\d\d):(\d\d)$")


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
    _paths: dict[str, ManifestRun | ManifestTelemetry] = field(
        default_factory=dict, repr=False
    )

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
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise MalformedArtifactError(
                f"not a readable study manifest ({error})", source=manifest.name
            ) from error
        study = cls._build(Checked(content, manifest.name), manifest.absolute().parent)
        study._resolve(manifest.name)
        return study

    @classmethod
    def _build(cls, content: Checked, root: Path) -> Study:
        content.only("study", "runs", "telemetry", "collect", "arms")
        head = content.table("study")
        head.only(
            *("title", "baseline", "controls", "block", "warmup", "ignore", "layout"),
            *("order", "seed"),
        )
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
            runs=tuple(_run(entry) for entry in content.tables("runs")),
            telemetry=tuple(
                _telemetry(entry) for entry in content.tables("telemetry")
            ),
        )

    def _resolve(self, name: str) -> None:
        for entry in (*self.runs, *self.telemetry):
            for pattern in entry.files:
                matched = self._matches(pattern)
                if not matched:
                    raise DesignError(
                        f"{name}: files {pattern!r} match nothing in the folder of "
                        "the manifest. Expected globs relative to it"
                    )
                for path in matched:
                    other = self._paths.setdefault(path, entry)
                    if other is not entry:
                        raise DesignError(
                            f"{name}: {os.path.relpath(path, self.root)!r} belongs "
                            "to two entries. Expected each file in one"
                        )

    def _matches(self, pattern: str) -> list[str]:
        found = glob.glob(str(self.root / pattern), recursive=True)  # noqa: PTH207 - takes ..
        return sorted(os.path.normpath(path) for path in found)

    def sources(self) -> Iterator[Source]:
        """Yield the files that the manifest names, in its order."""
        for path in self._paths:
            yield Source(
                name=Path(os.path.relpath(path, self.root)).as_posix(),
                root=str(self.root),
                path=Path(path),
            )

    def _entry(self, source: Source) -> ManifestRun | ManifestTelemetry | None:
        if source.path is None:
            return None
        return self._paths.get(os.path.normpath(source.path.absolute()))

    def run_of(self, source: Source) -> ManifestRun | None:
        """Return the ``[[runs]]`` entry of a file, if it has one."""
        entry = self._entry(source)
        return entry if isinstance(entry, ManifestRun) else None

    def telemetry_of(self, source: Source) -> ManifestTelemetry | None:
        """Return the ``[[telemetry]]`` entry of a file, if it has one."""
        entry = self._entry(source)
        return entry if isinstance(entry, ManifestTelemetry) else None


def _run(entry: Checked) -> ManifestRun:
    entry.only("run", "arm", "block", "workload", "order", "files", "settings")
    settings = entry.table("settings").scalars()
    return ManifestRun(
        run=entry.required("run"),
        arm=entry.required("arm"),
        block=entry.text("block"),
        workload=entry.text("workload"),
        order=entry.number("order"),
        files=entry.texts("files"),
        settings={
            key if key.startswith(("cfg.", "id.")) else f"cfg.{key}": value
            for key, value in settings.items()
        },
    )


def _telemetry(entry: Checked) -> ManifestTelemetry:
    entry.only("files", "arm", "run", "timezone")
    return ManifestTelemetry(
        files=entry.texts("files"),
        arm=entry.text("arm"),
        run=entry.text("run"),
        timezone_s=_offset(entry),
    )


def _offset(entry: Checked) -> float | None:
    zone = entry.text("timezone")
    if zone is None:
        return None
    if zone.upper() in {"UTC", "Z"}:
        return 0.0
    match = _ZONE.match(zone)
    if match is None:
        raise DesignError(
            f"{entry.where}: timezone {zone!r}. Expected an offset such as '+02:00'"
        )
    seconds = 3600.0 * int(match[2]) + 60.0 * int(match[3])
    return -seconds if match[1] == "-" else seconds
