"""What was varied, what is the replicate, and what varies besides."""

from specstats.design.design import Design
from specstats.design.view import RunMatrix, View, view_of

__all__ = ["Design", "RunMatrix", "View", "view_of"]
