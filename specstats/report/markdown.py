"""The report as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.render.clean import clean_markdown
from specstats.render.markdown import grid_markdown
from specstats.report.document import answer, sections
from specstats.report.findings import finding_lines

if TYPE_CHECKING:
    from specstats.results import StudySummary

__all__ = ["to_markdown"]


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
    mark = "#" * heading
    blocks = [f"{mark} {clean_markdown(study.title or 'specstats')}"]
    blocks += [f"- {clean_markdown(line)}" for line in answer(study)]
    for section in sections(study):
        blocks.append(f"{mark}# {clean_markdown(section.title)}")
        blocks += [clean_markdown(text) for text in section.before]
        if section.grid is not None:
            blocks.append(grid_markdown(section.grid))
        blocks += [clean_markdown(text) for text in section.after]
    if study.findings:
        blocks.append(f"{mark}# Findings")
        blocks.append(
            "\n".join(
                f"{number}. {clean_markdown(item)}"
                for number, item in enumerate(finding_lines(study.findings), start=1)
            )
        )
    return "\n\n".join(blocks) + "\n"
