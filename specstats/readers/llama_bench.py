"""llama-bench: JSON and JSONL, which keep the single samples."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import (
    BadEntry,
    entries,
    first_entry,
    number,
    scalar,
    text,
    whole,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["IDENTITIES", "READER", "settings_of", "test_label"]

_IDENTITY = ("build_commit", "build_number", "cpu_info", "gpu_info", "backends")
_MODEL = ("model_filename", "model_type")
IDENTITIES = frozenset((*_IDENTITY, *_MODEL))
_NEVER = frozenset(
    (
        *_IDENTITY,
        *_MODEL,
        *("model_size", "model_n_params", "test", "test_time"),
        *("n_prompt", "n_gen", "n_depth"),
        *("avg_ns", "stddev_ns", "avg_ts", "stddev_ts", "samples_ns", "samples_ts"),
    )
)
_NANO = 1e-9
_MAX_NANO = 1e18  # thirty years: no time of a test
_MAX_SAMPLES = 100_000
_WRAP_TOLERANCE = 0.01

Entry = dict[str, object]


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = first_entry(head)
    if isinstance(entry, dict):
        known = "samples_ns" in entry and "n_prompt" in entry and "n_gen" in entry
        return Match(90 if known else 0, "no samples_ns, n_prompt and n_gen")
    looks = b'"samples_ns"' in head and b'"build_commit"' in head
    return Match(60 if looks else 0, "no samples_ns and build_commit")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    invocation, seen = 0, set[str]()
    found = list(entries(source))
    proved = _is_one_document(source) or _has_one_setting(found)
    for line, value in found:
        batch.entries += 1
        problem = _problem(value)
        if problem is not None or not isinstance(value, dict):
            trouble.note(batch, "SPS002", line, f"entry skipped: {problem}")
            continue
        key = json.dumps([test_label(value), settings_of(value)], sort_keys=True)
        if key in seen:
            invocation, seen = invocation + 1, set()
        seen.add(key)
        _check_deviation(value, line, batch, trouble)
        process = f"{source.sha256[:12]}#{invocation}" if proved else None
        _add_samples(value, line, process, source, batch)
        batch.parsed += 1
    trouble.close(batch)
    yield batch


def _is_one_document(source: Source) -> bool:
    return source.head().removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"[")


def _has_one_setting(found: list[tuple[int, object]]) -> bool:
    """Whether all records share their settings.

    Lines of other settings may come from the same invocation (a list of values for
    one flag) or from another one appended to the file: nothing tells.
    """
    records = [value for _, value in found if _problem(value) is None]
    return (
        len(
            {
                json.dumps(settings_of(x), sort_keys=True)
                for x in records
                if isinstance(x, dict)
            }
        )
        <= 1
    )


def _problem(value: object) -> str | None:
    if isinstance(value, BadEntry):
        return value.reason
    if not isinstance(value, dict):
        return "not a JSON object"
    if not (whole(value.get("n_prompt")) or whole(value.get("n_gen"))):
        return "neither n_prompt nor n_gen"
    return _problem_of_samples(value.get("samples_ns"))


def _problem_of_samples(samples: object) -> str | None:
    if not isinstance(samples, list) or not samples:
        return "no samples_ns"
    if len(samples) > _MAX_SAMPLES:
        return f"{len(samples)} samples of one test"
    if not all(0 < (number(sample) or 0) <= _MAX_NANO for sample in samples):
        return "a sample in samples_ns is no number of nanoseconds"
    return None


def test_label(entry: Mapping[str, object]) -> str:
    """Return the name llama-bench gives a test, such as ``tg128 @ d4096``.

    Parameters
    ----------
    entry : mapping
        Record with n_prompt, n_gen and n_depth.

    Returns
    -------
    str
        The label; empty when the record names no tokens.
    """
    prompt, generated = whole(entry.get("n_prompt")), whole(entry.get("n_gen"))
    depth = whole(entry.get("n_depth"))
    parts = [f"pp{prompt}"] if prompt else []
    parts += [f"tg{generated}"] if generated else []
    return "+".join(parts) + (f" @ d{depth}" if depth else "")


def settings_of(entry: Mapping[str, object]) -> Entry:
    """Return settings (``cfg.*``) and identities (``id.*``) of a record.

    Parameters
    ----------
    entry : mapping
        A llama-bench record.

    Returns
    -------
    dict
        Scalars by key; measurements and clocks are left out.
    """
    settings: Entry = {}
    for key in (*_IDENTITY, *_MODEL):
        named = text(entry.get(key))
        if named:
            if key == "model_filename":
                named = named.replace("\\", "/").rsplit("/", maxsplit=1)[-1]
            settings[f"id.{key}"] = named
    for key, item in entry.items():
        value = None if key in _NEVER else scalar(item)
        if value is not None:
            settings[f"cfg.{text(key)}"] = value
    return settings


def _check_deviation(entry: Entry, line: int, batch: Batch, trouble: Trouble) -> None:
    printed = number(entry.get("stddev_ns"))
    samples = [number(sample) or 0.0 for sample in _list(entry["samples_ns"])]
    if printed is None or len(samples) < 2:  # noqa: PLR2004 - a deviation needs two
        return
    mean = math.fsum(samples) / len(samples)
    variance = math.fsum((x - mean) ** 2 for x in samples) / (len(samples) - 1)
    right = math.sqrt(variance)
    if abs(printed - right) > max(_WRAP_TOLERANCE * right, 1000.0):
        trouble.note(
            batch,
            "SPS009",
            line,
            f"{test_label(entry)}: stddev_ns is wrong and was recomputed from "
            "samples_ns",
            observed=f"{printed:.0f} ns",
            required=f"{right:.0f} ns",
        )


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _add_samples(
    entry: Entry, line: int, process: str | None, source: Source, batch: Batch
) -> None:
    prompt = whole(entry.get("n_prompt")) or 0
    generated = whole(entry.get("n_gen")) or 0
    printed = _list(entry.get("samples_ts"))
    started = _unix(entry.get("test_time"))
    settings = json.dumps(settings_of(entry), sort_keys=True)
    for index, sample in enumerate(_list(entry["samples_ns"])):
        seconds = (number(sample) or 0.0) * _NANO
        row: Row = {
            "source": source.name,
            "entry": line,
            "prompt_id": test_label(entry),
            "repetition": index,
            "process": process,
            "started_s": started if index == 0 else None,
            "ok": True,
            "settings": settings,
        }
        if prompt and not generated:
            row.update(n_prompt=prompt, prompt_s=seconds)
        elif generated and not prompt:
            rate = number(printed[index]) if index < len(printed) else None
            row.update(
                n_output=generated,
                decode_s=seconds,
                engine_rate_tps=rate,
                rate_convention="n",
                n_steps=generated,
            )
        else:
            row.update(n_prompt=prompt, n_output=generated, e2e_s=seconds)
        batch.add("requests", row)


def _unix(value: object) -> float | None:
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    try:
        return moment.timestamp()
    except (OverflowError, OSError):
        return None


READER = Reader(
    name="llama-bench",
    label="llama-bench samples (-o json, -o jsonl)",
    producers=("b368", "b3599 (ik)", "b4461", "b6865", "b9862"),
    levels=("sample",),
    boundary="proved: one process an invocation; a test that comes again begins "
    "another invocation",
    traps=(
        "stddev_ns wraps at 2^64 and is recomputed from samples_ns",
        "all samples of a file share one process: they are not replicates of a setting",
    ),
    sniff=_sniff,
    parse=_parse,
)
