"""Device telemetry of an arm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.results import Telemetry

if TYPE_CHECKING:
    from specstats.bench import Bench

__all__ = ["telemetry_of"]


def telemetry_of(bench: Bench, arm: str) -> Telemetry | None:
    """Return peaks and means of the samples that belong to an arm.

    Parameters
    ----------
    bench : Bench
        The data.
    arm : str
        The arm.

    Returns
    -------
    Telemetry or None
        None when no sample belongs to it.
    """
    rows = [
        row for row, name in enumerate(bench.column("telemetry", "arm")) if name == arm
    ]
    if not rows:
        return None

    def known(name: str) -> list[float]:
        column = bench.column("telemetry", name)
        values = (column[row] for row in rows)
        return [value for value in values if isinstance(value, float)]

    def peak(name: str) -> float | None:
        return max(known(name), default=None)

    power = known("power_w")
    return Telemetry(
        n_samples=len(rows),
        peak_memory_mib=peak("memory_mib"),
        peak_power_w=peak("power_w"),
        mean_power_w=sum(power) / len(power) if power else None,
        peak_utilisation_pct=peak("utilisation_pct"),
        peak_temperature_c=peak("temperature_c"),
    )
