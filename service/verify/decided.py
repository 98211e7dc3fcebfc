"""Every decision made once more: from the table before, the action and the epoch's secret."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from engine.actions import (
    MANAGER_ACTIONS,
    Action,
    CloseTable,
    ContributeEntropy,
    ReleaseEmbargo,
    TimeOut,
)
from engine.embargo import release
from engine.entropy import contribute, contributions
from engine.errors import Refused
from engine.events import (
    DeckShuffled,
    EpochClosed,
    EpochOpened,
    Event,
    HouseOpened,
    LotDrawn,
    PacksShared,
    ShuffleCommitted,
    TimeBankUsed,
)
from engine.house import Table
from engine.kernel import HOST
from engine.managed import Decide, house_turns, manage, require_manager
from service.verify.findings import Bad
from service.verify.house import require_time_banks
from service.verify.records import Record
from service.verify.secrets import Epoch, entropy_hash, packs_of

__all__ = ["decide_again"]

_ELSEWHERE: Final = (
    HouseOpened,
    PacksShared,
    EpochOpened,
    EpochClosed,
    ShuffleCommitted,
    TimeBankUsed,
)
"""What the house adds to what the rules make of an action, and what is checked by itself."""


class _Orders:
    """The orders that an epoch gives to the shuffles of one commit."""

    def __init__(self, epoch: Epoch, before: Table) -> None:
        self._epoch = epoch
        self._entropy = contributions(before.house)
        self._packs = packs_of(before.house)
        self._next = before.house.shuffles
        self.lots: list[Event] = []

    def shuffle(self, purpose: str, pile: Sequence[int]) -> tuple[int, ...]:
        """The order of the next shuffle."""
        order = self._epoch.order(self._next, purpose, pile, self._entropy, self._packs)
        self._next += 1
        return order

    def draw(self, purpose: str, count: int) -> int:
        """A lot of the house: a shuffle like any other, told as a fact."""
        order = self.shuffle(purpose, range(count))
        self.lots.append(LotDrawn(purpose, order))
        return order[0]


def decide_again(
    record: Record,
    before: Table,
    events: Sequence[Event],
    action: Action,
    epoch: Epoch,
    reserve_ms: int,
) -> int:
    """How many events were made again; raises ``Bad`` unless they are those that are stored.

    ``reserve_ms``: the time bank of each seat.
    """
    if before.version:
        require_time_banks(before, events, action, record.seat, reserve_ms)
    _require_commitments(before, events, epoch)
    stored = [event for event in events if not isinstance(event, _ELSEWHERE)]
    made = _made(record, before, action, _Orders(epoch, before))
    for number, (one, other) in enumerate(zip(made, stored, strict=False), 1):
        if not _same(one, other):
            raise Bad(
                f"event {number} of {type(action).__name__} is not what the rules make of it",
                *_difference(one, other),
            )
    if len(made) != len(stored):
        raise Bad(f"{type(action).__name__} makes another number of events", len(made), len(stored))
    return len(made)


def _made(record: Record, before: Table, action: Action, orders: _Orders) -> list[Event]:
    """What the rules make of the action, lots that the house draws for it first."""
    name = type(action).__name__

    def decide(table: Table, seat: int, action: Action) -> Sequence[Event]:
        decided, _ = table.game.decide(table.state, seat, action, orders)
        return decided

    try:
        made = _asked(record, before, action, orders, decide)
        return [*made, *house_turns(before, record.seat, made, decide)]
    except Refused as refused:
        raise Bad(f"the rules refuse {name}", "an accepted action", refused.reason) from None
    except (TypeError, KeyError, ValueError, AssertionError) as error:
        raise Bad(f"{name} cannot be decided", found=type(error).__name__) from None


def _asked(
    record: Record, before: Table, action: Action, orders: _Orders, decide: Decide
) -> Sequence[Event]:
    """What an action alone makes."""
    if isinstance(action, ContributeEntropy):
        return contribute(before, record.seat, action)
    if isinstance(action, ReleaseEmbargo):
        return release(before)
    if isinstance(action, MANAGER_ACTIONS):
        return manage(before, action, orders)
    require_manager(before, action)
    asked = isinstance(action, CloseTable | TimeOut)
    if before.version and record.seat == HOST and not asked:
        due = before.game.next_start(before.state, orders)
        if due != action:
            name = type(action).__name__
            raise Bad("another step of the house than is due", type(due).__name__, name)
    decided = decide(before, record.seat, action)
    return [*orders.lots, *decided]


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
