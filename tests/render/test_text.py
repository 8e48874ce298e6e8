"""Grids and paragraphs break no word, number or interval, and fit where that can be."""

from hypothesis import given
from hypothesis import strategies as st

from specstats.render.grid import Column, Grid
from specstats.render.text import columns_of, grid_text, paragraph_text


def grid(
    titles: list[str], *rows: tuple[str, ...], wraps: bool = False, right: bool = False
) -> Grid:
    columns = [
        Column(title, "right" if right and place else "left", wraps=wraps)
        for place, title in enumerate(titles)
    ]
    return Grid(tuple(columns), rows)


def test_columns_line_up() -> None:
    table = grid(["arm", "runs"], ("base", "5"), ("a", "12"), right=True)

    assert grid_text(table, width=80) == "arm   runs\nbase     5\na       12"


def test_headings_wrap_before_cells_do() -> None:
    table = grid(["arm", "A/A across blocks"], ("base", "x/1.2"), right=True)

    assert grid_text(table, width=16) == (
        "      A/A across\narm       blocks\nbase       x/1.2"
    )


def test_cells_wrap_only_where_allowed() -> None:
    row = ("base", "SPS101, SPS102, SPS103")
    fixed = grid_text(grid(["arm", "by"], row), width=20)
    wrapped = grid_text(grid(["arm", "by"], row, wraps=True), width=20)

    assert fixed.splitlines()[-1] == "    SPS101, SPS102, SPS103"
    assert wrapped.splitlines() == [
        "arm   by",
        "base  SPS101,",
        "      SPS102, SPS103",
    ]


def test_columns_without_room_drop_to_a_further_line() -> None:
    table = grid(
        ["candidate", "interval", "runs"],
        ("spec-g8", "[1.960, 2.187]", "5+5"),
        ("g4", "[2.005, 2.140]", "5+5"),
    )

    assert grid_text(table, width=24).splitlines() == [
        "candidate",
        "    interval        runs",
        "spec-g8",
        "    [1.960, 2.187]  5+5",
        "g4",
        "    [2.005, 2.140]  5+5",
    ]


def test_an_empty_dropped_line_is_left_out() -> None:
    table = grid(["name", "value"], ("x" * 20, "1"), ("y", ""))

    assert grid_text(table, width=20).splitlines() == [
        "name",
        "    value",
        "x" * 20,
        "    1",
        "y",
    ]


def test_empty_columns_go() -> None:
    table = grid(["a", "b", "c"], ("1", "", "3"), ("4", "", ""))

    assert [column.title for column in table.without_empty_columns().columns] == [
        "a",
        "c",
    ]


def test_wide_and_combining_characters_line_up() -> None:
    table = grid(["arm", "runs"], ("基準", "5"), ("e\u0301e", "6"))

    assert columns_of("基準") == 4
    assert columns_of("e\u0301e") == 2
    assert grid_text(table, width=80) == ("arm   runs\n基準  5\ne\u0301e    6")


def test_headings_are_cleaned() -> None:
    assert "\x1b" not in grid_text(grid(["\x1b[31m"], ("x",)), width=80)


def test_intervals_and_percents_stay_on_a_line() -> None:
    text = "mtp vs target: decode rate x2.285 [1.971, 2.649], 95 % paired t"

    for width in range(1, 70):
        lines = paragraph_text(text, width=width, indent="  ").splitlines()
        assert any("[1.971, 2.649]," in line for line in lines)
        assert any("95 %" in line for line in lines)
        assert " ".join(map(str.strip, lines)) == text


def test_first_lines_and_indents() -> None:
    assert paragraph_text("aa bb cc", width=7, first="[1] ", indent="   ") == (
        "[1] aa\n   bb\n   cc"
    )
    assert paragraph_text("", width=10) == ""


words = st.text(st.characters(codec="utf-8"), max_size=30)


@given(st.lists(st.tuples(words, words, words), max_size=4), st.integers(1, 90))
def test_no_cell_is_lost_or_broken(rows: list[tuple[str, ...]], width: int) -> None:
    table = grid(["one", "two", "three"], *rows)
    text = grid_text(table, width=width)

    assert "\t" not in text
    wide = grid_text(table, width=10_000)
    assert sorted(text.split()) == sorted(wide.split())


@given(st.text(max_size=200), st.integers(1, 90))
def test_a_paragraph_keeps_its_words(text: str, width: int) -> None:
    shown = paragraph_text(text, width=width)

    assert shown.split() == paragraph_text(text, width=10_000).split()
    fits = [line for line in shown.split("\n") if " " in line and "[" not in line]
    assert all(columns_of(line) <= width or "%" in line for line in fits)
