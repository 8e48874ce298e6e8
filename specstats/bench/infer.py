"""Arms of files that nothing places: from folder and file names, and said so."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from specstats.readers._base import located

if TYPE_CHECKING:
    from specstats.bench.ingest import Ingested
    from specstats.diagnostics import Finding
    from specstats.source import Source

__all__ = ["infer_arms", "suggest_arm"]


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
    for table in ("requests", "aggregates", "telemetry"):
        columns = result.tables[table]
        for row, arm in enumerate(columns["arm"]):
            if arm is None and (table != "telemetry"):
                name = suggested[str(columns["source"][row])]
                columns["arm"][row] = name
                inferred[name] = None
    if not inferred:
        return []
    names = list(inferred)
    shown = ", ".join(names[:8]) + (", ..." if len(names) > len(names[:8]) else "")
    return [
        located(
            "SPS012",
            "arms",
            f"arms were inferred from file names: {shown}",
            remedy="declare them: --arm NAME=GLOB, --layout TEMPLATE or a study.toml",
        )
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
        First folder, or the file name up to its first dot.
    """
    path = PurePosixPath(source.name)
    if len(path.parts) > 1 and not several:
        return path.parts[0]
    folder = source.path is not None and PurePosixPath(source.root).name
    if several and folder and not source.named:
        return folder
    return path.name.split(".", maxsplit=1)[0] or path.name
