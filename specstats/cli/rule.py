"""``specstats rule``: what a rule checks and what to do."""

from __future__ import annotations

import json

import click

__all__ = ["rule"]


@click.command(short_help="Explain a rule, or list all.")
@click.argument("code", required=False)
@click.option("--all", "everything", is_flag=True, help="List all rules.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Form of the list.",
)
def rule(code: str | None, everything: bool, output_format: str) -> int:  # noqa: FBT001
    """Explain the rule CODE (or its slug), or list all."""
    from specstats.diagnostics import RULES
    from specstats.diagnostics import rule as find
    from specstats.render.text import paragraph_text

    if code is None and not everything:
        raise click.UsageError("give a rule CODE, or --all")
    chosen = list(RULES.values()) if code is None else [find(code)]
    if output_format == "json":
        listed = [
            {
                "code": item.code,
                "slug": item.slug,
                "level": item.level.value,
                "family": item.family,
                "summary": item.summary,
                "since": item.since,
            }
            for item in chosen
        ]
        click.echo(json.dumps(listed, indent=2))
        return 0
    if code is None:
        for item in chosen:
            line = f"{item.code} {item.slug} ({item.level.value}): {item.summary}"
            click.echo(paragraph_text(line, width=80, indent="  "))
    else:
        click.echo(chosen[0].page().rstrip())
    return 0
