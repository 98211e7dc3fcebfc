"""Who meets whom, who deals first, and who comes before whom: pure functions over numbers.

An entrant is a number, for a player or for a partnership.  Nothing here draws lots: the order
that a lot gave comes in, so that whoever has the stored inputs finds the same pairings again.
"""
