"""One JSON document a file; of one that is cut off or broken, what comes before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._json import BadEntry, decoded
from specstats.readers._prefix import beginning

if TYPE_CHECKING:
    from specstats.readers._base import Batch, Trouble
    from specstats.source import Source

__all__ = ["document"]


def document(source: Source, batch: Batch, trouble: Trouble) -> tuple[object, bool]:
    """Return the JSON document of an artifact, and whether it is complete.

    Parameters
    ----------
    source : Source
        The artifact.
    batch : Batch
        Where a finding about a document that is cut off goes.
    trouble : Trouble
        Collector of findings.

    Returns
    -------
    value : object
        The document; of one that is cut off or broken, what comes before.
    complete : bool
        Whether nothing is lacking.
    """
    content = source.document()
    value = decoded(content)
    if not isinstance(value, BadEntry):
        return value, True
    trouble.note(
        batch,
        "SPS002",
        1,
        f"the document is broken ({value.reason}): what is complete of it was read",
        remedy="write the file again, or restore it",
    )
    return beginning(content.decode("utf-8", "replace").lstrip()), False
