"""The rules of Kartejo: pure functions over immutable values, and the C core below them.

No I/O, no clock, no threads, no randomness of its own: what happens at a table is a function of
its options, its shuffles and the actions that were accepted (rules C11).
"""
