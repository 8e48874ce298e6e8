"""Path templates such as ``{block}/{arm}-{run}.jsonl``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from specstats.errors import DesignError

__all__ = ["FIELDS", "Template"]

FIELDS = ("arm", "run", "block", "prompt", "repeat", "workload", "ignore")
_NOT_OF_THE_RUN = frozenset({"prompt", "repeat", "ignore"})
_FIELD = re.compile(r"\{([^{}]*)\}")
_BRACE = re.compile(r"[{}]")


@dataclass(frozen=True, slots=True)
class Template:
    """A parsed path template.

    Attributes
    ----------
    text : str
        The template as written.
    fields : tuple of str
        Its fields in order, each once.
    pattern : re.Pattern
        A field matches lazily and never a ``/``.
    """

    text: str
    fields: tuple[str, ...]
    pattern: re.Pattern[str]

    @classmethod
    def parse(cls, text: str) -> Template:
        """Parse a template.

        Parameters
        ----------
        text : str
            Path relative to what the user names, with fields in braces.

        Returns
        -------
        Template
            The parsed template.

        Raises
        ------
        DesignError
            If a field is unknown or repeated, a brace is open, or there is no field.
        """
        fields: list[str] = []
        pattern, end = "", 0
        written = text.removeprefix("./")
        for match in _FIELD.finditer(written):
            pattern += re.escape(written[end : match.start()])
            pattern += cls._group(text, match[1], fields)
            end = match.end()
        pattern += re.escape(written[end:])
        if _BRACE.search(_FIELD.sub("", written)):
            raise DesignError(f"layout {text!r} has a brace without its partner")
        if not fields:
            raise DesignError(
                f"layout {text!r} has no field. Expected at least {{arm}} or {{run}}"
            )
        return cls(text, tuple(fields), re.compile(pattern))

    @staticmethod
    def _group(text: str, name: str, fields: list[str]) -> str:
        if name not in FIELDS:
            raise DesignError.not_listed("layout field", name, FIELDS)
        if name == "ignore":
            return "[^/]+?"
        if name in fields:
            raise DesignError(f"layout {text!r}: field {{{name}}} occurs twice")
        fields.append(name)
        return f"(?P<{name}>[^/]+?)"

    def match(self, name: str) -> dict[str, str] | None:
        """Return the fields of a relative path, or None when it does not match.

        Parameters
        ----------
        name : str
            Path with forward slashes.

        Returns
        -------
        dict or None
            Value by field.
        """
        found = self.pattern.fullmatch(name)
        return None if found is None else found.groupdict()

    def run_key(self, values: dict[str, str]) -> str:
        """Return the name of the run: all fields but prompt, repeat and ignore.

        Parameters
        ----------
        values : dict
            Fields of a matching path.

        Returns
        -------
        str
            Values in template order, joined by ``/``.
        """
        return "/".join(
            values[name] for name in self.fields if name not in _NOT_OF_THE_RUN
        )
