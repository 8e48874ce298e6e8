"""``specstats check``: the rules alone."""

from __future__ import annotations

import json

import click

from specstats.cli._options import analysis_options, reading_options
from specstats.cli._reading import reading_of

__all__ = ["check"]


@click.command(short_help="Run all rules and list what they found.")
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
    from specstats.cli._finish import conditions_of, margin_of, output_of
    from specstats.cli._gate import exit_code
    from specstats.cli._output import emit, text_width
    from specstats.cli._run import bench_of, summary_of
    from specstats.report.findings import notes
    from specstats.report.text import note_text

    conditions, output = conditions_of(options), output_of(options)
    study = summary_of(bench_of(reading_of(options)), options)
    if options["output_format"] == "json":
        found = [item.to_dict() for item in study.findings]
        text = json.dumps({"findings": found}, indent=2, allow_nan=False) + "\n"
    else:
        width = text_width(to_file=output is not None)
        lines = [note_text(note, width=width) for note in notes(study.findings)]
        text = "\n".join(lines or ["no findings"]) + "\n"
    emit(text, output)
    return exit_code(study, conditions, margin=margin_of(options))
