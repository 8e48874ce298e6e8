"""Battery CSV (piebru): rate and draft counts of probes on several backends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._base import Match, Reader
from specstats.readers._text import count_in, real_in, text_lines
from specstats.readers.llamacpp._harness import Sink, drafts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.readers._base import Batch
    from specstats.source import Source

__all__ = ["READER"]

_NEEDED = ("backend_spec", "probe", "predicted_tps", "accepted", "draft_n")
_ROWS_A_BATCH = 20_000


def _sniff(head: bytes, name: str) -> Match:
    del name
    first = head.partition(b"\n")[0].decode("utf-8", "replace")
    columns = {cell.strip() for cell in first.split(",")}
    return Match(
        90 if columns.issuperset(_NEEDED) else 0, "no columns backend_spec, probe"
    )


def _parse(source: Source) -> Iterator[Batch]:
    sink = Sink(source)
    columns: list[str] = []
    for line, content in text_lines(source):
        cells = [cell.strip() for cell in content.split(",")]
        if not content.strip():
            continue
        if not columns:
            columns = cells
            continue
        sink.batch.entries += 1
        if len(cells) != len(columns):
            sink.skip(line, f"{len(cells)} cells under {len(columns)} columns")
            continue
        _add(sink, line, dict(zip(columns, cells, strict=True)))
        if sink.batch.count("requests") >= _ROWS_A_BATCH:
            done, sink.batch = sink.batch, type(sink.batch)()
            yield done
    yield sink.close()


def _add(sink: Sink, line: int, cells: dict[str, str]) -> None:
    rate = real_in(cells.get("predicted_tps"))
    probe = count_in(cells.get("probe"))
    if rate is None or rate <= 0:
        sink.skip(line, "predicted_tps is no positive number")
        return
    drafted, accepted = drafts(
        sink,
        line,
        {
            "draft_n": count_in(cells.get("draft_n")),
            "draft_n_accepted": count_in(cells.get("accepted")),
        },
    )
    sink.batch.add(
        "requests",
        {
            "source": sink.source.name,
            "entry": line,
            "arm": cells.get("backend_spec") or None,
            "repetition": probe - 1 if probe else None,
            "ok": True,
            "engine_rate_tps": rate,
            "n_draft": drafted,
            "n_accepted": accepted,
        },
    )
    sink.batch.parsed += 1


READER = Reader(
    name="spec-battery-csv",
    label="battery CSV of speculative probes on llama-server (backend_spec, probe)",
    producers=("August 2026",),
    levels=("request",),
    boundary="unknown: no column names the server process (each arm counts as one run)",
    traps=(
        "there are neither token counts nor times: the printed rate is all there is",
        "the probes of an arm are one prompt that one server answers again",
    ),
    fields=(
        ("backend_spec", "requests.arm: as written"),
        ("probe", "requests.repetition: less 1"),
        ("predicted_tps", "requests.engine_rate_tps: tok/s, convention unknown"),
        ("draft_n, accepted", "requests.n_draft: and requests.n_accepted; tokens"),
    ),
    marks=(b"backend_spec",),
    sniff=_sniff,
    parse=_parse,
)
