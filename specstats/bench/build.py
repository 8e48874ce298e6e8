"""`read`: from what the user names to a bench."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from specstats.bench.counter_twins import drop_counter_twins
from specstats.bench.counters import difference_counters
from specstats.bench.infer import infer_arms
from specstats.bench.ingest import ingest
from specstats.bench.model import Bench, InputFile
from specstats.bench.runs import assign_counters, assign_runs
from specstats.bench.steps import assign_steps
from specstats.bench.telemetry import assign_telemetry
from specstats.bench.twins import drop_twins
from specstats.diagnostics import Findings
from specstats.errors import ArtifactError, DesignError
from specstats.layout import Layout
from specstats.layout.globs import matches_glob
from specstats.layout.study import MANIFEST_NAME
from specstats.limits import LIMITS, Limits, limits_from
from specstats.readers._base import located
from specstats.readers._registry import Choice
from specstats.source import Source, expand

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from specstats.bench.ingest import Ingested
    from specstats.bench.progress import ShowProgress

__all__ = ["read"]


def read(
    source: str | Path | bytes | Sequence[str | Path],
    /,
    *,
    layout: Layout | str | None = None,
    arms: Mapping[str, str] | None = None,
    run_per_file: bool = False,
    format: str | None = None,  # noqa: A002 - the name users expect
    columns: Mapping[str, str] | None = None,
    limits: Limits | Mapping[str, int | str] | None = None,
    on_error: Literal["collect", "raise"] = "collect",
    progress: ShowProgress | None = None,
) -> Bench:
    """Read artifacts into a bench.

    Parameters
    ----------
    source : path, folder, glob, bytes, or list of paths
        What to read. A ``study.toml`` in a folder is used.
    layout : Layout or str, optional
        Which file is which run; a string is a path template.
    arms : mapping of str to str, optional
        Glob of the files of each arm.
    run_per_file : bool
        Declare that each file is one launch.
    format : str, optional
        Format of all files, to overrule their content.
    columns : mapping of str to str, optional
        Columns of plain tables by what they mean, such as ``{"run": "launch",
        "arm": "method", "decode_rate": "tok/s"}``; all files are then such tables.
    limits : Limits or mapping, optional
        How large artifacts may be; a mapping replaces single limits, such as
        ``{"document_bytes": "1G"}``.
    on_error : {"collect", "raise"}
        Whether a malformed file inside a folder becomes a finding or an error.
    progress : callable, optional
        Called with a `Progress` at every file and every few thousand rows.

    Returns
    -------
    Bench
        Tables, runs, inputs and findings.

    Raises
    ------
    ArtifactError
        If a named file cannot be read, or nothing can.
    DesignError
        If the layout or the manifest contradicts itself.

    Examples
    --------
    >>> import specstats
    >>> bench = specstats.read(specstats.datasets.path("pascal-p5200"))
    >>> bench
    Bench(2 arms, 11 runs, 41 requests, 3 files, 1 findings)
    """
    sources = expand(source, limits=_limits(limits))
    plan = _plan(source, layout, arms, run_per_file=run_per_file)
    sources = _with_manifest_files(sources, plan)
    _check_used(sources, plan)
    result = ingest(
        sources,
        plan,
        choice=Choice(format_name=format, columns=columns),
        strict=on_error == "raise",
        progress=progress,
    )
    if not result.files:
        raise ArtifactError(
            "nothing readable: no reader knows any of the files or none fits the "
            "layout. Hint: name one file to learn why, see `specstats formats` "
            "[SPS001]",
            source=", ".join(dict.fromkeys(item.root for item in sources))[:200],
        )
    return _bench(result, plan)


def _limits(stated: Limits | Mapping[str, int | str] | None) -> Limits:
    if stated is None:
        return LIMITS
    return stated if isinstance(stated, Limits) else limits_from(stated)


def _check_used(sources: list[Source], plan: Layout) -> None:
    """Refuse arms and layouts that fit no file at all."""
    names = ", ".join(repr(item.relative) for item in sources[:3])
    for name in dict.fromkeys(arm for arm, _ in plan.arms):
        patterns = [pattern for arm, pattern in plan.arms if arm == name]
        if not any(matches_glob(item, glob) for item in sources for glob in patterns):
            raise DesignError(
                f"arm {name!r}: {patterns[0]!r} matches none of {len(sources)} files, "
                f"such as {names}. Expected a glob relative to PATH, or absolute"
            )
    template = plan.template
    if template is not None and not any(template.match(x.relative) for x in sources):
        raise DesignError(
            f"layout {template.text!r} fits none of {len(sources)} files, such as "
            f"{names}. Expected a template of the path relative to what is read"
        )


def _plan(
    source: object,
    layout: Layout | str | None,
    arms: Mapping[str, str] | None,
    *,
    run_per_file: bool,
) -> Layout:
    from dataclasses import replace

    if isinstance(layout, str):
        layout = Layout.from_template(layout)
    named = tuple((arms or {}).items())
    plan = layout or Layout()
    if plan.study is None:
        manifest = _manifest(source)
        if manifest is not None:
            found = Layout.from_manifest(manifest)
            plan = replace(found, template=plan.template or found.template)
            if layout is not None:
                plan = replace(plan, arms=layout.arms, run_per_file=layout.run_per_file)
    return replace(
        plan,
        arms=plan.arms + named,
        run_per_file=run_per_file or plan.run_per_file,
    )


def _manifest(source: object) -> Path | None:
    if isinstance(source, str | Path):
        candidates: list[object] = [source]
    else:
        candidates = list(source) if isinstance(source, list | tuple) else []
    if len(candidates) != 1:
        return None
    path = Path(str(candidates[0])) / MANIFEST_NAME
    return path if path.is_file() else None


def _with_manifest_files(sources: list[Source], plan: Layout) -> list[Source]:
    kept = [
        item
        for item in sources
        if item.file is None or item.name.rpartition("/")[2] != MANIFEST_NAME
    ]
    if plan.study is None:
        return kept
    present = {
        os.path.normpath(item.path.absolute()) for item in kept if item.path is not None
    }
    extra = [item for item in plan.study.sources() if str(item.path) not in present]
    return kept + extra


def _bench(result: Ingested, plan: Layout) -> Bench:
    findings = list(result.findings)
    findings.extend(drop_twins(result))
    findings.extend(infer_arms(result))
    findings.extend(drop_counter_twins(result))
    columns = result.tables["requests"]
    runs, order_from = assign_runs(columns, result.places)
    if order_from == "run names" and len(runs) > 1:
        findings.append(
            located(
                "SPS012",
                "launch order",
                "launch order was inferred from the numbers in run names",
                remedy="give order = N in study.toml, or artifacts with time stamps",
            )
        )
    assign_steps(result)
    findings.extend(assign_telemetry(result, runs))
    findings.extend(difference_counters(result))
    runs = assign_counters(result.tables["counters"], runs)
    boundaries = {
        source: run.boundary for run in reversed(runs) for source in run.sources
    }
    inputs = tuple(
        InputFile(
            path=tally.source.name,
            sha256=tally.source.sha256,
            format=tally.reader.name,
            producer=tally.producer,
            entries=tally.entries,
            parsed=tally.parsed,
            failed_requests=tally.failed,
            run_boundary=boundaries.get(tally.source.name),
        )
        for tally in result.files
    )
    return Bench(
        columns=result.tables,
        runs=runs,
        inputs=inputs,
        findings=Findings(findings),
        study=plan.study,
        order_from=order_from,
    )
