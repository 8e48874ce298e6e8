"""Text from artifacts is shown as text."""

import unicodedata
import xml.etree.ElementTree as ET
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specstats.render.clean import clean, clean_csv, clean_markdown
from specstats.render.grid import Column, Grid
from specstats.render.markdown import grid_markdown

anything = st.text(st.characters(), max_size=60)  # surrogates too


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("größer 基準 é 🎉", "größer 基準 é 🎉"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\r\n\tb\0\x7f", "a\\x0d\\x0a\\x09b\\x00\\x7f"),
        ("\u202ex\u2066", "\\u202ex\\u2066"),
        ("\udcff", "\\udcff"),
        ("\uffff\U0010ffff\ue000", "\\uffff\\U0010ffff\\ue000"),
        ("a\u2028b\x85", "a\\u2028b\\x85"),
    ],
)
def test_hidden_characters_are_written_out(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_long_text_is_cut_and_counted() -> None:
    assert clean("x" * 310) == "x" * 300 + "... (10 more characters)"
    assert clean("x" * 300) == "x" * 300


@given(anything)
def test_clean_text_is_visible_and_xml(text: str) -> None:
    shown = clean(text)

    hidden = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert not [mark for mark in shown if unicodedata.category(mark) in hidden]
    element = ET.fromstring(f'<a b="{escape(shown)}">{escape(shown)}</a>')  # noqa: S314
    assert element.text in {shown, None}
    assert clean(shown) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a|b<c>&d", "a&#124;b&#60;c&#62;&#38;d"),
        ("*a* _b_ `c` [d](e)", "\\*a\\* \\_b\\_ \\`c\\` \\[d\\](e)"),
        ("https://x www.y @z", "https&#58;//x www&#46;y &#64;z"),
        (":tada: 12:30", "&#58;tada: 12:30"),
        ("- a", "&#45; a"),
        ("--- ", "&#45;-- "),
        ("+ a", "&#43; a"),
        ("1. a", "1&#46; a"),
        ("12) a", "12&#41; a"),
        ("1.5 and -2", "1.5 and -2"),
        ("-2", "-2"),
        ("# a", "\\# a"),
    ],
)
def test_marks_of_markdown_are_escaped(text: str, shown: str) -> None:
    assert clean_markdown(text) == shown


@given(st.lists(st.tuples(anything, anything), max_size=3), anything)
def test_a_table_keeps_its_shape(rows: list[tuple[str, str]], title: str) -> None:
    grid = Grid((Column(title), Column("b", "right")), tuple(rows))
    lines = grid_markdown(grid).split("\n")

    assert len(lines) == len(rows) + 2
    assert all(line.count("|") == 3 for line in lines)
    assert lines[1] == "| --- | ---: |"


@pytest.mark.parametrize("mark", ["=", "+", "-", "@", "\uff1d", "\uff0b"])
def test_a_leading_formula_mark_is_defused(mark: str) -> None:
    assert clean_csv(f"{mark}1+1") == f"'{mark}1+1"
    assert clean_csv(f"a{mark}1") == f"a{mark}1"


def test_a_tab_before_a_formula_is_written_out() -> None:
    assert clean_csv("\t=1") == "\\x09=1"
