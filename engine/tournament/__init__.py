"""Tournaments: one more decider, whose events make a stream of their own."""
