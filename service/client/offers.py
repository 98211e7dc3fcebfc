"""Offers of the service: how people read them, and the action that somebody chose from them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from engine.actions import Action, TableAction
from engine.cards import card_name, parse_card
from engine.fields import describe
from engine.kernel import AnyGame, Groups
from engine.script.patterns import BadWord, action_name, actions_of, read_action
from service.pb import common_pb2

__all__ = ["BadChoice", "aside", "asides", "choose", "first_action", "groups_of", "offer_text"]


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
        case "groups":
            return f"{limit.field}={_groups_text(limit.groups)}"
        case "names":
            must = "".join(f"{word}," for word in limit.names.must)
            free = [word for word in limit.names.words if word not in limit.names.must]
            return f"{limit.field}={must}any of {','.join(free) or 'none'}"
        case _:
            low, high = limit.cards.low, limit.cards.high
            count = str(low) if low == high else f"{low} to {high}"
            return f"{limit.field}={count} of {','.join(map(card_name, limit.cards.cards))}"


def _groups_text(limit: common_pb2.Limit.Groups) -> str:
    """``one of [5h Ad][6c] and any of [2c 4c]``"""
    first, more = (
        "".join(f"[{' '.join(map(card_name, group.cards))}]" for group in groups)
        for groups in (limit.first, limit.more)
    )
    told = [f"one of {first}"] if first else []
    told += [f"any of {more}"] if more else []
    need = f" with one of {','.join(map(card_name, limit.among))}" if limit.among else ""
    return " and ".join(told) + need


def groups_of(limit: common_pb2.Limit.Groups) -> Groups:
    """The groups of an offer, as the engine has them."""
    return Groups(
        "",
        tuple(tuple(group.cards) for group in limit.first),
        tuple(tuple(group.cards) for group in limit.more),
        limit.low,
        tuple(limit.among),
    )


def _least(limit: common_pb2.Limit) -> str:
    """The first value of a parameter."""
    match limit.WhichOneof("kind"):
        case "range":
            return str(limit.range.low)
        case "words":
            return limit.words.words[0]
        case "groups":
            return ",".join(map(card_name, next(groups_of(limit.groups).unions()))) or "-"
        case "names":
            free = [word for word in limit.names.words if word not in limit.names.must]
            least = max(0, limit.names.low - len(limit.names.must))
            return ",".join([*limit.names.must, *free[:least]]) or "-"
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
        case "names" if len(limit.names.words) == max(limit.names.low, len(limit.names.must)):
            return _least(limit)
        case "groups":
            several = list(islice(groups_of(limit.groups).unions(), 2))
            return _least(limit) if len(several) == 1 else None
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
    tells them apart comes first; so it does where one is left, if bare values are typed at all.
    Raises :class:`BadChoice`.
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
        if len(found) > 1:
            offer, rest = _told_apart(found, rest)
        else:
            offer = found[0]
            rest = _without_the_first(offer, rest)
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
    fitting = [offer for offer in found if _fits(offer, words)]
    agreeing = [offer for offer in found if _agrees(offer, words)]
    return (fitting or agreeing or found)[0], words


def _agrees(offer: common_pb2.Offer, words: Sequence[str]) -> bool:
    """Whether no parameter that has one value only was typed with another."""
    typed = dict(word.split("=", 1) for word in words if "=" in word)
    only = {limit.field: _only(limit) for limit in offer.limits}
    return all(only.get(field) in {None, text} for field, text in typed.items())


def _fits(offer: common_pb2.Offer, words: Sequence[str]) -> bool:
    """Whether what was typed, ``parameter=value`` words, is among what an offer allows."""
    said = {word.partition("=")[0] for word in words}
    # A list of several things is chosen by who names it, even if there is no other.
    lists = [limit for limit in offer.limits if limit.WhichOneof("kind") in {"groups", "names"}]
    try:
        if any(limit.field not in said and not _may_miss(limit) for limit in lists):
            return False
        typed = dict(_completed(offer, words))
        typed = {**typed, **{each.field: "" for each in lists if each.field not in said}}
        return typed.keys() <= {limit.field for limit in offer.limits} and all(
            _admits(limit, typed.get(limit.field, "")) for limit in offer.limits
        )
    except ValueError:
        return False


def _admits(limit: common_pb2.Limit, text: str) -> bool:
    """Whether a parameter may be what the text says; raises ``ValueError`` for no such value."""
    words = [] if text in {"", "-", "none"} else text.split(",")
    match limit.WhichOneof("kind"):
        case "range":
            return not words or limit.range.low <= int(text) <= limit.range.high
        case "words":
            return text in limit.words.words
        case "names":
            names = limit.names
            return len(words) >= names.low and set(names.must) <= set(words) <= set(names.words)
        case "groups":
            return groups_of(limit.groups).admits(map(parse_card, words))
        case _:
            chosen = {parse_card(word) for word in words}
            allowed = chosen <= set(limit.cards.cards)
            return allowed and limit.cards.low <= len(chosen) <= limit.cards.high


def _without_the_first(offer: common_pb2.Offer, words: Sequence[str]) -> Sequence[str]:
    """The words without the value of a first parameter that has no other.

    With chips behind it a line must not mean an amount now and a seat a moment before.
    """
    if len(offer.limits) < 2:
        return words
    first = offer.limits[0]
    only = _only(first)
    bare = next((word for word in words if "=" not in word), None)
    named = any(word.startswith(f"{first.field}=") for word in words)
    if only is None or bare is None or named:
        return words
    if bare != only:
        raise BadChoice(f"say {first.field}={only}")
    left = list(words)
    left.remove(bare)
    return left


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
    match limit.WhichOneof("kind"):
        case "range":
            return limit.range.HasField("standard")
        case "cards":
            return not limit.cards.low
        case "names":
            return not limit.names.low and not limit.names.must
        case "groups":
            return groups_of(limit.groups).admits(())
        case _:
            return False


def _read(game: AnyGame, seat: int, name: str, given: list[tuple[str, str]]) -> Action:
    try:
        return read_action(game, seat, name, given)
    except BadWord as error:
        raise BadChoice(str(error)) from None
