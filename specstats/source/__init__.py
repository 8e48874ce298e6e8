"""Opening artifacts: paths, folders, archives and bytes; digests and limits."""

from __future__ import annotations

from specstats.source._expand import expand
from specstats.source._source import Source

__all__ = ["Source", "expand"]
