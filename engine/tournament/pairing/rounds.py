"""What a pairing says: who meets whom, who deals first, and who is left over."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Pair", "Round"]


class Pair(NamedTuple):
    """Two entrants who meet; the first one deals first."""

    first: int
    second: int


class Round(NamedTuple):
    """The matches of a round in the order of their tables, and who has a bye."""

    pairs: tuple[Pair, ...]
    bye: int | None = None
