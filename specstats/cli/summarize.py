"""``specstats summarize``: the main job."""

from __future__ import annotations

import click

from specstats.cli._options import analysis_options, output_options, reading_options
from specstats.cli._reading import reading_of

__all__ = ["summarize"]


@click.command()
@reading_options
@analysis_options
@output_options
def summarize(**options: object) -> int:
    """Summarise runs: spread, speedups with verdicts, acceptance, determinism.

    PATHS are files, folders or globs; a study.toml in a folder is used. Exit codes: 0
    done; 2 nothing readable or usage; with --fail-on: 1 a listed condition occurred, 4
    refused, 3 inconclusive or insufficient.
    """
    from specstats.cli._gate import exit_code, parse_fail_on
    from specstats.cli._output import emit, rendered
    from specstats.cli._run import bench_of, summary_of

    listed, output = options["fail_on"], options["output"]
    conditions = parse_fail_on(listed if isinstance(listed, tuple) else ())
    study = summary_of(bench_of(reading_of(options)), options)
    target = output if isinstance(output, str) else None
    text = rendered(study, str(options["output_format"]), to_file=target is not None)
    emit(text, target)
    margin = options["margin"]
    return exit_code(
        study, conditions, margin=margin if isinstance(margin, float) else None
    )
