"""The pages of the formats, from `specstats.formats`; written by the docs build.

``python -m docs._gen.formats --check`` exits 1 with a diff when the table of the
README is old; ``--write`` brings it up to date.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import specstats
from docs._gen import _marked
from specstats.readers import (
    devices,
    harness,
    llamacpp,
    loadgen,
    local,
    own,
    research,
    sglang,
    suites,
    tables,
    vllm,
)

if TYPE_CHECKING:
    from specstats.readers import Reader

__all__ = [
    "escaped",
    "families",
    "fresh",
    "index_markdown",
    "page_markdown",
    "pages",
]

README = Path(__file__).resolve().parents[2] / "README.md"

FAMILIES = (
    ("llama.cpp", llamacpp),
    ("Ollama, LM Studio, MLX, KoboldCpp, exllama", local),
    ("vLLM", vllm),
    ("SGLang, TensorRT-LLM and other servers", sglang),
    ("Load generators", loadgen),
    ("Benches of speculative decoding", research),
    ("Benchmark harnesses of programs", harness),
    ("Suites", suites),
    ("Telemetry", devices),
    ("specstats' own", own),
    ("Plain tables", tables),
)
INSTALLED = "Of installed packages"
_HEAD = """\
# Formats

specstats reads {number} formats. A file is recognised by its content, never by its
name; `--as FORMAT` overrules that. What a format does not carry stays missing, and an
entry that cannot be read is skipped, located and counted
([SPS002](../rules/SPS002.md)).
Compressed files and archives are read as what they hold. `specstats formats` prints the
list and `specstats formats NAME` one of these pages.

*Carries* names the kinds of rows. Only requests, samples and runs can be compared;
counters give acceptance, and aggregates are described, never compared
([SPS004](../rules/SPS004.md)). *Experimental* readers are known from the producer's
source alone: no real file was seen. [Which real files were read](coverage.md) is shown
beside it.

How launches are told apart stands on the page of each format: proved by the file, given
by a column, or unknown; then all rows of a file count as one run
([SPS005](../rules/SPS005.md)) until you [declare them](../guide/declare-runs.md).
"""
_EXPERIMENTAL = (
    "*Experimental:* written from the producer's source; no real file was seen. Check "
    "some numbers by hand."
)
_SPECIAL = re.compile(r"([*_<>\[\]|`\\#])")


def families() -> dict[str, list[Reader]]:
    """Return the readers by family, in the order of the page."""
    names = {
        reader.name: family
        for family, package in FAMILIES
        for reader in package.READERS
    }
    found: dict[str, list[Reader]] = {}
    for family in (*(family for family, _ in FAMILIES), INSTALLED):
        listed = [
            reader
            for reader in specstats.formats()
            if names.get(reader.name, INSTALLED) == family
        ]
        if listed:
            found[family] = listed
    return found


def escaped(text: str) -> str:
    """Return text that Markdown shows as it is."""
    return _SPECIAL.sub(r"\\\1", text)


def index_markdown() -> str:
    """Return the page that lists the formats by family."""
    listed = families()
    lines = [_HEAD.format(number=sum(map(len, listed.values())))]
    for family, readers in listed.items():
        lines += [
            f"## {family}",
            "",
            "| format | what it is | carries |",
            "|---|---|---|",
        ]
        lines += [_row(reader) for reader in readers]
        lines.append("")
    lines += ["```{toctree}", ":hidden:", "", "coverage"]
    lines += [reader.name for readers in listed.values() for reader in readers]
    return "\n".join([*lines, "```"]) + "\n"


def _row(reader: Reader) -> str:
    mark = " (experimental)" if reader.experimental else ""
    return (
        f"| [{reader.name}]({reader.name}.md) | {escaped(reader.label)}{mark} "
        f"| {', '.join(reader.levels)} |"
    )


def page_markdown(reader: Reader) -> str:
    """Return the page of one format."""
    lines = [f"# {reader.name}", "", f"{escaped(reader.label)}.", ""]
    if reader.experimental:
        lines += [_EXPERIMENTAL, ""]
    lines += [
        f"- **Read by force with:** `--as {reader.name}`",
        f"- **Seen in:** {escaped(', '.join(reader.producers))}",
        f"- **Carries:** {', '.join(reader.levels)}",
        f"- **Launches:** {escaped(reader.boundary)}",
    ]
    if reader.traps:
        lines += ["", "## Traps", ""]
        lines += [f"- {_sentence(trap)}" for trap in reader.traps]
    if reader.fields:
        lines += ["", "## Where the values come from", ""]
        lines += ["Columns are those of the [tables](../reference/tables.md).", ""]
        lines += ["| in the file | column | how |", "|---|---|---|"]
        lines += [_field(written, target) for written, target in reader.fields]
    return "\n".join(lines) + "\n"


def _sentence(trap: str) -> str:
    return escaped(trap if trap.endswith(".") else f"{trap}.")


def _field(written: str, target: str) -> str:
    column, _, words = target.partition(":")
    return f"| {escaped(written)} | `{column.strip()}` | {escaped(words.strip())} |"


def pages() -> dict[str, str]:
    """Return all pages by name: the index, and one a format."""
    return {
        "index.md": index_markdown(),
        **{
            f"{reader.name}.md": page_markdown(reader) for reader in specstats.formats()
        },
    }


def _readme_table() -> str:
    lines = ["| from | formats, by the names that `--as` takes |", "|---|---|"]
    for family, readers in families().items():
        if family != INSTALLED:
            names = ", ".join(
                f"`{reader.name}`" + (" (experimental)" if reader.experimental else "")
                for reader in readers
            )
            lines.append(f"| {family} | {names} |")
    return "\n".join(lines)


def fresh() -> dict[Path, str]:
    """Return the README with its table as it should be."""
    page = README.read_text(encoding="utf-8")
    return {README: _marked.replaced(page, "formats", _readme_table())}


if __name__ == "__main__":
    sys.exit(_marked.main(__doc__.partition("\n")[0], fresh, sys.argv[1:]))
