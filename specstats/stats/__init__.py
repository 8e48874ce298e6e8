"""Numerical methods on arrays: NumPy and scipy.special only, no data frames."""
