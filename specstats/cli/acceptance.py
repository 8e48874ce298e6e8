"""``specstats acceptance``: draft acceptance by arm."""

from __future__ import annotations

import json

import click

from specstats.cli._options import reading_options
from specstats.cli._reading import reading_of

__all__ = ["acceptance"]


@click.command()
@reading_options
@click.option(
    "--confidence-level", type=float, default=0.95, show_default=True, metavar="LEVEL"
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

    Exit code 1 when no artifact carries draft counts (SPS301).
    """
    from specstats.cli._output import emit
    from specstats.cli._run import bench_of, summary_of
    from specstats.diagnostics import Findings, finding
    from specstats.render.markdown import grid_markdown
    from specstats.render.text import grid_text, paragraph_text
    from specstats.report.document import acceptance_section
    from specstats.report.findings import finding_lines
    from specstats.results import jsonable

    study = summary_of(bench_of(reading_of(options)), options)
    section = acceptance_section(study)
    found = study.findings.of("SPS305") + study.findings.of("SPS109")
    if section is None:
        found = Findings([finding(
            "SPS301",
            "no artifact carries drafted and accepted counts",
            observed="no draft counts",
            required="draft_n and draft_n_accepted, or their like",
            remedy="record the responses of a server that drafts",
        )])
    if options["output_format"] == "json":
        arms = {
            arm.arm: jsonable.acceptance(arm.acceptance)
            for arm in study.arms
            if arm.acceptance is not None
        }
        listed = [item.to_dict() for item in found]
        text = json.dumps({"arms": arms, "findings": listed}, indent=2) + "\n"
    else:
        marked = options["output_format"] == "markdown"
        parts = [] if section is None else [section.title]
        if section is not None and section.grid is not None:
            grid = section.grid
            parts.append(grid_markdown(grid) if marked else grid_text(grid, width=80))
            parts += [paragraph_text(line, width=80) for line in section.after]
        parts += [paragraph_text(line, width=80) for line in finding_lines(found)]
        text = "\n".join(parts) + "\n"
    output = options["output"]
    emit(text, output if isinstance(output, str) else None)
    return 1 if section is None else 0
