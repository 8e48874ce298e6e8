"""``specstats band``: what two single runs of one setting may show."""

from __future__ import annotations

import json

import click

__all__ = ["band"]

_RANGE = 2


@click.command(short_help="Say what two single runs of one setting may show.")
@click.argument("values", nargs=-1, type=float, required=True)
@click.option(
    "--runs",
    type=int,
    metavar="K",
    help="The two values are the range of K launches.",
)
@click.option(
    "--confidence-level",
    type=float,
    default=0.95,
    show_default=True,
    metavar="LEVEL",
    help="Share of pairs that the band is to hold.",
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Form of the answer.",
)
def band(
    values: tuple[float, ...],
    runs: int | None,
    confidence_level: float,
    output_format: str,
) -> int:
    """Say what VALUES of one setting show: a range LOW HIGH, or one value a launch.

    Two values are a range, from which only the observed factor follows, unless --runs
    says how many launches it covers. Three values or more are launches.
    """
    from specstats.analysis.band import aa_band
    from specstats.analysis.options import Options
    from specstats.errors import DesignError
    from specstats.render.text import paragraph_text

    Options(confidence_level=confidence_level)
    if len(values) == _RANGE:
        found = aa_band(
            low=min(values),
            high=max(values),
            runs=runs,
            confidence_level=confidence_level,
        )
    elif runs is not None:
        raise DesignError("--runs goes with a range of two values")
    else:
        found = aa_band(values, confidence_level=confidence_level)
    if output_format == "json":
        content = {
            "observed_factor": found.observed_factor,
            "sd_log": found.sd_log,
            "df": found.df,
            "aa_band": None
            if found.band is None
            else {
                "ratio": found.band.ratio,
                "conf_level": found.band.confidence_level,
                "runs": found.band.runs,
            },
            "sentence": found.sentence,
        }
        click.echo(json.dumps(content, indent=2, allow_nan=False))
    else:
        click.echo(paragraph_text(found.sentence, width=80))
    return 0
