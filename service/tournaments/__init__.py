"""Tournaments: their streams, and the process manager that joins them with their tables.

deciding     what is asked becomes the events of a commit, the house's own among them
live         a tournament in memory
registry     tournaments in memory, loaded by a fold of their streams
joint        the command path: a tournament's commit and those of tables and accounts as one group
calls        what players and hosts may ask for
checking     whether tables of a structure could be opened
concern      whom events concern
watching     following a tournament, or one player's way in it
errands      orders of a tournament, carried out
manager      one tournament: which orders are outstanding, whom they wait for
managers     the tournaments that this process looks after, as leases have it
"""

from __future__ import annotations
