"""The canonical tables: names, types, units and meaning of every column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "AGGREGATES",
    "COUNTERS",
    "REQUESTS",
    "STEPS",
    "TABLES",
    "TELEMETRY",
    "Column",
    "Table",
]

Kind = Literal["string", "int", "float", "bool"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a canonical table.

    Attributes
    ----------
    name : str
        Column name; the suffix ``_s`` means seconds and ``_tps`` tokens per second.
    kind : {"string", "int", "float", "bool"}
        Type of the values; every column may be missing (null).
    unit : str
        Unit, or an empty string.
    meaning : str
        Definition in one sentence.
    """

    name: str
    kind: Kind
    unit: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Table:
    """Declaration of a canonical table.

    Attributes
    ----------
    name : str
        Name of the table.
    meaning : str
        What a row is.
    columns : tuple of Column
        Columns in order.
    """

    name: str
    meaning: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Column names in order."""
        return tuple(column.name for column in self.columns)

    def arrow_schema(self) -> pa.Schema:
        """Return the Arrow schema, units and meanings in its field metadata.

        Returns
        -------
        pyarrow.Schema
            One nullable field a column.
        """
        import pyarrow as pa

        kinds = {
            "string": pa.string(),
            "int": pa.int64(),
            "float": pa.float64(),
            "bool": pa.bool_(),
        }
        return pa.schema(
            [
                pa.field(
                    column.name,
                    kinds[column.kind],
                    metadata={"unit": column.unit, "meaning": column.meaning},
                )
                for column in self.columns
            ],
            metadata={"specstats.table": self.name, "specstats.version": "1"},
        )


_PLACE = (
    Column("source", "string", "", "Display name of the artifact."),
    Column("entry", "int", "", "Line or entry number in the artifact, from 1."),
)

REQUESTS = Table(
    "requests",
    "One submission of a prompt, or one sample of a benchmark process.",
    (
        *_PLACE,
        Column("run_id", "string", "", "The launch that served it."),
        Column("arm", "string", "", "Level of the setting under test."),
        Column("block", "string", "", "Session or day that pairs the arms."),
        Column("workload", "string", "", "Group of prompts."),
        Column("prompt_id", "string", "", "The input text, by name."),
        Column("repetition", "int", "", "Number of the repeat of the prompt."),
        Column(
            "phase", "string", "", "'warmup' where the artifact says so, else missing."
        ),
        Column("process", "string", "", "Identity of the serving process, if proved."),
        Column("run_boundary", "string", "", "'proved', 'declared' or 'unknown'."),
        Column("order", "float", "", "Place of the launch in the schedule."),
        Column("request_id", "string", "", "Identifier that the engine gave."),
        Column("started_s", "float", "s", "Start of the request, Unix time."),
        Column("ended_s", "float", "s", "End of the request, Unix time."),
        Column("process_started_s", "float", "s", "Start of the process, Unix time."),
        Column("ok", "bool", "", "Whether the request was answered."),
        Column("error", "string", "", "What the engine said of a failed request."),
        Column("finish_reason", "string", "", "Why generation ended."),
        Column("n_cached", "int", "tokens", "Prompt tokens taken from the cache."),
        Column("n_prompt", "int", "tokens", "Prompt tokens processed, not cached."),
        Column("prompt_s", "float", "s", "Time of prompt processing."),
        Column("n_output", "int", "tokens", "Output tokens, the first included."),
        Column("decode_s", "float", "s", "Time of decoding."),
        Column("engine_rate_tps", "float", "tok/s", "Decode rate the engine printed."),
        Column(
            "rate_convention",
            "string",
            "",
            "Tokens in the engine's rate: 'n' (all) or 'n-1' (first left out).",
        ),
        Column("ttft_s", "float", "s", "Time to first token."),
        Column("e2e_s", "float", "s", "End-to-end latency."),
        Column("n_draft", "int", "tokens", "Draft tokens sent to verification."),
        Column("n_accepted", "int", "tokens", "Draft tokens accepted."),
        Column(
            "n_steps",
            "int",
            "steps",
            "Steps counted by the engine: verify steps where it drafts.",
        ),
        Column("output_sha256", "string", "", "SHA-256 of the output text, UTF-8."),
        Column("settings", "string", "", "Settings and identities as a JSON object."),
    ),
)

STEPS = Table(
    "steps",
    "One draft-verify cycle of a request.",
    (
        *_PLACE,
        Column("run_id", "string", "", "The launch that served it."),
        Column("step", "int", "", "Number of the step in its request, from 0."),
        Column("n_draft", "int", "tokens", "Draft tokens of the step."),
        Column("n_accepted", "int", "tokens", "Draft tokens accepted in the step."),
        Column("n_output", "int", "tokens", "Tokens of the step, bonus included."),
        Column("step_s", "float", "s", "Duration of the step."),
    ),
)

TELEMETRY = Table(
    "telemetry",
    "One sample of the device's state.",
    (
        *_PLACE,
        Column("arm", "string", "", "Arm it belongs to."),
        Column("run_id", "string", "", "Launch it belongs to."),
        Column("gpu", "string", "", "Device index, if the file has it."),
        Column("local_time_s", "float", "s", "Clock reading as if it were UTC."),
        Column("time_s", "float", "s", "Unix time, where the time zone is known."),
        Column("temperature_c", "float", "C", "Temperature of the device."),
        Column("power_w", "float", "W", "Board power."),
        Column("utilisation_pct", "float", "%", "Share of time that kernels ran."),
        Column("memory_mib", "float", "MiB", "Device memory in use."),
    ),
)

AGGREGATES = Table(
    "aggregates",
    "A number that an artifact gives instead of, or beside, single values.",
    (
        *_PLACE,
        Column("run_id", "string", "", "Launch it belongs to."),
        Column("arm", "string", "", "Arm it belongs to."),
        Column("block", "string", "", "Session or day."),
        Column("workload", "string", "", "Group of prompts."),
        Column("prompt_id", "string", "", "Test or prompt that it summarises."),
        Column("process", "string", "", "Identity of the serving process, if proved."),
        Column("metric", "string", "", "What was summarised."),
        Column("unit", "string", "", "Unit of the value."),
        Column(
            "statistic",
            "string",
            "",
            "'mean', 'median', 'p99', 'min', 'max', 'total', 'rate' (a count over the "
            "whole time), 'ratio', 'last' or 'value' (one measurement).",
        ),
        Column("value", "float", "", "The number as printed, in that unit."),
        Column("sd", "float", "", "The standard deviation beside a mean, as printed."),
        Column("n", "int", "", "How many values were summarised."),
        Column(
            "scope",
            "string",
            "",
            "Over what: 'request', 'window', 'run', 'lifetime' (of the process) or "
            "'runs'.",
        ),
        Column("definition", "string", "", "What the producer means by the metric."),
        Column("settings", "string", "", "Settings and identities as a JSON object."),
    ),
)

COUNTERS = Table(
    "counters",
    "What a process counted between two moments; never across a restart.",
    (
        *_PLACE,
        Column("run_id", "string", "", "Launch it belongs to."),
        Column("arm", "string", "", "Arm it belongs to."),
        Column("block", "string", "", "Session or day."),
        Column("workload", "string", "", "Group of prompts."),
        Column("prompt_id", "string", "", "Prompt or load that it covers."),
        Column("process", "string", "", "Identity of the serving process, if proved."),
        Column("run_boundary", "string", "", "'proved', 'declared' or 'unknown'."),
        Column(
            "scope",
            "string",
            "",
            "'window' (of a log), 'delta' (of two readings), 'run' (of a whole load) "
            "or 'lifetime' (since the process began).",
        ),
        Column("started_s", "float", "s", "Begin, Unix time."),
        Column("ended_s", "float", "s", "End, Unix time."),
        Column("duration_s", "float", "s", "Length of the stretch."),
        Column(
            "n_requests",
            "int",
            "requests",
            "Requests answered, to their first token at least.",
        ),
        Column("n_failed", "int", "requests", "Requests that failed."),
        Column("n_prompt", "int", "tokens", "Prompt tokens."),
        Column("n_output", "int", "tokens", "Output tokens."),
        Column("n_steps", "int", "steps", "Decode steps, drafted or not."),
        Column("n_verify", "int", "steps", "Steps in which a draft was verified."),
        Column("n_draft", "int", "tokens", "Draft tokens."),
        Column("n_accepted", "int", "tokens", "Draft tokens accepted, no bonus."),
        Column(
            "accepted_by_position",
            "string",
            "",
            "JSON list: verified steps that accepted more than i draft tokens.",
        ),
        Column("settings", "string", "", "Settings and identities as a JSON object."),
    ),
)

TABLES: dict[str, Table] = {
    table.name: table for table in (REQUESTS, STEPS, COUNTERS, AGGREGATES, TELEMETRY)
}
