"""Rendering a report and writing it, whole or not at all."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING

import click

from specstats.errors import DesignError

if TYPE_CHECKING:
    from specstats.results import StudySummary

__all__ = ["emit", "rendered", "write_atomically"]

_WIDTH = 80
_WIDEST = 120


def rendered(study: StudySummary, output_format: str, *, to_file: bool) -> str:
    """Render a study.

    Parameters
    ----------
    study : StudySummary
        The study.
    output_format : str
        Name of the form.
    to_file : bool
        Whether it goes to a file rather than to stdout.

    Returns
    -------
    str
        The report.
    """
    from specstats import report

    if output_format == "text":
        return report.to_text(study, width=_width(to_file=to_file))
    renderers = {
        "markdown": report.to_markdown,
        "json": report.to_json,
        "csv": report.to_csv,
        "github": report.to_github,
        "junit": report.to_junit,
    }
    return renderers[output_format](study)


def _width(*, to_file: bool) -> int:
    if to_file or not sys.stdout.isatty():
        return _WIDTH
    return max(_WIDTH, min(get_terminal_size((_WIDTH, 24)).columns, _WIDEST))


def emit(text: str, output: str | None) -> None:
    """Write text to stdout, or to a file that is replaced as a whole.

    Parameters
    ----------
    text : str
        What to write.
    output : str or None
        File; None for stdout.
    """
    if output is None:
        click.echo(text, nl=False)
    else:
        write_atomically(Path(output), text)


def write_atomically(path: Path, text: str) -> None:
    """Write a file beside its place and move it there.

    Parameters
    ----------
    path : Path
        The file.
    text : str
        Its content.

    Raises
    ------
    DesignError
        If the folder does not exist.
    """
    if not path.parent.is_dir():
        raise DesignError(
            f"--output {path.name!r}: its folder does not exist. Expected a file in "
            "an existing folder"
        )
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".specstats-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
