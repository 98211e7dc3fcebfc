"""Offers of the service: how people read them, and the action that somebody chose from them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final

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
    open_limits = [limit for limit in offer.limits if not _is_idle(limit)]
    return " ".join([offer.action, *map(_limit_text, open_limits)])


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
    given = _in_order(fields, words)
    missing = [field for field in fields if field not in given]
    if missing:
        raise BadChoice(f"say {', '.join(missing)}")
    return _read(game, seat, name, list(given.items()))


def _in_order(fields: Sequence[str], words: Sequence[str]) -> dict[str, str]:
    """``parameter=value`` words, and bare values in the order of the parameters."""
    given: dict[str, str] = {}
    bare = iter(fields)
    for word in words:
        field, equals, text = word.partition("=")
        if not equals:
            field, text = next((each for each in bare if each not in given), ""), word
        if field not in fields or field in given:
            raise BadChoice(f"not understood: {word}")
        given[field] = text
    return given


def _is_idle(limit: common_pb2.Limit) -> bool:
    """Whether a parameter can be nothing but none, and is that if it is left out."""
    match limit.WhichOneof("kind"):
        case "range":
            return limit.range.HasField("standard") and not limit.range.low | limit.range.high
        case "names":
            return not limit.names.words
        case "groups":
            return not (limit.groups.first or limit.groups.more)
        case _:
            return False


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
            must = ",".join(limit.names.must)
            free = ",".join(word for word in limit.names.words if word not in limit.names.must)
            told = [must] * bool(must) + [f"any of {free}"] * bool(free)
            return f"{limit.field}={' and '.join(told)}"
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
    Where parameters are lists, as captures in Royal Casino have them, a bare value belongs to the
    first parameter that may have it.  What may be several offers is none.  Raises
    :class:`BadChoice`.
    """
    words = typed.split() or ["1"]
    name = words[0]
    rest: Sequence[str] = words[1:]
    if name.isdecimal():
        if not 1 <= int(name) <= len(offers):
            raise BadChoice(f"there are offers 1 to {len(offers)}")
        found = [offers[int(name) - 1]]
    else:
        found = [offer for offer in offers if offer.action == name]
        if not found:
            raise BadChoice(f"{name} is not on offer")
    offer = found[0]
    if any(limit.WhichOneof("kind") in _LISTS for each in found for limit in each.limits):
        return _read(game, seat, offer.action, _with_lists(game, found, rest))
    if len(found) > 1:
        offer, rest = _told_apart(found, rest)
    elif not name.isdecimal():
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
    raise BadChoice("several offers have that name: say the number of one")


_LISTS: Final = {"groups", "names"}
"""Parameters that are lists, of which there may be thousands."""


def _with_lists(
    game: AnyGame, found: Sequence[common_pb2.Offer], words: Sequence[str]
) -> list[tuple[str, str]]:
    """What was typed for offers with lists, completed if only one thing can be meant.

    What none of the offers allows is left to the rules: they have a reason for it.
    """
    placed = [(offer, given) for offer in found if (given := _placed(offer, words)) is not None]
    if not placed:
        fields = [info.word for info in describe(actions_of(game)[found[0].action])]
        given = _in_order(fields, words)
        unsaid = [limit for limit in found[0].limits if limit.field not in given]
        if any(not _may_miss(limit) for limit in unsaid):
            raise BadChoice("that is none of the offers")
        return list(given.items())
    # Lists are chosen by who names them, even where there is one only; a base likewise.
    named = [(offer, given) for offer, given in placed if not _unnamed(offer, given)]
    meant: list[dict[str, str]] = []
    for offer, given in named or placed:
        for limit in offer.limits:
            if limit.field in given or _may_miss(limit):
                continue
            only = _only(limit)
            if only is None:
                raise BadChoice(f"say {_limit_text(limit)}")
            given[limit.field] = only
        meant.append(given)
    if any(each != meant[0] for each in meant):
        raise BadChoice("that may be several of the offers: say more, or the number of one")
    return list(meant[0].items())


def _unnamed(offer: common_pb2.Offer, given: Mapping[str, str]) -> bool:
    """Whether a list, or a word such as the build that is added to, is still to be named."""
    return any(
        limit.field not in given
        and not _may_miss(limit)
        and limit.WhichOneof("kind") in {*_LISTS, "words"}
        for limit in offer.limits
    )


def _placed(offer: common_pb2.Offer, words: Sequence[str]) -> dict[str, str] | None:
    """The words as values of the offer's parameters, if it allows them all."""
    limits = {limit.field: limit for limit in offer.limits}
    given: dict[str, str] = {}
    for word in words:
        field, equals, text = word.partition("=")
        if not equals:
            text = word
            fitting = [each for each in limits if each not in given and _takes(limits[each], word)]
            field = fitting[0] if fitting else ""
        if field not in limits or field in given or not _takes(limits[field], text):
            return None
        given[field] = text
    return given


def _takes(limit: common_pb2.Limit, text: str) -> bool:
    """Whether a parameter may be what the text says."""
    try:
        return _admits(limit, text)
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
