"""The report as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.render.clean import clean_markdown
from specstats.render.markdown import grid_markdown
from specstats.report.document import answer, sections
from specstats.report.findings import finding_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from specstats.diagnostics import Findings
    from specstats.report.document import Section
    from specstats.results import StudySummary

__all__ = ["body_markdown", "findings_markdown", "section_markdown", "to_markdown"]


def to_markdown(study: StudySummary, /, *, heading: int = 1) -> str:
    """Render a study as Markdown.

    Parameters
    ----------
    study : StudySummary
        The study.
    heading : int
        Level of the title.

    Returns
    -------
    str
        Ends with a line end. Text from artifacts is escaped.

    Examples
    --------
    >>> import specstats
    >>> study = specstats.summarize(specstats.datasets.path("pascal-p5200"))
    >>> specstats.report.to_markdown(study).startswith("# ")
    True
    """
    blocks = [f"{'#' * heading} {clean_markdown(study.title or 'specstats')}"]
    blocks.append("\n".join(f"- {clean_markdown(line)}" for line in answer(study)))
    return body_markdown(study, blocks, heading=heading + 1)


def body_markdown(
    study: StudySummary, blocks: Iterable[str] = (), /, *, heading: int
) -> str:
    """Render what follows the headlines of a study as Markdown.

    Parameters
    ----------
    study : StudySummary
        The study.
    blocks : iterable of str
        What stands before it.
    heading : int
        Level of the headings.

    Returns
    -------
    str
        Ends with a line end.
    """
    found = list(blocks)
    for section in sections(study):
        found += section_markdown(section, heading=heading)
    if study.findings:
        found += [f"{'#' * heading} Findings", findings_markdown(study.findings)]
    return "\n\n".join(found) + "\n"


def section_markdown(section: Section, /, *, heading: int) -> list[str]:
    """Render a section as Markdown.

    Parameters
    ----------
    section : Section
        The section.
    heading : int
        Level of its title.

    Returns
    -------
    list of str
        Blocks, to be parted by empty lines.
    """
    blocks = [f"{'#' * heading} {clean_markdown(section.title)}"]
    if section.before:
        blocks.append(_items(section.before))
    if section.grid is not None:
        blocks.append(grid_markdown(section.grid))
    if section.after:
        blocks.append(_items(section.after))
    return blocks


def findings_markdown(findings: Findings, /) -> str:
    """Render findings as a numbered list.

    Parameters
    ----------
    findings : Findings
        At least one.

    Returns
    -------
    str
        One line a note.
    """
    return "\n".join(
        f"{number}. {clean_markdown(line)}"
        for number, line in enumerate(finding_lines(findings), start=1)
    )


def _items(texts: Sequence[str]) -> str:
    if len(texts) == 1:
        return clean_markdown(texts[0])
    return "\n".join(f"- {clean_markdown(text)}" for text in texts)
