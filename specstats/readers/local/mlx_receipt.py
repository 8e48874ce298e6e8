"""Receipt JSON of an MLX smoke test: one request with and one without drafting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._base import Match, Reader, Row
from specstats.readers._json import first_entry, text, whole
from specstats.readers._results import file_name, mapping, settings_text
from specstats.readers.local._sink import Sink, digest, positive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.readers._base import Batch
    from specstats.source import Source

__all__ = ["READER"]

_NEEDED = frozenset({"generation_s", "generation_tps", "prompt_tps"})
_CLOSE = 0.01
_THOUSANDTH = 0.0011

Entry = dict[str, object]


def _arms(entry: Entry) -> dict[str, Entry]:
    found = {key: mapping(value) for key, value in entry.items()}
    return {key: arm for key, arm in found.items() if set(arm) >= _NEEDED}


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = first_entry(head)
    known = isinstance(entry, dict) and "max_tokens" in entry and bool(_arms(entry))
    return Match(90 if known else 0, "no arms with generation_s and prompt_tps")


def _parse(source: Source) -> Iterator[Batch]:
    sink = Sink(source)
    found = sink.document()
    device = mapping(found.get("device"))
    shared = {
        "id.engine": "mlx",
        "id.device": device.get("device_name"),
        "id.architecture": device.get("architecture"),
        "cfg.max_tokens": found.get("max_tokens"),
        "cfg.metal": found.get("metal"),
    }
    rates: dict[str, float] = {}
    texts: list[str | None] = []
    for number, (arm, told) in enumerate(_arms(found).items(), start=1):
        row = _add(sink, number, (arm, told), shared)
        if row is not None:
            rates[str(told.get("mtp_active"))] = float(str(row["engine_rate_tps"]))
            texts.append(text(row["output_sha256"]))
    _check(sink, found, rates, texts)
    yield sink.close()


def _add(sink: Sink, number: int, arm: tuple[str, Entry], shared: Entry) -> Row | None:
    sink.batch.entries += 1
    name, told = arm
    rate, whole_s = (positive(told.get(x)) for x in ("generation_tps", "generation_s"))
    if rate is None or whole_s is None:
        sink.skip(number, f"{name}: no generation_tps and generation_s")
        return None
    settings = {
        **shared,
        "id.model": file_name(told.get("model")),
        "cfg.mtp_active": told.get("mtp_active"),
        "cfg.num_nextn_predict_layers": told.get("num_nextn_predict_layers"),
    }
    about: Row = {"arm": text(name), "settings": settings_text(settings)}
    output = told.get("output")
    row: Row = {
        **about,
        "n_prompt": whole(told.get("prompt_tokens")),
        "n_output": whole(told.get("generation_tokens")),
        "engine_rate_tps": rate,
        "e2e_s": whole_s,
        "output_sha256": digest(output) if isinstance(output, str) and output else None,
    }
    if row["n_output"] == 0:
        row["engine_rate_tps"] = rate = None
        sink.says_nothing(number)
    prompt_rate = positive(told.get("prompt_tps"))
    _check_time(sink, number, row, prompt_rate)
    sink.request(number, row)
    about["scope"] = "request"
    sink.aggregate(number, about, ("prompt_rate", "tok/s", "value"), prompt_rate)
    load = positive(told.get("load_s"))
    sink.aggregate(number, about, ("load", "s", "value"), load)
    peak = positive(told.get("peak_memory_gb"))
    sink.aggregate(number, about, ("peak_memory", "GB", "max"), peak)
    return row if rate is not None else None


def _check_time(sink: Sink, number: int, row: Row, prompt_rate: float | None) -> None:
    prompt, output = row["n_prompt"], row["n_output"]
    rate, whole_s = row["engine_rate_tps"], row["e2e_s"]
    if not isinstance(prompt, int) or not isinstance(output, int) or not prompt_rate:
        return
    if isinstance(rate, float) and isinstance(whole_s, float):
        together = prompt / prompt_rate + output / rate
        message = "generation_s is not the time of prompt and output at their rates"
        sink.compare(number, message, (whole_s, together), _CLOSE * whole_s + _CLOSE)


def _check(
    sink: Sink, found: Entry, rates: dict[str, float], texts: list[str | None]
) -> None:
    speedup, told = positive(found.get("speedup")), found.get("outputs_match")
    if speedup is not None and {"True", "False"} <= set(rates):
        right = rates["True"] / rates["False"]
        message = "speedup is not the ratio of the two rates"
        allowed = _THOUSANDTH + _CLOSE * right
        sink.compare(1, message, (speedup, right), allowed)
    if isinstance(told, bool) and len(texts) > 1 and None not in texts:
        same = len(set(texts)) == 1
        if same is not told:
            sink.note(
                "SPS006",
                1,
                "outputs_match contradicts the outputs",
                observed=str(told).lower(),
                required=str(same).lower(),
            )


READER = Reader(
    name="mlx-mtp-receipt",
    label="receipt of an MLX smoke test with and without multi-token prediction",
    producers=("July 2026",),
    levels=("request", "aggregate"),
    boundary="unknown: nothing says whether the two arms share a process",
    traps=(
        "generation_s includes the prompt's processing: it is the whole latency",
        "one request an arm: no spread, and no comparison can rest on it",
        "no draft counts are told",
    ),
    fields=(
        ("key of the arm (mtp, ar)", "requests.arm: as written"),
        ("generation_s", "requests.e2e_s: s, checked against both rates"),
        ("generation_tokens", "requests.n_output: tokens"),
        ("generation_tps", "requests.engine_rate_tps: tok/s, convention unknown"),
        ("prompt_tokens", "requests.n_prompt: tokens"),
        ("prompt_tps", "aggregates.value: tok/s, metric prompt_rate"),
        ("load_s", "aggregates.value: s, metric load"),
        ("peak_memory_gb", "aggregates.value: GB"),
        ("output", "requests.output_sha256"),
        ("speedup, outputs_match", "requests.*: checked"),
        ("model, device, mtp_active, max_tokens", "requests.settings: id.*, cfg.*"),
    ),
    marks=(b'"generation_s"',),
    sniff=_sniff,
    parse=_parse,
)
