"""``specstats init``: a commented study manifest to fill in."""

from __future__ import annotations

from pathlib import Path

import click

from specstats.errors import DesignError
from specstats.render.clean import clean

__all__ = ["init"]

_MANIFEST = """\
# What is what in this folder. `specstats summarize .` uses it.

[study]
title = "my study"
baseline = "off"                      # the arm that the others are compared with
# controls = [["off", "off2"]]         # the same setting twice, as a check
# block = "day"                       # blocks by UTC day: needs several days
# warmup = 1                          # first requests of a launch to leave out
# ignore = ["cfg.cache_prompt"]       # settings that may vary anywhere
layout = "{arm}/{run}.jsonl"          # {run} declares launches, {block} blocks
# planned_runs = 5                    # launches of each arm, fixed beforehand
# order = "randomised"                # if a recorded randomisation made the order

# Or name each launch instead of the layout:
# [[runs]]
# run = "A"
# arm = "mtp"
# block = "2026-08-07"
# order = 1
# files = ["A.*.json"]                # relative to this file
# settings = { cache_prompt = true }

# Launches that are left out, each with its reason:
# [[excluded]]
# run = "3"
# arm = "mtp"                         # where several arms have a launch "3"
# reason = "the machine was updating"

# [[telemetry]]
# files = ["nvidia-smi.csv"]
# timezone = "+00:00"                 # samples belong to launches by time
# arm = "mtp"                         # or to an arm as a whole
"""


@click.command(short_help="Write a commented study.toml.")
@click.argument("folder", default=".", type=click.Path(exists=True, file_okay=False))
@click.option("--force", is_flag=True, help="Replace an existing study.toml.")
def init(folder: str, force: bool) -> int:  # noqa: FBT001
    """Write a commented study.toml into FOLDER."""
    from specstats.cli._output import write_atomically

    path = Path(folder) / "study.toml"
    if path.exists() and not force:
        raise DesignError(
            f"{path.name} exists in {folder!r}. Expected none, or --force to replace it"
        )
    write_atomically(path, _MANIFEST)
    click.echo(f"wrote {clean(path)}", err=True)
    return 0
