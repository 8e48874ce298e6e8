"""The coverage page of the formats: which real file is read by which reader.

The page is made by reading the files of the reference corpus (``SPECSTATS_CORPUS``),
and compared with what ``tests/readers/corpus/*.toml`` expects of each.
``python -m docs._gen.corpus --check`` exits 1 with a diff when the page is old;
``--write`` brings it up to date. Without the corpus neither does anything.
"""

from __future__ import annotations

import os
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from docs._gen import _marked
from docs._gen.formats import escaped
from specstats.errors import ArtifactError, UnknownFormatError
from specstats.readers._registry import choose
from specstats.schema import TABLES
from specstats.source import Source

__all__ = ["Outcome", "folder", "fresh", "outcomes", "problems"]

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "formats" / "coverage.md"
EXPECTED = ROOT / "tests" / "readers" / "corpus"
_HEAD = """\
# Real files

specstats is tested on public artifacts of other people's benchmarks; they are not part
of the repository. This page is written by reading them: {files} files, of which {read}
are read, by {readers} of the readers, and {refused} are refused. Refused are notes,
configurations and plans that hold no measurement, files that broke off before the first
one, and formats without a reader; the reason stands beside each.

*Level* is the finest kind of row. *Launches* says whether the file alone tells launches
apart, and how many it shows. *Findings* are those of the reader; that single files of a
study are not a study is found later.
"""
_TABLES = ("requests", "steps", "counters", "aggregates", "telemetry")
_LEVELS = {
    "steps": "step",
    "requests": "request",
    "counters": "counter",
    "aggregates": "aggregate",
    "telemetry": "telemetry",
}
_WHY = {
    "unknown": "no reader claims it",
    "malformed": "claimed, and not readable as a whole",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What reading one file gave.

    Attributes
    ----------
    reader : str
        Name of the reader; empty if refused.
    rows : dict
        Number of rows by table, those without rows left out.
    codes : tuple of str
        Codes of the findings of the reader.
    processes : int
        Launches that the file proves.
    refused : str
        ``unknown`` or ``malformed``; empty if read.
    """

    reader: str = ""
    rows: dict[str, int] = field(default_factory=dict)
    codes: tuple[str, ...] = ()
    processes: int = 0
    refused: str = ""


def folder() -> Path | None:
    """Return the corpus, if there is one here."""
    named = os.environ.get("SPECSTATS_CORPUS")
    path = Path(named) if named else ROOT.parent / "shared" / "corpus"
    return path.resolve() if path.is_dir() else None


def outcomes(corpus: Path) -> dict[str, Outcome]:
    """Read every file of the corpus.

    Parameters
    ----------
    corpus : Path
        Its folder.

    Returns
    -------
    dict
        Outcomes by path in the corpus.
    """
    return {
        path.relative_to(corpus).as_posix(): _outcome(path)
        for path in sorted(corpus.rglob("*"))
        if path.is_file() and path.parent != corpus
    }


def _outcome(path: Path) -> Outcome:
    source = Source(name=path.name, file=path)
    try:
        reader = choose(source)
        batches = list(reader.parse(source))
    except UnknownFormatError:
        return Outcome(refused="unknown")
    except ArtifactError:
        return Outcome(refused="malformed")
    rows = {name: sum(batch.count(name) for batch in batches) for name in TABLES}
    processes = {
        value
        for batch in batches
        for columns in batch.tables.values()
        for value in columns.get("process", [])
    }
    return Outcome(
        reader=reader.name,
        rows={name: number for name, number in rows.items() if number},
        codes=tuple(sorted({x.code for batch in batches for x in batch.findings})),
        processes=len(processes - {None}),
    )


def expectations() -> dict[str, dict[str, object]]:
    """Return what the tests expect of each file, by path in the corpus."""
    found: dict[str, dict[str, object]] = {}
    for path in sorted(EXPECTED.glob("*.toml")):
        found.update(tomllib.loads(path.read_text(encoding="utf-8")))
    return found


def problems(found: dict[str, Outcome]) -> list[str]:
    """Return where expectations and what was read differ.

    Parameters
    ----------
    found : dict
        Outcomes by path.

    Returns
    -------
    list of str
        One line a difference.
    """
    wrong = []
    for name, expected in expectations().items():
        if name not in found:
            wrong.append(f"{name}: expected, and not in the corpus")
            continue
        read = found[name]
        seen: dict[str, object] = {"reader": read.reader, "refused": read.refused}
        seen |= {table: read.rows.get(table, 0) for table in _TABLES}
        for key, value in seen.items():
            default: object = 0 if key in _TABLES else ""
            if expected.get(key, default) != value:
                wrong.append(f"{name}: {key} is {value!r}, not {expected.get(key)!r}")
    return wrong


def markdown(found: dict[str, Outcome]) -> str:
    """Return the page.

    Parameters
    ----------
    found : dict
        Outcomes by path.

    Returns
    -------
    str
        The page.
    """
    expected = expectations()
    read = [item for item in found.values() if item.reader]
    lines = [
        _HEAD.format(
            files=len(found),
            read=len(read),
            readers=len({item.reader for item in read}),
            refused=len(found) - len(read),
        )
    ]
    for name in dict.fromkeys(path.partition("/")[0] for path in found):
        lines += [f"## {name}", "", "| file | format | level | rows | launches "]
        lines[-1] += "| findings |"
        lines += ["|---|---|---|---|---|---|"]
        lines += [
            _row(path.partition("/")[2], item, expected.get(path, {}))
            for path, item in found.items()
            if path.startswith(f"{name}/")
        ]
        lines.append("")
    return "\n".join(lines)


def _row(name: str, read: Outcome, expected: dict[str, object]) -> str:
    if read.refused:
        why = escaped(str(expected.get("why") or _WHY[read.refused]))
        return f"| {escaped(name)} | refused | | {why} | | |"
    rows = ", ".join(_counted(number, table) for table, number in read.rows.items())
    findings = ", ".join(f"[{code}](../rules/{code}.md)" for code in read.codes)
    return (
        f"| {escaped(name)} | [{read.reader}]({read.reader}.md) "
        f"| {expected.get('level') or _level(read)} | {rows} "
        f"| {expected.get('launches') or _launches(read)} | {findings} |"
    )


def _counted(number: int, table: str) -> str:
    noun = table.removesuffix("s") if number == 1 else table
    return f"{number:,} {noun}"


def _level(read: Outcome) -> str:
    if read.reader == "llama-bench":
        return "sample"
    return next(
        (level for table, level in _LEVELS.items() if table in read.rows), "none"
    )


def _launches(read: Outcome) -> str:
    if not {"requests", "steps"} & set(read.rows):
        return "not needed"
    return f"proved: {read.processes}" if read.processes else "unknown"


def fresh() -> dict[Path, str]:
    """Return the page as it should be; nothing where there is no corpus."""
    corpus = folder()
    return {} if corpus is None else {PAGE: markdown(outcomes(corpus))}


if __name__ == "__main__":
    sys.exit(_marked.main(__doc__.partition("\n")[0], fresh, sys.argv[1:]))
