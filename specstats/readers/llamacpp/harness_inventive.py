"""InventiveHQ benchmark JSON: arms of llama-server with their requests."""

from __future__ import annotations

import re
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

_MILLI = 1e-3
_SHA256 = re.compile(r"[0-9a-f]{64}")

Entry = dict[str, object]


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = first_entry(head)
    if not isinstance(entry, dict):
        return Match(0, "no JSON object")
    meta, runs = mapping(entry.get("meta")), items(entry.get("runs"))
    first = mapping(runs[0]) if runs else {}
    known = "target" in meta and {"method", "backend", "records"} <= set(first)
    return Match(90 if known else 0, "no meta.target and runs of records")


def _parse(source: Source) -> Iterator[Batch]:
    sink = Sink(source)
    found = sink.document()
    line = 0
    for value in items(found.get("runs")):
        run = mapping(value)
        shared = _shared(run, mapping(found.get("meta")))
        status = text(run.get("status"))
        if status not in (None, "ok"):
            sink.note(
                "SPS014",
                line + 1,
                f"the harness says that the run {shared['arm']} is not ok",
                observed=status[:200] if status else "",
            )
        for record in items(run.get("records")):
            line += 1
            _add(sink, line, mapping(record), shared)
    yield sink.close()


def _shared(run: Entry, meta: Entry) -> Row:
    backend, method = text(run.get("backend")), text(run.get("method"))
    drafter = meta.get("draft") if method and "draft" in method else None
    return {
        "arm": "/".join(part for part in (backend, method) if part) or None,
        "settings": settings_text(
            {
                "id.model": file_name(meta.get("target")),
                "id.draft_model": file_name(drafter),
                "id.device": meta.get("gpu"),
                "cfg.backend": backend,
                "cfg.method": method,
                "cfg.max_tokens": meta.get("max_tokens"),
                "cfg.ctx": meta.get("ctx"),
            }
        ),
    }


def _add(sink: Sink, line: int, record: Entry, shared: Row) -> None:
    sink.batch.entries += 1
    row: Row = {
        **shared,
        "source": sink.source.name,
        "entry": line,
        "workload": text(record.get("category")),
        "prompt_id": text(record.get("id")),
    }
    output = whole(record.get("predicted_n"))
    decode_s = positive(record.get("predicted_ms"), _MILLI)
    if record.get("error"):
        row.update(ok=False, error=text(record.get("error")) or "error")
    elif output is None or decode_s is None:
        sink.skip(line, "no predicted_n and predicted_ms")
        return
    else:
        row.update(ok=True, n_output=output)
        row["n_draft"], row["n_accepted"] = drafts(sink, line, record)
        row["output_sha256"] = _digest(record.get("out_hash"))
        if output:
            row["decode_s"] = decode_s
            sink.check_rate(line, row, number(record.get("tps")))
        else:
            sink.note("SPS007", line, "a request succeeded without one output token")
    sink.batch.add("requests", row)
    sink.batch.parsed += 1


def _digest(value: object) -> str | None:
    """Return a hash of the text that is a whole SHA-256; a part of one is none."""
    whole_one = isinstance(value, str) and _SHA256.fullmatch(value)
    return text(value) if whole_one else None


READER = Reader(
    name="inventivehq-json",
    label="InventiveHQ benchmark of llama-server (runs with records)",
    producers=("2026",),
    levels=("request",),
    boundary="unknown: nothing names the server process (each arm counts as one run)",
    traps=(
        "draft counts are null in the baseline and where an n-gram drafter was silent",
        "out_hash is cut to 12 digits and is no SHA-256: it is not kept",
        "outputs of the arms differ: other text is other work",
    ),
    fields=(
        ("runs.backend, runs.method", "requests.arm: joined by a slash"),
        ("records.category", "requests.workload: as written"),
        ("records.id", "requests.prompt_id: as written"),
        ("records.predicted_n", "requests.n_output: tokens"),
        ("records.predicted_ms", "requests.decode_s: ms to s"),
        ("records.tps", "requests.engine_rate_tps: convention recomputed"),
        (
            "records.draft_n, draft_n_accepted",
            "requests.n_draft: and requests.n_accepted; tokens; null is missing",
        ),
        ("records.out_hash", "requests.output_sha256: only whole digests"),
        ("meta", "requests.settings"),
    ),
    marks=(b'"records"',),
    sniff=_sniff,
    parse=_parse,
)
