"""Readers: from the bytes of an artifact to rows of the canonical tables."""
