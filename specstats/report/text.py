"""The report as plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.render.text import grid_text, paragraph_text
from specstats.report.document import answer, sections
from specstats.report.findings import finding_lines

if TYPE_CHECKING:
    from specstats.results import StudySummary

__all__ = ["to_text"]

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
    blocks += [
        paragraph_text(line, width=width, indent="  ") for line in answer(study)
    ]
    for section in sections(study):
        lines = [section.title]
        lines += [
            paragraph_text(text, width=width, indent="  ") for text in section.before
        ]
        if section.grid is not None:
            lines.append(grid_text(section.grid, width=width))
        lines += [
            paragraph_text(text, width=width, indent="  ") for text in section.after
        ]
        blocks.append("\n".join(lines))
    if study.findings:
        lines = ["Findings (specstats rule CODE explains each)"]
        for number, item in enumerate(finding_lines(study.findings), start=1):
            lines.append(
                paragraph_text(
                    f"[{number}] {item}", width=width, indent="    "
                )
            )
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"
