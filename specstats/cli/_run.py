"""Reading and summarising as the options say, with progress on terminals."""

from __future__ import annotations

import glob
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from specstats.cli._options import pairs
from specstats.cli._progress import shown_progress
from specstats.defaults import DEFAULTS
from specstats.errors import DesignError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from specstats.analysis.options import ReferenceSpread
    from specstats.bench import Bench
    from specstats.cli._options import Reading
    from specstats.design import Design
    from specstats.limits import Limits
    from specstats.results import StudySummary

__all__ = [
    "bench_of",
    "columns_of",
    "design_of",
    "layout_of",
    "limits_of",
    "paths_of",
    "reference_of",
    "summary_of",
]


def layout_of(reading: Reading) -> object:
    """Build the layout that the options declare."""
    from specstats.layout import Layout
    from specstats.layout.template import Template

    study = reading.study or _study_in(reading.paths)
    layout = Layout() if study is None else Layout.from_manifest(study)
    if reading.layout is not None:
        layout = replace(layout, template=Template.parse(reading.layout))
    return replace(
        layout,
        arms=_arms_of(reading),
        run_per_file=reading.run_per_file,
    )


def _study_in(paths: tuple[str, ...]) -> str | None:
    if len(paths) != 1:
        return None
    manifest = Path(paths[0]) / "study.toml"
    return str(manifest) if manifest.is_file() else None


def paths_of(reading: Reading) -> list[str]:
    """Return what to read: the PATHs, and absolute globs of arms outside them."""
    paths = [*reading.paths, *_outside(reading)]
    if not paths and reading.study is not None:
        paths.append(str(Path(reading.study).parent))
    if not paths:
        raise DesignError(
            "nothing to read: expected a PATH, --study or an absolute --arm"
        )
    return paths


def _outside(reading: Reading) -> list[str]:
    """Return the files of absolute globs of arms that no PATH holds."""
    roots = {
        Path(found).absolute()
        for path in reading.paths
        for found in (path, *glob.glob(path))  # noqa: PTH207
    }
    outside: dict[str, None] = {}
    for flag in reading.arms:
        pattern = flag.partition("=")[2]
        if Path(pattern).is_absolute():
            for found in sorted(glob.glob(pattern, recursive=True)):  # noqa: PTH207
                path = Path(found)
                if path.is_file() and roots.isdisjoint((path, *path.parents)):
                    outside[found] = None
    return list(outside)


def _arms_of(reading: Reading) -> tuple[tuple[str, str], ...]:
    """Return arms with their globs; relative ones hold inside the PATHs alone."""
    from specstats.layout.place import arms_from_flags

    arms = arms_from_flags(reading.arms)
    if not _outside(reading):
        return (*arms, *reading.named)
    roots = [glob.escape(str(Path(path).absolute())) for path in (*reading.paths, ".")]
    return (
        *(
            (name, place)
            for name, pattern in arms
            for place in (
                [pattern]
                if Path(pattern).is_absolute()
                else [f"{root}/{pattern}" for root in roots]
            )
        ),
        *reading.named,
    )


def bench_of(reading: Reading) -> Bench:
    """Read what the options name."""
    from specstats.bench import read
    from specstats.layout import Layout

    layout = layout_of(reading)
    paths = paths_of(reading)
    with shown_progress() as progress:
        return read(
            paths if len(paths) > 1 else paths[0],
            layout=layout if isinstance(layout, Layout) else None,
            format=reading.format_name,
            columns=columns_of(reading),
            limits=limits_of(reading),
            progress=progress,
        )


def columns_of(reading: Reading) -> dict[str, str] | None:
    """Return what ``--columns`` says: columns of plain tables by what they mean."""
    from specstats.readers.tables import columns_from

    return columns_from(reading.columns) if reading.columns else None


def limits_of(reading: Reading) -> Limits:
    """Return the limits with those of ``--limit``."""
    from specstats.limits import limits_from

    return limits_from(dict(_limit_parts(reading.limits)))


def _limit_parts(stated: Sequence[str]) -> Iterator[tuple[str, str]]:
    for text in stated:
        name, mark, value = text.partition("=")
        if not (name.strip() and mark and value.strip()):
            raise DesignError(
                f"--limit {text!r}: expected NAME=SIZE, as document_bytes=1G"
            )
        yield name.strip(), value.strip()


def design_of(options: dict[str, object]) -> Design:
    """Build the design that the options state."""
    from specstats.design import Design

    return Design(
        baseline=_text(options.get("baseline")),
        candidate=_text(options.get("candidate")),
        factor=_text(options.get("factor")),
        block=_text(options.get("block")),
        controls=pairs(_texts(options.get("controls")), "--control"),
        warmup=_warm_up(options.get("warmup")),
        ignore=_texts(options.get("ignore")),
        seed=_count(options.get("seed")),
        planned_runs=_warm_up(options.get("planned_runs")),
    )


def summary_of(bench: Bench, options: dict[str, object]) -> StudySummary:
    """Summarise a bench as the options ask."""
    from specstats.analysis.summarize import summarize

    level, margin = options.get("confidence_level"), options.get("margin")
    least = options.get("min_runs")
    return summarize(
        bench,
        design_of(options),
        metrics=_texts(options.get("metrics")) or ("decode_rate",),
        confidence_level=level if isinstance(level, float) else 0.95,
        margin=margin if isinstance(margin, float) else None,
        min_runs=least if isinstance(least, int) else DEFAULTS.min_runs,
        reference_spread=reference_of(_text(options.get("reference_spread"))),
        by_workload=options.get("by") == "workload",
        method=_text(options.get("method")) or "auto",
        all_pairs=options.get("all_pairs") is True,
        allow=_texts(options.get("allow")),
    )


def reference_of(text: str | None) -> ReferenceSpread | None:
    """Return a spread given as ``SD:DF``, or pooled from the JSON report named."""
    from specstats.analysis.options import ReferenceSpread

    if text is None:
        return None
    if not Path(text).is_file():
        return ReferenceSpread.parse(text)
    return _pooled_reference(Path(text))


def _pooled_reference(path: Path) -> ReferenceSpread:
    """Pool the SDs of decode rate over the arms of a JSON report."""
    from specstats.analysis.options import ReferenceSpread

    try:
        arms = json.loads(path.read_bytes())["arms"]
        spreads = [arm["metrics"]["decode_rate"]["spread"] for arm in arms]
        found = [(float(s["run_sd_log"]), int(s["n_runs"]) - 1) for s in spreads if s]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DesignError(
            f"reference spread {path.name!r}: expected a JSON report of specstats"
        ) from error
    df = sum(own for _, own in found)
    if df < 1:
        raise DesignError(f"reference spread {path.name!r}: no arm has a spread")
    pooled = (sum(sd * sd * own for sd, own in found) / df) ** 0.5
    return ReferenceSpread(sd=pooled, df=float(df))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0


def _warm_up(value: object) -> int | None:
    return value if isinstance(value, int) else None
