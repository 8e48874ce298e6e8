"""Taking the reading options out of what click hands a command."""

from __future__ import annotations

from specstats.cli._options import Reading

__all__ = ["reading_of"]


def reading_of(options: dict[str, object]) -> Reading:
    """Return the reading options of a command.

    Parameters
    ----------
    options : dict
        All options of the command.

    Returns
    -------
    Reading
        Those that say what to read.
    """

    def texts(name: str) -> tuple[str, ...]:
        value = options.get(name)
        return tuple(map(str, value)) if isinstance(value, list | tuple) else ()

    def text(name: str) -> str | None:
        value = options.get(name)
        return value if isinstance(value, str) else None

    return Reading(
        paths=texts("paths"),
        arms=texts("arms"),
        layout=text("layout"),
        study=text("study"),
        run_per_file=bool(options.get("run_per_file")),
        format_name=text("format_name"),
        columns=texts("columns"),
        limits=texts("limits"),
    )
