"""Findings: instances of rules, located, with what was seen and what would do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import overload

from specstats.diagnostics.rule import Level, Rule

__all__ = ["Finding", "Findings"]

_ALLOWED = "allowed by user: "


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One instance of a rule.

    Attributes
    ----------
    rule : Rule
        The rule that fired.
    level : Level
        Its weight here; a rule may be milder or harsher than its default.
    message : str
        What was found, in one sentence.
    where : tuple of str
        ``file:line``, or the arms and runs concerned.
    observed : str
        The number or value that was seen.
    required : str
        What would have been enough.
    remedy : str
        The next step for the user.
    subject : tuple of str
        Arms that it bears on; empty when it bears on the whole study.
    metric : str or None
        Metric that it bears on; None when it bears on all.
    """

    rule: Rule
    level: Level
    message: str
    where: tuple[str, ...] = ()
    observed: str = ""
    required: str = ""
    remedy: str = ""
    subject: tuple[str, ...] = ()
    metric: str | None = None

    @property
    def code(self) -> str:
        """Code of the rule."""
        return self.rule.code

    @property
    def is_error(self) -> bool:
        """Whether it refuses the claim."""
        return self.level is Level.ERROR

    @property
    def was_allowed(self) -> bool:
        """Whether it would refuse the claim, had the user not allowed its rule."""
        return self.message.startswith(_ALLOWED)

    def concerns(self, arms: Iterable[str], metric: str | None = None) -> bool:
        """Whether it bears on a claim about these arms and this metric.

        Parameters
        ----------
        arms : iterable of str
            Arms of the claim.
        metric : str, optional
            Metric of the claim.

        Returns
        -------
        bool
            True when every arm that it names is among `arms`.
        """
        if self.metric is not None and metric is not None and self.metric != metric:
            return False
        return set(self.subject) <= set(arms)

    def to_dict(self) -> dict[str, object]:
        """Return the finding as JSON-safe values.

        Returns
        -------
        dict
            Keys as in the JSON report.
        """
        return {
            "code": self.rule.code,
            "slug": self.rule.slug,
            "level": self.level.value,
            "message": self.message,
            "where": list(self.where),
            "observed": self.observed or None,
            "required": self.required or None,
            "remedy": self.remedy or None,
        }


class Findings(Sequence[Finding]):
    """An ordered, duplicate-free collection of findings.

    Parameters
    ----------
    items : iterable of Finding
        Findings; of equal ones the first is kept.
    """

    __slots__ = ("_items",)

    def __init__(self, items: Iterable[Finding] = ()) -> None:
        self._items = tuple(dict.fromkeys(items))

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> Findings: ...
    def __getitem__(self, index: int | slice) -> Finding | Findings:
        if isinstance(index, slice):
            return Findings(self._items[index])
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._items)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Findings) and self._items == other._items

    def __hash__(self) -> int:
        return hash(self._items)

    def __repr__(self) -> str:
        return f"Findings({', '.join(item.code for item in self._items)})"

    def __add__(self, other: Iterable[Finding]) -> Findings:
        return Findings((*self._items, *other))

    @property
    def errors(self) -> Findings:
        """Those that refuse a claim."""
        return Findings(item for item in self._items if item.is_error)

    @property
    def codes(self) -> tuple[str, ...]:
        """Codes in order of first appearance, each once."""
        return tuple(dict.fromkeys(item.code for item in self._items))

    def of(self, code: str) -> Findings:
        """Return the findings of one rule.

        Parameters
        ----------
        code : str
            Rule code.

        Returns
        -------
        Findings
            Possibly empty.
        """
        return Findings(item for item in self._items if item.code == code)

    def about(self, arms: Iterable[str], metric: str | None = None) -> Findings:
        """Return the findings that bear on a claim about these arms.

        Parameters
        ----------
        arms : iterable of str
            Arms of the claim.
        metric : str, optional
            Metric of the claim.

        Returns
        -------
        Findings
            Those whose subject lies within `arms`.
        """
        names = tuple(arms)
        return Findings(item for item in self._items if item.concerns(names, metric))

    def allowed(self, codes: Iterable[str]) -> Findings:
        """Return the findings with errors of the allowed rules made warnings.

        Parameters
        ----------
        codes : iterable of str
            Rule codes that the user allows.

        Returns
        -------
        Findings
            Allowed errors say so in their message.
        """
        permitted = set(codes)
        return Findings(
            replace(
                item,
                level=Level.WARNING,
                message=f"{_ALLOWED}{item.message}",
            )
            if item.code in permitted and item.is_error
            else item
            for item in self._items
        )
