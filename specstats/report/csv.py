"""The comparisons of a report as CSV."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from specstats.render.clean import clean_csv
from specstats.results import jsonable

if TYPE_CHECKING:
    from specstats.results import StudySummary

__all__ = ["to_csv"]

_COLUMNS = (
    *("role", "metric", "metric_unit", "baseline", "candidate", "workload"),
    *("headline", "scope", "verdict", "observed_ratio", "estimate", "std_error_log"),
    *("conf_low", "conf_high", "conf_level", "simultaneous_low", "simultaneous_high"),
    *("p_value", "p_holm", "family_size", "method", "unit", "df"),
    *("n_runs_baseline", "n_runs_candidate", "n_blocks", "n_prompts", "findings"),
)


def to_csv(study: StudySummary, /) -> str:
    """Render controls and comparisons of a study, one row each.

    Parameters
    ----------
    study : StudySummary
        The study.

    Returns
    -------
    str
        Numbers at full precision; missing is empty.

    Examples
    --------
    >>> import specstats
    >>> study = specstats.summarize(specstats.datasets.path("pascal-p5200"))
    >>> len(specstats.report.to_csv(study).splitlines())
    3
    """
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    rows = [("control", item) for item in study.controls]
    rows += [("comparison", item) for item in study.comparisons]
    for role, item in rows:
        values = jsonable.comparison(item)
        values.update(
            role=role,
            n_runs_baseline=item.n_runs_baseline,
            n_runs_candidate=item.n_runs_candidate,
            findings=" ".join(item.findings.codes),
        )
        writer.writerow({name: _cell(values[name]) for name in _COLUMNS})
    return buffer.getvalue()


def _cell(value: object) -> object:
    if value is None:
        return ""
    return clean_csv(value) if isinstance(value, str) else value
