"""The tables of docs/validation/coverage.md, by simulation with fixed seeds.

``python -m docs._gen.intervals --write`` writes them (some minutes); tests/sims draws
fewer studies and compares.
"""

import sys

from docs._gen import _marked
from docs._gen.intervals.table import fresh

if __name__ == "__main__":
    sys.exit(_marked.main(__doc__.partition("\n")[0], fresh, sys.argv[1:]))
