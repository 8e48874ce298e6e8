"""Benches from rows, for the tests of designs."""

import json
from collections.abc import Callable

import pytest

import specstats
from specstats.bench import Bench

HEADER = '{"specstats.table": "requests"}'


@pytest.fixture(scope="session")
def bench_of() -> Callable[..., Bench]:
    """Make a bench from rows; 10 tokens in 1 s unless a row says otherwise."""

    def make(*rows: dict[str, object]) -> Bench:
        full = ({"n_output": 10, "decode_s": 1.0, "arm": "a", **row} for row in rows)
        lines = [
            json.dumps({key: value for key, value in row.items() if value is not None})
            for row in full
        ]
        return specstats.read("\n".join([HEADER, *lines]).encode())

    return make
