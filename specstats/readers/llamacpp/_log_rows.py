"""Rows of the canonical tables from what a llama-server log told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._base import Batch, Row, Trouble
from specstats.schema import TABLES

if TYPE_CHECKING:
    from specstats.readers.llamacpp._log_launch import Launch
    from specstats.readers.llamacpp._log_request import Pending
    from specstats.readers.llamacpp._log_statistics import Reading
    from specstats.source import Source

__all__ = ["Output"]

_MILLI = 1e-3


class Output:
    """Where rows and findings of a log go."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.batch = Batch()
        self.trouble = Trouble(source)
        self.rows = 0
        self._rows: dict[str, list[Row]] = {}
        self._digest: str | None = None

    def _add(self, table: str, row: Row) -> None:
        self._rows.setdefault(table, []).append(row)
        self.rows += 1

    def hand_over(self) -> Batch:
        """Return the rows so far and begin anew."""
        done, self.batch = self.batch, Batch()
        for table, rows in self._rows.items():
            used = set().union(*rows)
            done.tables[table] = {
                name: [row.get(name) for row in rows]
                if name in used
                else [None] * len(rows)
                for name in TABLES[table].names
            }
        self._rows, self.rows = {}, 0
        return done

    def note(self, code: str, line: int, message: str, **details: str) -> None:
        """Add a finding at a line."""
        self.trouble.note(self.batch, code, line, message, **details)

    def skip(self, line: int, why: str) -> None:
        """Say that an entry could not be used."""
        self.note("SPS002", line, f"entry skipped: {why}")

    def add_request(self, pending: Pending, launch: Launch) -> None:
        """Add an answered request with its steps."""
        row = self._row(pending, launch)
        self._add("requests", row)
        self.batch.parsed += 1
        launch.served += 1
        shared = {"source": row["source"], "entry": row["entry"]}
        for step in pending.step_rows(shared):
            self._add("steps", step)
        self._add_positions(pending, row)
        if pending.n_draft:
            self._warn_of_acceptance(pending, launch)

    def add_failed(
        self, launch: Launch, line: int, task: str | None, message: str
    ) -> None:
        """Add a refused request."""
        launch.refused += 1
        self.batch.entries += 1
        self.batch.parsed += 1
        self._add(
            "requests",
            {
                "source": self.source.name,
                "entry": line,
                "process": self._process(launch),
                "request_id": task,
                "ok": False,
                "error": message,
                "settings": launch.settings_text(),
            },
        )

    def add_counters(
        self,
        line: int,
        reading: Reading,
        before: tuple[int, ...] | None,
        launch: Launch,
    ) -> None:
        """Add what an implementation counted since the reading before."""
        first = before is None
        lifetime = first and not launch.from_start
        # One lifetime a process: readings of two implementations are no succession.
        alone = not lifetime or len(launch.counted) == 1
        self._add(
            "counters",
            {
                "source": self.source.name,
                "entry": line,
                "process": self._process(launch) if alone else None,
                "scope": "lifetime" if lifetime else "delta",
                "settings": launch.settings_text(statistics=reading.name),
                **reading.since(before),
            },
        )

    def _process(self, launch: Launch) -> str | None:
        if not launch.proved:
            return None
        if self._digest is None:
            self._digest = self.source.sha256[:12]
        return f"{self._digest}#{launch.number}"

    def _row(self, pending: Pending, launch: Launch) -> Row:
        line = pending.line
        for message, observed, required in pending.problems():
            self.note("SPS006", line, message, observed=observed, required=required)
        convention, wrong = pending.convention(launch.convention)
        if wrong is not None:
            self.note(
                "SPS006",
                line,
                "the printed decode rate times the decode time gives another token "
                "count",
                observed=f"{wrong:.4g} tokens",
                required=f"{pending.n_output} or {(pending.n_output or 0) - 1}",
            )
        launch.convention = convention or launch.convention
        cached = pending.n_cached
        if cached is not None:
            cached = cached - pending.n_prompt if pending.n_prompt is not None else -1
        answered = self._check_answer(pending)
        return {
            "source": self.source.name,
            "entry": line,
            "process": self._process(launch),
            "request_id": pending.task,
            "ended_s": pending.ended_s,
            "ok": True,
            "n_cached": cached if cached is not None and cached >= 0 else None,
            "n_prompt": pending.n_prompt,
            "prompt_s": self._seconds(pending.prompt_ms, line, "prompt eval time"),
            "n_output": pending.n_output,
            "decode_s": self._seconds(pending.decode_ms, line, "eval time")
            if answered
            else None,
            "engine_rate_tps": pending.rate if answered and pending.rate else None,
            "rate_convention": convention if answered else None,
            "n_draft": pending.n_draft,
            "n_accepted": pending.n_accepted,
            "n_steps": pending.n_steps(),
            "settings": launch.settings_text(),
        }

    def _check_answer(self, pending: Pending) -> bool:
        """Whether more than one token was generated, so that there is a decode time."""
        if pending.n_output is None and pending.n_prompt is not None:
            self.note(
                "SPS002",
                pending.line,
                "the request has no eval time line: only its prompt was read",
                remedy="the log may have been cut off here",
            )
        if pending.n_output == 0:
            self.note(
                "SPS007",
                pending.line,
                "a request ended without one output token: it has no decode time",
                observed="0 tokens",
                required="1 token or more",
            )
        return (pending.n_output or 0) > 1

    def _seconds(self, value: float | None, line: int, name: str) -> float | None:
        if value is None:
            return None
        if value < 0:
            self.note(
                "SPS006",
                line,
                f"{name} is negative: the time is not used",
                observed=f"{value:.6g} ms",
                required="0 ms or more",
            )
            return None
        return value * _MILLI

    def _add_positions(self, pending: Pending, row: Row) -> None:
        steps = row["n_steps"]
        if pending.mean_length is not None and steps is None:
            self._add_aggregate(row, "mean_accepted_length", pending.mean_length)
        for position, rate in enumerate(pending.positions):
            self._add_aggregate(
                row, f"acceptance_rate_at_position_{position}", rate, n=steps
            )

    def _add_aggregate(
        self, row: Row, metric: str, value: float, n: object = None
    ) -> None:
        shared = {
            name: row[name] for name in ("source", "entry", "process", "settings")
        }
        self._add(
            "aggregates",
            {
                **shared,
                "prompt_id": None
                if row["request_id"] is None
                else f"task {row['request_id']}",
                "metric": metric,
                "unit": "1",
                "statistic": "mean" if metric.startswith("mean") else "rate",
                "value": value,
                "n": n,
                "scope": "request",
                "definition": "over verify steps; the bonus token is included"
                if metric.startswith("mean")
                else "steps that accepted the token, over all verify steps",
            },
        )

    def _warn_of_acceptance(self, pending: Pending, launch: Launch) -> None:
        launch.drafted += 1
        if launch.drafted > 1:
            return
        if launch.synthetic:
            self.note(
                "SPS309",
                pending.line,
                "the server accepts drafts at a configured rate: its acceptance and "
                "its output measure nothing",
                remedy="start it without --spec-synthetic-acceptance options",
            )
        if launch.checkpoints and launch.convention != "n-1":
            self.note(
                "SPS308",
                pending.line,
                "the server restores checkpoints, and builds before August 2026 then "
                "count the target's own token as an accepted draft: the acceptance "
                "may be too high by one token a restore",
                remedy="repeat it with a build from August 2026 or later",
            )
