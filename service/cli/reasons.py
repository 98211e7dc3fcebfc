"""Refusals in plain language: what a player tried, and what the rules say to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.errors import Refused

__all__ = ["plain"]

_WORDS: Final[Mapping[str, str]] = {
    "ALREADY_CONTRIBUTED": "this seat has contributed to this shuffle already",
    "ALREADY_LEAVING": "this seat is being left already",
    "ALREADY_OUT": "this seat sits out already",
    "ALREADY_SEATED": "you sit at this table already",
    "AMOUNT_NOT_ALLOWED": "in a limit game this amount is fixed: leave it out",
    "AUCTION_IN_PROGRESS": "banker and highest bidder see the auction through",
    "AUCTION_USED": "the bank was auctioned already since the last deal",
    "BAD_PARAMETER": "that is no value this action takes",
    "BANK_CANNOT_COVER": "the bank could not pay that",
    "BATTLE_REQUIRED": "the last two have to fight: bet or fold",
    "BET_OUT_OF_RANGE": "the table takes other bets",
    "BET_TOO_LARGE": "your opponent could not match that much",
    "BET_TOO_SMALL": "an attack costs at least your price",
    "BID_TOO_LOW": "bid more than that",
    "BUILD_NOT_ON_TABLE": "no such build lies on the table",
    "BUILD_SUM_MISMATCH": "the cards cannot be divided into groups of that value",
    "BUILD_TOO_SMALL": "a build has two cards or more",
    "BUILD_VALUE_MISMATCH": "a build is taken by a card of its value only",
    "BUY_AFTER_TWIST": "after a twist this hand cannot buy",
    "BUY_IN_OUT_OF_RANGE": "the house takes other amounts at this table",
    "BUY_OUT_OF_RANGE": (
        "a card costs from your first bet up to what the last one cost, the "
        "first up to twice the bet"
    ),
    "CARD_IN_BUILD": "that card lies in a build, which is taken whole",
    "CARD_NOT_IN_HAND": "you do not hold that card",
    "CARD_NOT_ON_TABLE": "that card does not lie loose on the table",
    "DECK_EXHAUSTED": "there are no cards left",
    "DISCARD_EMPTY": "name the soldiers to discard",
    "DUPLICATE_CARD": "you named a card twice",
    "ENTROPY_CLOSED": "the cards come from another epoch, or are drawn already",
    "INSUFFICIENT_CHIPS": "there are not that many chips",
    "INVALID_CARD": "that is no card; write them like 9s or Td",
    "INVALID_OPTIONS": "the table cannot have these options",
    "INVALID_TARGET": "attack the seat of somebody else who is still in the hand",
    "IN_HAND": "who was dealt in adds chips when the hand is over",
    "IS_BANKER": "the bank is yours",
    "KITTY_EXCEEDED": "the kitty does not hold that much more",
    "KITTY_EXISTS": "there is a kitty already: add to it",
    "KITTY_NOT_DRY": "there are chips in the kitty",
    "KITTY_OUT_OF_RANGE": "a kitty begins with an amount that may be bet",
    "KITTY_REQUIRED": "form a kitty first",
    "MATCHING_LOOSE_CARD": "a card of that rank lies loose: take it, or build with it",
    "MULTIPLE_BUILD_FIXED": "a build of several groups keeps its value",
    "MUST_DECLARE_PONTOON": "this is a pontoon: declare it",
    "MUST_KEEP_CAPTURE_CARD": "you have to keep a card that takes your build",
    "MUST_TAKE_EQUAL_CARD": "take a loose card of the same rank as well",
    "NOTHING_CAPTURED": "name the cards or builds to take",
    "NOTHING_WITHHELD": "nothing is over that was not told",
    "NOT_A_BIDDER": "you are not, or no longer, in the auction",
    "NOT_A_PAIR": "only two cards of the same rank can be split",
    "NOT_A_PONTOON": "a pontoon is an ace and a ten-point card",
    "NOT_A_PUNTER": "this is for punters of the deal",
    "NOT_BANKER": "this is the banker's to do",
    "NOT_ENOUGH_PLAYERS": "too few players are here who have chips and do not sit out",
    "NOT_IN_HAND": "you are not in this hand",
    "NOT_OUT": "this seat does not sit out",
    "NOT_SEATED": "nobody sits there",
    "NOT_YOUR_OFFER": "this offer is not yours to answer",
    "NOT_YOUR_SOLDIER": "you can only throw away your own soldiers",
    "NOT_YOUR_TURN": "it is not your turn",
    "NO_CAPTURE_CARD": "you need another card of that value to take the build with",
    "NO_CARDS_TO_BUY": "there is no card left to buy",
    "NO_CHIPS": "you have no chips to attack with",
    "NO_EMBARGO": "this table withholds nothing",
    "NO_ELIGIBLE_BANKER": "nobody here can hold the bank",
    "OFFER_ALREADY_OPEN": "you have an offer open to that seat",
    "OFFER_NOT_FOUND": "there is no such offer any more",
    "OPPONENT_ALL_IN": "your opponent has no chips left to answer a raise",
    "OWNS_BUILD": "who owns a build has to capture or build",
    "OWN_BUILD_RAISE": "your own build keeps its value at this table",
    "PARTNER_BUILD": "your partner's build can be taken, not added to",
    "PLAYER_NOT_ACTIVE": "who buys the bank must play on",
    "PLAYS_NOT_LISTED": "this game does not list its plays one by one",
    "RAISE_CAP_REACHED": "no more raises are allowed in this battle",
    "RAISE_TOO_LARGE": "one of you does not have that many chips",
    "RAISE_TOO_SMALL": "a raise is at least a big bet",
    "SALE_ALREADY_AGREED": "the bank is sold already",
    "SALE_NOT_ALLOWED": "the bank cannot be sold here",
    "SAME_BANNER_SUIT": "their banner has your suit: no battle between you",
    "SEATS_NOT_FULL": "all seats have to be taken first",
    "SEATS_NOT_READY": "somebody sits out: nobody may when a game starts",
    "SEAT_OUT_OF_RANGE": "the table has no such seat",
    "SEAT_TAKEN": "somebody sits there already",
    "SET_SUM_MISMATCH": "the loose cards cannot be divided into groups of your card's value",
    "SHOOT_BET_TOO_SMALL": "shoot at least 1, or pass",
    "SHOOT_NOT_AVAILABLE": "this table has no kitty to shoot for",
    "SHOOT_NOT_NOW": "shoot bets come with a fourth card only",
    "SPLIT_NOT_ALLOWED": "only aces may be split here",
    "STILL_ENTERED": "the player is in a tournament",
    "STILL_HAS_CHIPS": "there are chips on the account",
    "STILL_SEATED": "the player sits at a table",
    "STICK_TOO_LOW": "your total is too low to stick",
    "TABLE_CLOSED": "the table is closed for good",
    "TOO_MANY_SOLDIERS": "at most five soldiers may stay: throw more away",
    "TOTAL_IS_21": "this hand can take no more cards",
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
