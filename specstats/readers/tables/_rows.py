"""From the cells of a plain table to rows."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from specstats.readers._base import Trouble, located
from specstats.readers._json import number, scalar, text, whole
from specstats.readers._text import real_in
from specstats.readers.tables._agreement import contradictions, rate_convention
from specstats.readers.tables._load import add_load

if TYPE_CHECKING:
    from collections.abc import Mapping

    from specstats.readers._base import Batch, Row
    from specstats.readers.tables._aliases import Plan
    from specstats.source import Source

    Values = dict[str, float | None]

__all__ = ["ROWS_A_BATCH", "TableRows"]

ROWS_A_BATCH = 20_000
_MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "--"})
_GOOD = frozenset(
    [
        "ok",
        "true",
        "yes",
        "1",
        "1.0",
        "200",
        "success",
        "succeeded",
        "pass",
        "passed",
        "done",
    ]
)
_BAD = frozenset(
    [
        "false",
        "no",
        "0",
        "0.0",
        "fail",
        "failed",
        "failure",
        "error",
        "timeout",
        "oom",
        "crash",
    ]
)
_EPOCH = (1e9, 4.2e9)
_COUNT_NAMES = ("n_output", "n_prompt", "n_cached", "n_draft", "n_accepted", "n_steps")
_TIME_COLUMNS = {"ttft": "ttft_s", "e2e": "e2e_s", "decode": "decode_s"}
_NUMERIC = re.compile(r"[-+]?\d{1,18}(?:\.\d{1,18})?", re.ASCII)
_FAR = 0.02
_LONGEST = 200


class TableRows:
    """Turns rows of cells into rows of the canonical tables."""

    def __init__(self, source: Source, plan: Plan) -> None:
        self._source = source
        self._plan = plan
        self._turns: dict[tuple[object, ...], int] = {}
        self._said_notes = False
        self._said_prefill = False
        self.trouble = Trouble(source)

    def add(self, batch: Batch, entry: int, cells: Mapping[str, object]) -> None:
        """Read one row of cells.

        Parameters
        ----------
        batch : Batch
            Where rows, counts and findings go.
        entry : int
            Line or row number, from 1.
        cells : mapping of str to object
            Cells by column: text, or values of JSON or Arrow.
        """
        self.say_notes(batch)
        batch.entries += 1
        status = self._status(cells)
        if status is None:
            shown = self._text("ok", cells)
            self.skip(batch, entry, f"status {shown!r} is neither ok nor failed")
            return
        row = self._shared(entry, cells)
        if status is False:
            why = self._text("error", cells) or self._text("ok", cells)
            self.trouble.note(batch, "SPS007", entry, f"the row says it failed: {why}")
            row["repetition"] = self._repetition(row, cells)
            batch.add("requests", {**row, "ok": False, "error": why or "failed"})
            batch.parsed += 1
            return
        values = self._values(batch, entry, cells)
        if not _measured(values):
            self.skip(batch, entry, "nothing measured can be read")
            return
        row["repetition"] = self._repetition(row, cells)
        requests = values.get("requests")
        if requests is not None and requests > 1:
            self._say_prefill(batch, entry, values)
            k = number(scalar(self._setting(cells, "k")))
            add_load(batch, row, values, k, declared=self._plan.declared)
        else:
            self._add_request(batch, entry, row, values)
        batch.parsed += 1

    def say_notes(self, batch: Batch) -> None:
        """Say once what is to be said of the columns."""
        if self._said_notes:
            return
        self._said_notes = True
        for note in self._plan.notes:
            batch.findings.append(
                located(
                    note.code,
                    self._source.name,
                    note.message,
                    observed=note.observed,
                    required=note.required,
                    remedy=note.remedy,
                )
            )

    def skip(self, batch: Batch, entry: int, why: str) -> None:
        """Note a row that cannot be used."""
        self.trouble.note(batch, "SPS002", entry, f"row skipped: {why}")

    def _cell(self, name: str, cells: Mapping[str, object]) -> object:
        field = self._plan.fields.get(name)
        return None if field is None else cells.get(field.column)

    def _text(self, name: str, cells: Mapping[str, object]) -> str | None:
        return _plain(self._cell(name, cells))

    def _setting(self, cells: Mapping[str, object], name: str) -> object:
        for column, key in self._plan.settings:
            if key == f"cfg.{name}":
                return _typed(cells.get(column))
        return None

    def _status(self, cells: Mapping[str, object]) -> bool | None:
        if self._text("error", cells):
            return False
        told = self._cell("ok", cells)
        shown = _plain(told)
        if isinstance(told, bool):
            return told
        if shown is None or shown.lower() in _GOOD:
            return True
        return False if shown.lower() in _BAD else None

    def _shared(self, entry: int, cells: Mapping[str, object]) -> Row:
        phase = (self._text("phase", cells) or "").lower().replace("-", "")
        order = self._cell("order", cells)
        row: Row = {
            "source": self._source.name,
            "entry": entry,
            "arm": self._text("arm", cells),
            "block": self._text("block", cells),
            "workload": self._text("workload", cells),
            "prompt_id": self._text("prompt", cells),
            "request_id": self._text("request", cells),
            "finish_reason": self._text("finish_reason", cells),
            "phase": "warmup" if phase.startswith("warmup") else None,
            "order": real_in(order) if isinstance(order, str) else number(order),
            "started_s": _started(self._cell("started", cells)),
            "run_boundary": "unknown",
            "settings": self._settings(cells),
        }
        run = self._text("run", cells)
        if self._plan.declared and run is not None:
            row["run_id"], row["run_boundary"] = run, "declared"
        return row

    def _settings(self, cells: Mapping[str, object]) -> str | None:
        told: dict[str, object] = {}
        for column, key in self._plan.settings:
            value = _typed(cells.get(column))
            if key.startswith("id.model") and isinstance(value, str):
                value = value.replace("\\", "/").rsplit("/", maxsplit=1)[-1]
            if value is not None:
                told[key] = value
        return json.dumps(told, sort_keys=True) if told else None

    def _repetition(self, row: Row, cells: Mapping[str, object]) -> int:
        """Return the number of the repeat: as told, else in order."""
        names = ("repetition",) if self._plan.declared else ("repetition", "run")
        for name in names:
            told = _real(self._cell(name, cells))
            if told is not None and whole(told) is not None:
                return int(told)
        key = tuple(
            row.get(name) for name in ("run_id", "arm", "workload", "prompt_id")
        )
        turn = self._turns.get(key, 0)
        self._turns[key] = turn + 1
        return turn

    def _values(self, batch: Batch, entry: int, cells: Mapping[str, object]) -> Values:
        values: Values = {}
        for name, field in self._plan.fields.items():
            if name in _TEXTS:
                continue
            cell = cells.get(field.column)
            if _plain(cell) is None and not isinstance(cell, int | float | list | dict):
                continue
            value = _real(cell)
            problem = _problem(name, value)
            if problem is not None or value is None:
                shown = (_plain(cell) or str(type(cell).__name__))[:40]
                self.trouble.note(
                    batch,
                    "SPS002",
                    entry,
                    f"cell not read: {field.column} {shown!r} {problem}",
                    remedy="write plain numbers with a point, no thousands separators "
                    "and no unit",
                )
                continue
            values[name] = value * field.scale
        share = values.get("acceptance_rate")
        if share is not None and share > 1:
            self._suspect(batch, entry, "acceptance_rate", share, "a fraction")
            values["acceptance_rate"] = None
        return values

    def _suspect(
        self, batch: Batch, entry: int, name: str, value: float, wanted: str
    ) -> None:
        column = self._plan.fields[name].column
        self.trouble.note(
            batch,
            "SPS010",
            entry,
            f"{column} does not look like {wanted}, and was not read",
            observed=f"{value:.6g}",
            required=wanted,
            remedy="say the unit in the name of the column",
        )

    def _add_request(self, batch: Batch, entry: int, row: Row, values: Values) -> None:
        rate = values.get("decode_rate") or values.get("output_throughput")
        row["ok"], row["engine_rate_tps"] = True, rate
        for name in _COUNT_NAMES:
            count = values.get(name)
            row[name] = None if count is None else int(count)
        for name, column in {**_TIME_COLUMNS, "prefill": "prompt_s"}.items():
            row[column] = values.get(name)
        row["rate_convention"] = rate_convention(values, rate)
        for code, what, observed, required in contradictions(values, rate):
            self.trouble.note(
                batch, code, entry, what, observed=observed, required=required
            )
        batch.add("requests", row)
        for aggregate in _shares(values):
            batch.add("aggregates", {**row, **aggregate, "scope": "request"})

    def _say_prefill(self, batch: Batch, entry: int, values: Values) -> None:
        rate, tokens = values.get("decode_rate"), values.get("n_output")
        seconds = values.get("duration")
        if self._said_prefill or not (rate and tokens and seconds):
            return
        self._said_prefill = True
        if abs(rate * seconds / tokens - 1) <= _FAR:
            batch.findings.append(
                located(
                    "SPS012",
                    f"{self._source.name}:{entry}",
                    f"{self._plan.fields['decode_rate'].column} is tokens over the "
                    "time of the whole load: prompt processing is in it",
                    remedy="read it as output throughput, not as decode rate",
                )
            )


_TEXTS = frozenset(
    (
        *("run", "repetition", "arm", "block", "workload", "prompt", "request"),
        *("phase", "order", "ok", "error", "started", "finish_reason"),
    )
)


def _plain(cell: object) -> str | None:
    shown = text(cell) if not isinstance(cell, bool) else str(cell).lower()
    if shown is None or shown.strip().lower() in _MISSING:
        return None
    return shown.strip()[:_LONGEST]


def _real(cell: object) -> float | None:
    return real_in(cell) if isinstance(cell, str) else number(cell)


def _typed(cell: object) -> object:
    """Return a setting: numbers that are written as text as numbers."""
    shown = _plain(cell)
    if not isinstance(cell, str) or shown is None:
        return scalar(cell) if shown is not None else None
    if _NUMERIC.fullmatch(shown):
        return int(shown) if shown.lstrip("+-").isdigit() else float(shown)
    return shown


def _problem(name: str, value: float | None) -> str | None:
    if value is None:
        return "is no number"
    if name in _COUNT_NAMES or name == "requests":
        return None if whole(value) is not None else "is no count"
    if name == "acceptance_rate":
        return None if value >= 0 else "is below 0"
    return None if value > 0 else "is not above 0"


def _measured(values: Values) -> bool:
    if values.get("n_draft") is not None and values.get("n_accepted") is not None:
        return True
    names = ("decode_rate", "output_throughput", "ttft", "e2e", "decode", "prefill")
    return any(values.get(name) is not None for name in names)


def _started(cell: object) -> float | None:
    real = _real(cell)
    if real is not None:
        return real if _EPOCH[0] <= real <= _EPOCH[1] else None
    if isinstance(cell, datetime):
        moment = cell
    else:
        try:
            moment = datetime.fromisoformat(_plain(cell) or "")
        except ValueError:
            return None
    try:
        return None if moment.tzinfo is None else moment.astimezone(UTC).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def _shares(values: Values) -> list[Row]:
    found: list[Row] = []
    for name, unit, statistic in (
        ("acceptance_rate", "1", "ratio"),
        ("mean_accepted_length", "tokens", "mean"),
    ):
        value = values.get(name)
        if value is not None:
            found.append(
                {
                    "metric": name,
                    "unit": unit,
                    "statistic": statistic,
                    "value": value,
                    "definition": "as the table has it; bonus token not told",
                }
            )
    return found
