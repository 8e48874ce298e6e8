"""The sections of a report, before any markup."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from specstats.report._acceptance import acceptance_details
from specstats.report._aggregates import aggregates_section
from specstats.report._arms import (
    acceptance_section,
    band_note,
    determinism_section,
    metric_section,
    telemetry_section,
)
from specstats.report._comparisons import (
    comparison_sections,
    controls_section,
    refused_section,
)
from specstats.report._decompositions import decomposition_section
from specstats.report._inputs import inputs_section, settings_section
from specstats.report._rankings import ranking_sections
from specstats.report._section import Section
from specstats.units import METRICS

if TYPE_CHECKING:
    from specstats.results import Comparison, StudySummary

__all__ = [
    "Section",
    "acceptance_details",
    "acceptance_section",
    "answer",
    "headline",
    "sections",
]


def answer(study: StudySummary) -> tuple[str, ...]:
    """Return the sentences that a reader wants first.

    Parameters
    ----------
    study : StudySummary
        The study.

    Returns
    -------
    tuple of str
        Headline sentences, or what there is instead.
    """
    if study.headlines:
        return tuple(headline(item) for item in study.headlines)
    unknown = study.findings.of("SPS115")
    if unknown:
        return tuple(
            f"{item.message}. {item.remedy[:1].upper()}{item.remedy[1:]}."
            for item in unknown
        )
    if len(study.arms) == 1:
        return ("One arm: its spread is described, nothing is compared.",)
    return ("Nothing is compared.",)


def headline(item: Comparison) -> str:
    """Return the sentence of a comparison, its workload named.

    Parameters
    ----------
    item : Comparison
        The comparison.

    Returns
    -------
    str
        The sentence.
    """
    if item.workload is None:
        return item.sentence
    named = re.search(rf"(?<!\w){re.escape(item.workload)}(?!\w)", item.sentence)
    return item.sentence if named else f"{item.workload}: {item.sentence}"


def sections(study: StudySummary) -> tuple[Section, ...]:
    """Return all sections that have something to say.

    Parameters
    ----------
    study : StudySummary
        The study.

    Returns
    -------
    tuple of Section
        In reading order.
    """
    found = (
        inputs_section(study),
        *_metric_sections(study),
        settings_section(study),
        controls_section(study),
        *comparison_sections(study),
        *ranking_sections(study),
        decomposition_section(study),
        refused_section(study),
        acceptance_section(study),
        determinism_section(study),
        telemetry_section(study),
        aggregates_section(study),
    )
    return tuple(section for section in found if section is not None)


def _metric_sections(study: StudySummary) -> list[Section]:
    """Return a section a metric, the last of which says what an A/A band is."""
    told = [name for arm in study.arms for name in arm.metrics]
    found = [
        section
        for name in dict.fromkeys((*METRICS, *told))
        if (section := metric_section(study, name)) is not None
    ]
    note = band_note(study)
    if found and note is not None:
        found[-1] = replace(found[-1], after=(*found[-1].after, note))
    return found
