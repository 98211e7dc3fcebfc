"""Tournaments: one more decider, its formats, and what they are computed with."""
