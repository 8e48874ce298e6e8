"""What the columns of plain tables are called, and the unit that a name tells."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = [
    "CANONICAL",
    "COUNTS",
    "MEASURED",
    "RATES",
    "ROLES",
    "SHARES",
    "TIMES",
    "Field",
    "Note",
    "Plan",
    "plan_of",
    "unit_in",
]

ROLES = (
    *("run", "repetition", "arm", "block", "workload", "prompt", "request"),
    *("phase", "order", "ok", "error", "started", "finish_reason"),
)
RATES = ("decode_rate", "output_throughput")
COUNTS = (
    *("n_output", "n_prompt", "n_cached", "n_draft", "n_accepted", "n_steps"),
    "requests",
)
TIMES = ("ttft", "e2e", "decode", "prefill", "duration")
SHARES = ("acceptance_rate", "mean_accepted_length")
CANONICAL = (*ROLES, *RATES, *COUNTS, *TIMES, *SHARES)
# What makes a row worth reading; a duration alone says how long a launch lived.
MEASURED = (*RATES, "ttft", "e2e", "decode", "prefill")

_NAMES = {
    "run": "run run_id run_index run_no launch launch_id launch_no",
    "repetition": "rep repeat repetition trial iteration iter",
    "arm": "config arm variant setting method condition",
    "block": "block session day",
    "workload": "workload dataset category",
    "prompt": "prompt prompt_id prompt_name task question_id",
    "request": "request_id",
    "phase": "phase",
    "order": "order",
    "ok": "ok success status",
    "error": "error error_message",
    "started": "started started_at started_s start_time session_start_utc",
    "finish_reason": "finish_reason done_reason",
    "decode_rate": "decode_rate decode_tps decode_tok_s decode_tok/s tok_s tok/s tps "
    "t/s toks_s toks/s tok_per_s tokens_per_second tokens_per_sec tokens/s tokens/sec "
    "gen_tps generation_tps predicted_tps predicted_per_second eval_tps decode_speed",
    "output_throughput": "throughput output_throughput throughput_tok_s output_tps "
    "output_tok_s throughput_tps",
    "n_output": "predicted_n n_output output_tokens completion_tokens n_predicted "
    "generated_tokens num_output_tokens tokens_out",
    "n_prompt": "prompt_n n_prompt prompt_tokens input_tokens tokens_in",
    "n_cached": "cache_n n_cached cached_tokens",
    "n_draft": "draft_n n_draft n_drafted draft_tokens drafted num_draft_tokens",
    "n_accepted": "draft_n_accepted n_accepted accepted_tokens accepted "
    "num_accepted_tokens",
    "n_steps": "n_steps decode_steps verify_steps num_drafts",
    "requests": "requests n_requests num_requests successful_requests",
    "acceptance_rate": "acceptance_rate accept_rate draft_acceptance_rate",
    "mean_accepted_length": "mean_accept_len mean_accepted_length mean_accepted_len "
    "accept_length acceptance_length mean_acceptance_length",
}
_TIME_NAMES = {
    "ttft": "ttft time_to_first_token first_token_latency first_token",
    "e2e": "e2e latency e2e_latency end_to_end end_to_end_latency request_latency "
    "total total_time",
    "decode": "decode decode_time predicted",
    "prefill": "prefill prefill_time prompt prompt_time prompt_eval",
    "duration": "wall wall_time duration elapsed",
}
_TELLS_TIME = frozenset({"ttft", "time_to_first_token", "latency", "e2e_latency"})
_ALIASES = {name: key for key, names in _NAMES.items() for name in names.split()}
_TIME_ALIASES = {
    name: key for key, names in _TIME_NAMES.items() for name in names.split()
}
_SECONDS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("ms", "msec", "millis", "milliseconds"), 1e-3),
    **dict.fromkeys(("us", "\u00b5s", "\u03bcs", "usec", "microseconds"), 1e-6),
    **dict.fromkeys(("ns", "nsec", "nanos", "nanoseconds"), 1e-9),
}
_PERCENT = frozenset({"pct", "percent", "%"})
_RATE_UNITS = frozenset({"tok/s", "t/s", "tokens/s", "tokens/sec", "toks/s"})
_RATE_BASES = {
    **dict.fromkeys(
        ("decode", "decode_rate", "generation", "gen", "speed", "rate", "eval"),
        "decode_rate",
    ),
    **dict.fromkeys(("throughput", "output_throughput"), "output_throughput"),
}
_BRACKETS = re.compile(r"(.{1,80}?)[ _]{0,4}[(\[][ ]{0,4}([^()\[\]]{1,20})[)\]]")
_BLANKS = re.compile(r"[ \-]{1,4}")
_CONFIG = frozenset(
    [
        "concurrency",
        "max_concurrency",
        "request_rate",
        "k",
        "num_speculative_tokens",
        "draft_len",
        "draft_length",
        "draft_max",
        "n_max",
        "gamma",
        "temperature",
        "temp",
        "seed",
        "top_p",
        "top_k",
        "batch_size",
        "max_tokens",
        "max_new_tokens",
        "n_predict",
        "ctx",
        "context",
        "ctx_size",
        "context_length",
        "weight_quant",
        "kv_quant",
        "spec_decode",
        "draft_model",
        "threads",
        "n_threads",
        "n_gpu_layers",
        "tp",
        "tensor_parallel",
        "flash_attn",
        "spec_type",
    ]
)
_IDENTITY = frozenset(
    [
        "model",
        "model_name",
        "quant",
        "quantization",
        "quantisation",
        "gpu",
        "device",
        "engine",
        "backend",
        "engine_version",
        "version",
        "build",
        "driver",
        "hardware",
    ]
)
# Columns that only a format with a reader of its own has.
_FOREIGN = frozenset(
    [
        "eval_duration_ns",
        "load_duration_ns",
        "response_file",
        "http_code",
        "localscore",
        "avg_ts",
        "samples_ns",
        "feasibility",
        "specstats.table",
        "timings",
        "answer_id",
        "model_id",
        "choices",
        "sample_time_nanos",
        "vllm_log",
        "metrics_snapshot",
        "prompt_eval_duration_ns",
        "load_duration",
        "total_duration",
    ]
)


@dataclass(frozen=True, slots=True)
class Field:
    """A column that is used, and what its values are multiplied by."""

    column: str
    scale: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Something to say of the columns of a table, once."""

    code: str
    message: str
    observed: str = ""
    required: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Which column is what.

    Attributes
    ----------
    fields : mapping of str to Field
        Columns by canonical name.
    settings : tuple of (str, str)
        Columns that are settings, and their key.
    declared : bool
        Whether the user said so, rather than the names.
    notes : tuple of Note
        What to say of the columns.
    """

    fields: Mapping[str, Field]
    settings: tuple[tuple[str, str], ...] = ()
    declared: bool = False
    notes: tuple[Note, ...] = field(default=())

    @property
    def measures(self) -> bool:
        """Whether a column holds a time, a rate or a pair of draft counts."""
        drafted = "n_draft" in self.fields and "n_accepted" in self.fields
        return drafted or any(name in self.fields for name in MEASURED)

    @property
    def tells_apart(self) -> bool:
        """Whether a column says which run, arm or prompt a row is of."""
        told = ("run", "repetition", "arm", "prompt", "workload")
        return any(name in self.fields for name in told)


def _key(column: str) -> str:
    return _BLANKS.sub("_", column.strip().lower())


def unit_in(column: str) -> tuple[str, float | None]:
    """Split the unit off the name of a column of times.

    Parameters
    ----------
    column : str
        Such as ``ttft_ms``, ``TTFT (ms)`` or ``latency [s]``.

    Returns
    -------
    base : str
        The name without unit, lower case.
    scale : float or None
        Seconds in the unit; None where the name has none.
    """
    found = _BRACKETS.fullmatch(column.strip())
    if found is not None:
        scale = _SECONDS.get(found[2].strip().lower())
        return (_key(found[1]), scale) if scale is not None else (_key(column), None)
    base, _, last = _key(column).rpartition("_")
    scale = _SECONDS.get(last) if base else None
    return (_key(column), None) if scale is None else (base, scale)


def _known(column: str) -> tuple[str, float] | None:
    """Return canonical name and scale of a column; None if it is not known."""
    key = _key(column)
    if key in _ALIASES:
        return _ALIASES[key], 1.0
    found = _BRACKETS.fullmatch(column.strip())
    bracket = found[2].strip().lower() if found is not None else ""
    base = _key(found[1]) if found is not None else key.rpartition("_")[0]
    if bracket in _RATE_UNITS:
        name = _RATE_BASES.get(base)
        return None if name is None else (name, 1.0)
    if bracket in _PERCENT or (not found and key.rpartition("_")[2] in _PERCENT):
        known = _ALIASES.get(base) or _ALIASES.get(f"{base}_rate")
        return ("acceptance_rate", 0.01) if known == "acceptance_rate" else None
    base, scale = unit_in(column)
    name = None if scale is None else _TIME_ALIASES.get(base)
    return None if name is None or scale is None else (name, scale)


def plan_of(columns: Sequence[str]) -> Plan | None:
    """Recognise the columns of a table by their names.

    Parameters
    ----------
    columns : sequence of str
        The header.

    Returns
    -------
    Plan or None
        None where the table is that of another format, or nothing in it is known to
        be measured.
    """
    keys = [_key(column) for column in columns]
    if not _FOREIGN.isdisjoint(keys):
        return None
    fields: dict[str, Field] = {}
    notes: list[Note] = []
    settings: list[tuple[str, str]] = []
    for column, key in zip(columns, keys, strict=True):
        known = _known(column)
        if known is not None:
            name, scale = known
            if name in fields:
                notes.append(_second(name, column, fields[name].column))
            else:
                fields[name] = Field(column, scale)
        elif key in _TELLS_TIME:
            notes.append(_no_unit(column))
        elif key in _CONFIG or key.startswith(("cfg.", "id.")):
            settings.append((column, key if "." in key else f"cfg.{key}"))
        elif key in _IDENTITY:
            settings.append((column, f"id.{key}"))
    plan = Plan(fields=fields, settings=tuple(settings))
    if not (plan.measures and plan.tells_apart):
        return None
    notes.extend(_boundary(fields))
    return Plan(fields=fields, settings=tuple(settings), notes=tuple(notes))


def _second(name: str, column: str, first: str) -> Note:
    return Note(
        code="SPS011",
        message=f"{column!r} was not read: {first!r} is taken as {name}",
        remedy=f"say which: columns={{{name!r}: ...}} (--columns {name}=COLUMN)",
    )


def _no_unit(column: str) -> Note:
    name = _TIME_ALIASES[_key(column)]
    return Note(
        code="SPS010",
        message=f"{column!r} was not read: nothing tells its unit",
        observed=column,
        required=f"a unit in the name, such as {name}_ms or {name}_s",
        remedy=f"say it: columns={{'{name}_ms': {column!r}}} "
        f"(--columns {name}_ms={column})",
    )


def _boundary(fields: Iterable[str]) -> Iterable[Note]:
    named = list(fields)
    what = "nothing in the table names a launch of the server"
    if "run" in named:
        what = "nothing tells whether a run is a launch of the server or a repeat"
    yield Note(
        code="SPS012",
        message=f"{what}: its rows count as one run an arm",
        remedy="declare the column of launches: columns={'run': COLUMN, ...} "
        "(--columns run=COLUMN)",
    )
