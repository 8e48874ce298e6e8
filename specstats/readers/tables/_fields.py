"""What the readers of plain tables say of themselves."""

from __future__ import annotations

__all__ = ["BOUNDARY", "FIELDS", "TRAPS"]

BOUNDARY = (
    "declared by the user (columns={'run': COLUMN}); unknown otherwise, since nothing "
    "tells whether a run is a launch of the server or a request"
)
TRAPS = (
    "run, run_id and launch may number launches or requests: declare which",
    "a rate need not be the decode rate: prompt processing may be in it",
    "times are read only where the name tells the unit (ttft_ms, latency [s])",
    "decimal commas, thousands separators and percent signs are not guessed at",
    (
        "a row with a count of requests sums up a load: its counts are counters, its "
        "rate is one sample"
    ),
    (
        "a wall time is read only beside a count of requests: alone it may be the "
        "life of a launch"
    ),
)
FIELDS = (
    ("run, run_id, launch, ...", "requests.run_id: where declared, else repetition"),
    ("rep, repeat, trial, iteration", "requests.repetition"),
    ("config, arm, variant, setting, method", "requests.arm"),
    ("prompt, task, question_id", "requests.prompt_id"),
    ("workload, dataset, category", "requests.workload"),
    ("tok_s, tok/s, tps, tokens_per_second, decode_rate", "requests.engine_rate_tps"),
    (
        "throughput, output_throughput",
        "requests.engine_rate_tps: where no rate is there",
    ),
    ("predicted_n, output_tokens, completion_tokens", "requests.n_output"),
    ("prompt_n, prompt_tokens", "requests.n_prompt"),
    ("predicted_ms, decode_s, ...", "requests.decode_s: converted to s"),
    ("prompt_ms, prefill_s, ...", "requests.prompt_s: converted to s"),
    ("ttft_ms, ttft_s, ...", "requests.ttft_s: converted to s"),
    ("latency_s, e2e_ms, total_ms, ...", "requests.e2e_s: converted to s"),
    ("draft_n, draft_n_accepted", "requests.n_draft: and n_accepted; or counters"),
    ("status, ok, error", "requests.ok: and requests.error"),
    ("requests", "counters.n_requests: the row is a whole load"),
    (
        "num_drafts, acceptance_rate, k",
        (
            "counters.n_verify: n_draft is k a step and n_accepted rate x k x "
            "steps, where mean_accept_len confirms k and the product is whole"
        ),
    ),
    ("acceptance_rate, mean_accept_len", "aggregates.value: as printed"),
    ("concurrency, temperature, k, seed, ...", "requests.settings: cfg.*"),
    ("model, gpu, engine, version, ...", "requests.settings: id.*"),
)
