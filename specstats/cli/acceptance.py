"""``specstats acceptance``: draft acceptance by arm."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from specstats.cli._options import reading_options
from specstats.cli._reading import reading_of

if TYPE_CHECKING:
    from specstats.diagnostics import Findings
    from specstats.report.document import Section
    from specstats.results import StudySummary

__all__ = ["acceptance"]

_BESIDE = frozenset({"SPS002", "SPS003", "SPS005", "SPS109"})


@click.command(short_help="Estimate the draft acceptance rate of each arm.")
@reading_options
@click.option(
    "--baseline", metavar="ARM", help="Drafting arm to compare the others with."
)
@click.option(
    "--confidence-level",
    type=float,
    default=0.95,
    show_default=True,
    metavar="LEVEL",
    help="Level of intervals.",
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    show_default=True,
    help="Form of the table.",
)
@click.option("--output", "-o", metavar="FILE", help="Write there.")
def acceptance(**options: object) -> int:
    """Estimate the draft acceptance rate of each arm in PATHS.

    Also tokens per step, acceptance by position where steps are listed, the spread
    of prompts or launches, and differences to a baseline that drafts.

    Exit code 1 when no artifact carries draft counts (SPS301), or when they were
    configured instead of measured (SPS309).
    """
    from specstats.cli._finish import output_of
    from specstats.cli._output import emit, text_width
    from specstats.cli._run import bench_of, summary_of
    from specstats.report.document import acceptance_details, acceptance_section

    study = summary_of(bench_of(reading_of(options)), options)
    first, output = acceptance_section(study), output_of(options)
    sections = [] if first is None else [first, *acceptance_details(study)]
    found = _findings(study, none=first is None)
    if options["output_format"] == "json":
        text = _json(study, found)
    elif options["output_format"] == "markdown":
        text = _markdown(sections, found)
    else:
        text = _text(sections, found, text_width(to_file=output is not None))
    emit(text, output)
    return 1 if first is None else 0


def _findings(study: StudySummary, *, none: bool) -> Findings:
    from specstats.diagnostics import Findings, finding

    found = [
        item
        for item in study.findings
        if item.rule.family == "acceptance" or item.code in _BESIDE
    ]
    if none and not any(item.code == "SPS309" for item in found):
        found.append(
            finding(
                "SPS301",
                "no artifact carries drafted and accepted counts",
                observed="no draft counts",
                required="draft_n and draft_n_accepted, or their like",
                remedy="record the responses of a server that drafts",
            )
        )
    return Findings(found)


def _json(study: StudySummary, found: Findings) -> str:
    from specstats.results import jsonable

    arms = {
        arm.arm: jsonable.acceptance(arm.acceptance)
        for arm in study.arms
        if arm.acceptance is not None
    }
    listed = [item.to_dict() for item in found]
    content = {"arms": arms, "findings": listed}
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


def _markdown(sections: list[Section], found: Findings) -> str:
    from specstats.report.markdown import findings_markdown, section_markdown

    blocks = [
        block for section in sections for block in section_markdown(section, heading=1)
    ]
    blocks += [findings_markdown(found)] if found else []
    return "\n\n".join(blocks) + "\n"


def _text(sections: list[Section], found: Findings, width: int) -> str:
    from specstats.report.findings import notes
    from specstats.report.text import note_text, section_text

    blocks = [section_text(section, width=width) for section in sections]
    lines = [note_text(note, width=width) for note in notes(found)]
    blocks += ["\n".join(lines)] if lines else []
    return "\n\n".join(blocks) + "\n"
