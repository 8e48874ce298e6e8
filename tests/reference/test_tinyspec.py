"""Worked figures of the repeated launches on an H200, from the artifacts themselves."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from specstats.stats.blocks import paired_blocks

Load = Callable[[str], dict[str, Any]]


@pytest.fixture(scope="module")
def run_values(corpus: Path) -> dict[str, list[float]]:
    """Give prompts equal weight, without each launch's first request."""
    found: dict[str, dict[str, float]] = {}
    for path in sorted((corpus / "h200-tinyspec" / "main").glob("*.jsonl")):
        _, block, arm = path.stem.split("-", 2)
        prompts: dict[str, list[float]] = {}
        for line in path.read_text(encoding="utf-8").splitlines()[1:]:
            row = json.loads(line)
            rate = row["timings"]["predicted_per_second"]
            prompts.setdefault(row["spec"]["prompt_id"], []).append(np.log(rate))
        means = [np.mean(values) for values in prompts.values()]
        found.setdefault(arm, {})[block] = float(np.mean(means))
    return {
        arm: [value for _, value in sorted(blocks.items())]
        for arm, blocks in found.items()
    }


@pytest.mark.parametrize("baseline", ["baseline", "baseline2"])
def test_block_paired_ratios(
    reference: Load, run_values: dict[str, list[float]], baseline: str
) -> None:
    case = reference("worked")["h200_tinyspec"]
    for arm, figures in case[f"against_{baseline}"].items():
        contrast = paired_blocks(run_values[arm], run_values[baseline])
        ratios = np.exp([contrast.estimate, *contrast.interval()])
        assert ratios[: len(figures)] == pytest.approx(figures, abs=6e-5), arm
