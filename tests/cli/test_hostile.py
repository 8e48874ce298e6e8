"""Text from artifacts reaches no terminal, page, sheet or parser unescaped."""

import csv
import io
import json
import os
import re
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

RunCli = Callable[..., CompletedProcess[str]]

HOSTILE = {
    "escape": "\x1b[31mred\x1b[0m\x1b]8;;http://evil.example\x07link",
    "return": "base\rFASTER",
    "null": "a\0b",
    "bidi": "spec\u202egnorw\u2066x\u2069\u200f",
    "long": "x" * 10_000,
    "markup": "<script>alert(1)</script><!-- & \" ' -->",
    "pipes": "a | b || c \\| d",
    "formula": '=HYPERLINK("http://evil.example","x")',
    "plus": "+1+cmd|' /C calc'!A0",
    "wide": "\uff1dSUM(A1)",
    "newlines": "one\n# two\n\n- three\r\n1. four",
    "markdown": "**b** _i_ `c` [l](js:x) ![i](x) https://evil.example @who :tada:",
    "nonchar": "a\uffff\ufffeb\U0010ffff",
    "separators": "a\u2028b\u2029c\x85d",
}
# The emoji and the emphasis of verdicts, and heads of columns lined up on the right.
OWN_MARKS = re.compile(r"^- :\w+: \*\*\w+\*\* |---:", re.MULTILINE)
FORMATS = ("text", "markdown", "github", "csv", "junit", "json")


def write_study(path: Path, text: str) -> None:
    """Write runs of two arms; every text in them is hostile."""
    rows: list[dict[str, object]] = [{"specstats.table": "requests", "version": 1}]
    for order in range(6):
        arm = (text, f"{text}2")[order % 2]
        rows += [
            {
                "arm": arm,
                "run": f"{text}-{order}",
                "order": order,
                "prompt": f"{text}{prompt}",
                "workload": text,
                "n_output": 100,
                "decode_s": 2.0 + order % 2 + 0.001 * order + 0.01 * prompt,
                "n_draft": 100,
                "n_accepted": 70 + prompt,
                "output_sha256": f"{text}{prompt}",
                "cfg.mode": arm,
                f"cfg.{text}": order % 2,
            }
            for prompt in range(2)
        ]
    rows += [
        {"arm": text, "run": f"{text}-0", "prompt": f"{text}9", "error": text},
        {"arm": text, "run": f"{text}-0", "prompt": [text], "n_output": text},
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def hidden_in(text: str) -> set[str]:
    """Return the control and direction characters of a text, newlines left out."""
    return {
        mark
        for mark in text
        if unicodedata.category(mark) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
        and mark != "\n"
    }


def check_form(form: str, text: str) -> None:
    assert hidden_in(text) == set()
    text.encode("utf-8")
    if form == "markdown":
        assert "<" not in text
    if form == "github":
        rest = re.sub(r"</?(?:details|summary)>", "", text)
        assert "<" not in rest
    if form in {"markdown", "github"}:
        text = OWN_MARKS.sub("", text)
        assert "://" not in text
        assert "@" not in text
        assert not re.search(r"(?<!\\)[*_`\[\]]", text)
        assert not re.search(r":\w+:", text)
        tables = [line for line in text.splitlines() if line.startswith("|")]
        assert all(line.endswith(" |") for line in tables)
    if form == "csv":
        cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
        assert not [cell for cell in cells if cell[:1] in tuple("=+@\t\r\uff1d")]
        assert len({len(row) for row in csv.reader(io.StringIO(text))}) == 1
    if form == "junit":
        assert ET.fromstring(text).tag == "testsuite"  # noqa: S314 - made here
    if form == "json":
        assert text.isascii()
        assert json.loads(text)["schema"] == "specstats.report/1"


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", HOSTILE)
def test_texts_in_an_artifact(
    kind: str, form: str, tmp_path: Path, run_cli: RunCli
) -> None:
    path = tmp_path / "runs.jsonl"
    write_study(path, HOSTILE[kind])

    result = run_cli("summarize", path, "--baseline", HOSTILE[kind], "--format", form)

    assert result.returncode == 0, result.stderr
    assert "1.0" in result.stdout or "0." in result.stdout
    check_form(form, result.stdout)


@pytest.mark.parametrize("form", ["text", "markdown"])
@pytest.mark.parametrize("kind", HOSTILE)
def test_texts_in_acceptance(
    kind: str, form: str, tmp_path: Path, run_cli: RunCli
) -> None:
    path = tmp_path / "runs.jsonl"
    write_study(path, HOSTILE[kind])

    result = run_cli("acceptance", path, "--format", form)

    assert result.returncode == 0, result.stderr
    check_form(form, result.stdout)


@pytest.mark.parametrize("kind", HOSTILE)
def test_texts_in_findings(kind: str, tmp_path: Path, run_cli: RunCli) -> None:
    path = tmp_path / "runs.jsonl"
    write_study(path, HOSTILE[kind])

    assert hidden_in(run_cli("check", path).stdout) == set()
    by_workload = run_cli("summarize", path, "--by", "workload")
    assert hidden_in(by_workload.stdout) == set()


@pytest.mark.parametrize(
    "kind", set(HOSTILE) - {"null", "long", "markup", "formula", "markdown"}
)
@pytest.mark.parametrize("form", FORMATS)
def test_texts_in_file_names(
    kind: str, form: str, tmp_path: Path, run_cli: RunCli
) -> None:
    name = HOSTILE[kind].replace("/", "")
    for arm, number in (("base", 1), ("spec", 2)):
        folder = tmp_path / f"{name}{number}"
        folder.mkdir()
        write_study(folder / f"{name}.jsonl", arm)

    result = run_cli(
        *("summarize", tmp_path, "--layout", "{arm}/{run}.jsonl"),
        *("--baseline", f"{name}1", "--format", form),
    )

    assert result.returncode == 0, result.stderr
    check_form(form, result.stdout)


@pytest.mark.parametrize("form", FORMATS)
def test_file_names_that_are_no_text(
    form: str, tmp_path: Path, run_cli: RunCli
) -> None:
    raw = os.fsencode(tmp_path) + b"/b\xff\xfe.jsonl"
    path = Path(os.fsdecode(raw))
    write_study(path, "base")

    result = run_cli("summarize", path, "--format", form)

    assert result.returncode == 0, result.stderr
    check_form(form, result.stdout)


@pytest.mark.parametrize("kind", set(HOSTILE) - {"null"})
def test_texts_in_error_messages(kind: str, tmp_path: Path, run_cli: RunCli) -> None:
    path = tmp_path / "runs.jsonl"
    write_study(path, "base")
    text = HOSTILE[kind]

    for arguments in (
        ("summarize", text),
        ("summarize", path, "--baseline", text),
        ("summarize", path, "--metric", text),
        ("summarize", path, "--layout", text),
        ("summarize", path, "--control", f"{text}={text}"),
        ("summarize", path, "--fail-on", text),
        ("summarize", path, "--format", text),
        ("summarize", path, "--output", tmp_path / "nosuch" / "x" / text[:50]),
        ("rule", text),
        (text,),
        ("summarize", f"--{text}"),
        ("compare", text, text),
    ):
        result = run_cli(*arguments)

        assert result.returncode == 2, arguments
        assert hidden_in(result.stderr) == set(), arguments
        assert result.stdout == ""
