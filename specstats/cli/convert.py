"""``specstats convert``: artifacts to the canonical tables."""

from __future__ import annotations

import click

from specstats.cli._options import reading_options
from specstats.cli._reading import reading_of

__all__ = ["convert"]


@click.command(short_help="Convert artifacts to canonical tables.")
@reading_options
@click.option(
    "--to",
    "form",
    type=click.Choice(["parquet", "jsonl", "csv"]),
    required=True,
    help="Form of the tables.",
)
@click.option(
    "--output",
    "-o",
    metavar="PLACE",
    required=True,
    help="Folder for parquet and csv (one file a table), file for jsonl.",
)
def convert(**options: object) -> int:
    """Convert PATHS to canonical tables, streaming: memory stays flat."""
    from specstats.bench.convert import convert as run
    from specstats.cli._progress import shown_progress
    from specstats.cli._run import columns_of, layout_of, limits_of, paths_of
    from specstats.layout import Layout
    from specstats.readers._registry import Choice

    reading = reading_of(options)
    layout = layout_of(reading)
    with shown_progress() as progress:
        counts = run(
            paths_of(reading),
            str(options["output"]),
            form=str(options["form"]),
            layout=layout if isinstance(layout, Layout) else Layout(),
            choice=Choice(format_name=reading.format_name, columns=columns_of(reading)),
            limits=limits_of(reading),
            progress=progress,
        )
    told = ", ".join(f"{rows} {table}" for table, rows in counts.items() if rows)
    click.echo(f"wrote {told or 'nothing'}", err=True)
    return 0
