"""``vllm bench sweep serve``: several loads of one server, each a file."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Match, Reader, Trouble
from specstats.readers._json import entries, first_entry, first_value, number
from specstats.readers._results import mapping, process_of, reason_of
from specstats.readers.vllm._checks import Checker
from specstats.readers.vllm._result import (
    add_result,
    kind_of,
    place_of,
    result_settings,
)
from specstats.readers.vllm.serve import check_result, note_synthetic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.source import Source

__all__ = ["READER"]

_ROWS_A_BATCH = 20_000
# One server answers all loads of a combination of serve parameters.
_FOLDER = re.compile(r"(?:^|/)(?:SERVE--([^/]{0,400}?)-)?BENCH--[^/]{1,400}/[^/]+$")
_WARM_UP = -1


def _sniff(head: bytes, name: str) -> Match:
    del name
    known = kind_of(mapping(first_entry(head))) == "sweep"
    return Match(90 if known else 0, "no run_number beside a result of bench serve")


def _parse(source: Source) -> Iterator[Batch]:
    batch, trouble = Batch(), Trouble(source)
    # The summary lists what the files run=N.json hold one by one.
    is_summary = isinstance(first_value(source.head()), list)
    process = _process(source, is_summary=is_summary)
    for line, value in entries(source):
        batch.entries += 1
        entry = mapping(value)
        if kind_of(entry) != "sweep":
            why = reason_of(value, "no result with a run_number")
            trouble.note(batch, "SPS002", line, f"entry skipped: {why}")
            continue
        batch.parsed += 1
        settings = result_settings(entry, numbers=True)
        place = place_of(source.name, line, settings)
        place["process"] = process
        run = number(entry.get("run_number"))
        also = "; the warm-up load" if run == _WARM_UP else ""
        if is_summary:
            also += f"; the same numbers as run={run:g}.json" if run is not None else ""
        if process is None:
            place["run_boundary"] = "unknown"
        checker = Checker(batch, trouble, line)
        note_synthetic(checker, settings)
        counters = not is_summary and run != _WARM_UP
        add_result(batch, place, entry, counters=counters, also=also)
        check_result(checker, entry)
        if batch.count("aggregates") >= _ROWS_A_BATCH:
            yield batch
            batch = Batch()
    trouble.close(batch)
    yield batch


def _process(source: Source, *, is_summary: bool) -> str | None:
    """Return which server answered: of its folder, as the sweep names them."""
    if source.path is None:
        where = f"{source.root}/{source.relative}"
    else:
        where = str(source.path.absolute())
    where = where.replace("\\", "/")
    found = _FOLDER.search(where)
    if found is None:
        return process_of(source) if is_summary else None
    of_server = f"{where[: found.start()]}/{found[1] or ''}"
    digest = hashlib.sha256(of_server.encode("utf-8", "replace")).hexdigest()
    return f"sweep {digest[:12]}"


READER = Reader(
    name="vllm-bench-sweep",
    label="vLLM bench sweep serve results (run=N.json, summary.json)",
    producers=("vllm 0.25.1",),
    levels=("counter", "aggregate"),
    boundary="proved by the folder SERVE--...-BENCH--...: one server a combination of "
    "serve parameters, so all its runs are one launch; unknown for a file without it",
    traps=(
        (
            "run=0, run=1, ... are loads of one launch with the same prompts: no "
            "replicates, and the first is often cold"
        ),
        (
            "summary.json repeats the runs: its numbers are kept as aggregates, its "
            "counts left out, so that nothing counts twice"
        ),
        "run_number -1 is the warm-up: no counts are kept",
        "the swept values stand in the file; the folder name is not parsed for them",
        "all traps of vllm-bench-serve",
    ),
    fields=(
        ("run_number", "aggregates.definition: where it is a copy or a warm-up"),
        ("further keys", "aggregates.settings: cfg.*, what the sweep varied"),
        ("everything else", "aggregates.*: as in vllm-bench-serve"),
    ),
    marks=(b'"run_number"',),
    sniff=_sniff,
    parse=_parse,
)
