"""Offers of the service: how people read them, and the action that somebody chose from them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.actions import Action
from engine.cards import card_name
from engine.kernel import AnyGame
from engine.script.patterns import BadWord, read_action
from service.pb import common_pb2

__all__ = ["BadChoice", "choose", "first_action", "offer_text"]


class BadChoice(ValueError):
    """What was typed is none of the offers; the text says why."""


def offer_text(offer: common_pb2.Offer) -> str:
    """An offer with everything its parameters may be.

    >>> limit = common_pb2.Limit(field="scope")
    >>> limit.words.words.extend(["step", "game"])
    >>> offer_text(common_pb2.Offer(action="auto_play", limits=[limit]))
    'auto_play scope=step|game'
    """
    return " ".join([offer.action, *map(_limit_text, offer.limits)])


def _limit_text(limit: common_pb2.Limit) -> str:
    match limit.WhichOneof("kind"):
        case "range":
            low, high = limit.range.low, limit.range.high
            return f"{limit.field}={low}" if low == high else f"{limit.field}={low}..{high}"
        case "words":
            return f"{limit.field}={'|'.join(limit.words.words)}"
        case _:
            low, high = limit.cards.low, limit.cards.high
            count = str(low) if low == high else f"{low} to {high}"
            return f"{limit.field}={count} of {','.join(map(card_name, limit.cards.cards))}"


def _least(limit: common_pb2.Limit) -> str:
    """The first value of a parameter."""
    match limit.WhichOneof("kind"):
        case "range":
            return str(limit.range.low)
        case "words":
            return limit.words.words[0]
        case _:
            return ",".join(map(card_name, limit.cards.cards[: limit.cards.low])) or "-"


def _only(limit: common_pb2.Limit) -> str | None:
    """The value of a parameter that has no other."""
    match limit.WhichOneof("kind"):
        case "range" if limit.range.low == limit.range.high:
            return str(limit.range.low)
        case "words" if len(limit.words.words) == 1:
            return limit.words.words[0]
        case "cards" if limit.cards.low == len(limit.cards.cards):
            return _least(limit)
        case _:
            return None


def first_action(game: AnyGame, seat: int, offers: Sequence[common_pb2.Offer]) -> Action:
    """The first offer with its least values: what a bot without a plan does."""
    offer = offers[0]
    return _read(game, seat, offer.action, [(each.field, _least(each)) for each in offer.limits])


def choose(game: AnyGame, seat: int, offers: Sequence[common_pb2.Offer], typed: str) -> Action:
    """The action that somebody typed: nothing for the first offer, the number of an offer, or its
    name, with ``parameter=value`` words for what has several values.

    Raises :class:`BadChoice`.
    """
    words = typed.split() or ["1"]
    if words[0].isdecimal():
        if not 1 <= int(words[0]) <= len(offers):
            raise BadChoice(f"there are offers 1 to {len(offers)}")
        words[0] = offers[int(words[0]) - 1].action
    found = [offer for offer in offers if offer.action == words[0]]
    if not found:
        raise BadChoice(f"{words[0]} is not on offer")
    return _read(game, seat, found[0].action, _completed(found[0], words[1:]))


def _completed(offer: common_pb2.Offer, words: Sequence[str]) -> list[tuple[str, str]]:
    """The parameters as typed, those without a choice filled in.

    A bare value belongs to the only parameter that is open.
    """
    only = {limit.field: value for limit in offer.limits if (value := _only(limit)) is not None}
    typed: dict[str, str] = {}
    open_fields = [limit.field for limit in offer.limits if limit.field not in only]
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            if len(open_fields) != 1:
                raise BadChoice(f"say which parameter: {offer_text(offer)}")
            name, text = open_fields[0], word
        if not re.fullmatch(r"\w+", name) or name in typed:
            raise BadChoice(f"not understood: {word}")
        typed[name] = text
    values = {**only, **typed}
    missing = [limit for limit in offer.limits if limit.field not in values]
    if missing:
        raise BadChoice(f"say {_limit_text(missing[0])}")
    return list(values.items())


def _read(game: AnyGame, seat: int, name: str, given: list[tuple[str, str]]) -> Action:
    try:
        return read_action(game, seat, name, given)
    except BadWord as error:
        raise BadChoice(str(error)) from None
