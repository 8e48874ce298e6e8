"""The errors and warnings that specstats raises.

An error means that the work cannot go on; that the data do not carry a claim is a
finding, not an error. Every error keeps what it is about as attributes.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "AmbiguousFormatError",
    "ArtifactError",
    "DesignError",
    "LimitExceededError",
    "MalformedArtifactError",
    "RefusalError",
    "SchemaError",
    "SpecstatsError",
    "SpecstatsWarning",
    "UnknownFormatError",
]


def _hint(name: str, available: Sequence[str]) -> str:
    near = get_close_matches(name, available, n=3)
    listed = near or list(available)[:12]
    if not listed:
        return ""
    more = "" if near or len(available) <= len(listed) else ", ..."
    return f" Hint: one of {', '.join(map(repr, listed))}{more}."


class SpecstatsError(Exception):
    """Base of every error that specstats raises on purpose."""


class ArtifactError(SpecstatsError, ValueError):
    """An artifact cannot be used.

    Parameters
    ----------
    message : str
        What was found and expected.
    source, location : str
        Where; the location inside it may be None.

    Attributes
    ----------
    source : str
        Display name of the artifact.
    location : str or None
        ``line N`` or a member name inside it, when it is known.
    """

    def __init__(
        self, message: str, *, source: str, location: str | None = None
    ) -> None:
        where = source if location is None else f"{source}:{location}"
        super().__init__(f"{where}: {message}")
        self.source = source
        self.location = location


class UnknownFormatError(ArtifactError):
    """No reader claims the bytes."""

    @classmethod
    def no_reader(cls, source: str, tried: Iterable[tuple[str, str]]) -> Self:
        """Build from the readers that were tried and why each said no.

        Parameters
        ----------
        source : str
            Display name of the artifact.
        tried : iterable of (str, str)
            Name of each reader that looked closer, and its reason.
        """
        reasons = "; ".join(f"{name}: {why}" for name, why in tried)
        nearest = f" ({reasons})" if reasons else ""
        return cls(
            "no reader knows this format. Expected one of the formats that "
            f"`specstats formats` lists{nearest}. Hint: pass format= (or "
            "--as FORMAT) if you know which it is; a table of your own needs "
            "columns= (or --columns) [SPS001]",
            source=source,
        )

    @classmethod
    def archive(cls, source: str) -> Self:
        """Build for an archive that is not looked into.

        Parameters
        ----------
        source : str
            Display name of the artifact.
        """
        return cls(
            "an archive inside a folder or another archive, under a name that does "
            "not say so. Expected the artifact itself. Hint: name the archive, or "
            "unpack it [SPS001]",
            source=source,
        )


class AmbiguousFormatError(ArtifactError):
    """Two readers claim the bytes with equal confidence."""

    @classmethod
    def between(cls, source: str, names: Sequence[str]) -> Self:
        """Build from the names of the readers that claim the bytes.

        Parameters
        ----------
        source : str
            Display name of the artifact.
        names : sequence of str
            Names of the readers.
        """
        listed = " and ".join(repr(name) for name in names)
        return cls(
            f"claimed by {listed}. Hint: pass format={names[0]!r} "
            f"(or --as {names[0]}) to choose",
            source=source,
        )


class MalformedArtifactError(ArtifactError):
    """The artifact as a whole cannot be read."""


class LimitExceededError(ArtifactError):
    """The artifact is larger than a limit allows."""


class SchemaError(SpecstatsError, ValueError):
    """A table does not fit its declaration; all failures are listed at once.

    Parameters
    ----------
    table : str
        Name of the table.
    failures : iterable of str
        One sentence a failure.

    Attributes
    ----------
    table : str
        Name of the table.
    failures : tuple of str
        One sentence a failure.
    """

    def __init__(self, table: str, failures: Iterable[str]) -> None:
        self.table = table
        self.failures = tuple(failures)
        super().__init__(f"table {table!r}: " + "; ".join(self.failures))


class DesignError(SpecstatsError, ValueError):
    """The design names something that the data do not have, or contradicts them."""

    @classmethod
    def unknown(
        cls,
        what: str,
        name: str,
        available: Sequence[str],
        *,
        told: str | None = None,
    ) -> Self:
        """Build for a name that is not among the available ones.

        Parameters
        ----------
        what : str
            What the name is for.
        name : str
            The name.
        available : sequence of str
            Names that are there.
        told : str, optional
            What reading said that may explain it.
        """
        reason = "" if told is None else f" Reading said: {told}."
        return cls(
            f"{what} {name!r} is not in the data ({len(available)} there)."
            f"{_hint(name, available)}{reason}"
        )

    @classmethod
    def not_listed(cls, what: str, name: str, known: Sequence[str]) -> Self:
        """Build for a name that is not among those that specstats knows.

        Parameters
        ----------
        what : str
            What the name is for.
        name : str
            The name.
        known : sequence of str
            Names that exist.
        """
        return cls(f"there is no {what} {name!r}.{_hint(name, known)}")


class RefusalError(SpecstatsError):
    """Raised by ``.require()`` when the data do not carry the claim.

    Parameters
    ----------
    message : str
        The sentence of the refused result.
    findings : iterable of Finding
        What stood in the way.

    Attributes
    ----------
    findings : tuple of Finding
        What stood in the way.
    """

    def __init__(self, message: str, findings: Iterable[object]) -> None:
        super().__init__(message)
        self.findings = tuple(findings)


class SpecstatsWarning(UserWarning):
    """Base of the warnings that specstats issues."""
