"""The bar on a terminal's stderr while artifacts are read."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.bench.progress import Progress, ShowProgress

__all__ = ["shown_progress"]

_MANY_FILES = 20
_MANY_BYTES = 20_000_000


@contextmanager
def shown_progress() -> Iterator[ShowProgress | None]:
    """Show a bar on a terminal's stderr once there is much to read."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bar

    bar = Bar(
        TextColumn("reading {task.fields[files]}"),
        BarColumn(),
        DownloadColumn(),
        TextColumn("{task.fields[rows]:,} rows"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task("reading", total=None, files="", rows=0, visible=False)

    def show(state: Progress) -> None:
        much = state.total_files >= _MANY_FILES or state.total_bytes >= _MANY_BYTES
        bar.update(
            task,
            completed=state.bytes,
            total=state.total_bytes,
            files=f"{state.files}/{state.total_files} files",
            rows=state.rows,
            visible=much,
        )

    with bar:
        yield show
