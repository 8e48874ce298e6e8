"""The headlines of a report as JUnit XML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from specstats.render.clean import clean

if TYPE_CHECKING:
    from collections.abc import Collection

    from specstats.results import Comparison, StudySummary

__all__ = ["to_junit"]

_SKIPPED = frozenset({"inconclusive", "insufficient", "refused"})


def to_junit(study: StudySummary, /, *, failed: Collection[str] = ("slower",)) -> str:
    """Render a study as JUnit XML, one test case a headline comparison.

    Parameters
    ----------
    study : StudySummary
        The study.
    failed : collection of str
        Verdicts that count as failures, and gates as ``gate open``; other verdicts
        without a claim are skipped.

    Returns
    -------
    str
        XML text.

    Examples
    --------
    >>> import specstats
    >>> study = specstats.summarize(specstats.datasets.path("pascal-p5200"))
    >>> 'tests="1"' in specstats.report.to_junit(study)
    True
    """
    cases = [_case(item, failed) for item in study.headlines]
    failures = sum("<failure" in case for case in cases)
    skipped = sum("<skipped" in case for case in cases)
    name = _quoted(clean(study.title or "specstats"))
    head = (
        f'<testsuite name={name} tests="{len(cases)}" failures="{failures}" '
        f'errors="0" skipped="{skipped}">'
    )
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', head, *cases, "</testsuite>"]
    return "\n".join(lines) + "\n"


def _case(item: Comparison, failed: Collection[str]) -> str:
    verdict = item.verdict.value
    title = f"{item.candidate} vs {item.baseline}: {item.metric}"
    if item.workload is not None:
        title += f" ({item.workload})"
    name = _quoted(clean(title))
    sentence = clean(item.sentence, longest=2000)
    message = _quoted(sentence)
    if verdict in failed or f"gate {item.gate}" in failed:
        inner = f"<failure message={message}>{escape(verdict)}</failure>"
    elif verdict in _SKIPPED:
        inner = f"<skipped message={message}/>"
    else:
        inner = f"<system-out>{escape(sentence)}</system-out>"
    return f'  <testcase classname="specstats" name={name}>{inner}</testcase>'


def _quoted(text: str) -> str:
    return f'"{escape(text)}"'
