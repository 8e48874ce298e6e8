"""How often each printed interval holds the truth, by simulation."""
