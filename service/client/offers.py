"""Offers of the service: how people read them, and the action that somebody chose from them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.actions import Action, TableAction
from engine.cards import card_name
from engine.fields import describe
from engine.kernel import AnyGame
from engine.script.patterns import BadWord, action_name, actions_of, read_action
from service.pb import common_pb2

__all__ = ["BadChoice", "aside", "asides", "choose", "first_action", "offer_text"]


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


def asides(game: AnyGame) -> tuple[str, ...]:
    """The game's actions that answer no decision, which may come at any time."""
    return tuple(action_name(kind) for kind in game.ACTIONS if issubclass(kind, TableAction))


def aside(game: AnyGame, seat: int, typed: str) -> Action:
    """An action that answers no decision, as somebody typed it: its name, then
    ``parameter=value`` words, or bare values in their order.  Raises :class:`BadChoice`.

    >>> from engine.games import GAMES
    >>> aside(GAMES["pontoon"], 0, "offer_bank_sale 1 price=50")
    OfferBankSale(to=1, price=50)
    """
    name, *words = typed.split()
    fields = [info.word for info in describe(actions_of(game)[name])]
    given: dict[str, str] = {}
    bare = iter(fields)
    for word in words:
        field, equals, text = word.partition("=")
        if not equals:
            field, text = next((each for each in bare if each not in given), ""), word
        if field not in fields or field in given:
            raise BadChoice(f"not understood: {word}")
        given[field] = text
    missing = [field for field in fields if field not in given]
    if missing:
        raise BadChoice(f"say {', '.join(missing)}")
    return _read(game, seat, name, list(given.items()))


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
    name, with ``parameter=value`` words, or bare values in their order, for what has several.

    Where several offers have one name, such as attacks on different seats, the parameter that
    tells them apart comes first.  Raises :class:`BadChoice`.
    """
    words = typed.split() or ["1"]
    name = words[0]
    rest: Sequence[str] = words[1:]
    if name.isdecimal():
        if not 1 <= int(name) <= len(offers):
            raise BadChoice(f"there are offers 1 to {len(offers)}")
        offer = offers[int(name) - 1]
    else:
        found = [offer for offer in offers if offer.action == name]
        if not found:
            raise BadChoice(f"{name} is not on offer")
        offer = found[0]
        if len(found) > 1:
            offer, rest = _told_apart(found, rest)
    return _read(game, seat, offer.action, _completed(offer, rest))


def _told_apart(
    found: Sequence[common_pb2.Offer], words: Sequence[str]
) -> tuple[common_pb2.Offer, Sequence[str]]:
    """The one of several offers that the words mean, and the words that are left."""
    fields = [limit.field for limit in found[0].limits]
    values = [{limit.field: _only(limit) for limit in offer.limits} for offer in found]
    for field in fields:
        different = [value for each in values if (value := each.get(field)) is not None]
        if len(set(different)) < len(found):
            continue
        named = next((word for word in words if word.startswith(f"{field}=")), None)
        word = named or next((word for word in words if "=" not in word), None)
        if word is None or (wanted := word.removeprefix(f"{field}=")) not in different:
            raise BadChoice(f"say {field}={'|'.join(different)}")
        left = list(words)
        left.remove(word)
        return found[different.index(wanted)], left
    return found[0], words


def _completed(offer: common_pb2.Offer, words: Sequence[str]) -> list[tuple[str, str]]:
    """The parameters as typed, those without a choice filled in, those with a standard left out.

    Bare values belong to the open parameters in their order.
    """
    only = {limit.field: value for limit in offer.limits if (value := _only(limit)) is not None}
    typed: dict[str, str] = {}
    open_fields = [limit.field for limit in offer.limits if limit.field not in only]
    bare = iter(open_fields)
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            if not open_fields and word in only.values():
                continue  # the only value there is, typed all the same
            if not open_fields:
                raise BadChoice(f"say which parameter: {offer_text(offer)}")
            name, text = next(bare, ""), word
        if not re.fullmatch(r"\w+", name) or name in typed:
            raise BadChoice(f"not understood: {word}")
        typed[name] = text
    values = {**only, **typed}
    missing = [
        limit for limit in offer.limits if limit.field not in values and not _may_miss(limit)
    ]
    if missing:
        raise BadChoice(f"say {_limit_text(missing[0])}")
    return list(values.items())


def _may_miss(limit: common_pb2.Limit) -> bool:
    """Whether a parameter may be left out."""
    kind = limit.WhichOneof("kind")
    return (
        limit.range.HasField("standard")
        if kind == "range"
        else (kind == "cards" and not limit.cards.low)
    )


def _read(game: AnyGame, seat: int, name: str, given: list[tuple[str, str]]) -> Action:
    try:
        return read_action(game, seat, name, given)
    except BadWord as error:
        raise BadChoice(str(error)) from None
