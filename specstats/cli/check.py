"""``specstats check``: the rules alone."""

from __future__ import annotations

import json

import click

from specstats.cli._options import analysis_options, reading_options
from specstats.cli._reading import reading_of

__all__ = ["check"]


@click.command()
@reading_options
@analysis_options
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Form of the findings.",
)
@click.option("--output", "-o", metavar="FILE", help="Write there.")
@click.option("--fail-on", multiple=True, metavar="LIST", help="As in summarize.")
def check(**options: object) -> int:
    """Run all rules over PATHS and list what they found."""
    from specstats.cli._gate import exit_code, parse_fail_on
    from specstats.cli._output import emit
    from specstats.cli._run import bench_of, summary_of
    from specstats.render.text import paragraph_text
    from specstats.report.findings import finding_lines

    listed, output = options["fail_on"], options["output"]
    conditions = parse_fail_on(listed if isinstance(listed, tuple) else ())
    study = summary_of(bench_of(reading_of(options)), options)
    if options["output_format"] == "json":
        found = [item.to_dict() for item in study.findings]
        text = json.dumps({"findings": found}, indent=2, allow_nan=False) + "\n"
    else:
        lines = [
            paragraph_text(line, width=80, indent="    ")
            for line in finding_lines(study.findings)
        ]
        text = "\n".join(lines or ["no findings"]) + "\n"
    emit(text, output if isinstance(output, str) else None)
    return exit_code(study, conditions, margin=None)
