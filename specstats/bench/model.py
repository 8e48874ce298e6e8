"""The bench: everything that was read, in canonical tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from specstats.schema import TABLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import pandas as pd
    import pyarrow as pa
    from numpy.typing import NDArray

    from specstats.diagnostics import Findings
    from specstats.layout import Study

__all__ = ["Bench", "Boundary", "InputFile", "Levels", "Run"]

Boundary = Literal["proved", "declared", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InputFile:
    """One artifact that was read.

    Attributes
    ----------
    path : str
        Display name.
    sha256 : str
        Digest of the bytes.
    format : str
        Name of the reader.
    producer : str or None
        Build or version that wrote it, where the artifact says so.
    entries, parsed : int
        Entries met and entries that gave rows.
    failed_requests : int
        Requests that the engine did not answer.
    run_boundary : {"proved", "declared", "unknown"} or None
        How its launches are known; None for files without requests.
    """

    path: str
    sha256: str
    format: str
    producer: str | None
    entries: int
    parsed: int
    failed_requests: int
    run_boundary: Boundary | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One launch of a server or benchmark process.

    Attributes
    ----------
    run_id : str
        Name, unique in the bench.
    arm : str
        Level of the setting under test.
    block : str or None
        Declared session or day.
    boundary : {"proved", "declared", "unknown"}
        How the launch is known.
    declared_by : str or None
        What declared it: ``layout``, ``manifest``, ``run-per-file`` or ``rows``.
    order : float or None
        Place in the schedule.
    started_s : float or None
        Unix time of the first sign of life.
    settings : mapping
        Settings (``cfg.*``) and identities (``id.*``) that hold for all its requests.
    varying : mapping
        Those that do not, with the values met.
    processes : tuple of str
        Proved processes among its requests.
    sources : tuple of str
        Files that its requests come from.
    n_requests, n_failed : int
        Requests, and those not answered.
    first_cached : int or None
        Cached prompt tokens of its first request.
    """

    run_id: str
    arm: str
    block: str | None
    boundary: Boundary
    declared_by: str | None
    order: float | None
    started_s: float | None
    settings: Mapping[str, object]
    varying: Mapping[str, tuple[object, ...]]
    processes: tuple[str, ...]
    sources: tuple[str, ...]
    n_requests: int
    n_failed: int
    first_cached: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """A column as codes into its distinct values.

    Attributes
    ----------
    codes : ndarray of int, shape (rows,)
        Place in `values`; cannot be written to.
    values : tuple
        Distinct values in order of first appearance.
    """

    codes: NDArray[np.intp]
    values: tuple[object, ...]


@dataclass(frozen=True, kw_only=True)
class Bench:
    """Everything that was read.

    Attributes
    ----------
    columns : mapping
        For each canonical table, its columns as lists, None where missing.
    runs : tuple of Run
        Launches in order of first appearance.
    inputs : tuple of InputFile
        Artifacts that were read.
    findings : Findings
        What went wrong or was inferred while reading.
    study : Study or None
        Manifest that was used.
    order_from : str or None
        Where launch order comes from: ``declared``, ``time``, ``run names``.
    """

    columns: Mapping[str, Mapping[str, list[object]]] = field(repr=False)
    runs: tuple[Run, ...]
    inputs: tuple[InputFile, ...]
    findings: Findings
    study: Study | None = None
    order_from: str | None = None
    _tables: dict[str, pa.Table] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _numbers: dict[str, NDArray[np.float64]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _levels: dict[str, Levels] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def arms(self) -> tuple[str, ...]:
        """Arms in order of first appearance."""
        names = [run.arm for run in self.runs]
        for table in ("counters", "aggregates"):
            names.extend(map(str, self.column(table, "arm")))
        return tuple(dict.fromkeys(names))

    @property
    def requests(self) -> pa.Table:
        """Requests as an Arrow table."""
        return self._table("requests")

    @property
    def steps(self) -> pa.Table:
        """Speculative steps as an Arrow table."""
        return self._table("steps")

    @property
    def counters(self) -> pa.Table:
        """What processes counted over stretches of time, as an Arrow table."""
        return self._table("counters")

    @property
    def telemetry(self) -> pa.Table:
        """Device samples as an Arrow table."""
        return self._table("telemetry")

    @property
    def aggregates(self) -> pa.Table:
        """Numbers printed instead of single values, as an Arrow table."""
        return self._table("aggregates")

    def _table(self, name: str) -> pa.Table:
        import pyarrow as pa

        if name not in self._tables:
            self._tables[name] = pa.table(
                dict(self.columns[name]), schema=TABLES[name].arrow_schema()
            )
        return self._tables[name]

    def column(self, table: str, name: str) -> list[object]:
        """Return a column as Python values, None where missing.

        Parameters
        ----------
        table : str
            Name of a canonical table.
        name : str
            Column name.

        Returns
        -------
        list
            One value a row; do not change it.
        """
        return self.columns[table][name]

    def numbers(self, name: str) -> NDArray[np.float64]:
        """Return a numeric column of the requests, NaN where missing.

        Parameters
        ----------
        name : str
            Column name.

        Returns
        -------
        ndarray of float, shape (requests,)
            Values in the unit of the column; they cannot be written to.
        """
        import numpy as np

        if name not in self._numbers:
            found = np.array(self.column("requests", name), dtype=np.float64)
            found.setflags(write=False)
            self._numbers[name] = found
        return self._numbers[name]

    def levels(self, name: str) -> Levels:
        """Return a column of the requests as codes into its distinct values.

        Parameters
        ----------
        name : str
            Column name.

        Returns
        -------
        Levels
            Values in order of first appearance, None among them where missing.
        """
        import numpy as np

        if name not in self._levels:
            column = self.column("requests", name)
            values = tuple(dict.fromkeys(column))
            place = {value: code for code, value in enumerate(values)}
            codes = np.fromiter(map(place.__getitem__, column), np.intp, len(column))
            codes.setflags(write=False)
            self._levels[name] = Levels(codes=codes, values=values)
        return self._levels[name]

    def to_frame(self) -> pd.DataFrame:
        """Return the requests as a pandas frame.

        Returns
        -------
        pandas.DataFrame
            One row a request, columns as in ``schema.REQUESTS``.
        """
        frame: pd.DataFrame = self.requests.to_pandas()
        return frame

    def runs_frame(self) -> pd.DataFrame:
        """Return the launches as a pandas frame.

        Returns
        -------
        pandas.DataFrame
            One row a run; settings as columns ``cfg.*`` and ``id.*``.
        """
        import pandas as pd

        return pd.DataFrame(
            [
                {
                    "run_id": run.run_id,
                    "arm": run.arm,
                    "block": run.block,
                    "boundary": run.boundary,
                    "order": run.order,
                    "started_s": run.started_s,
                    "n_requests": run.n_requests,
                    "n_failed": run.n_failed,
                    **run.settings,
                }
                for run in self.runs
            ]
        )

    def __repr__(self) -> str:
        requests = len(self.column("requests", "run_id"))
        return (
            f"Bench({len(self.arms)} arms, {len(self.runs)} runs, "
            f"{requests} requests, {len(self.inputs)} files, "
            f"{len(self.findings)} findings)"
        )
