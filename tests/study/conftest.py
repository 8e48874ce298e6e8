"""Studies of the corpus as a user would declare them, run through the command line."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from specstats.cli.main import main

Report = dict[str, Any]

FIRST_DAY = "pascal-p5200-2026-08-02/gemma12-"
SECOND_DAY = "repro-2026-08-07/"
# Launch: arm, day, files. Inferred for the first day, recorded for the second.
LAUNCHES = {
    "baseline-smoke": ("target", "2026-08-02", f"{FIRST_DAY}baseline-smoke.json"),
    "mtp-smoke": ("mtp", "2026-08-02", f"{FIRST_DAY}mtp-smoke*.json"),
    "mtp-cpu-sampler": ("mtp", "2026-08-02", f"{FIRST_DAY}mtp-cpu-sampler-*.json"),
    "mtp-bench": ("mtp", "2026-08-02", f"{FIRST_DAY}mtp-bench.jsonl"),
    "baseline-bench": ("target", "2026-08-02", f"{FIRST_DAY}baseline-bench.jsonl"),
    "A": ("mtp", "2026-08-07", f"{SECOND_DAY}A.*.json"),
    "B": ("mtp", "2026-08-07", f"{SECOND_DAY}B.*.json"),
    "C": ("target", "2026-08-07", f"{SECOND_DAY}C.*.json"),
    "D": ("target", "2026-08-07", f"{SECOND_DAY}D.*.json"),
    "E": ("target", "2026-08-07", f"{SECOND_DAY}E.*.json"),
    "F": ("mtp", "2026-08-07", f"{SECOND_DAY}F.*.json"),
}


@pytest.fixture
def pascal(corpus: Path) -> Path:
    return corpus / "pascal-p5200"


@pytest.fixture
def cli(
    capsys: pytest.CaptureFixture[str],
) -> Callable[..., tuple[int, Report]]:
    """Run ``specstats summarize ... --format json``; exit code and report."""

    def run(*arguments: str | Path, command: str = "summarize") -> tuple[int, Report]:
        with pytest.raises(SystemExit) as stop:
            main([command, *map(str, arguments), "--format", "json"])
        printed = capsys.readouterr()
        assert isinstance(stop.value.code, int)
        if stop.value.code == 2:
            return 2, {"error": printed.err}
        report: Report = json.loads(printed.out)
        assert report["schema"] == "specstats.report/1"
        return stop.value.code, report

    return run


@pytest.fixture
def declare(pascal: Path, tmp_path: Path) -> Callable[..., Path]:
    """Write a study.toml that declares some of the launches; its folder."""

    def write(
        runs: Iterable[str] = LAUNCHES,
        *,
        days: bool = False,
        head: str = "",
        tail: str = "",
        arms: dict[str, str] | None = None,
    ) -> Path:
        text = f'[study]\nbaseline = "target"\n{head}\n'
        for name in runs:
            arm, day, files = LAUNCHES[name]
            text += f'[[runs]]\nrun = "{name}"\narm = "{(arms or {}).get(name, arm)}"\n'
            text += f'block = "{day}"\n' if days else ""
            text += f"files = [{json.dumps(str(pascal / files))}]\n"
        (tmp_path / "study.toml").write_text(text + tail, encoding="utf-8")
        return tmp_path

    return write
