"""LocalScore: the JSON that the tool submits, and tables of submissions."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Row, Trouble
from specstats.readers._json import BadEntry, entries, whole
from specstats.readers._prefix import beginning
from specstats.readers._results import (
    add_aggregate,
    file_name,
    items,
    mapping,
    positive,
    process_of,
    settings_text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from specstats.source import Source

__all__ = ["READER"]

_NANO, _MILLI = 1e-9, 1e-3
_MAX_SAMPLES = 100_000
_ROWS_A_BATCH = 20_000
_NO_DOCUMENT = ("not a JSON object", "an object without keys")
_TOLERANCE = 1e-3
_SCORE_TOLERANCE = 0.01
_CONFIG = (
    *("n_threads", "n_batch", "n_ubatch", "n_gpu_layers", "type_k", "type_v"),
    *("split_mode", "main_gpu", "no_kv_offload", "flash_attn", "use_mmap"),
)
_METRICS = (
    ("prompt_tps", "prompt_rate", "tok/s", 1.0),
    ("gen_tps", "decode_rate", "tok/s", 1.0),
    ("ttft_ms", "ttft", "s", _MILLI),
)

Entry = dict[str, object]


def score_of(prompt_rate: float, decode_rate: float, ttft_s: float) -> float:
    """Return the score that LocalScore gives three means.

    Parameters
    ----------
    prompt_rate, decode_rate : float
        Tokens per second.
    ttft_s : float
        Seconds; above 0.

    Returns
    -------
    float
        Ten times the geometric mean of the rates and of 1 / ttft_s.
    """
    return 10 * math.cbrt(prompt_rate) * math.cbrt(decode_rate) / math.cbrt(ttft_s)


def _sniff(head: bytes, name: str) -> Match:
    del name
    known = b'"accelerator_info"' in head and b'"runtime_info"' in head
    known = known and b'"results"' in head
    return Match(90 if known else 0, "no runtime_info, accelerator_info and results")


def _documents(source: Source) -> Iterator[tuple[int, object]]:
    """Yield the objects of a file; text before and behind them is the tool's own."""
    for line, value in entries(source):
        if not isinstance(value, BadEntry):
            if isinstance(value, dict) and "accelerator_info" in value:
                yield line, value
            continue
        if value.reason in _NO_DOCUMENT:
            continue
        rest = _from_line(source, line)
        if rest.startswith(b"{"):
            told = beginning(rest.decode("utf-8", "replace"))
            known = isinstance(told, dict) and "accelerator_info" in told
            yield line, told if known else value
            return


def _from_line(source: Source, line: int) -> bytes:
    content = io.BytesIO(source.document())
    for _ in range(line - 1):
        content.readline()
    return content.read()


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    for number_of, (line, value) in enumerate(_documents(source)):
        told = mapping(value)
        if not told:
            batch.entries += 1
            reason = value.reason if isinstance(value, BadEntry) else "no object"
            trouble.note(batch, "SPS002", line, f"entry skipped: {reason}")
            continue
        process = process_of(source, number_of)
        shared: Row = {"source": source.name, "entry": line, "process": process}
        results = [mapping(item) for item in items(told.get("results"))]
        for result in results:
            batch.entries += 1
            settings = settings_text(_settings(told, result))
            if _add(result, {**shared, "settings": settings}, batch, trouble):
                batch.parsed += 1
            else:
                why = "entry skipped: no n_prompt, n_gen and samples_ns"
                trouble.note(batch, "SPS002", line, why)
            if batch.count("requests") >= _ROWS_A_BATCH:
                yield batch
                batch = Batch()
        summary = mapping(told.get("results_summary"))
        first = results[0] if results else {}
        shared["settings"] = settings_text(_settings(told, first))
        _add_summary(summary, results, shared, batch, trouble)
    trouble.close(batch)
    yield batch


def _settings(told: Mapping[str, object], result: Mapping[str, object]) -> Entry:
    runtime, system = (
        mapping(told.get("runtime_info")),
        mapping(told.get("system_info")),
    )
    device = mapping(told.get("accelerator_info"))
    settings: Entry = {f"cfg.{name}": result.get(name) for name in _CONFIG}
    settings.update(
        {
            "id.engine": runtime.get("name"),
            "id.build": runtime.get("version"),
            "id.build_commit": runtime.get("commit"),
            "id.device": device.get("name"),
            "id.device_type": device.get("type"),
            "id.cpu_info": system.get("cpu_name"),
            "id.os": system.get("kernel_type"),
            "id.model": file_name(
                result.get("model_name") or result.get("model_filename")
            ),
            "id.model_type": result.get("model_type"),
            "id.quantization": result.get("model_quant_str"),
        }
    )
    return settings


def _add(
    result: Mapping[str, object], shared: Row, batch: Batch, trouble: Trouble
) -> bool:
    prompt, output = whole(result.get("n_prompt")), whole(result.get("n_gen"))
    told = items(result.get("samples_ns"))
    samples = [positive(sample, _NANO) for sample in told[:_MAX_SAMPLES]]
    if not prompt or not output or not samples or None in samples:
        return False
    label = f"pp{prompt}+tg{output}"
    place: Row = {**shared, "prompt_id": label}
    for index, seconds in enumerate(samples):
        more: Row = {"repetition": index, "ok": True, "e2e_s": seconds}
        more.update(n_prompt=prompt, n_output=output)
        batch.add("requests", {**place, **more})
    for key, metric, unit, scale in _METRICS:
        add_aggregate(
            batch,
            place,
            metric,
            unit,
            "mean",
            value=positive(result.get(key), scale),
            n=len(samples),
            scope="run",
            definition="mean over the repeats of a test",
        )
    printed = positive(result.get("avg_ns"), _NANO)
    mean = math.fsum(seconds or 0.0 for seconds in samples) / len(samples)
    if printed is not None and abs(printed - mean) > _TOLERANCE * mean:
        trouble.note(
            batch,
            "SPS006",
            int(str(shared["entry"])),
            f"{label}: avg_ns is not the mean of the samples",
            observed=f"{printed:.6g} s",
            required=f"{mean:.6g} s",
        )
    return True


def _add_summary(
    summary: Mapping[str, object],
    results: Sequence[Mapping[str, object]],
    shared: Row,
    batch: Batch,
    trouble: Trouble,
) -> None:
    line = int(str(shared["entry"]))
    means: list[float] = []
    for key, metric, unit, scale in _METRICS:
        printed = positive(summary.get(f"avg_{key}"), scale)
        if printed is None:
            continue
        means.append(printed)
        values = [positive(result.get(key), scale) for result in results]
        known = [value for value in values if value is not None]
        add_aggregate(
            batch,
            shared,
            metric,
            unit,
            "mean",
            value=printed,
            n=len(known) or None,
            scope="run",
            definition="mean over the tests of different shape",
        )
        right = math.fsum(known) / len(known) if known else printed
        if abs(printed - right) > _TOLERANCE * right:
            trouble.note(
                batch,
                "SPS006",
                line,
                f"avg_{key} of the summary is not the mean of the tests",
                observed=f"{printed:.6g} {unit}",
                required=f"{right:.6g} {unit}",
            )
    score = positive(summary.get("performance_score"))
    _add_score(score, means, shared, batch, trouble)


def _add_score(
    score: float | None,
    means: Sequence[float],
    shared: Row,
    batch: Batch,
    trouble: Trouble,
) -> None:
    added = add_aggregate(
        batch,
        shared,
        "performance_score",
        "1",
        "value",
        value=score,
        scope="run",
        definition="10 times the geometric mean of prompt rate, decode rate and 1/ttft",
    )
    if not added or score is None or len(means) != len(_METRICS):
        return
    right = score_of(*means)
    if abs(score - right) > _SCORE_TOLERANCE * right + 1:
        trouble.note(
            batch,
            "SPS006",
            int(str(shared["entry"])),
            "the score is not that of its rates and its ttft",
            observed=f"{score:.6g}",
            required=f"{right:.6g}",
        )


READER = Reader(
    name="localscore",
    label="LocalScore results (-o json, or the submitted document)",
    producers=("llamafile, by its source",),
    levels=("sample", "aggregate"),
    boundary="proved: one process a document",
    traps=(
        "a sample is the whole time of prompt and generation: it is no decode time",
        "the summary averages over tests of different shape: it has no spread",
        "the tool prints progress before the document and its logo behind it",
    ),
    fields=(
        ("results.samples_ns", "requests.e2e_s: ns to s"),
        ("results.n_prompt", "requests.n_prompt: tokens"),
        ("results.n_gen", "requests.n_output: tokens"),
        ("results.prompt_tps, gen_tps", "aggregates.value: tok/s, mean of a test"),
        ("results.ttft_ms", "aggregates.value: ttft, ms to s, mean of a test"),
        ("results_summary", "aggregates.value: means over tests, performance_score"),
        (
            "runtime_info, accelerator_info, system_info, results.model_name",
            "requests.settings: id.*",
        ),
        ("results.n_threads, n_batch, ...", "requests.settings: cfg.*"),
    ),
    marks=(b'"accelerator_info"',),
    experimental=True,
    sniff=_sniff,
    parse=_parse,
)
