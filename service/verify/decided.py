"""Every decision made once more: from the table before, the action and the epoch's secret."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from engine.actions import Action, ContributeEntropy, TakeSeat
from engine.entropy import contribute, contributions
from engine.errors import Refused
from engine.events import (
    DeckShuffled,
    EntropyContributed,
    Event,
    HouseEvent,
    LotDrawn,
    ShuffleCommitted,
)
from engine.house import Table
from engine.occupancy import seated_at
from service.verify.findings import Bad
from service.verify.records import Record
from service.verify.secrets import Epoch, entropy_hash

__all__ = ["decide_again"]

PLAYER: Final = 1


class _Orders:
    """The orders that an epoch gives to the shuffles of one commit."""

    def __init__(self, epoch: Epoch, before: Table) -> None:
        self._epoch = epoch
        self._entropy = contributions(before.house)
        self._next = before.house.shuffles

    def shuffle(self, purpose: str, pile: Sequence[int]) -> tuple[int, ...]:
        """The order of the next shuffle."""
        order = self._epoch.order(self._next, purpose, pile, self._entropy)
        self._next += 1
        return order


def decide_again(
    record: Record, before: Table, events: Sequence[Event], action: Action, epoch: Epoch
) -> int:
    """How many events were made again; raises ``Bad`` unless they are those that are stored."""
    _require_actor(record, before, action)
    _require_commitments(before, events, epoch)
    orders = _Orders(epoch, before)
    for event in events:
        if isinstance(event, LotDrawn):
            expected = orders.shuffle(event.purpose, range(len(event.order)))
            if event.order != expected:
                raise Bad("a lot is not what the secret gives", expected, event.order)
    stored = [event for event in events if _is_decided(event)]
    made = list(_made(record, before, action, orders))
    for number, (one, other) in enumerate(zip(made, stored, strict=False), 1):
        if not _same(one, other):
            raise Bad(
                f"event {number} of {type(action).__name__} is not what the rules make of it",
                *_difference(one, other),
            )
    if len(made) != len(stored):
        raise Bad(f"{type(action).__name__} makes another number of events", len(made), len(stored))
    return len(made)


def _is_decided(event: Event) -> bool:
    return isinstance(event, EntropyContributed) or not isinstance(event, HouseEvent)


def _made(record: Record, before: Table, action: Action, orders: _Orders) -> Iterator[Event]:
    try:
        if isinstance(action, ContributeEntropy):
            yield from contribute(before, record.seat, action)
        else:
            yield from before.game.decide(before.state, record.seat, action, orders)[0]
    except Refused as refused:
        name = type(action).__name__
        raise Bad(f"the rules refuse {name}", "an accepted action", refused.reason) from None


def _require_actor(record: Record, before: Table, action: Action) -> None:
    """A player acts at the seat that he holds, or takes it for himself."""
    if record.actor_kind != PLAYER:
        return
    who = str(record.actor)
    holder = action.player if isinstance(action, TakeSeat) else seated_at(before).get(record.seat)
    if holder is not None and holder != who:
        raise Bad(f"somebody else acts at seat {record.seat}", holder, who)


def _require_commitments(before: Table, events: Sequence[Event], epoch: Epoch) -> None:
    """Behind each shuffle stands what commits to its places, and nowhere else."""
    entropy = contributions(before.house)
    number = before.house.shuffles
    followers: list[Event | None] = [*events[1:], None]
    expected = 0
    for event, after in zip(events, followers, strict=True):
        if isinstance(event, DeckShuffled):
            root = epoch.root(number, event.purpose, event.order.value, entropy)
            right = ShuffleCommitted(number, event.purpose, entropy_hash(entropy), root)
            if after != right:
                raise Bad("the commitment to a shuffle is not behind it", *_roots(right, after))
            expected += 1
        number += isinstance(event, DeckShuffled | LotDrawn)
    found = sum(isinstance(event, ShuffleCommitted) for event in events)
    if found != expected:
        raise Bad("a commitment to a shuffle that there is not", expected, found)


def _roots(expected: ShuffleCommitted, found: Event | None) -> tuple[str, str]:
    told = found.root.hex() if isinstance(found, ShuffleCommitted) else type(found).__name__
    return f"shuffle {expected.shuffle}, root {expected.root.hex()}", told


def _same(one: object, other: object) -> bool:
    """Whether two events are alike; what may be None and is a list is stored as an empty one."""
    if type(one) is not type(other):
        return False
    fields: Any = getattr(one, "__dataclass_fields__")  # noqa: B009 - of whatever class it is
    return all(_bare(getattr(one, name)) == _bare(getattr(other, name)) for name in fields)


def _bare(value: Any) -> Any:
    if isinstance(value, tuple) and hasattr(value, "audience"):
        inner = _bare(value.value)  # type: ignore[attr-defined]
        return inner, value.audience, _bare(value.public)  # type: ignore[attr-defined]
    return value or None if isinstance(value, tuple) else value


def _difference(one: Any, other: Any) -> tuple[str, str]:
    """The first field in which two events differ, in both."""
    if type(one) is not type(other):
        return type(one).__name__, type(other).__name__
    for name in one.__dataclass_fields__:
        expected, found = getattr(one, name), getattr(other, name)
        if _bare(expected) != _bare(found):
            return f"{name}={_told(expected)}", f"{name}={_told(found)}"
    return "", ""


def _told(value: Any) -> str:
    return str(value.value if hasattr(value, "audience") else value)
