"""Which file is which run, arm, block, prompt and repeat."""

from specstats.layout.place import Layout, Place
from specstats.layout.study import Study

__all__ = ["Layout", "Place", "Study"]
