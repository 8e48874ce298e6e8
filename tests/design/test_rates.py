"""Which decode rate a study uses."""

from collections.abc import Callable

import numpy as np
import pytest

from specstats.bench import Bench
from specstats.design import view_of

BenchOf = Callable[..., Bench]
Row = dict[str, object]


def engine(tokens: int, seconds: float, convention: str) -> Row:
    counted = tokens if convention == "n" else tokens - 1
    return {
        "n_output": tokens,
        "decode_s": seconds,
        "engine_rate_tps": counted / seconds,
        "rate_convention": convention,
    }


@pytest.mark.parametrize(
    ("rows", "convention", "recomputed", "rates"),
    [
        ([engine(100, 4.0, "n"), engine(100, 5.0, "n")], "n", False, [25, 20]),
        ([engine(101, 4.0, "n-1"), engine(101, 5.0, "n-1")], "n-1", False, [25, 20]),
        ([engine(101, 4.0, "n"), engine(101, 5.0, "n-1")], "n-1", True, [25, 20]),
        ([engine(101, 4.0, "n"), engine(11, 5.0, "n")], "n-1", True, [25, 2]),
        ([{"n_output": 101, "decode_s": 4.0}], "n-1", False, [25]),
        ([{"n_output": 1, "decode_s": 4.0}], "n-1", False, [np.nan]),
        ([{"n_output": 0, "decode_s": 4.0}], "n-1", False, [np.nan]),
        ([{"n_output": 9, "decode_s": 0.0}], "n-1", False, [np.nan]),
        (
            [{"n_output": None, "decode_s": None, "engine_rate_tps": 7.0}],
            None,
            False,
            [7.0],
        ),
        (
            [{**engine(9, 1.0, "n"), "decode_s": None, "engine_rate_tps": 7.0}],
            "n",
            False,
            [7.0],
        ),
    ],
)
def test_rates(
    rows: list[Row],
    convention: str | None,
    recomputed: bool,
    rates: list[float],
    bench_of: BenchOf,
) -> None:
    view = view_of(bench_of(*({"prompt": "p", **row} for row in rows)))

    assert (view.rates.convention, view.rates.recomputed) == (convention, recomputed)
    assert bool(view.rates.reason) is recomputed
    np.testing.assert_allclose(view.values("decode_rate"), rates)


def test_other_lengths_of_other_prompts_change_nothing(bench_of: BenchOf) -> None:
    rows = (
        {"prompt": "p", **engine(100, 4.0, "n")},
        {"prompt": "q", **engine(10, 4.0, "n")},
    )

    assert view_of(bench_of(*rows)).rates.convention == "n"


def test_failed_requests_decide_nothing(bench_of: BenchOf) -> None:
    failed = {"prompt": "p", "error": "gone", **engine(50, 4.0, "n-1")}
    bench = bench_of({"prompt": "p", **engine(100, 4.0, "n")}, failed)

    view = view_of(bench)

    assert view.rates.convention == "n"
    np.testing.assert_array_equal(view.values("decode_rate"), [25.0, np.nan])
