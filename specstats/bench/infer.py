"""Arms of files that nothing places: from folder and file names, and said so."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from specstats.diagnostics import Level, finding

if TYPE_CHECKING:
    from specstats.bench.ingest import Ingested
    from specstats.diagnostics import Finding
    from specstats.source import Source

__all__ = ["infer_arms", "suggest_arm", "without_suffixes"]

# Endings that say how a file is written; what else has dots tells files apart, such as
# the version in v0.25.1_plain.json or the arm in llama-3.1.off.log.
_ENDINGS = frozenset(
    {
        *("json", "jsonl", "ndjson", "csv", "tsv", "txt", "log", "md", "out", "err"),
        *("gz", "zst", "bz2", "xz", "prom", "sse", "sql", "yaml", "yml", "data"),
        *("parquet", "arrow", "feather", "excerpt", "server", "bench"),
    }
)
_REPEAT = re.compile(r"(?<=[^\d.])\.\d{1,4}$", re.ASCII)
_NUMBERED = re.compile(r"-\d+\.\w+$")


def infer_arms(result: Ingested) -> list[Finding]:
    """Give every row without an arm the one that its file name suggests.

    Parameters
    ----------
    result : Ingested
        Columns, changed in place.

    Returns
    -------
    list of Finding
        One note when anything was inferred.
    """
    roots = {tally.source.root for tally in result.files}
    suggested = {
        tally.source.name: suggest_arm(tally.source, several=len(roots) > 1)
        for tally in result.files
    }
    inferred: dict[str, None] = {}
    for table in ("requests", "aggregates", "counters"):
        columns = result.tables[table]
        for row, arm in enumerate(columns["arm"]):
            if arm is None:
                name = suggested[str(columns["source"][row])]
                columns["arm"][row] = name
                inferred[name] = None
    if not inferred:
        return []
    names = list(inferred)
    shown = ", ".join(names[:8]) + (", ..." if len(names) > len(names[:8]) else "")
    layout = _layout(
        [tally.source.relative for tally in result.files if tally.requests]
    )
    remedy = f"declare them: {layout}--arm NAME=GLOB, or a study.toml"
    message = f"arms were inferred from file names: {shown}"
    note = finding("SPS012", message, where=("arms",), remedy=remedy)
    return [note, *_mixed(result, inferred, remedy)]


def _layout(paths: list[str]) -> str:
    """Return the layout that the paths look like, as a flag to copy."""
    # The ends of the names are few, the names are not.
    ends = {path[max(path.rfind("."), path.rfind("/") + 1) - 1 :] for path in paths}
    suffixes = {PurePosixPath(end).suffix for end in ends}
    depths = {path.count("/") for path in paths}
    if len(suffixes) != 1 or len(depths) != 1:
        return ""
    suffix, depth = suffixes.pop(), depths.pop()
    if depth == 0:
        numbered = all(_NUMBERED.search(path) for path in paths)
        template = "{arm}-{run}" if numbered else ""
    else:
        template = {1: "{arm}/{run}", 2: "{block}/{arm}/{run}"}.get(depth, "")
    return (
        f"--layout '{template}{suffix}' if that is how they lie, " if template else ""
    )


def _mixed(result: Ingested, inferred: dict[str, None], remedy: str) -> list[Finding]:
    """Warn where an inferred arm holds requests with and without drafting."""
    columns = result.tables["requests"]
    drafting: dict[str, set[bool]] = {}
    for arm, draft, ok in zip(
        columns["arm"], columns["n_draft"], columns["ok"], strict=True
    ):
        if ok is True:
            drafting.setdefault(str(arm), set()).add(draft is not None)
    return [
        finding(
            "SPS012",
            f"{arm}: an inferred arm holds requests with and without draft counts",
            where=("arms",),
            level=Level.WARNING,
            observed="both kinds",
            required="one kind in an arm",
            remedy=remedy,
            subject=(arm,),
        )
        for arm, kinds in drafting.items()
        if arm in inferred and len(kinds) > 1
    ]


def suggest_arm(source: Source, *, several: bool) -> str:
    """Return the arm that the name of a file suggests.

    Parameters
    ----------
    source : Source
        The artifact.
    several : bool
        Whether the user named several things, each an arm of its own.

    Returns
    -------
    str
        First folder, or the file name without its endings; for named files of the
        same name, the folder that tells them apart.
    """
    if source.named and source.name != source.relative:
        return PurePosixPath(source.name).parts[0]
    first, _, below = source.relative.partition("/")
    if first and below and not several:
        return first
    if several and source.file is not None and not source.named:
        folder = PurePosixPath(source.root).name
        if folder:
            return folder
    name = source.relative.rpartition("/")[2]
    return without_suffixes(name) or name


def without_suffixes(name: str) -> str:
    """Return a file name without its endings and the number of a repeat.

    Parameters
    ----------
    name : str
        File name, without folders.

    Returns
    -------
    str
        What tells it from others; of A.1.json the A.
    """
    bare, dot, ending = name.rpartition(".")
    while bare and dot and ending.lower() in _ENDINGS:
        name = bare
        bare, dot, ending = name.rpartition(".")
    return _REPEAT.sub("", name)
