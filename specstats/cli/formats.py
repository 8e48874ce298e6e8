"""``specstats formats``: what can be read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from specstats.errors import DesignError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from specstats.readers._base import Reader

__all__ = ["formats"]


@click.command(short_help="List the formats that specstats reads.")
@click.argument("names", nargs=-1, metavar="[FORMAT]...")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Form of the list.",
)
def formats(names: tuple[str, ...], output_format: str) -> int:
    """List the formats that specstats reads; with FORMAT, all about it.

    What is marked experimental was written from the producer's source alone.
    """
    from specstats.readers._registry import formats as known

    readers = known()
    for name in names:
        if all(reader.name != name for reader in readers):
            listed = tuple(reader.name for reader in readers)
            raise DesignError.not_listed("format", name, listed)
    chosen = [reader for reader in readers if not names or reader.name in names]
    if output_format == "json":
        click.echo(json.dumps([_described(reader) for reader in chosen], indent=2))
    elif names:
        click.echo("\n\n".join(_page(reader) for reader in chosen))
    else:
        click.echo(_list(chosen))
    return 0


def _described(reader: Reader) -> dict[str, object]:
    return {
        "name": reader.name,
        "label": reader.label,
        "experimental": reader.experimental,
        "producers": list(reader.producers),
        "levels": list(reader.levels),
        "boundary": reader.boundary,
        "traps": list(reader.traps),
        "fields": [{"field": field, "column": to} for field, to in reader.fields],
    }


def _list(readers: Sequence[Reader]) -> str:
    from specstats.render.text import paragraph_text

    width = max(len(reader.name) for reader in readers) + 2
    lines = [
        paragraph_text(
            reader.label + (" (experimental)" if reader.experimental else ""),
            width=88,
            first=f"{reader.name:<{width}}",
            indent=" " * width,
        )
        for reader in readers
    ]
    return "\n".join([*lines, "", "specstats formats FORMAT tells all about one."])


def _page(reader: Reader) -> str:
    from specstats.render.text import paragraph_text

    mark = " (experimental)" if reader.experimental else ""
    lines = [paragraph_text(f"{reader.name}: {reader.label}{mark}", width=80)]
    told = [f"levels: {', '.join(reader.levels)}", f"launches: {reader.boundary}"]
    told.append(f"seen: {', '.join(reader.producers)}")
    told += [f"trap: {trap}" for trap in reader.traps]
    told += [f"field: {field} -> {target}" for field, target in reader.fields]
    lines += [
        paragraph_text(line, width=80, first="  ", indent="    ") for line in told
    ]
    return "\n".join(lines)
