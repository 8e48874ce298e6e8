"""The CSV to which KoboldCpp's --benchmark appends a row a launch."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from specstats.readers._base import Match, Reader, Row
from specstats.readers._results import file_name, settings_text
from specstats.readers._text import real_in, text_lines
from specstats.readers.local._sink import Sink, positive, unix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.readers._base import Batch
    from specstats.source import Source

__all__ = ["READER"]

_HEADER = "Timestamp,Backend,Layers,Model,MaxCtx,GenAmount"
_STAMP = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\S{0,30}\s{0,4},", re.ASCII)
_NUMBERS = 7  # MaxCtx to TotalTime
_LONGEST_NAME = 6  # commas that the name of a model may have
_FLAG = re.compile(r"(\w{1,40})=(\[[^\]]{0,200}\]|[^\s\",]{1,200})", re.ASCII)
_FLAGS = "NoAVX2="
_PARTS = 0.021
_NOMINAL = 0.01


class _Cells(NamedTuple):
    stamp: str
    backend: str
    layers: str
    model: str
    numbers: list[float]
    rest: str


def _sniff(head: bytes, name: str) -> Match:
    del name
    known = head.lstrip().startswith(_HEADER.encode())
    return Match(90 if known else 0, f"does not begin with {_HEADER}")


def _parse(source: Source) -> Iterator[Batch]:
    sink, launch, first = Sink(source), 0, True
    for line, content in text_lines(source):
        if not content.strip() or content.startswith("Timestamp,"):
            continue
        if not _STAMP.match(content):
            # The rest of an output with line breaks, or no row at all.
            if first:
                sink.batch.entries += 1
                sink.skip(line, "it does not begin with a time")
            continue
        first = False
        launch += 1
        sink.batch.entries += 1
        cells = _cells(content)
        if cells is None:
            sink.skip(line, "no seven numbers behind the model")
            continue
        _add(sink, line, launch, cells)
        if sink.is_full:
            yield sink.take()
    yield sink.close()


def _cells(content: str) -> _Cells | None:
    """Return the cells of a row; the model's name may have commas in it."""
    cells = content.split(",", _NUMBERS + _LONGEST_NAME + 4)
    for start in range(4, len(cells) - _NUMBERS + 1):
        numbers = [real_in(cell) for cell in cells[start : start + _NUMBERS]]
        known = [number for number in numbers if number is not None]
        if len(known) == _NUMBERS:
            model = ",".join(cells[3:start])
            rest = ",".join(cells[start + _NUMBERS :])
            return _Cells(cells[0], cells[1], cells[2], model, known, rest)
    return None


def _settings(cells: _Cells) -> str | None:
    _, _, told = cells.rest.partition(_FLAGS)
    flags = dict(_FLAG.findall(_FLAGS + told)) if told else {}
    return settings_text(
        {
            **{f"cfg.{name}": value for name, value in flags.items()},
            "id.engine": "koboldcpp",
            "id.backend": cells.backend.strip(),
            "id.model": file_name(cells.model.strip()),
            "cfg.layers": real_in(cells.layers),
            "cfg.max_ctx": cells.numbers[0],
            "cfg.gen_amount": cells.numbers[1],
        }
    )


def _add(sink: Sink, line: int, launch: int, cells: _Cells) -> None:
    context, amount, prompt_s, prompt_rate, decode_s, rate, total = cells.numbers
    shared: Row = {
        "prompt_id": f"ctx{context:g}+{amount:g}",
        "process": f"{sink.source.sha256[:12]}#{launch}",
        "settings": _settings(cells),
    }
    row: Row = {
        **shared,
        "ended_s": unix(cells.stamp.strip()),
        "prompt_s": positive(prompt_s),
        "decode_s": positive(decode_s),
        "engine_rate_tps": positive(rate),
        "e2e_s": positive(total),
    }
    sink.request(line, row)
    message = "TotalTime is not ProcessingTime plus GenerationTime"
    sink.compare(line, message, (total, prompt_s + decode_s), _PARTS)
    message = "GenerationSpeed times GenerationTime is not GenAmount"
    allowed = 1 + _NOMINAL * (abs(amount) + abs(decode_s) + abs(rate))
    sink.compare(line, message, (rate * decode_s, amount), allowed)
    told = "MaxCtx less GenAmount, which is nominal, over ProcessingTime"
    shared = {**shared, "scope": "run", "definition": told}
    key = ("prompt_rate", "tok/s", "value")
    sink.aggregate(line, shared, key, positive(prompt_rate))
    told = "GenAmount, which is nominal, over GenerationTime"
    shared["definition"] = told
    sink.aggregate(line, shared, ("decode_rate", "tok/s", "value"), positive(rate))


READER = Reader(
    name="koboldcpp-csv",
    label="KoboldCpp benchmark CSV (--benchmark FILE)",
    producers=("1.66.1",),
    levels=("request", "aggregate"),
    boundary="proved: each row is the benchmark of one launch",
    traps=(
        (
            "speeds count nominal tokens (GenAmount, MaxCtx - GenAmount), not real "
            "ones: the output tokens are missing"
        ),
        "the text of Output is not quoted: commas and line breaks in it break the row",
        "Flags stands at the end of a row since 1.68 and is quoted since 2025",
        "no draft counts are told",
    ),
    fields=(
        ("Timestamp", "requests.ended_s: Unix time (UTC)"),
        ("ProcessingTime", "requests.prompt_s: s"),
        ("GenerationTime", "requests.decode_s: s"),
        ("GenerationSpeed", "requests.engine_rate_tps: and aggregates.value; tok/s"),
        ("ProcessingSpeed", "aggregates.value: tok/s, metric prompt_rate"),
        ("TotalTime", "requests.e2e_s: s, checked as the sum of both"),
        ("MaxCtx, GenAmount", "requests.prompt_id: also requests.settings cfg.*"),
        ("Backend, Layers, Model, Flags", "requests.settings: id.*, cfg.*"),
    ),
    marks=(_HEADER.encode(),),
    sniff=_sniff,
    parse=_parse,
)
