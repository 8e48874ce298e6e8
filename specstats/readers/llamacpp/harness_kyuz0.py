"""Per-prompt JSON of the kyuz0 toolbox benchmark of llama-server with MTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._base import Match, Reader, Row
from specstats.readers._json import first_entry, number, text, whole
from specstats.readers._results import file_name, items, mapping, settings_text
from specstats.readers.llamacpp._harness import Sink, drafts, positive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.readers._base import Batch
    from specstats.source import Source

__all__ = ["READER"]

_RATIO = 0.00006
_HUNDREDTH = 0.0051
_THOUSANDTH = 0.00051

Entry = dict[str, object]


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = first_entry(head)
    known = isinstance(entry, dict) and {"spec_flags", "mode", "results"} <= set(entry)
    return Match(90 if known else 0, "no spec_flags, mode and results")


def _parse(source: Source) -> Iterator[Batch]:
    sink = Sink(source)
    found = sink.document()
    synthetic = sink.warn_if_synthetic(1, found.get("spec_flags"))
    shared: Row = {
        "source": source.name,
        "arm": text(found.get("mode")),
        "process": f"{source.sha256[:12]}#1",
        "settings": settings_text(
            {
                "id.model": file_name(found.get("gguf")) or found.get("model"),
                "id.toolbox": found.get("toolbox"),
                "cfg.mode": found.get("mode"),
                "cfg.spec_flags": found.get("spec_flags"),
                "cfg.synthetic_acceptance": True if synthetic else None,
            }
        ),
    }
    rows = [
        _add(sink, number_, value, shared)
        for number_, value in enumerate(items(found.get("results")), start=1)
    ]
    _add_aggregate(sink, mapping(found.get("aggregate")), rows, shared)
    yield sink.close()


def _add(sink: Sink, line: int, value: object, shared: Row) -> Row | None:
    sink.batch.entries += 1
    entry = mapping(value)
    output, wall = whole(entry.get("predicted_n")), positive(entry.get("wall_s"))
    row: Row = {**shared, "entry": line, "prompt_id": text(entry.get("name"))}
    failed = entry.get("error")
    if failed:
        row.update(ok=False, error=text(failed) or "error")
    elif output is None or wall is None:
        sink.skip(line, "no predicted_n and wall_s")
        return None
    else:
        drafted, accepted = drafts(sink, line, entry)
        rate = number(entry.get("predicted_per_second"))
        row.update(
            ok=True,
            n_output=output,
            e2e_s=wall,
            engine_rate_tps=rate if rate and rate > 0 else None,
            n_draft=drafted,
            n_accepted=accepted,
        )
        printed = number(entry.get("accept_rate"))
        if drafted and accepted is not None and printed is not None:
            sink.compare_printed(
                line,
                "accept_rate",
                (printed, accepted / drafted),
                _RATIO,
            )
    sink.batch.add("requests", row)
    sink.batch.parsed += 1
    return row


def _add_aggregate(
    sink: Sink, printed: Entry, rows: list[Row | None], shared: Row
) -> None:
    """Add what the file sums up, and check it where every entry was read."""
    complete = [row for row in rows if row is not None]
    count = whole(printed.get("n_requests"))
    whole_file = bool(rows) and len(complete) == len(rows)
    rate, wall = (
        number(printed.get("aggregate_accept_rate")),
        positive(printed.get("wall_s_total")),
    )
    about = {**shared, "entry": 1, "n": count}
    told = "accepted over draft tokens, all requests; no bonus token"
    sink.aggregate({**about, "definition": told}, "acceptance_rate", "1", "ratio", rate)
    told = "sum over the requests, seen by the client"
    sink.aggregate({**about, "definition": told}, "e2e", "s", "total", wall)
    if not whole_file:
        return
    sums = {
        name: sum(int(str(row.get(column) or 0)) for row in complete)
        for name, column in (
            ("total_predicted", "n_output"),
            ("total_draft", "n_draft"),
            ("total_draft_accepted", "n_accepted"),
        )
    }
    for name, right in {**sums, "n_requests": len(rows)}.items():
        value = whole(printed.get(name))
        if value is not None:
            sink.compare_printed(1, name, (value, right), 0.5)
    if rate is not None and sums["total_draft"]:
        right_rate = sums["total_draft_accepted"] / sums["total_draft"]
        sink.compare_printed(
            1,
            "aggregate_accept_rate",
            (rate, right_rate),
            _RATIO,
        )
    if wall is not None:
        spent = sum(float(str(row.get("e2e_s") or 0.0)) for row in complete)
        allowed = _HUNDREDTH + len(rows) * _THOUSANDTH
        sink.compare_printed(1, "wall_s_total", (wall, spent), allowed)


READER = Reader(
    name="kyuz0-mtp-json",
    label="kyuz0 toolbox benchmark of llama-server (a JSON file an arm)",
    producers=("May 2026",),
    levels=("request", "aggregate"),
    boundary="proved: one file is one launch of the server",
    traps=(
        "draft_n is 0, not absent, in the baseline: no draft counts are taken",
        "rates have two digits and no decode time stands beside them",
        "the aggregate block repeats the requests and is checked against them",
    ),
    fields=(
        ("mode", "requests.arm: as written"),
        ("results.name", "requests.prompt_id: as written"),
        ("results.wall_s", "requests.e2e_s: s, seen by the client"),
        ("results.predicted_n", "requests.n_output: tokens"),
        (
            "results.predicted_per_second",
            "requests.engine_rate_tps: tok/s, convention unknown",
        ),
        (
            "results.draft_n, draft_n_accepted",
            "requests.n_draft: and requests.n_accepted; tokens; 0 drafted is missing",
        ),
        ("aggregate.aggregate_accept_rate", "aggregates.value: fraction"),
        ("aggregate.wall_s_total", "aggregates.value: s"),
        ("gguf, toolbox, mode, spec_flags", "requests.settings"),
    ),
    marks=(b'"spec_flags"',),
    sniff=_sniff,
    parse=_parse,
)
