"""DuckDB: responses to the canonical table of requests, all columns."""

import sys

import duckdb

source, target = sys.argv[1:]
empty = {
    "varchar": (
        "run_id",
        "block",
        "workload",
        "prompt_id",
        "phase",
        "process",
        "error",
    ),
    "bigint": ("repetition", "n_steps"),
    "double": ('"order"', "started_s", "process_started_s", "ttft_s", "e2e_s"),
}
missing = ", ".join(
    f"null::{kind} as {name}" for kind, names in empty.items() for name in names
)
duckdb.sql(
    f"""copy (select
    'big.jsonl' as source, row_number() over () as entry, 'big' as arm, {missing},
    'unknown' as run_boundary, id as request_id, created::double as ended_s,
    true as ok, choices[1].finish_reason as finish_reason,
    timings.cache_n as n_cached, timings.prompt_n as n_prompt,
    timings.prompt_ms / 1000 as prompt_s, timings.predicted_n as n_output,
    timings.predicted_ms / 1000 as decode_s,
    timings.predicted_per_second as engine_rate_tps,
    case when abs(timings.predicted_per_second * timings.predicted_ms / 1000
                  - timings.predicted_n) < 0.3 then 'n'
         when abs(timings.predicted_per_second * timings.predicted_ms / 1000
                  - timings.predicted_n + 1) < 0.3 then 'n-1' end as rate_convention,
    timings.draft_n as n_draft, timings.draft_n_accepted as n_accepted,
    sha256(choices[1].message.content) as output_sha256,
    json_object('id.model', model, 'id.build', system_fingerprint)::varchar as settings
    from read_json('{source}', format='newline_delimited'))
    to '{target}' (format parquet, compression zstd)"""  # noqa: S608
)
