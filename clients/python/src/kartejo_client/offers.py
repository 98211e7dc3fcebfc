"""What a seat may do now, and the action made from it.

``state.offers`` says everything that would be accepted: what stays within it is never refused,
unless the decision is over by then.
"""

from __future__ import annotations

import random
from collections.abc import Container, Mapping
from typing import Any

from google.protobuf.message import Message

from kartejo_client.pb import common_pb2, games_pb2
from kartejo_client.pb import table_service_pb2 as pb

__all__ = ["action", "game_of", "is_asked", "limits", "offers_of", "random_action"]


def is_asked(state: pb.TableState, seat: int) -> bool:
    """Whether the running decision is this seat's."""
    return seat in state.decision.seats


def game_of(state: pb.TableState) -> str:
    """The id of the game that a state is of, such as "palace_poker"."""
    return state.view.WhichOneof("view") or ""


def offers_of(state: pb.TableState, name: str) -> list[common_pb2.Offer]:
    """The offers of one action: none, or several such as attacks on different seats."""
    return [offer for offer in state.offers if offer.action == name]


def limits(offer: common_pb2.Offer) -> dict[str, common_pb2.Limit]:
    """What each parameter of an offer may be, by its name."""
    return {limit.field: limit for limit in offer.limits}


def action(family: str, name: str, **values: Any) -> games_pb2.Action:
    """An action of a game, or of those that all games share ("common").

    Cards are numbers 1 to 52.  Raises ``ValueError`` for a name that there is not.

    >>> action("palace_poker", "bet", target=2).palace_poker.bet.target
    2
    """
    made = games_pb2.Action()
    actions = _member(made, family, "game")
    does = _member(actions, name, f"action of {family}")
    does.SetInParent()
    for parameter, value in values.items():
        _member(does, parameter, f"parameter of {name}")
        if does.DESCRIPTOR.fields_by_name[parameter].is_repeated:
            getattr(does, parameter).extend(value)
        else:  # an offer of one card is a list of cards all the same
            setattr(does, parameter, value[0] if isinstance(value, list) else value)
    return made


def _member(message: Message, name: str, what: str) -> Any:
    known = message.DESCRIPTOR.fields_by_name
    if name not in known:
        raise ValueError(f"{name!r} is no {what}; there are {', '.join(known) or 'none'}")
    return getattr(message, name)


def random_action(
    state: pb.TableState, chance: random.Random, avoid: Container[str] = ()
) -> games_pb2.Action:
    """One of the offers, every parameter anything that it may be.

    ``avoid``: actions that are not taken where another is on offer.
    """
    wanted = [offer for offer in state.offers if offer.action not in avoid]
    offer = chance.choice(wanted or state.offers)
    values = {limit.field: _value(limit, chance) for limit in offer.limits}
    least = {limit.field: limit.range.low for limit in offer.limits}
    for budget in offer.together:
        for name in budget.fields:
            if _sum(budget, values) > budget.most:
                values[name] = least[name]
    return action(game_of(state), offer.action, **values)


def _sum(budget: common_pb2.Budget, values: Mapping[str, Any]) -> int:
    weighed = zip(budget.fields, budget.weights, strict=True)
    return sum(weight * int(values[name]) for name, weight in weighed)


def _value(limit: common_pb2.Limit, chance: random.Random) -> Any:
    match limit.WhichOneof("kind"):
        case "range":
            return chance.randint(limit.range.low, limit.range.high)
        case "words":
            return chance.choice(limit.words.words)
        case "names":
            free = [word for word in limit.names.words if word not in limit.names.must]
            least = max(0, limit.names.low - len(limit.names.must))
            return [*limit.names.must, *chance.sample(free, chance.randint(least, len(free)))]
        case "groups":
            return sorted(_union(limit.groups, chance))
        case _:
            cards = limit.cards
            return chance.sample(list(cards.cards), chance.randint(cards.low, cards.high))


def _union(groups: common_pb2.Limit.Groups, chance: random.Random) -> set[int]:
    """Cards of groups that share none: as many groups as need be, and then some by chance."""
    first = [set(group.cards) for group in groups.first] or [set[int]()]
    more = [set(group.cards) for group in groups.more]
    pairs = [start | group for start in first for group in more if not start & group]
    among = set(groups.among)
    enough = [
        cards
        for cards in (*first, *pairs)
        if len(cards) >= groups.low and (not among or among & cards)
    ]
    chosen = chance.choice(enough)
    for group in chance.sample(more, len(more)):
        if not group & chosen and chance.random() < 0.5:
            chosen = chosen | group
    return chosen
