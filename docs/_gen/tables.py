"""The page of the canonical tables, from `specstats.schema`; made by the build."""

from __future__ import annotations

from specstats.schema import TABLES

__all__ = ["markdown"]

_HEAD = """\
# Tables

Everything that specstats reads becomes rows of these tables, one row an observation. SI
units inside: `_s` means seconds, `_tps` tokens per second. Every value may be missing;
missing is null, never 0 and never NaN.

`specstats convert --to parquet|jsonl|csv` writes them, `bench.to_frame()` and
`bench.runs_frame()` give them as pandas frames. A JSONL file begins with a header line
`{"specstats.table": "requests", "version": 1}`; in its rows, `run`, `prompt`, `repeat`
and `condition` are short for `run_id`, `prompt_id`, `repetition` and `arm`, and keys
that begin with `cfg.` or `id.` become settings and identities.
"""


def markdown() -> str:
    """Return the page."""
    lines = [_HEAD]
    for table in TABLES.values():
        lines += [f"## {table.name}", "", table.meaning, ""]
        lines += ["| column | type | unit | meaning |", "|---|---|---|---|"]
        lines += [
            f"| `{column.name}` | {column.kind} | {column.unit} | {column.meaning} |"
            for column in table.columns
        ]
        lines.append("")
    return "\n".join(lines)
