"""Refusals in plain language: what a player tried, and what the rules say to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.errors import Refused

__all__ = ["plain"]

_WORDS: Final[Mapping[str, str]] = {
    "ALREADY_LEAVING": "this seat is being left already",
    "ALREADY_OUT": "this seat sits out already",
    "ALREADY_SEATED": "you sit at this table already",
    "AMOUNT_NOT_ALLOWED": "in a limit game this amount is fixed: leave it out",
    "BAD_PARAMETER": "that is no value this action takes",
    "BATTLE_REQUIRED": "the last two have to fight: bet or fold",
    "BET_TOO_LARGE": "your opponent could not match that much",
    "BET_TOO_SMALL": "an attack costs at least your price",
    "BUY_IN_OUT_OF_RANGE": "the house takes other amounts at this table",
    "DISCARD_EMPTY": "name the soldiers to discard",
    "DUPLICATE_CARD": "you named a card twice",
    "INSUFFICIENT_CHIPS": "there are not that many chips",
    "INVALID_CARD": "that is no card; write them like 9s or Td",
    "INVALID_OPTIONS": "the table cannot have these options",
    "INVALID_TARGET": "attack the seat of somebody else who is still in the hand",
    "IN_HAND": "who was dealt in adds chips when the hand is over",
    "NOT_ENOUGH_PLAYERS": "a hand needs two players who have chips and do not sit out",
    "NOT_IN_HAND": "you are not in this hand",
    "NOT_OUT": "this seat does not sit out",
    "NOT_SEATED": "nobody sits there",
    "NOT_YOUR_SOLDIER": "you can only throw away your own soldiers",
    "NOT_YOUR_TURN": "it is not your turn",
    "NO_CARDS_TO_BUY": "there is no card left to buy",
    "NO_CHIPS": "you have no chips to attack with",
    "OPPONENT_ALL_IN": "your opponent has no chips left to answer a raise",
    "RAISE_CAP_REACHED": "no more raises are allowed in this battle",
    "RAISE_TOO_LARGE": "one of you does not have that many chips",
    "RAISE_TOO_SMALL": "a raise is at least a big bet",
    "SAME_BANNER_SUIT": "their banner has your suit: no battle between you",
    "SEAT_OUT_OF_RANGE": "the table has no such seat",
    "SEAT_TAKEN": "somebody sits there already",
    "TABLE_CLOSED": "the table is closed for good",
    "TOO_MANY_SOLDIERS": "at most five soldiers may stay: throw more away",
    "WRONG_PHASE": "this cannot be done now",
}


def plain(error: Refused) -> str:
    """A refusal for people; the reason word stays for those who look it up.

    >>> plain(Refused("BET_TOO_SMALL", minimum=30))
    'an attack costs at least your price (BET_TOO_SMALL, minimum=30)'
    """
    told = ", ".join([error.reason, *(f"{name}={value}" for name, value in error.detail.items())])
    words = _WORDS.get(error.reason)
    return f"the rules refuse this: {told}" if words is None else f"{words} ({told})"
