"""The coverage page says what is read of the real files."""

import os
from pathlib import Path

import pytest

from docs._gen import _marked
from docs._gen import corpus as generator


@pytest.fixture(scope="module")
def found(corpus: Path) -> dict[str, generator.Outcome]:
    return generator.outcomes(corpus)


def test_the_page_is_up_to_date(found: dict[str, generator.Outcome]) -> None:
    difference = _marked.difference(generator.PAGE, generator.markdown(found))

    assert not difference, f"python -m docs._gen.corpus --write\n{difference[:4000]}"


def test_expectations_are_what_is_read(found: dict[str, generator.Outcome]) -> None:
    assert generator.problems(found) == []


def test_a_wrong_expectation_is_noticed(
    found: dict[str, generator.Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = next(name for name, item in found.items() if item.reader)
    expected = {name: {"reader": "no-such-reader"}, "folder/no-such-file": {}}
    monkeypatch.setattr(generator, "expectations", lambda: expected)

    wrong = generator.problems(found)

    assert any("no-such-reader" in line for line in wrong)
    assert any("not in the corpus" in line for line in wrong)


def test_without_the_corpus_nothing_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(os.environ, "SPECSTATS_CORPUS", str(tmp_path / "absent"))

    assert generator.fresh() == {}


def test_the_page_holds_names_and_numbers_alone() -> None:
    page = generator.PAGE.read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ")]

    assert all(line.count(" | ") <= 6 for line in rows)
    assert max(map(len, rows)) < 400
