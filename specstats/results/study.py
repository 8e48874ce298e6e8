"""The summary of a whole study, and its JSON report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from specstats.results import jsonable

if TYPE_CHECKING:
    import pandas as pd

    from specstats.bench import InputFile
    from specstats.diagnostics import Findings
    from specstats.results.arm import ArmSummary, DeterminismRow
    from specstats.results.comparison import Comparison
    from specstats.results.decomposition import Decomposition
    from specstats.results.noise_floor import NoiseFloor
    from specstats.results.ranking import Ranking

__all__ = ["StudySummary"]

SCHEMA = "specstats.report/1"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class StudySummary:
    """Everything that `summarize` says of a study.

    Attributes
    ----------
    title : str or None
        Title in the manifest.
    version : str
        Version of specstats.
    inputs : tuple of InputFile
        Artifacts read.
    arms : tuple of ArmSummary
        Arms in order of first appearance.
    controls : tuple of Comparison
        Arms declared identical, compared first.
    noise_floor : NoiseFloor or None
        From the controls.
    comparisons : tuple of Comparison
        Headline and further scopes of every pair and metric.
    rankings : tuple of Ranking
        All pairs of three arms or more, one a metric (and workload).
    not_ranked : int
        Arms that are too many to be ranked without being asked; 0 otherwise.
    shows_pairs : bool
        Whether reports show every pair.
    decompositions : tuple of Decomposition
        Tokens per step and steps per second behind decode rates, where known.
    determinism : tuple of DeterminismRow
        Outputs of each arm and prompt.
    findings : Findings
        All findings, those of comparisons included.
    """

    title: str | None
    version: str
    inputs: tuple[InputFile, ...]
    arms: tuple[ArmSummary, ...]
    controls: tuple[Comparison, ...]
    noise_floor: NoiseFloor | None
    comparisons: tuple[Comparison, ...]
    determinism: tuple[DeterminismRow, ...]
    findings: Findings
    rankings: tuple[Ranking, ...] = ()
    not_ranked: int = 0
    shows_pairs: bool = False
    decompositions: tuple[Decomposition, ...] = ()

    @property
    def headlines(self) -> tuple[Comparison, ...]:
        """The one entry to quote of every pair and metric."""
        return tuple(item for item in self.comparisons if item.headline)

    def __str__(self) -> str:
        told = [item.sentence for item in self.headlines]
        told = told or [f"{len(self.arms)} arms, nothing compared."]
        more = "specstats.report.to_text(study) tells all."
        return "\n".join([*told, more])

    def __repr__(self) -> str:
        return (
            f"StudySummary({len(self.arms)} arms, {len(self.comparisons)} comparisons, "
            f"{len(self.findings)} findings)"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return the comparisons as a pandas frame, one row each.

        Returns
        -------
        pandas.DataFrame
            Columns as the keys of a comparison in the JSON report, launches as
            ``n_runs_baseline`` and ``n_runs_candidate``.
        """
        import pandas as pd

        rows = []
        for item in self.comparisons:
            row = jsonable.comparison(item)
            for nested in (
                *("n_runs", "aa_band", "leave_one_out", "difference", "needs"),
                "estimands",
            ):
                row.pop(nested)
            row["n_runs_baseline"] = item.n_runs_baseline
            row["n_runs_candidate"] = item.n_runs_candidate
            row["findings"] = " ".join(item.findings.codes)
            rows.append(row)
        return pd.DataFrame(rows)

    def to_dict(self) -> dict[str, object]:
        """Return the JSON report.

        Returns
        -------
        dict
            Keys as in the schema ``specstats.report/1``; missing is None.
        """
        floor = self.noise_floor
        return {
            "schema": SCHEMA,
            "specstats_version": self.version,
            "title": self.title,
            "inputs": [jsonable.input_file(item) for item in self.inputs],
            "arms": [jsonable.arm(item) for item in self.arms],
            "controls": [jsonable.comparison(item) for item in self.controls],
            "noise_floor": None
            if floor is None
            else {"ratio": floor.ratio, "from": list(floor.controls)},
            "comparisons": [jsonable.comparison(item) for item in self.comparisons],
            "rankings": [jsonable.ranking(item) for item in self.rankings],
            "decompositions": [
                jsonable.decomposition(item) for item in self.decompositions
            ],
            "determinism": [jsonable.determinism(item) for item in self.determinism],
            "findings": [item.to_dict() for item in self.findings],
        }
