"""Golden tests: golden/NAME/cmd gives stdout, stderr and exit, as in benchstat.

A line of ``cmd`` is a command in a copy of ``data`` and of the bundled studies; ``cat
FILE`` prints a file, ``cat FILE | specstats`` pipes it and ``$PWD`` is the folder.
``exit`` lists the exit code of each specstats command. A failing test leaves .got
files; ``--update-golden`` rewrites.
"""

import json
import math
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import jsonschema
import pytest

HERE = Path(__file__).resolve().parent
GOLDEN = HERE / "golden"
SCHEMA = HERE.parents[1] / "docs" / "reference" / "report.schema.json"
CASES = sorted(path.parent.name for path in GOLDEN.glob("*/cmd"))
# Numbers at full precision may differ in their last digits between machines.
LONG_NUMBER = re.compile(r"-?\d+\.\d{8,}(?:e[-+]?\d+)?")
CLOSE = 1e-9

RunCli = Callable[..., CompletedProcess[str]]


def left_by(name: str, folder: Path, run_cli: RunCli) -> dict[str, str]:
    """Run the commands of a case and return what they leave, by name of the part."""
    parts = {"stdout": "", "stderr": "", "exit": ""}
    for line in (GOLDEN / name / "cmd").read_text(encoding="utf-8").splitlines():
        before, _, command = line.rpartition(" | ")
        piped = Path(before.removeprefix("cat ")).read_bytes() if before else b""
        program, *arguments = shlex.split(
            command.replace("$PWD", shlex.quote(str(folder)))
        )
        if program == "cat":
            parts["stdout"] += Path(arguments[0]).read_text(encoding="utf-8")
            continue
        assert program == "specstats", line
        result = run_cli(*arguments, stdin=piped)
        parts["stdout"] += result.stdout
        parts["stderr"] += result.stderr
        parts["exit"] += f"{result.returncode}\n"
    return parts


def same(expected: str, got: str) -> bool:
    """Compare texts, numbers at full precision with a tolerance."""
    if expected == got:
        return True
    if LONG_NUMBER.sub("#", expected) != LONG_NUMBER.sub("#", got):
        return False
    pairs = zip(LONG_NUMBER.findall(expected), LONG_NUMBER.findall(got), strict=True)
    return all(math.isclose(float(a), float(b), rel_tol=CLOSE) for a, b in pairs)


@pytest.mark.parametrize("name", CASES)
def test_golden(
    name: str, workplace: Path, run_cli: RunCli, *, update_golden: bool
) -> None:
    parts = left_by(name, workplace, run_cli)

    assert str(workplace) not in "".join(parts.values())
    different = []
    for part, got in parts.items():
        path = GOLDEN / name / part
        beside = path.with_name(f"{part}.got")
        if update_golden:
            path.write_text(got, encoding="utf-8")
        expected = path.read_text(encoding="utf-8") if path.exists() else None
        if expected is not None and same(expected, got):
            beside.unlink(missing_ok=True)
        else:
            beside.write_text(got, encoding="utf-8")
            different.append(f"{name}/{part}")
    assert different == [], "compare with the .got files, or pass --update-golden"


def json_reports() -> Iterator[tuple[str, Any]]:
    for name in CASES:
        text = (GOLDEN / name / "stdout").read_text(encoding="utf-8")
        if text.startswith('{\n  "schema"'):
            yield name, json.loads(text, parse_constant=pytest.fail)


def test_golden_reports_fit_the_schema() -> None:
    if not SCHEMA.is_file():
        pytest.fail("docs/reference/report.schema.json is missing")
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)

    checked = 0
    for name, report in json_reports():
        errors = [
            f"{name}: {error.json_path}: {error.message}"
            for error in validator(schema).iter_errors(report)
        ]
        assert errors == []
        checked += 1
    assert checked >= 5


def test_numbers_at_full_precision_have_a_tolerance() -> None:
    assert same("x 1.2345678901234567,", "x 1.2345678901234569,")
    assert not same("x 1.2345678901234567,", "x 1.2345678991234567,")
    assert not same("x 1.234,", "x 1.235,")
    assert not same("x 1.2345678901234567,", "y 1.2345678901234567,")
