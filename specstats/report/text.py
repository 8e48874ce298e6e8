"""The report as plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.render.text import grid_text, paragraph_text
from specstats.report.document import answer, sections
from specstats.report.findings import notes

if TYPE_CHECKING:
    from specstats.report.document import Section
    from specstats.report.findings import Note
    from specstats.results import StudySummary

__all__ = ["note_text", "section_text", "to_text"]

_WIDTH = 80


def to_text(study: StudySummary, /, *, width: int = _WIDTH) -> str:
    """Render a study as plain text.

    Parameters
    ----------
    study : StudySummary
        The study.
    width : int
        Columns.

    Returns
    -------
    str
        Ends with a line end. Text from artifacts is shown without control codes.

    Examples
    --------
    >>> import specstats
    >>> study = specstats.summarize(specstats.datasets.path("pascal-p5200"))
    >>> print(specstats.report.to_text(study).splitlines()[0])
    Gemma 4 12B with and without MTP drafting on a Quadro P5200
    """
    blocks: list[str] = []
    if study.title:
        blocks.append(paragraph_text(study.title, width=width))
    blocks += [paragraph_text(line, width=width, indent="  ") for line in answer(study)]
    blocks += [section_text(section, width=width) for section in sections(study)]
    if study.findings:
        lines = ["Findings (specstats rule CODE explains each)"]
        lines += [
            note_text(note, width=width, mark=f"[{number}] ")
            for number, note in enumerate(notes(study.findings), start=1)
        ]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def section_text(section: Section, /, *, width: int = _WIDTH) -> str:
    """Render a section as plain text.

    Parameters
    ----------
    section : Section
        The section.
    width : int
        Columns.

    Returns
    -------
    str
        Lines.
    """
    lines = [paragraph_text(section.title, width=width)]
    lines += [paragraph_text(text, width=width, indent="  ") for text in section.before]
    if section.grid is not None:
        lines.append(grid_text(section.grid, width=width))
    lines += [paragraph_text(text, width=width, indent="  ") for text in section.after]
    return "\n".join(lines)


def note_text(note: Note, /, *, width: int = _WIDTH, mark: str = "") -> str:
    """Render a note as plain text, each message and the next step on a line.

    Parameters
    ----------
    note : Note
        The note.
    width : int
        Columns.
    mark : str
        Begins the first line.

    Returns
    -------
    str
        Lines.
    """
    indent = " " * 4
    first, *rest = note.messages
    lines = [
        paragraph_text(f"{note.head}: {first}", width=width, first=mark, indent=indent)
    ]
    lines += [
        paragraph_text(text, width=width, first=indent, indent=indent) for text in rest
    ]
    if note.remedy:
        lines.append(
            paragraph_text(
                f"-> {note.remedy}", width=width, first=indent, indent=f"{indent}   "
            )
        )
    return "\n".join(lines)
