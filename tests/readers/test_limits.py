"""Limits on what is opened: names, sizes with units, and what may not be."""

import pytest

import specstats
from specstats.errors import DesignError
from specstats.limits import LIMITS, Limits, limits_from

ENTRY = b'{"timings":{"predicted_n":3,"predicted_ms":30.0}}\n'


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1", 1),
        ("1000", 1000),
        ("1K", 1024),
        ("1k", 1024),
        ("2M", 2 << 20),
        ("1 MiB", 1 << 20),
        ("64mb", 64 << 20),
        (" 3 G ", 3 << 30),
        ("1T", 1 << 40),
        ("5b", 5),
        (7, 7),
    ],
)
def test_sizes(text: str | int, size: int) -> None:
    assert limits_from({"rows": text}).rows == size


@pytest.mark.parametrize(
    "value",
    ["", "0", "-1", "1.5", "1e9", "K", "1 X", "many", "٣", "9" * 16, 0, -1, True, 1.5],
)
def test_what_is_no_size(value: str | int) -> None:
    with pytest.raises(DesignError, match=r"limit files=.*a whole number above 0"):
        limits_from({"files": value})


def test_a_limit_that_does_not_exist() -> None:
    with pytest.raises(DesignError, match=r"no limit 'row'.*'rows'"):
        limits_from({"row": 1})


def test_others_stay() -> None:
    found = limits_from({"files": 5}, Limits(members=3))

    assert (found.files, found.members, found.rows) == (5, 3, LIMITS.rows)
    assert limits_from({}) == LIMITS


def test_read_takes_limits_as_a_mapping_or_as_such() -> None:
    for limits in ({"line_bytes": "1K"}, Limits(line_bytes=1024)):
        assert specstats.read(ENTRY, limits=limits).requests.num_rows == 1
    with pytest.raises(DesignError, match="no limit"):
        specstats.read(ENTRY, limits={"bytes": 5})
