"""Helpers for tests of code that uses specstats."""

from specstats.testing.simulate import simulate, simulated_rows

__all__ = ["simulate", "simulated_rows"]
