"""What was varied, what is the replicate, and what varies besides."""

from specstats.design.design import Design, is_plain_name
from specstats.design.matrix import RunMatrix
from specstats.design.view import View
from specstats.design.viewing import view_of

__all__ = ["Design", "RunMatrix", "View", "is_plain_name", "view_of"]
