"""Helpers for tests of code that uses specstats."""

from specstats.testing.contract import READER_CHECKS, ReaderCheck, check_reader
from specstats.testing.rows import launch_rows, read_rows
from specstats.testing.simulate import simulate, simulated_rows

__all__ = [
    "READER_CHECKS",
    "ReaderCheck",
    "check_reader",
    "launch_rows",
    "read_rows",
    "simulate",
    "simulated_rows",
]
