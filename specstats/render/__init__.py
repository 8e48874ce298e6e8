"""Grids of cells and their rendering; no statistics here."""
