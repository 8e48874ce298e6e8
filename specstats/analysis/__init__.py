"""One verb a file: describe, speedup, acceptance, determinism, band, summarize."""
