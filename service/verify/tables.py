"""A table: its epochs, what is sealed, every decision made once more, its chips and cards.

A commit can be opened once its epoch's secret was told, which is in a later commit.  So commits
wait; of an epoch that is never told in the export they stay unopened and are counted as such.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from typing import Any, Final
from uuid import UUID

from engine.actions import Action, TakeSeat
from engine.errors import Refused
from engine.events import (
    ChipsAdded,
    EpochClosed,
    EpochOpened,
    Event,
    HouseEvent,
    HouseOpened,
    LotDrawn,
    SeatLeft,
    SeatTaken,
    TableOpened,
)
from engine.games import GAMES
from engine.house import Table, apply_all
from engine.kernel import AnyGame
from engine.occupancy import seated_at
from service.verify.counted import check_cards, chips_of
from service.verify.decoding import action_of, event_of, name_of, public_event
from service.verify.findings import Bad
from service.verify.records import Record
from service.verify.secrets import Epoch, commitment_of

__all__ = ["Opened", "TableCheck"]

PLAYER: Final = 1
_PUBLIC: Final = {"TableOpened", "HouseOpened", "EpochOpened", "EpochClosed"}
"""Events that are read as soon as their commit is met."""


class Opened:
    """A commit that was opened: its events in full, and the table before and after it."""

    __slots__ = ("action", "after", "before", "events", "record")

    def __init__(
        self, record: Record, before: Table, events: tuple[Event, ...], action: Action, after: Table
    ) -> None:
        self.record = record
        self.before = before
        self.events = events
        self.action = action
        self.after = after


class _Orders:
    """The orders that an epoch gives to the shuffles of one commit."""

    def __init__(self, epoch: Epoch, start: int) -> None:
        self._epoch = epoch
        self._next = start

    def shuffle(self, purpose: str, pile: Sequence[int]) -> tuple[int, ...]:
        order = self._epoch.order(self._next, purpose, pile)
        self._next += 1
        return order


class TableCheck:
    """One table.  What is wrong is raised as ``Bad`` with the record that it is about."""

    def __init__(self, stream: UUID) -> None:
        self.stream = stream
        self.counts: Counter[str] = Counter()
        self._game: AnyGame | None = None
        self._table: Table | None = None
        self._lab = False
        self._commitments: dict[int, bytes] = {}
        self._secrets: dict[int, Epoch] = {}
        self._waiting: deque[tuple[int, Record]] = deque()
        self._chips = 0
        self._lost = False

    def take(self, line: int, record: Record) -> Iterator[tuple[int, Record, Bad | Opened]]:
        """The next commit: whatever is found by it, about it or about those that waited for it."""
        try:
            self._look(record)
        except Bad as bad:
            yield line, record, bad
        if self._lost or self._game is None:
            self.counts["commits not opened"] += 1
            return
        self._waiting.append((line, record))
        while self._waiting and self._waiting[0][1].epoch in self._secrets:
            place, first = self._waiting.popleft()
            try:
                yield place, first, self._open(first)
            except Bad as bad:
                yield place, first, bad
                self.give_up()
                return

    def end(self) -> None:
        """Nothing more comes: what still waits belongs to epochs that were not told."""
        self.counts["commits of epochs not told"] += len(self._waiting)
        self._waiting.clear()

    def give_up(self) -> None:
        """What follows from a state that is wrong would be wrong too."""
        self._lost = True
        self.counts["commits not opened"] += len(self._waiting)
        self._waiting.clear()

    # --- what is public -------------------------------------------------------------------------

    def _look(self, record: Record) -> None:
        """Epochs opened and told; the first commit says what is played here."""
        for fact in record.facts or ():
            if name_of(fact.type) in _PUBLIC:
                self._fact(public_event(fact))
        if record.base == 0 and self._game is None:
            raise Bad("a table whose first commit does not open it")

    def _begin(self, event: TableOpened) -> None:
        game = GAMES.get(event.game)
        if game is None:
            raise Bad("a game that is not known here", ", ".join(GAMES), event.game)
        self._game = game
        self._table = Table.empty(game)
        self.counts["tables"] += 1

    def _fact(self, event: Event) -> None:
        match event:
            case TableOpened() if self._game is None:
                self._begin(event)
            case HouseOpened():
                self._lab = event.lab
                self.counts["lab tables"] += event.lab
            case EpochOpened():
                if event.epoch != len(self._commitments) + 1:
                    raise Bad("an epoch out of turn", len(self._commitments) + 1, event.epoch)
                if len(event.commitment) != 32:
                    raise Bad("a commitment of a wrong length", 32, len(event.commitment))
                self._commitments[event.epoch] = event.commitment
                self.counts["epochs opened"] += 1
            case EpochClosed():
                self._told(event.epoch, event.secret.value)

    def _told(self, epoch: int, secret: bytes) -> None:
        expected = self._commitments.get(epoch)
        if not expected:
            raise Bad(f"the secret of epoch {epoch}, which was not open, is told")
        found = commitment_of(self.stream, epoch, secret)
        if found != expected:
            self.give_up()
            raise Bad(
                f"the secret of epoch {epoch} is not the one committed to",
                expected.hex(),
                found.hex(),
            )
        self._secrets[epoch] = Epoch(self.stream, epoch, secret)
        self._commitments[epoch] = b""
        self.counts["epochs told"] += 1

    # --- what is sealed -------------------------------------------------------------------------

    def _open(self, record: Record) -> Opened:
        before = self._table
        if before is None:
            raise AssertionError("nothing waits before the table is open")
        for known in [number for number in self._secrets if number < record.epoch]:
            del self._secrets[known]
        if before.version and record.epoch != before.house.epoch:
            raise Bad("a commit of another epoch than runs", before.house.epoch, record.epoch)
        epoch = self._secrets[record.epoch]
        slots = epoch.slots(record.base, record.salt)
        events: list[Event] = []
        for version, fact in enumerate(record.facts or (), record.base + 1):
            opened = {
                slot.field: slots.open(version, slot.field, slot.audience, slot.sealed)
                for slot in fact.slots
                if slot.sealed
            }
            self.counts["slots opened"] += len(opened)
            events.append(event_of(fact, opened))
        action = action_of(slots.open_action(record.action)) if record.action else None
        try:
            after = apply_all(before, events, record.seat)
        except (Refused, AssertionError, KeyError, ValueError, IndexError, TypeError) as error:
            raise Bad("the events do not fit the table", found=type(error).__name__) from None
        if action is None:
            raise Bad("a commit without an action")
        self._decide(record, before, events, action, epoch)
        self._conserve(after, events)
        self._table = after
        self.counts["commits opened"] += 1
        return Opened(record, before, tuple(events), action, after)

    def _decide(
        self,
        record: Record,
        before: Table,
        events: Sequence[Event],
        action: Action,
        epoch: Epoch,
    ) -> None:
        """The action decided once more must make the events that are stored, and no others."""
        game = before.game
        if self._lab:
            self.counts["commits of lab tables, not decided again"] += 1
            return
        if record.rules != game.RULES:
            self.counts["commits of older rules, not decided again"] += 1
            return
        _require_actor(record, before, action)
        orders = _Orders(epoch, before.house.shuffles)
        for event in events:
            if isinstance(event, LotDrawn):
                expected = orders.shuffle(event.purpose, range(len(event.order)))
                if event.order != expected:
                    raise Bad("a lot is not what the secret gives", expected, event.order)
        stored = [event for event in events if not isinstance(event, HouseEvent)]
        try:
            made, _ = game.decide(before.state, record.seat, action, orders)
        except Refused as refused:
            raise Bad(
                f"the rules refuse {type(action).__name__}", "an accepted action", refused.reason
            ) from None
        for number, (one, other) in enumerate(zip(made, stored, strict=False), 1):
            if not _same(one, other):
                raise Bad(
                    f"event {number} of {type(action).__name__} is not what the rules make of it",
                    *_difference(one, other),
                )
        if len(made) != len(stored):
            raise Bad(
                f"{type(action).__name__} makes another number of events", len(made), len(stored)
            )
        self.counts["commits decided again"] += 1
        self.counts["events decided again"] += len(made)

    def _conserve(self, after: Table, events: Sequence[Event]) -> None:
        for event in events:
            match event:
                case SeatTaken(_, _, chips) | ChipsAdded(_, chips):
                    self._chips += chips
                case SeatLeft(_, chips):
                    self._chips -= chips
        if self._lab:
            return
        there = chips_of(after.game, after.state)
        if there is not None and there != self._chips:
            raise Bad("the chips at the table are not those that were brought", self._chips, there)
        check_cards(after.game, after.state)


def _require_actor(record: Record, before: Table, action: Action) -> None:
    """A player acts at the seat that he holds, or takes it for himself."""
    if record.actor_kind != PLAYER:
        return
    who = str(record.actor)
    holder = action.player if isinstance(action, TakeSeat) else seated_at(before).get(record.seat)
    if holder is not None and holder != who:
        raise Bad(f"somebody else acts at seat {record.seat}", holder, who)


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
