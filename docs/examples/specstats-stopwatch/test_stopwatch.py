"""The reader keeps to the contract, and its numbers are right."""

from specstats_stopwatch import READER

import specstats
from specstats.testing import check_reader

ARTIFACT = b"""stopwatch 2 pid=4711
p1 96 tokens in 2.41 s
p2 failed
stopwatch 2 pid=4719
p1 96 tokens in 2.53 s
"""


def test_the_contract() -> None:
    check_reader(READER, ARTIFACT)


def test_values() -> None:
    bench = specstats.read(ARTIFACT)

    assert [item.format for item in bench.inputs] == ["stopwatch"]
    assert [run.boundary for run in bench.runs] == ["proved", "proved"]
    assert bench.column("requests", "decode_s") == [2.41, None, 2.53]
    assert bench.column("requests", "ok") == [True, False, True]
