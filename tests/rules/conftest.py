"""Writing small studies and asking which rules fire."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import specstats
from specstats.diagnostics import Findings, Level
from specstats.errors import ArtifactError

Rows = list[dict[str, object]]
Observe = Callable[..., "Observed"]
HEADER = {"specstats.table": "requests", "version": 1}
RANK = [Level.NOTE, Level.WARNING, Level.ERROR]


@dataclass(frozen=True)
class Observed:
    """Rules that fired, each with its gravest level."""

    levels: dict[str, Level]
    study: specstats.StudySummary | None = field(default=None, repr=False)


def _levels(findings: Findings) -> dict[str, Level]:
    levels: dict[str, Level] = {}
    for item in findings:
        known = levels.setdefault(item.code, item.level)
        levels[item.code] = max(known, item.level, key=RANK.index)
    return levels


def jsonl(rows: Rows) -> str:
    return "".join(json.dumps(row) + "\n" for row in [HEADER, *rows])


@pytest.fixture
def observe(tmp_path: Path) -> Observe:
    """Give a function that writes files, reads them and says which rules fired."""

    def found(
        files: Mapping[str, str | Rows],
        design: specstats.Design | None = None,
        *,
        name: str = "",
        reading: Mapping[str, Any] | None = None,
        summarizing: Mapping[str, Any] | None = None,
    ) -> Observed:
        for path, content in files.items():
            text = content if isinstance(content, str) else jsonl(content)
            (tmp_path / path).write_text(text, encoding="utf-8")
        try:
            bench = specstats.read(tmp_path / name, **(reading or {}))
        except ArtifactError as error:
            named = re.findall(r"\[(SPS\d{3})\]", str(error))
            return Observed(dict.fromkeys(named, Level.ERROR))
        study = specstats.summarize(bench, design, **(summarizing or {}))
        return Observed(_levels(study.findings), study)

    return found
