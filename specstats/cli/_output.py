"""Rendering a report and writing it, whole or not at all."""

from __future__ import annotations

import os
import re
import stat
import sys
import tempfile
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING

import click

from specstats.cli._gate import failed_verdicts
from specstats.errors import DesignError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from specstats.results import StudySummary

__all__ = ["emit", "rendered", "text_width", "write_atomically"]

_WIDTH = 80
_WIDEST = 120
_COLOURS = {
    "FASTER": "green",
    "SLOWER": "red",
    "EQUIVALENT": "cyan",
    "INCONCLUSIVE": "yellow",
    "INSUFFICIENT": "yellow",
    "error": "red",
    "warning": "yellow",
}
# A verdict in its column, the level of a finding; not a word in running text.
_COLOURED = re.compile(
    r"(?<=  )(?:FASTER|SLOWER|EQUIVALENT|INCONCLUSIVE|INSUFFICIENT)(?=  )"
    r"|(?<=\] )(?:error|warning)(?= SPS\d{3}: )"
)


def rendered(
    study: StudySummary,
    output_format: str,
    *,
    to_file: bool,
    conditions: Iterable[str] = (),
) -> str:
    """Render a study.

    Parameters
    ----------
    study : StudySummary
        The study.
    output_format : str
        Name of the form.
    to_file : bool
        Whether it goes to a file rather than to stdout.
    conditions : iterable of str
        What the user listed under ``--fail-on``.

    Returns
    -------
    str
        The report.
    """
    from specstats import report

    if output_format == "text":
        return report.to_text(study, width=text_width(to_file=to_file))
    if output_format == "junit":
        return report.to_junit(study, failed=failed_verdicts(conditions))
    renderers = {
        "markdown": report.to_markdown,
        "json": report.to_json,
        "csv": report.to_csv,
        "github": report.to_github,
    }
    return renderers[output_format](study)


def text_width(*, to_file: bool) -> int:
    """Return the width of text: that of a terminal within limits, else fixed."""
    if to_file or not sys.stdout.isatty():
        return _WIDTH
    return max(_WIDTH, min(get_terminal_size((_WIDTH, 24)).columns, _WIDEST))


def emit(text: str, output: str | None, *, coloured: bool = False) -> None:
    """Write text to stdout, or to a file that is replaced as a whole.

    Parameters
    ----------
    text : str
        What to write.
    output : str or None
        File; None or ``-`` for stdout.
    coloured : bool
        Whether verdicts and levels in it are coloured on a terminal.
    """
    if output is not None and output != "-":
        write_atomically(Path(output), text)
        return
    if coloured and _colours_wanted():
        text = _COLOURED.sub(
            lambda found: click.style(found[0], fg=_COLOURS[found[0]]), text
        )
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    # A terminal of another encoding gets escapes rather than a traceback.
    click.echo(text.encode(encoding, "backslashreplace").decode(encoding), nl=False)


def _colours_wanted() -> bool:
    return (
        sys.stdout.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM") != "dumb"
    )


def write_atomically(path: Path, text: str) -> None:
    """Write a file beside its place and move it there.

    Links are followed, a file that is there keeps its permissions, and what is no
    regular file (a pipe, a device) is written to as it is.

    Parameters
    ----------
    path : Path
        The file.
    text : str
        Its content.

    Raises
    ------
    DesignError
        If the folder does not exist, or the path is a folder.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        path.write_text(text, encoding="utf-8", newline="\n")
        return
    target = path.resolve()
    if target.is_dir():
        raise DesignError(
            f"--output {str(path)!r} is a folder. Expected a file, new or to replace"
        )
    if not target.parent.is_dir():
        raise DesignError(
            f"--output {str(path)!r}: its folder does not exist. Expected a file in an "
            "existing folder"
        )
    mode = _mode(target)
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".specstats-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        Path(temporary).chmod(mode)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _mode(path: Path) -> int:
    """Return the permissions that a plain write would leave."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
