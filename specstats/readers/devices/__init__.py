"""Device telemetry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers.devices import nvidia_smi

if TYPE_CHECKING:
    from specstats.readers._base import Reader

__all__ = ["READERS"]

READERS: tuple[Reader, ...] = (nvidia_smi.READER,)
