"""The report as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from specstats.results import StudySummary

__all__ = ["to_json"]


def to_json(study: StudySummary, /) -> str:
    """Render a study as JSON, schema ``specstats.report/1``.

    Parameters
    ----------
    study : StudySummary
        The study.

    Returns
    -------
    str
        ASCII; numbers at full precision, missing is null, never NaN.

    Examples
    --------
    >>> import json, specstats
    >>> study = specstats.summarize(specstats.datasets.path("pascal-p5200"))
    >>> json.loads(specstats.report.to_json(study))["schema"]
    'specstats.report/1'
    """
    return json.dumps(study.to_dict(), indent=2, allow_nan=False) + "\n"
