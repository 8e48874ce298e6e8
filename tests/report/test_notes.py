"""Findings are told gravest first, and once where they say the same."""

from specstats.diagnostics import Findings, Level
from specstats.diagnostics.make import finding
from specstats.report.findings import finding_lines, notes
from specstats.report.text import note_text


def told(*items: tuple[str, str, str]) -> list[str]:
    """Return the lines of findings given as code, arm and message."""
    return finding_lines(
        Findings(
            finding(code, message, subject=[arm] if arm else [], remedy="do it")
            for code, arm, message in items
        )
    )


def test_errors_come_first() -> None:
    lines = told(("SPS109", "", "note"), ("SPS101", "", "error"), ("SPS005", "", "w"))

    assert [line.split()[0] for line in lines] == ["error", "warning", "note"]


def test_arms_that_share_a_message_share_a_line() -> None:
    lines = told(
        ("SPS101", "a", "a: one run"),
        ("SPS101", "b", "b: one run"),
        ("SPS101", "c-1", "c-1: one run"),
    )

    assert lines == ["error SPS101: a, b and c-1: one run -> do it"]


def test_arms_in_running_text_are_listed_behind() -> None:
    lines = told(
        ("SPS210", "a", "the interval of a reaches into the floor"),
        ("SPS210", "b", "the interval of b reaches into the floor"),
    )

    assert lines == [
        "warning SPS210: the interval of a reaches into the floor; likewise b -> do it"
    ]


def test_different_numbers_stay_apart() -> None:
    lines = told(("SPS107", "a", "a: x1.2"), ("SPS107", "b", "b: x1.3"))

    assert lines == ["warning SPS107: a: x1.2; b: x1.3 -> do it"]


def test_an_arm_inside_a_word_is_no_arm() -> None:
    lines = told(("SPS101", "a", "a: table"), ("SPS101", "b", "b: tbble"))

    assert lines == ["error SPS101: a: table; b: tbble -> do it"]


def test_many_of_a_kind_are_counted() -> None:
    lines = told(*(("SPS002", "", f"row {place} is bad") for place in range(5)))

    assert lines[0].startswith("warning SPS002: row 0 is bad; row 1 is bad; row 2")
    assert "; and 2 more of the kind -> do it" in lines[0]


def test_places_are_listed_unless_the_message_names_them() -> None:
    found = Findings(
        [
            finding("SPS013", "not used: a.txt", where=["a.txt"]),
            finding("SPS002", "bad", where=["x:1", "x:2", "x:3", "x:4"]),
        ]
    )

    assert finding_lines(found) == [
        "warning SPS002: bad (x:1, x:2 and 2 more)",
        "note SPS013: not used: a.txt",
    ]


def test_levels_are_told_apart() -> None:
    found = Findings(
        [
            finding("SPS101", "a: one run", subject=["a"]),
            finding("SPS101", "b: one run", subject=["b"], level=Level.WARNING),
        ]
    )

    assert [note.head for note in notes(found)] == ["error SPS101", "warning SPS101"]


def test_the_text_of_a_note() -> None:
    (note,) = notes(
        Findings(
            finding("SPS101", f"{arm}: {n}", subject=[arm], remedy="launch anew " * 8)
            for arm, n in (("a", 1), ("b", 2))
        )
    )

    lines = note_text(note, width=60, mark="[1] ").splitlines()

    assert lines[:2] == ["[1] error SPS101: a: 1", "    b: 2"]
    assert lines[2].startswith("    -> launch anew")
    assert lines[3].startswith("       launch anew")
