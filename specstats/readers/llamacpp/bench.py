"""llama-bench: JSON and JSONL, which keep the single samples."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import (
    BadEntry,
    first_entry,
    number,
    scalar,
    text,
    whole,
)
from specstats.readers._results import process_of
from specstats.readers.llamacpp._bench_checks import check_record
from specstats.readers.llamacpp._bench_records import (
    Record,
    is_wrapped,
    records,
    starts_an_array,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from specstats.source import Source

__all__ = ["IDENTITIES", "READER", "metric_of", "settings_of", "test_label"]

_ROWS_A_BATCH = 20_000

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

Entry = dict[str, object]


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = first_entry(head)
    if isinstance(entry, dict):
        known = "samples_ns" in entry and "n_prompt" in entry and "n_gen" in entry
        known = known or is_wrapped(entry)
        return Match(90 if known else 0, "no samples_ns, n_prompt and n_gen")
    looks = b'"samples_ns"' in head and b'"build_commit"' in head
    looks = looks and b'"accelerator_info"' not in head
    return Match(60 if looks else 0, "no samples_ns and build_commit")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    proved = starts_an_array(source.head()) or _has_one_setting(source)
    launches = _Launches(source, proved=proved)
    for record in records(source):
        batch.entries += 1
        line, value = record.line, record.value
        problem = _problem(value)
        if problem is not None or not isinstance(value, dict):
            trouble.note(batch, "SPS002", line, f"entry skipped: {problem}")
            continue
        check_record(value, test_label(value), line, batch, trouble)
        process = launches.process_of(record, value)
        _add_samples(value, line, process, source, batch)
        _add_mean(value, line, process, source, batch)
        batch.parsed += 1
        if batch.count("requests") >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


class _Launches:
    """Numbers the invocations: a test that comes again belongs to another one."""

    def __init__(self, source: Source, *, proved: bool) -> None:
        self._source, self._proved = source, proved
        self._number, self._harness = 0, 0
        self._seen: set[str] = set()

    def process_of(self, record: Record, entry: Entry) -> str | None:
        key = json.dumps([test_label(entry), settings_of(entry)], sort_keys=True)
        wrapped = record.harness is not None
        if key in self._seen or (record.harness or 0) != self._harness:
            self._number, self._seen = self._number + 1, set()
            self._harness = record.harness or 0
        self._seen.add(key)
        if not (self._proved or wrapped):
            return None
        return process_of(self._source, self._number)


def _has_one_setting(source: Source) -> bool:
    """Whether all records share their settings.

    Lines of other settings may come from the same invocation (a list of values for
    one flag) or from another one appended to the file: nothing tells.
    """
    first: str | None = None
    for record in records(source):
        if isinstance(record.value, dict) and _problem(record.value) is None:
            settings = json.dumps(settings_of(record.value), sort_keys=True)
            if settings != (first or settings):
                return False
            first = settings
    return True


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


def metric_of(label: str) -> str:
    """Return the metric of a test from its label.

    Parameters
    ----------
    label : str
        Such as ``pp512``, ``tg128 @ d4096`` or ``pp512+tg64``.

    Returns
    -------
    str
        ``prompt_rate``, ``decode_rate``, or ``total_rate`` of both together.
    """
    if label.startswith("pp") and "+" not in label:
        return "prompt_rate"
    return "decode_rate" if label.startswith("tg") else "total_rate"


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


def _add_mean(
    entry: Entry, line: int, process: str | None, source: Source, batch: Batch
) -> None:
    mean, deviation = number(entry.get("avg_ts")), number(entry.get("stddev_ts"))
    if mean is None or mean < 0:
        return
    label, count = test_label(entry), len(_list(entry["samples_ns"]))
    batch.add(
        "aggregates",
        {
            "source": source.name,
            "entry": line,
            "prompt_id": label,
            "process": process,
            "metric": metric_of(label),
            "unit": "tok/s",
            "statistic": "mean",
            "value": mean,
            "sd": deviation if count > 1 else None,
            "n": count,
            "scope": "run",
            "definition": "mean and deviation of the rates of the repeats",
            "settings": json.dumps(settings_of(entry), sort_keys=True),
        },
    )


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
    levels=("sample", "aggregate"),
    boundary="proved: one process an invocation; a test that comes again, or another "
    "harness record, begins another invocation; unknown for lines of several settings",
    traps=(
        "stddev_ns wraps at 2^64 and is recomputed from samples_ns",
        "all samples of a file share one process: they are not replicates of a setting",
        "avg_ts is the mean of the rates, not tokens over the mean time",
        "lines of the devices may stand before and behind the records",
        "harnesses wrap the records as text under bench_raw",
    ),
    fields=(
        ("samples_ns (n_prompt alone)", "requests.prompt_s: ns to s"),
        ("samples_ns (n_gen alone)", "requests.decode_s: ns to s"),
        ("samples_ns (both)", "requests.e2e_s: ns to s"),
        (
            "samples_ts",
            "requests.engine_rate_tps: of tests with n_gen alone, n over time",
        ),
        ("n_prompt, n_gen", "requests.n_prompt: and n_output; tokens of a sample"),
        (
            "n_prompt, n_gen, n_depth",
            "requests.prompt_id: the label of the test, tg128 @ d4096",
        ),
        ("avg_ts", "aggregates.value: tok/s, mean; compared with the samples"),
        ("stddev_ts", "aggregates.sd: tok/s; compared with the samples"),
        ("test_time", "requests.started_s: of the first sample"),
        ("build_commit, model_filename, gpu_info, ...", "requests.settings: id.*"),
        ("all other columns", "requests.settings: cfg.*"),
    ),
    marks=(b"samples_ns",),
    sniff=_sniff,
    parse=_parse,
)
