"""Options that commands share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from specstats.errors import DesignError

__all__ = ["Reading", "analysis_options", "output_options", "reading_options"]

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the reading options say.

    Attributes
    ----------
    paths : tuple of str
        What to read.
    arms, layout, study, format_name, columns, limits : as on the command line
        Declarations.
    run_per_file : bool
        Whether each file is a launch.
    named : tuple of (str, str)
        Further arms with their globs, where a name may hold an equals sign.
    """

    paths: tuple[str, ...]
    arms: tuple[str, ...]
    layout: str | None
    study: str | None
    run_per_file: bool
    format_name: str | None
    columns: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    named: tuple[tuple[str, str], ...] = ()


_READING = (
    click.argument("paths", nargs=-1, type=click.Path()),
    click.option(
        "--arm",
        "arms",
        multiple=True,
        metavar="NAME=GLOB",
        help="Files of an arm; absolute, or relative to each PATH. Repeatable.",
    ),
    click.option(
        "--layout",
        metavar="TEMPLATE",
        help="Path template with {arm} {run} {block} {prompt} {repeat} {workload} "
        "{ignore}; {run} declares launches, {block} declares blocks.",
    ),
    click.option("--study", metavar="FILE", help="Study manifest to use."),
    click.option(
        "--run-per-file", is_flag=True, help="Declare that each file is one launch."
    ),
    click.option(
        "--as",
        "format_name",
        metavar="FORMAT",
        help="Format of all files, to overrule their content.",
    ),
    click.option(
        "--columns",
        multiple=True,
        metavar="NAME=COLUMN,...",
        help="Columns of plain tables by meaning, such as "
        "run=launch,arm=method,decode_rate=tok/s. Repeatable.",
    ),
    click.option(
        "--limit",
        "limits",
        multiple=True,
        metavar="NAME=SIZE",
        help="Open larger artifacts: document_bytes, line_bytes, unpacked_bytes, "
        "unpacked_ratio, files, members or rows. Repeatable.",
    ),
)

_ANALYSIS = (
    click.option("--baseline", metavar="ARM", help="Arm to compare the others with."),
    click.option(
        "--control",
        "controls",
        multiple=True,
        metavar="A=B",
        help="Two arms that run the same setting. Repeatable.",
    ),
    click.option(
        "--warmup",
        type=click.IntRange(0),
        metavar="N",
        help="First requests of each launch to leave out of timing.",
    ),
    click.option(
        "--block",
        metavar="FIELD",
        help="Where blocks come from: day, a setting, or a name for declared ones.",
    ),
    click.option(
        "--ignore",
        multiple=True,
        metavar="KEY",
        help="Setting that may vary anywhere. Repeatable.",
    ),
    click.option("--factor", metavar="KEY", help="The one setting under test."),
    click.option(
        "--by",
        type=click.Choice(["workload"]),
        help="Compare inside each workload.",
    ),
    click.option(
        "--metric",
        "metrics",
        multiple=True,
        metavar="NAME",
        help="Metric to compare: decode_rate, prompt_rate, ttft, tpot, e2e, or a "
        "quantile of a launch such as ttft.p99. Repeatable.",
    ),
    click.option(
        "--method",
        metavar="NAME",
        help="Method instead of that of the design: welch, pooled, delta, fieller, "
        "hodges-lehmann, permutation, bootstrap-t, bca, percentile, sequential or "
        "mixed.",
    ),
    click.option(
        "--confidence-level",
        type=float,
        default=0.95,
        show_default=True,
        metavar="LEVEL",
        help="Level of intervals.",
    ),
    click.option(
        "--margin",
        type=float,
        metavar="DELTA",
        help="Relative difference that does not matter, such as 0.02.",
    ),
    click.option(
        "--min-runs",
        type=int,
        default=3,
        show_default=True,
        metavar="N",
        help="Launches (or blocks) below which no verdict is given.",
    ),
    click.option(
        "--planned-runs",
        type=click.IntRange(1),
        metavar="N",
        help="Launches of each arm that were planned before the first one.",
    ),
    click.option(
        "--reference-spread",
        metavar="SD:DF|FILE",
        help="Spread of log run values borrowed from earlier launches; a JSON report "
        "may be named instead.",
    ),
    click.option(
        "--allow",
        multiple=True,
        metavar="CODE",
        help="Rule whose errors you accept; the report says so. Repeatable.",
    ),
    click.option(
        "--seed",
        type=int,
        default=0,
        show_default=True,
        metavar="N",
        help="Seed of Monte Carlo permutation tests.",
    ),
)

_OUTPUT = (
    click.option(
        "--format",
        "output_format",
        type=click.Choice(["text", "markdown", "json", "csv", "github", "junit"]),
        default="text",
        show_default=True,
        help="Form of the report.",
    ),
    click.option(
        "--output", "-o", metavar="FILE", help="Write there instead of to stdout."
    ),
    click.option(
        "--fail-on",
        multiple=True,
        metavar="LIST",
        help="Comma-separated: slower, regression, not-cleared, not-faster, refused, "
        "inconclusive, error, warning, or rule codes. Sets the exit code.",
    ),
)


def reading_options(command: Command) -> Command:
    """Add the arguments and options that say what to read."""
    return _decorated(command, _READING)


def analysis_options(command: Command) -> Command:
    """Add the options that say what to compare and how."""
    return _decorated(command, _ANALYSIS)


def output_options(command: Command) -> Command:
    """Add the options that say where the report goes."""
    return _decorated(command, _OUTPUT)


def _decorated(command: Command, options: tuple[Callable[[Any], Any], ...]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


def pairs(flags: tuple[str, ...], option: str) -> tuple[tuple[str, str], ...]:
    """Parse ``A=B`` flags.

    Parameters
    ----------
    flags : tuple of str
        Values of the option.
    option : str
        Its name, for the message.

    Returns
    -------
    tuple of (str, str)
        Both sides.

    Raises
    ------
    DesignError
        If a flag has no ``=`` or an empty side.
    """
    found = []
    for flag in flags:
        first, equals, second = flag.partition("=")
        if not (first and equals and second):
            raise DesignError(f"{option} {flag!r}: expected A=B")
        found.append((first, second))
    return tuple(found)
