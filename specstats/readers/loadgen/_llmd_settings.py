"""Settings, identities and times of llm-d benchmark reports."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from specstats.readers._json import text
from specstats.readers._results import items, mapping, unix_time
from specstats.readers.loadgen._distributions import flat, model_name, not_negative

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.readers._base import Row

__all__ = ["settings_of", "time_of"]

_DURATION = re.compile(r"PT(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:([\d.]{1,30})S)?", re.ASCII)
_PLACES = re.compile(
    r"address|host|port|url|path|user|key|token\b|served", re.IGNORECASE
)
_SYNTHETIC = re.compile(r"rejection_sample_method\W{1,6}synthetic")
_METADATA = frozenset({"metadata", "native", "tool", "tool_version", "kind", "model"})
_MAX_COMPONENTS = 50


def settings_of(report: Mapping[str, object]) -> tuple[Row, bool]:
    """Return settings and identities, and whether acceptance is synthetic.

    Parameters
    ----------
    report : mapping
        The report.

    Returns
    -------
    tuple of dict and bool
        Settings; whether the server accepted drafts at a fixed rate.
    """
    scenario = mapping(report.get("scenario"))
    values = _of_stack(scenario) if "stack" in scenario else _of_scenario(scenario)
    written = repr(mapping(scenario.get("platform"))) + repr(
        items(scenario.get("stack"))
    )
    synthetic = _SYNTHETIC.search(written.replace("-", "_")) is not None
    if synthetic:
        values["cfg.synthetic_acceptance"] = True
    return values, synthetic


def _of_scenario(scenario: Mapping[str, object]) -> Row:
    engines = items(mapping(scenario.get("platform")).get("engine"))[:_MAX_COMPONENTS]
    devices = items(mapping(scenario.get("host")).get("accelerator"))[:_MAX_COMPONENTS]
    model, load = mapping(scenario.get("model")), mapping(scenario.get("load"))
    values: Row = {
        "id.model": model_name(model.get("name")),
        "id.quantization": model.get("quantization"),
        "id.engine": _joined(mapping(engine).get("name") for engine in engines),
        "id.build": _joined(mapping(engine).get("version") for engine in engines),
        "id.device": _joined(_device(device) for device in devices),
        "cfg.load_generator": load.get("name"),
        "cfg.load_type": load.get("type"),
    }
    values.update(_kept("cfg.", load.get("args")))
    for number, engine in enumerate(engines):
        values.update(_kept(f"cfg.engine{number}.", mapping(engine).get("args")))
    return values


def _of_stack(scenario: Mapping[str, object]) -> Row:
    load = mapping(mapping(scenario.get("load")).get("standardized"))
    values: Row = {
        "cfg.load_generator": load.get("tool"),
        "id.load_generator": load.get("tool_version"),
    }
    values.update(_kept("cfg.", load))
    engines = 0
    for component in items(scenario.get("stack"))[:_MAX_COMPONENTS]:
        found = mapping(mapping(component).get("standardized"))
        if found.get("kind") != "inference_engine":
            continue
        prefix = f"cfg.engine{engines}."
        values.update(_kept(prefix, found))
        native = mapping(mapping(component).get("native"))
        values.update(_kept(prefix, native.get("args")))
        if engines == 0:
            values["id.model"] = model_name(mapping(found.get("model")).get("name"))
            values["id.engine"] = found.get("tool")
            values["id.build"] = model_name(found.get("tool_version"))
            values["id.device"] = _device(found.get("accelerator"))
        engines += 1
    return values


def _kept(prefix: str, values: object) -> Iterator[tuple[str, object]]:
    for key, value in flat(prefix, values, without=_METADATA):
        if not _PLACES.search(key):
            yield key, value


def _joined(values: Iterator[object]) -> str | None:
    """Return different names once each."""
    named = dict.fromkeys(text(value) for value in values)
    return ", ".join(name for name in named if name) or None


def _device(accelerator: object) -> str | None:
    found = mapping(accelerator)
    model, count = text(found.get("model")), text(found.get("count"))
    return f"{count} x {model}" if model and count else model


def time_of(
    report: Mapping[str, object], found: Mapping[str, object]
) -> tuple[float | None, float | None, float | None]:
    """Return start, end and duration of the run in seconds.

    Parameters
    ----------
    report : mapping
        The report.
    found : mapping
        Its metrics.

    Returns
    -------
    tuple of float or None
        Unix time of start and end, and the duration.
    """
    plain = mapping(found.get("time"))
    if plain:
        return (
            not_negative(plain.get("start")),
            not_negative(plain.get("stop")),
            not_negative(plain.get("duration")),
        )
    times = mapping(mapping(report.get("run")).get("time"))
    return (
        unix_time(times.get("start")),
        unix_time(times.get("end")),
        _seconds(times.get("duration")),
    )


def _seconds(value: object) -> float | None:
    matched = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if matched is None:
        return not_negative(value)
    try:
        hours, minutes, seconds = (float(part or 0) for part in matched.groups())
    except ValueError:
        return None
    return hours * 3600 + minutes * 60 + seconds
