"""Many files of one response each: the same bench as entry by entry."""

from dataclasses import replace
from pathlib import Path

import pytest

import specstats
from specstats.bench.model import Bench
from specstats.readers import _registry
from specstats.readers.llamacpp import server
from tests.readers.llamacpp_server.responses import response, written


def write(folder: Path) -> None:
    for number in range(12):
        below = folder / ("base", "spec")[number % 2]
        below.mkdir(exist_ok=True)
        entry = response(number)
        if number == 3:
            entry = response(number, draft_n=..., draft_n_accepted=...)
        content = written(entry)
        if number == 5:
            content += written(response(105), response(106))
        if number == 6:
            content = written('{"error": {"code": 500, "message": "no slot"}}')
        if number == 7:
            content = written(response(1))
        (below / f"{number:02}.json").write_bytes(content)


def told(bench: Bench) -> tuple[object, ...]:
    return dict(bench.columns), bench.runs, bench.inputs, list(bench.findings)


def test_rows_of_small_files_are_those_of_their_entries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path)
    quick = specstats.read(tmp_path)
    layout = specstats.read(tmp_path, layout="{arm}/{ignore}.json")
    slow = replace(server.READER, sole=None, parse=server._parse_entries)
    monkeypatch.setattr(_registry, "LLAMA_SERVER", slow)
    one_by_one = specstats.read(tmp_path)

    assert told(quick) == told(one_by_one)
    assert len(quick.requests) == 13
    assert [item.where for item in quick.findings.of("SPS003")] == [("spec/07.json",)]
    for name in ("arm", "source", "request_id", "n_draft"):
        assert layout.column("requests", name) == quick.column("requests", name)
