"""Where the rows and findings of one artifact go."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Trouble
from specstats.readers._document import document
from specstats.readers._results import mapping

if TYPE_CHECKING:
    from specstats.source import Source

__all__ = ["Sink"]


@dataclass(slots=True)
class Sink:
    """Where the rows and findings of one artifact go.

    Attributes
    ----------
    source : Source
        The artifact.
    batch : Batch
        Rows and findings so far.
    trouble : Trouble
        Collector of findings.
    """

    source: Source
    batch: Batch = field(default_factory=Batch)
    trouble: Trouble = field(init=False)

    def __post_init__(self) -> None:
        self.trouble = Trouble(self.source)

    def note(self, code: str, line: int, message: str, **details: str) -> None:
        """Add a finding at an entry."""
        self.trouble.note(self.batch, code, line, message, **details)

    def skip(self, line: int, why: str, **details: str) -> None:
        """Say that an entry could not be used."""
        self.note("SPS002", line, f"entry skipped: {why}", **details)

    def compare(
        self, line: int, message: str, values: tuple[float, float], allowed: float
    ) -> None:
        """Note a printed number that others contradict: printed, right."""
        printed, right = values
        if abs(printed - right) > allowed:
            self.note(
                "SPS006",
                line,
                message,
                observed=f"{printed:.6g}",
                required=f"{right:.6g}",
            )

    def document(self) -> dict[str, object]:
        """Return the JSON object of the artifact; empty where it is none."""
        return mapping(document(self.source, self.batch, self.trouble)[0])

    def close(self) -> Batch:
        """Return the batch with its closing findings."""
        self.trouble.close(self.batch)
        return self.batch
