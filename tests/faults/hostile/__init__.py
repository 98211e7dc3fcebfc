"""Clients that mean no good, each in a process of its own: ``python -m tests.faults.hostile``."""
