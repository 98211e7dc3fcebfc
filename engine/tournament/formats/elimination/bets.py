"""The bets of Palace Poker at each level."""

from __future__ import annotations

from typing import Final

from engine.events import Pairs
from engine.options import Kind, Option, parse_value
from engine.tournament.structure import invalid

__all__ = ["BETS", "bets_of", "check_bets"]

BETS: Final = ("small_bet", "big_bet", "ante")
"""Options of the game that follow the level: the ante is half the small bet."""

_SMALL: Final = Option("small_bet", Kind.INT, None, "the small bet, even", low=2, high=1_000_000)
_MOST_TIMES: Final = 100
"""The big bet is at most so many small bets."""


def check_bets(field: str, options: Pairs) -> None:
    """A level names an even small bet, and a big bet unless it is twice that.

    Raises ``Refused(INVALID_STRUCTURE)``.
    """
    given = dict(options)
    if set(given) - {"small_bet", "big_bet"}:
        invalid(field, "small_bet and big_bet only")
    small = _number(f"{field}.small_bet", given.get("small_bet", ""), _SMALL)
    if small % 2:
        invalid(f"{field}.small_bet", "an even number, as the ante is half of it")
    if "big_bet" in given:
        big = Option("big_bet", Kind.INT, None, "", low=small, high=_MOST_TIMES * small)
        _number(f"{field}.big_bet", given["big_bet"], big)


def bets_of(options: Pairs) -> Pairs:
    """The bets of a level, as options of the game.

    >>> bets_of((("small_bet", "20"),))
    (('small_bet', '20'), ('big_bet', '40'), ('ante', '10'))
    """
    given = dict(options)
    small = int(given["small_bet"])
    big = int(given.get("big_bet", 2 * small))
    return ("small_bet", str(small)), ("big_bet", str(big)), ("ante", str(small // 2))


def _number(field: str, text: str, option: Option) -> int:
    try:
        value = parse_value(option, text)
    except ValueError:
        value = None
    if not isinstance(value, int):
        invalid(field, option.expected)
    return value
