"""``specstats formats``: what can be read."""

from __future__ import annotations

import json

import click

__all__ = ["formats"]


@click.command(short_help="List the formats that specstats reads.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Form of the list.",
)
def formats(output_format: str) -> int:
    """List the formats that specstats reads, with levels, launches and traps."""
    from specstats.readers._registry import formats as known
    from specstats.render.text import paragraph_text

    if output_format == "json":
        listed = [
            {
                "name": reader.name,
                "label": reader.label,
                "producers": list(reader.producers),
                "levels": list(reader.levels),
                "boundary": reader.boundary,
                "traps": list(reader.traps),
            }
            for reader in known()
        ]
        click.echo(json.dumps(listed, indent=2))
        return 0
    for reader in known():
        label = paragraph_text(f"{reader.name}: {reader.label}", width=80, indent="  ")
        click.echo(label)
        lines = [f"levels: {', '.join(reader.levels)}", f"launches: {reader.boundary}"]
        lines.append(f"seen: {', '.join(reader.producers)}")
        lines += [f"trap: {trap}" for trap in reader.traps]
        for line in lines:
            click.echo(paragraph_text(line, width=80, first="  ", indent="    "))
    return 0
