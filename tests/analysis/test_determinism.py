import pytest

import specstats
from specstats.results import DeterminismRow
from specstats.testing import launch_rows, read_rows

Row = dict[str, object]


def table(
    texts: dict[str, list[str]], **columns: list[object]
) -> dict[str, DeterminismRow]:
    """One launch an arm, one prompt; the texts of its requests in turn."""
    rows: list[Row] = []
    for arm, made in texts.items():
        for repeat, text in enumerate(made):
            (row,) = launch_rows({arm: [50.0]})
            row |= {"repeat": repeat, "output_sha256": text}
            row |= {name: values[repeat] for name, values in columns.items()}
            rows.append(row)
    return {row.arm: row for row in specstats.determinism(read_rows(rows))}


def test_the_first_differs_and_the_cache_explains_it() -> None:
    found = table({"a": ["x", "y", "y", "y"]}, n_cached=[0, 7, 7, 7])["a"]
    assert (found.n_requests, found.n_distinct_outputs) == (4, 2)
    assert found.first_differs
    assert found.explained_by == "cache_n"


@pytest.mark.parametrize(
    ("texts", "first", "count"),
    [
        (["x", "x", "x"], False, 1),
        (["x", "y", "z"], False, 3),
        (["x", "y", "x"], False, 2),
        (["x", "x", "y"], False, 2),
        (["x", "y"], True, 2),
        (["x"], False, 1),
    ],
)
def test_whether_the_first_differs(texts: list[str], first: bool, count: int) -> None:
    found = table({"a": texts})["a"]
    assert (found.first_differs, found.n_distinct_outputs) == (first, count)


def test_what_goes_with_no_text_explains_nothing() -> None:
    found = table({"a": ["x", "y", "y", "x"]}, n_cached=[0, 7, 7, 7])["a"]
    assert found.explained_by is None


def test_missing_values_explain_nothing() -> None:
    found = table({"a": ["x", "y", "y"]}, n_cached=[None, 7, 7], n_prompt=[9, 9, 9])[
        "a"
    ]
    assert found.explained_by is None


def test_prompt_tokens_may_explain() -> None:
    found = table({"a": ["x", "y", "y"]}, n_prompt=[34, 27, 27])["a"]
    assert found.explained_by == "prompt_n"


def test_same_output_sets() -> None:
    found = table({"a": ["x", "y"], "b": ["y", "x"], "c": ["x", "x"], "d": ["x", "y"]})
    assert found["a"].same_outputs_as == ("b", "d")
    assert found["b"].same_outputs_as == ("a", "d")
    assert found["c"].same_outputs_as == ()


def test_launches_may_explain() -> None:
    rows = launch_rows({"a": [50.0, 51.0]}, n_requests=2)
    rows = [{**row, "output_sha256": str(row["run"])} for row in rows]
    (found,) = specstats.determinism(read_rows(rows))
    assert (found.explained_by, found.first_differs) == ("run", False)


def test_without_digests_there_is_no_row() -> None:
    assert specstats.determinism(read_rows(launch_rows({"a": [50.0]}))) == ()


def test_failed_requests_have_no_output() -> None:
    rows = launch_rows({"a": [50.0]}, n_requests=2)
    rows = [{**row, "output_sha256": str(row["repeat"])} for row in rows]
    rows[1]["ok"] = False
    (found,) = specstats.determinism(read_rows(rows))
    assert (found.n_requests, found.n_distinct_outputs) == (1, 1)
