"""Server-sent event streams of llama.cpp servers."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

Rows = Callable[..., list[dict[str, Any]]]
Codes = Callable[..., list[tuple[str, str]]]


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_streams(artifacts: Path, rows: Rows, codes: Codes) -> None:
    content = (artifacts / "llama-server/stream/chat.sse").read_bytes()

    first, second = rows(content)

    assert (first["request_id"], first["entry"]) == ("s-1", 3)
    assert first["output_sha256"] == sha256("Hello")
    assert (first["n_output"], first["decode_s"]) == (3, 0.1)
    assert first["finish_reason"] == "stop"
    assert (second["request_id"], second["output_sha256"]) == ("s-2", None)
    assert second["finish_reason"] is None
    assert codes(content) == [("SPS002", "case:13")]


def test_a_stream_of_noise_is_counted(rows: Rows, codes: Codes) -> None:
    content = (
        'data: {"timings":{"predicted_n":1},"choices":'
        '[{"finish_reason":"stop"}]}\n'
        "curl: (18) transfer closed\n"
        'data: {"timings"\n'
        "data: 5\n\nid: 3\nretry: 9\n: x\n"
        'error: {"error":{"code":500,"message":"gone"}}\n'
    )

    assert codes(content) == [("SPS002", f"case:{line}") for line in (2, 3, 4)]
    assert [row["ok"] for row in rows(content)] == [True]


def test_a_stream_without_text_has_no_digest(rows: Rows) -> None:
    (row,) = rows('data: {"timings":{"predicted_n":1}}\n')

    assert row["output_sha256"] is None


def test_the_stream_of_a_completion(rows: Rows) -> None:
    content = (
        'data: {"content":"Hel","stop":false}\n\n'
        'data: {"content":"lo","stop":false}\n\n'
        'data: {"content":"","stop":true,"stop_type":"limit","timings":'
        '{"predicted_n":2,"predicted_ms":100.0}}\n\n'
    )

    (row,) = rows(content)

    assert (row["output_sha256"], row["finish_reason"]) == (sha256("Hello"), "length")


def test_streams_without_end_marks_are_told_apart_by_id(rows: Rows) -> None:
    one = 'data: {"id":"%s","timings":{"predicted_n":%d}}\n'

    found = rows(one % ("a", 1) + one % ("a", 2) + one % ("b", 3) + "data: [DONE]\n")

    assert [(row["request_id"], row["n_output"]) for row in found] == [
        ("a", 2),
        ("b", 3),
    ]
