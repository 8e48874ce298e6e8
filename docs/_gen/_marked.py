"""Generated parts of committed pages: found by markers, rewritten or checked."""

from __future__ import annotations

import argparse
import difflib
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["difference", "main", "replaced"]


def replaced(page: str, name: str, content: str) -> str:
    """Return a page with the text between the markers of `name` replaced."""
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    if page.count(begin) != 1 or page.count(end) != 1:
        raise ValueError(f"expected {begin} and {end} once each")
    before, _, rest = page.partition(begin)
    after = rest.partition(end)[2]
    return f"{before}{begin}\n\n{content.strip()}\n\n{end}{after}"


def difference(path: Path, fresh: str) -> str:
    """Return how a file differs from what it should hold; empty if not."""
    return "".join(
        difflib.unified_diff(
            path.read_text(encoding="utf-8").splitlines(keepends=True),
            fresh.splitlines(keepends=True),
            path.name,
            f"{path.name} as generated",
        )
    )


def main(
    description: str, fresh: Callable[[], dict[Path, str]], arguments: list[str]
) -> int:
    """Rewrite or check files: ``--write``, or ``--check`` with a diff and exit 1."""
    parser = argparse.ArgumentParser(description=description)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--write", action="store_true", help="rewrite the files")
    action.add_argument("--check", action="store_true", help="exit 1 when out of date")
    options = parser.parse_args(arguments)
    found = ""
    for path, content in fresh().items():
        if options.write:
            path.write_text(content, encoding="utf-8", newline="\n")
        else:
            found += difference(path, content)
    sys.stdout.write(found)
    return 1 if found else 0
