"""What a rule is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from importlib import resources

__all__ = ["Level", "Rule"]


class Level(StrEnum):
    """How much a finding weighs.

    ``error`` refuses the claim, ``warning`` qualifies it, ``note`` informs.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule of the catalogue.

    Attributes
    ----------
    code : str
        ``SPS`` and three digits; never reused.
    slug : str
        Name of the bad thing, so that "allow SLUG" reads well.
    level : Level
        Level of its findings unless the check says otherwise.
    summary : str
        When it fires, in one sentence.
    family : str
        Group of rules that it belongs to.
    since : str
        Version that brought it.
    """

    code: str
    slug: str
    level: Level
    summary: str
    family: str
    since: str = "0.1.0"

    def page(self) -> str:
        """Return the Markdown page that explains the rule.

        Returns
        -------
        str
            Markdown text as shipped with the library.
        """
        folder = resources.files("specstats.diagnostics") / "docs"
        return (folder / f"{self.code}.md").read_text(encoding="utf-8")
