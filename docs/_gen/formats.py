"""The page of the formats, from `specstats.formats`; written by the docs build."""

from __future__ import annotations

import specstats

__all__ = ["markdown"]

_HEAD = """\
# Formats

A file is recognised by its content, never by its name; `--as FORMAT` overrules that.
What a format does not carry stays missing, and an entry that cannot be read is skipped,
located and counted ([SPS002](../rules/SPS002.md)). `specstats formats` prints the list.

*Levels* are the kinds of rows that a format carries. *Launches* says how the runs of a
file are known: proved, declared by you ([how](../guide/declare-runs.md)), or unknown;
then all of them count as one run ([SPS005](../rules/SPS005.md)).
"""


def markdown() -> str:
    """Return the page."""
    lines = [_HEAD]
    lines += ["| format | levels | launches |", "|---|---|---|"]
    lines += [
        f"| [{reader.name}](#{reader.name}) | {', '.join(reader.levels)} "
        f"| {reader.boundary} |"
        for reader in specstats.formats()
    ]
    for reader in specstats.formats():
        lines += [
            "",
            f"({reader.name})=",
            f"## {reader.name}",
            "",
            f"{reader.label}.",
            "",
        ]
        lines += [f"- **Seen in:** {', '.join(reader.producers)}"]
        lines += [f"- **Levels:** {', '.join(reader.levels)}"]
        lines += [f"- **Launches:** {reader.boundary}"]
        lines += [f"- **Trap:** {trap}" for trap in reader.traps]
    return "\n".join(lines) + "\n"
