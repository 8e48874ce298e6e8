"""Bad and good cases of the rules about artifacts, SPS0xx."""

from tests.rules.builders import (
    BASE,
    ERROR,
    MARKDOWN,
    NOON,
    NOTE,
    PLACED,
    SMI_HEADER,
    SMI_ROWS,
    WARNING,
    Case,
    Sided,
    arm,
    bench_entry,
    response,
    row,
    rows,
    server_log,
)

ARTIFACTS: list[Sided] = [
    (
        "SPS001",
        ERROR,
        Case({"a.txt": "31.7 tok/s\n"}, name="a.txt"),
        Case({"a.txt": arm("base", BASE)}, name="a.txt"),
    ),
    (
        "SPS001",
        ERROR,
        Case({"a.txt": "31.7 tok/s\n"}),
        Case({"a.txt": "31.7 tok/s\n", "b.jsonl": arm("base", BASE)}),
    ),
    (
        "SPS002",
        WARNING,
        rows([*arm("base", BASE), row("base", 4, 4.1, n_output="many")]),
        rows([*arm("base", BASE), row("base", 4, 4.1)]),
    ),
    (
        "SPS003",
        ERROR,
        Case(
            {"base-1.json": response(4.0), "base-2.json": response(4.0)}, reading=PLACED
        ),
        Case(
            {"base-1.json": response(4.0), "base-2.json": response(4.1)}, reading=PLACED
        ),
    ),
    (
        "SPS003",
        ERROR,
        Case(
            {
                "a.jsonl": [row("base", 1, 4.041, request_id="x")],
                "b.jsonl": [row("base", 2, 4.041, request_id="x")],
            }
        ),
        Case(
            {
                "a.jsonl": [row("base", 1, 4.041, request_id="x")],
                "b.jsonl": [row("base", 2, 4.042, request_id="x")],
            }
        ),
    ),
    (
        "SPS004",
        ERROR,
        Case({"base.md": MARKDOWN}),
        Case({"base.json": bench_entry()}),
    ),
    (
        "SPS005",
        WARNING,
        Case({"base.json": response(4.0)}),
        Case({"base.json": response(4.0)}, reading={"run_per_file": True}),
    ),
    (
        "SPS005",
        WARNING,
        Case({"base.json": response(4.0)}),
        Case({"base.json": response(4.0, pid=7, process_start=NOON)}),
    ),
    (
        "SPS006",
        WARNING,
        Case({"a.json": response(4.0, draft_n=100, draft_n_accepted=101)}),
        Case({"a.json": response(4.0, draft_n=100, draft_n_accepted=100)}),
    ),
    (
        "SPS006",
        WARNING,
        Case({"a.json": response(4.0, predicted_per_second=127.5 / 4.0)}),
        Case({"a.json": response(4.0, predicted_per_second=127.2 / 4.0)}),
    ),
    (
        "SPS007",
        WARNING,
        rows([*arm("base", BASE), row("base", 4, error="500")]),
        rows([*arm("base", BASE), row("base", 4, 4.1)]),
    ),
    (
        "SPS007",
        ERROR,
        rows([row("base", 1, error="500"), row("base", 2, error="500")]),
        rows([row("base", 1, 4.0), row("base", 2, 4.1)]),
    ),
    (
        "SPS008",
        NOTE,
        rows([row("base", 1, 4.0), row("base", 2, 3.1, n_output=97)]),
        rows([row("base", 1, 4.0), row("base", 2, 3.1, n_output=97, prompt="p2")]),
    ),
    (
        "SPS008",
        NOTE,
        Case(
            {
                "base-1.json": response(4.0),
                "base-2.json": response(4.1, predicted_per_second=127 / 4.1),
            },
            reading=PLACED,
        ),
        Case(
            {"base-1.json": response(4.0), "base-2.json": response(4.1)}, reading=PLACED
        ),
    ),
    (
        "SPS009",
        NOTE,
        Case({"a.json": bench_entry(stddev_ns=101100000)}),
        Case({"a.json": bench_entry(stddev_ns=100900000)}),
    ),
    (
        "SPS010",
        WARNING,
        Case({"a.csv": "prompt,n_output,decode_s,ttft\np1,128,4.041,212\n"}),
        Case({"a.csv": "prompt,n_output,decode_s,ttft_ms\np1,128,4.041,212\n"}),
    ),
    (
        "SPS010",
        WARNING,
        Case({"a.csv": "prompt,n_output,decode_ms,tok_per_s\np1,128,4.041,31.7\n"}),
        Case({"a.csv": "prompt,n_output,decode_ms,tok_per_s\np1,128,4041,31.7\n"}),
    ),
    (
        "SPS011",
        NOTE,
        Case({"gpu.csv": SMI_ROWS}),
        Case({"gpu.csv": SMI_HEADER + SMI_ROWS}),
    ),
    (
        "SPS012",
        NOTE,
        Case({"base.jsonl": [{"run": 1, "n_output": 128, "decode_s": 4.0}]}),
        Case(
            {
                "base.jsonl": [
                    {"run": 1, "n_output": 128, "decode_s": 4.0, "arm": "base"}
                ]
            }
        ),
    ),
    (
        "SPS012",
        NOTE,
        Case(
            {"base-1.json": response(4.0), "base-2.json": response(4.1)}, reading=PLACED
        ),
        Case(
            {
                "base-1.json": response(4.0, created=1),
                "base-2.json": response(4.1, created=2),
            },
            reading=PLACED,
        ),
    ),
    (
        "SPS013",
        NOTE,
        Case({"runs.jsonl": arm("base", BASE), "notes.txt": "fan replaced\n"}),
        Case({"runs.jsonl": arm("base", BASE), ".notes.txt": "fan replaced\n"}),
    ),
    (
        "SPS013",
        NOTE,
        Case(
            {"base-1.json": response(4.0), "base1.json": response(4.1)}, reading=PLACED
        ),
        Case(
            {"base-1.json": response(4.0), "base-2.json": response(4.1)}, reading=PLACED
        ),
    ),
    (
        "SPS014",
        WARNING,
        Case(
            {"a.log": server_log(told="srv    load_model: failed to load the drafter")}
        ),
        Case({"a.log": server_log(told="srv    load_model: the drafter is loaded")}),
    ),
    (
        "SPS015",
        NOTE,
        rows([row("base", 1, 9.2, phase="warmup"), row("base", 1, 4.1)]),
        rows([row("base", 1, 4.2), row("base", 1, 4.1)]),
    ),
]
