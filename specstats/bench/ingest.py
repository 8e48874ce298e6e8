"""Reading the artifacts one after another into columns."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING

from specstats.bench.progress import Reading
from specstats.diagnostics import counted
from specstats.errors import ArtifactError, UnknownFormatError
from specstats.layout import Layout, Place
from specstats.readers._base import Batch, located
from specstats.schema import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from specstats.bench.progress import ShowProgress
    from specstats.diagnostics import Finding
    from specstats.readers._base import Reader
    from specstats.readers._registry import Choice
    from specstats.source import Source

__all__ = ["Ingested", "fill", "ingest", "placed_batches"]

_NOTHING = Place()  # what is declared of every file where nothing is
_COUNT = re.compile(r"\d{1,18}", re.ASCII)


@dataclass(slots=True)
class FileCount:
    """Tallies of one artifact."""

    source: Source
    reader: Reader
    place: Place
    entries: int = 0
    parsed: int = 0
    failed: int = 0
    requests: int = 0
    producer: str | None = None


@dataclass(slots=True)
class Ingested:
    """Columns of all artifacts, and what went wrong.

    Attributes
    ----------
    tables : dict
        Columns by table and name.
    files : list of FileCount
        Artifacts that were read.
    findings : list of Finding
        Findings of the readers and of opening.
    places : list of Place
        For each row of requests, what its file declares.
    unused : list of str
        Files that no reader or layout takes.
    digests : dict
        The file of each content.
    rows : list of mapping
        Requests of files of one request that are not in the columns yet.
    """

    tables: dict[str, dict[str, list[object]]] = field(
        default_factory=lambda: {
            name: {column: [] for column in table.names}
            for name, table in TABLES.items()
        }
    )
    files: list[FileCount] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)
    digests: dict[str, str] = field(default_factory=dict)
    rows: list[Mapping[str, object]] = field(default_factory=list)


def ingest(
    sources: Iterable[Source],
    layout: Layout,
    *,
    choice: Choice,
    strict: bool,
    progress: ShowProgress | None = None,
) -> Ingested:
    """Read artifacts into columns.

    Parameters
    ----------
    sources : iterable of Source
        What the user named.
    layout : Layout
        Declarations.
    choice : Choice
        Format of all of them, or columns, to overrule their content.
    strict : bool
        Whether a malformed file in a folder is an error rather than a finding.
    progress : callable, optional
        Called at every file and every batch.

    Returns
    -------
    Ingested
        Columns and findings.
    """
    result = Ingested()
    reading = Reading(list(sources), progress)
    undeclared = _NOTHING if layout == Layout() else None
    for source in reading.sources:
        reading.tell(source)
        place = undeclared or layout.place(source)
        _take(result, source, place, choice, reading, strict=strict)
        reading.done(source)
    _fill_in_rows(result)
    if result.unused:
        result.findings.append(_unused(result.unused))
    result.findings.extend(_unnumbered_repeats(result))
    return result


def _take(
    result: Ingested,
    source: Source,
    place: Place | None,
    choice: Choice,
    reading: Reading,
    *,
    strict: bool,
) -> None:
    if place is None:
        result.unused.append(source.name)
        return
    try:
        source.small()  # its size with one look instead of two
        if source.size == 0 and not source.named:
            result.findings.append(_empty(source))
            return
        reader = choice.reader_of(source)
        _read_one(result, source, reader, place, reading)
    except ArtifactError as error:
        if source.named or strict:
            raise
        if isinstance(error, UnknownFormatError):
            result.unused.append(source.name)
        else:
            message = f"file skipped: {error}"
            result.findings.append(located("SPS002", source.name, message))


def _empty(source: Source) -> Finding:
    return located(
        "SPS002",
        source.name,
        "the file is empty: a launch that left nothing?",
        remedy="look into the log of that launch; it counts as none here",
    )


def _without_entries(source: Source, reader: Reader) -> Finding:
    return located(
        "SPS002",
        source.name,
        f"the file looks like {reader.name} and holds no entry of it",
        observed="0 entries",
        remedy="look whether it was cut off, or written before anything was measured",
    )


def _unnumbered_repeats(result: Ingested) -> list[Finding]:
    """Note repeats whose names in the layout are no numbers: their order counts."""
    names = [tally.place.repetition for tally in result.files]
    lost = [
        name for name in dict.fromkeys(names) if name and not _COUNT.fullmatch(name)
    ]
    if not lost:
        return []
    shown = ", ".join(map(repr, lost[:5]))
    return [
        located(
            "SPS012",
            "repeats",
            f"{{repeat}} is no number ({shown}), so repeats are counted in order",
            remedy="number the repeats, or use {ignore} for that part of the path",
        )
    ]


def _unused(names: list[str]) -> Finding:
    shown = names[:10]
    more = f" and {len(names) - len(shown)} more" if len(names) > len(shown) else ""
    return located(
        "SPS013",
        shown[0],
        f"{counted(len(names), 'file was', 'files were')} not used: "
        f"{', '.join(shown)}{more}",
        remedy="name a file itself to learn why no reader takes it, or fit the layout",
    )


def _read_one(
    result: Ingested, source: Source, reader: Reader, place: Place, reading: Reading
) -> None:
    tally = FileCount(source=source, reader=reader, place=place)
    row = reader.sole(source) if reader.sole is not None and place is _NOTHING else None
    if row is not None:
        tally.entries = tally.parsed = tally.requests = 1
        tally.producer = _producer([row["settings"]])
        reading.tell(source, 1)
        if _is_new(result, tally):
            if result.rows and result.rows[0].keys() != row.keys():
                _fill_in_rows(result)
            result.rows.append(row)
        return
    found = []
    for batch in placed_batches(source, reader, place, tally):
        found.append(batch)
        reading.tell(source, batch.entries)
    if not tally.entries and not any(batch.findings for batch in found):
        result.findings.append(_without_entries(source, reader))
    if not _is_new(result, tally):
        return
    _fill_in_rows(result)
    for batch in found:
        result.findings.extend(batch.findings)
        for name, columns in batch.tables.items():
            table = result.tables[name]
            for column, values in columns.items():
                table[column] += values
        result.places.extend([place] * batch.count("requests"))


def _fill_in_rows(result: Ingested) -> None:
    """Put the rows of small files into the columns, all at once."""
    rows, result.rows = result.rows, []
    if not rows:
        return
    table = result.tables["requests"]
    told = zip(*map(itemgetter(*rows[0]), rows), strict=True)
    found = dict(zip(rows[0], told, strict=True))
    for name, values in table.items():
        values.extend(found.get(name) or [None] * len(rows))
    result.places.extend([_NOTHING] * len(rows))


def _is_new(result: Ingested, tally: FileCount) -> bool:
    """Take note of a file, unless its content was read under another name."""
    digest = tally.source.sha256
    other = result.digests.get(digest)
    if other is not None and tally.parsed > tally.failed:
        result.findings.append(
            located(
                "SPS003",
                tally.source.name,
                f"the same bytes as {other}: read once",
                observed=f"sha256 {digest[:12]}",
                required="each artifact once",
                remedy="remove the copy, or check that a run was not saved under "
                "two names",
            )
        )
        return False
    result.digests.setdefault(digest, tally.source.name)
    result.files.append(tally)
    return True


def placed_batches(
    source: Source, reader: Reader, place: Place, tally: FileCount
) -> Iterator[Batch]:
    """Yield the batches of an artifact with what its file declares filled in.

    Parameters
    ----------
    source : Source
        The artifact.
    reader : Reader
        Its reader.
    place : Place
        Declarations of the file.
    tally : FileCount
        Counts, brought up to date.

    Yields
    ------
    Batch
        Rows with arm, block, workload, prompt and repetition where declared.
    """
    for batch in reader.parse(source):
        fill(batch, place, tally)
        yield batch


def fill(batch: Batch, place: Place, tally: FileCount) -> None:
    """Fill in what the file of a batch declares, and count.

    Parameters
    ----------
    batch : Batch
        Rows, changed in place.
    place : Place
        Declarations of the file.
    tally : FileCount
        Counts, brought up to date.
    """
    tally.entries += batch.entries
    tally.parsed += batch.parsed
    requests = batch.tables.get("requests")
    if requests is not None:
        _fill_requests(requests, place)
        tally.requests += len(requests["source"])
        tally.failed += sum(ok is False for ok in requests["ok"])
        tally.producer = tally.producer or _producer(requests["settings"])
    telemetry = batch.tables.get("telemetry")
    if telemetry is not None:
        _fill_time(telemetry, place)
    for table in ("telemetry", "aggregates", "counters"):
        columns = batch.tables.get(table)
        if columns is not None:
            _fill_place(table, columns, place)


def _fill_requests(columns: dict[str, list[object]], place: Place) -> None:
    if place is _NOTHING:
        return
    for name in ("arm", "block", "workload"):
        _fill(columns, name, getattr(place, name))
    if place.block is None and place.blocks_closed:
        columns["block"] = [None] * len(columns["block"])
    _fill(columns, "prompt_id", place.prompt)
    _fill(columns, "order", place.order)
    repetition = place.repetition
    if repetition is not None and _COUNT.fullmatch(repetition):
        _fill(columns, "repetition", int(repetition))


def _fill_place(table: str, columns: dict[str, list[object]], place: Place) -> None:
    # Telemetry is no launch, whatever is said of files.
    by_file = table == "telemetry" and place.declared == "run-per-file"
    run = None if by_file else place.run
    for name, declared in (("arm", place.arm), ("block", place.block), ("run_id", run)):
        _fill(columns, name, declared)
    if table == "counters" and run is not None and place.declared is not None:
        _fill(columns, "run_boundary", "declared")


def _fill_time(columns: dict[str, list[object]], place: Place) -> None:
    offset = place.timezone_s
    if offset is None:
        return
    columns["time_s"] = [
        local - offset if isinstance(local, int | float) else None
        for local in columns["local_time_s"]
    ]


def _fill(columns: dict[str, list[object]], name: str, value: object) -> None:
    if value is not None and name in columns:
        columns[name] = [value] * len(columns[name])


def _producer(settings: list[object]) -> str | None:
    text = next((text for text in settings if isinstance(text, str)), None)
    return None if text is None else _build(text)


@lru_cache(maxsize=256)
def _build(settings: str) -> str | None:
    values = json.loads(settings)
    build = values.get("id.build") or values.get("id.build_commit")
    return str(build) if build is not None else None
