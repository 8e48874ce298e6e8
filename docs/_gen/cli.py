"""The page of the command line, from its own help; written by the docs build."""

from __future__ import annotations

import click

from specstats.cli.main import cli

__all__ = ["markdown"]

_WIDTH = 88
_HEAD = """\
# Command line

`specstats COMMAND --help` prints what stands below. Results go to stdout, progress and
errors to stderr. Without a terminal the width is 80 and there is no colour, and the
same input gives the same bytes.

(exit-codes)=
## Exit codes

| code | meaning |
|---|---|
| 0 | done, and nothing that `--fail-on` lists occurred |
| 1 | a listed `slower`, `regression`, `error`, `warning` or rule code occurred |
| 2 | wrong usage, or nothing readable |
| 3 | `inconclusive` is listed and a comparison is inconclusive or insufficient |
| 4 | `refused` is listed and a comparison is refused |

`not-faster` stands for slower or equivalent (1), refused (4), inconclusive or
insufficient (3). When several apply: 2, then 1, then 4, then 3. `specstats acceptance`
exits 1 when no artifact carries draft counts.

(what-is-what)=
## What is what, in this order

1. flags (`--arm`, `--layout`, `--run-per-file`, `--baseline`, ...),
2. `study.toml` in the folder, or the file that `--study` names,
3. identity columns in the rows (arm, run, block, prompt, repeat, workload),
4. names of folders and files; the report says what was inferred.
"""


def markdown() -> str:
    """Return the page."""
    context = click.Context(
        cli, info_name="specstats", max_content_width=_WIDTH, **cli.context_settings
    )
    lines = [_HEAD, "## specstats", "", *_help(context)]
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        if command is None:
            raise LookupError(name)
        lines += [f"## specstats {name}", "", *_help(_child(context, name, command))]
    return "\n".join(lines)


def _child(parent: click.Context, name: str, command: click.Command) -> click.Context:
    return click.Context(
        command, info_name=name, parent=parent, max_content_width=_WIDTH
    )


def _help(context: click.Context) -> list[str]:
    context.terminal_width = _WIDTH
    return ["```text", *context.get_help().splitlines(), "```", ""]
