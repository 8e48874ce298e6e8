"""``specstats summarize``: the main job."""

from __future__ import annotations

import click

from specstats.cli._options import analysis_options, output_options, reading_options
from specstats.cli._reading import reading_of

__all__ = ["summarize"]


@click.command(short_help="Summarise runs: spread, speedups with verdicts, acceptance.")
@reading_options
@analysis_options
@click.option(
    "--all-pairs",
    is_flag=True,
    help="Show every pair of arms, and rank more than ten.",
)
@output_options
def summarize(**options: object) -> int:
    """Summarise runs: spread, speedups with verdicts, acceptance, determinism.

    PATHS are files, folders or globs; a study.toml in a folder is used. Exit codes: 0
    done; 2 nothing readable or usage; with --fail-on: 1 a listed condition occurred, 4
    refused, 3 inconclusive or insufficient.
    """
    from specstats.cli._finish import conditions_of, finish
    from specstats.cli._run import bench_of, summary_of

    conditions = conditions_of(options)
    study = summary_of(bench_of(reading_of(options)), options)
    return finish(study, conditions, options)
