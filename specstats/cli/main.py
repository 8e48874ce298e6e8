"""The ``specstats`` command; commands are imported when they run."""

from __future__ import annotations

import sys
from importlib import import_module

import click

from specstats._version import __version__
from specstats.errors import SpecstatsError
from specstats.render.clean import clean

__all__ = ["cli", "main"]

_COMMANDS = (
    *("summarize", "compare", "acceptance", "check", "band", "convert", "formats"),
    *("rule", "init", "plan"),
)
_USAGE_ERROR = 2
_INTERRUPTED = 130


class _Commands(click.Group):
    """Commands found by name and imported when they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        module = import_module(f"specstats.cli.{cmd_name}")
        command = getattr(module, cmd_name)
        return command if isinstance(command, click.Command) else None


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="specstats")
def cli() -> None:
    """Statistics for LLM inference benchmarks: what may be said of your runs.

    Start with `specstats summarize FOLDER`; `specstats rule CODE` explains a finding.
    """


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit.

    Parameters
    ----------
    arguments : list of str, optional
        Arguments; those of the process by default.
    """
    try:
        code = cli.main(arguments, prog_name="specstats", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(_USAGE_ERROR)
    except click.Abort:
        click.echo("interrupted", err=True)
        sys.exit(_INTERRUPTED)
    except SpecstatsError as error:
        click.echo(f"error: {clean(error, longest=4000)}", err=True)
        sys.exit(_USAGE_ERROR)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        click.echo(f"error: {clean(error, longest=4000)}", err=True)
        sys.exit(_USAGE_ERROR)
    sys.exit(code if isinstance(code, int) else 0)
