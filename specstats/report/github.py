"""The report as a GitHub step summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.render.clean import clean_markdown
from specstats.report.document import answer, headline
from specstats.report.markdown import body_markdown

if TYPE_CHECKING:
    from specstats.results import StudySummary

__all__ = ["to_github"]

_MARKS = {
    "faster": ":green_circle:",
    "slower": ":red_circle:",
    "equivalent": ":white_circle:",
    "inconclusive": ":yellow_circle:",
    "insufficient": ":yellow_circle:",
    "refused": ":no_entry:",
}


def to_github(study: StudySummary, /) -> str:
    """Render a study for ``$GITHUB_STEP_SUMMARY``.

    Parameters
    ----------
    study : StudySummary
        The study.

    Returns
    -------
    str
        Verdicts first; everything else folded.

    Examples
    --------
    >>> import specstats
    >>> study = specstats.summarize(specstats.datasets.path("pascal-p5200"))
    >>> "<details>" in specstats.report.to_github(study)
    True
    """
    lines = [f"## {clean_markdown(study.title or 'specstats')}", ""]
    if study.headlines:
        lines += [
            f"- {_MARKS[item.verdict.value]} **{item.verdict.value}** "
            f"{clean_markdown(headline(item))}"
            for item in study.headlines
        ]
    else:
        lines += [f"- {clean_markdown(line)}" for line in answer(study)]
    lines += ["", "<details><summary>Full report</summary>", ""]
    lines += [body_markdown(study, heading=3), "</details>"]
    return "\n".join(lines) + "\n"
