"""From batches of rows to a bench: Arrow tables, runs, inputs and findings."""

from specstats.bench.build import read
from specstats.bench.model import Bench, InputFile, Run

__all__ = ["Bench", "InputFile", "Run", "read"]
