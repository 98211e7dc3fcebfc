"""Actions and options to try: offered ones, nearly right ones, nonsense."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from random import Random
from typing import Any

from engine.actions import COMMON_ACTIONS, Action, HostAction, OpenTable
from engine.cards import card_name
from engine.fields import FieldInfo, FieldKind, describe
from engine.kernel import AnyGame, Cards, Groups, Limit, Names, Offer, OneCard, Range, Words
from engine.options import Kind, Option
from engine.table import MAX_CHIPS

__all__ = [
    "concrete",
    "covers",
    "options_text",
    "sample",
    "seat_actions",
]

NAMES = ("ann", "bob", "cid", "dan", "eve")
_INTS = (None, -1, 0, 1, 2, 3, 7, 50, 1000, 2**62, MAX_CHIPS, MAX_CHIPS + 1, True)
_WORDS = (None, "", "step", "nonsense")


def seat_actions(game: AnyGame) -> list[type[Action]]:
    """All actions of players: the common ones and the game's own."""
    both: tuple[type[Action], ...] = (*COMMON_ACTIONS, *game.ACTIONS)
    return [kind for kind in both if not issubclass(kind, HostAction)]


def _within(limit: Limit, value: Any) -> bool:
    match limit:
        case Range(_, low, high):
            if limit.standard is not None and (value is None or value == 0):
                return value is not False
            return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
        case Words(_, words):
            return value in words
        case Cards(_, cards, low, high):
            if not isinstance(value, tuple) or not low <= len(value) <= high:
                return False
            return len(set(value)) == len(value) and set(value) <= set(cards)
        case OneCard(_, cards):
            return value in cards
        case Groups():
            listed = isinstance(value, tuple) and len(set(value)) == len(value)
            return listed and limit.admits(value)
        case Names(_, words, low, must):
            if not isinstance(value, tuple) or len(value) < low:
                return False
            return len(set(value)) == len(value) and set(must) <= set(value) <= set(words)


def covers(offer: Offer, action: Action) -> bool:
    """Whether an action is among those that an offer stands for."""
    if type(action) is not offer.action:
        return False
    limits = {limit.field: limit for limit in offer.limits}
    for field in describe(type(action)):
        value = getattr(action, field.name)
        if field.name in limits:
            if not _within(limits[field.name], value):
                return False
        elif value != field.default:
            return False
    return _affordable(offer, action)


def _affordable(offer: Offer, action: Action) -> bool:
    """Whether the parameters keep the budgets that they have together."""
    for budget in offer.together:
        values = [getattr(action, field) or 0 for field in budget.fields]
        if sum(w * v for w, v in zip(budget.weights, values, strict=True)) > budget.most:
            return False
    return True


def _values(limit: Limit) -> Sequence[object]:
    """Both ends and the middle of what a parameter may be."""
    match limit:
        case Range(_, low, high):
            between: list[object] = sorted({low, (low + high) // 2, high})
            return between if limit.standard is None else [None, 0, *between]
        case Words(_, words):
            return words
        case Cards(_, cards, low, high):
            middle = (low + high) // 2
            firsts = {cards[:low], cards[:middle], cards[:high]}
            return sorted(firsts | {cards[len(cards) - n :] for n in (low, middle, high)})
        case OneCard(_, cards):
            return cards
        case Groups():
            unions = list(islice(limit.unions(), 200))
            return [unions[0], *unions[1:-1:7], *unions[-1:]] if unions else []
        case Names(_, words, low, must):
            least = max(low, len(must))
            free = [word for word in words if word not in must]
            return sorted({(*must, *free[: least - len(must)]), (*must, *free)})


def concrete(offer: Offer, most: int = 40) -> Iterator[Action]:
    """Actions that an offer stands for, at the ends of its limits and between."""
    names = [limit.field for limit in offer.limits]
    for values in islice(product(*map(_values, offer.limits)), most):
        action = offer.action(**dict(zip(names, values, strict=True)))
        if _affordable(offer, action):
            yield action


def _option_text(rng: Random, option: Option) -> str:
    if option.nullable and rng.randrange(2):
        return "none"
    match option.kind:
        case Kind.INT:
            high = min(option.high, max(option.low, 1000))
            return str(rng.choice((option.low, high, rng.randint(option.low, high))))
        case Kind.BOOL:
            return rng.choice(("true", "false"))
        case Kind.WORD:
            return rng.choice(option.words)
        case Kind.SUIT:
            return rng.choice("cdhs")
        case Kind.RANK:
            return rng.choice("23456789TJQKA")
        case Kind.CARDS:
            count = rng.randint(option.low, option.high)
            return ",".join(map(card_name, rng.sample(range(1, 53), count)))


def options_text(rng: Random, options: Sequence[Option]) -> Mapping[str, str]:
    """Some options with values of their kind; how they combine is not looked at."""
    return {o.name: _option_text(rng, o) for o in options if rng.randrange(3) == 0}


def _value(rng: Random, field: FieldInfo, limits: Sequence[Limit]) -> object:
    """A value of about the right kind; the limits are those the game offers for the name."""
    near: list[object] = []
    for limit in limits:
        near += _values(limit)
        if isinstance(limit, Range):
            near += [limit.low - 1, limit.high + 1]
    if near and rng.randrange(3):
        return rng.choice(near)
    match field.kind:
        case FieldKind.INT:
            return rng.choice(_INTS)
        case FieldKind.CARD:
            return rng.choice((None, 0, 1, 52, 53, rng.randint(1, 52)))
        case FieldKind.CARDS:
            first = rng.randint(1, 52)
            second = rng.randint(1, 52)
            return rng.choice((None, (), (0,), (53,), (first,), (first, second), (first, first)))
        case FieldKind.TEXT:
            return rng.choice(NAMES if field.name == "player" else _WORDS)
        case FieldKind.TEXTS:
            return rng.choice(((), ("",), ("nonsense",), ("b1",), ("b1", "b2"), ("b1", "b1")))
        case FieldKind.BOOL:
            return rng.choice((True, False))
        case _:
            return None if field.optional else field.default


def sample(rng: Random, game: AnyGame, kind: type[Action], offers: Sequence[Offer]) -> Action:
    """An action of a class, sensible or not."""
    if kind is OpenTable:
        return OpenTable(options_text(rng, game.OPTIONS), options_text(rng, game.START_FACTS))
    limits = [limit for offer in offers for limit in offer.limits]
    fields = describe(kind)
    values = {
        field.name: _value(rng, field, [limit for limit in limits if limit.field == field.name])
        for field in fields
    }
    return kind(**values)
