"""Handing over a report: rendered, written, and its exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.cli._gate import VERDICT_CONDITIONS, exit_code, parse_fail_on
from specstats.cli._output import emit, rendered
from specstats.errors import DesignError

if TYPE_CHECKING:
    from specstats.results import StudySummary

__all__ = ["conditions_of", "finish", "margin_of", "output_of"]


def conditions_of(options: dict[str, object]) -> tuple[str, ...]:
    """Return what the user listed under ``--fail-on``."""
    listed = options["fail_on"]
    found = parse_fail_on(map(str, listed) if isinstance(listed, tuple) else ())
    if "not-cleared" in found and options.get("margin") is None:
        raise DesignError(
            "--fail-on not-cleared: a loss is ruled out beyond a margin. Expected "
            "--margin DELTA, such as 0.02"
        )
    return found


def margin_of(options: dict[str, object]) -> float | None:
    """Return the relative difference that does not matter."""
    margin = options["margin"]
    return margin if isinstance(margin, float) else None


def output_of(options: dict[str, object]) -> str | None:
    """Return the file to write; None for stdout."""
    output = options["output"]
    return output if isinstance(output, str) else None


def finish(
    study: StudySummary, conditions: tuple[str, ...], options: dict[str, object]
) -> int:
    """Write the report of a study as the options ask.

    Parameters
    ----------
    study : StudySummary
        The study.
    conditions : tuple of str
        What the user listed under ``--fail-on``.
    options : dict
        All options of the command.

    Returns
    -------
    int
        Exit code.
    """
    gated = [item for item in conditions if item in VERDICT_CONDITIONS]
    if gated and not study.headlines:
        unknown = study.findings.of("SPS115")
        why = (
            unknown[0].message if unknown else f"{len(study.arms)} arm without another"
        )
        raise DesignError(
            f"--fail-on {','.join(gated)}: nothing was compared ({why}), so nothing "
            "can pass. Expected a baseline and another arm. Hint: --baseline NAME"
        )
    output, output_format = output_of(options), str(options["output_format"])
    text = rendered(
        study, output_format, to_file=output is not None, conditions=conditions
    )
    emit(text, output, coloured=output_format == "text")
    return exit_code(study, conditions, margin=margin_of(options))
