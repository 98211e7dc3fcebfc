"""A bot for any game: one of the offers, each parameter anything that it may be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from engine.actions import Action
from engine.fields import FieldKind, describe
from engine.script.patterns import actions_of
from service.bots.look import Bot, Look
from service.pb import common_pb2

__all__ = ["random_action", "random_offer"]


def random_offer(random: Random) -> Bot:
    """Every offer is as likely as any other, and so is every value."""
    return lambda look: random_action(random, look, look.offers)


def random_action(random: Random, look: Look, offers: Sequence[common_pb2.Offer]) -> Action:
    """An action that ``offers`` allow."""
    offer = random.choice(offers)
    kind = actions_of(look.game)[offer.action]
    given = {limit.field: _value(random, limit) for limit in offer.limits}
    for info in describe(kind):
        if info.kind is FieldKind.CARD and info.name in given:
            (given[info.name],) = given[info.name]
    for budget in offer.together:
        _keep(budget, given, {limit.field: limit.range.low for limit in offer.limits})
    return kind(**given)


def _keep(budget: common_pb2.Budget, given: dict[str, Any], least: Mapping[str, int]) -> None:
    """Bring parameters that come to too much together down to their least, one by one."""
    for field in budget.fields:
        come_to = sum(w * given[f] for f, w in zip(budget.fields, budget.weights, strict=True))
        if come_to > budget.most:
            given[field] = least[field]


def _value(random: Random, limit: common_pb2.Limit) -> Any:
    match limit.WhichOneof("kind"):
        case "range":
            return random.randint(limit.range.low, limit.range.high)
        case "words":
            return random.choice(limit.words.words)
        case "groups":
            return _union(random, limit.groups)
        case "names":
            names = limit.names
            free = [word for word in names.words if word not in names.must]
            least = max(0, names.low - len(names.must))
            return (*names.must, *random.sample(free, random.randint(least, len(free))))
        case _:
            among = list(limit.cards.cards)
            return tuple(random.sample(among, random.randint(limit.cards.low, limit.cards.high)))


def _union(random: Random, limit: common_pb2.Limit.Groups) -> tuple[int, ...]:
    """Groups that share no card: first what has to be there, then every other with even odds."""
    groups = [frozenset(group.cards) for group in limit.more]

    def suffices(cards: frozenset[int]) -> bool:
        return len(cards) >= limit.low and (not limit.among or not cards.isdisjoint(limit.among))

    starts = [frozenset(group.cards) for group in limit.first] or [frozenset[int]()]
    longer = [start | group for start in starts for group in groups if not start & group]
    chosen = random.choice([cards for cards in (*starts, *longer) if suffices(cards)])
    random.shuffle(groups)
    for group in groups:
        if not group & chosen and random.randrange(2):
            chosen |= group
    return tuple(sorted(chosen))
