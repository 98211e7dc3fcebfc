"""A table: its epochs, what is sealed, every decision made once more, its chips and cards.

A commit can be opened once its epoch's secret was told, which is in a later commit.  So commits
wait; of an epoch that is never told in the export they stay unopened and are counted as such.
Commits of an epoch that was voided, because its key was lost, fold without what is sealed in them.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from typing import Final
from uuid import UUID

from engine.actions import Action
from engine.errors import Refused
from engine.events import (
    ChipsAdded,
    DeckShuffled,
    EpochClosed,
    EpochOpened,
    EpochVoided,
    Event,
    HouseOpened,
    PacksShared,
    SeatLeft,
    SeatTaken,
    TableOpened,
)
from engine.games import GAMES
from engine.house import Table, apply_all, hand_between, running_hand
from engine.kernel import AnyGame
from service.verify.counted import check_cards, chips_of
from service.verify.decided import decide_again
from service.verify.decoding import action_of, event_of, name_of, public_event
from service.verify.findings import Bad
from service.verify.house import (
    require_actor,
    require_no_lab,
    require_opening,
    require_turn,
    require_void,
)
from service.verify.records import Record
from service.verify.secrets import Epoch, commitment_of, packs_of

__all__ = ["Opened", "TableCheck"]

_PUBLIC: Final = {
    "TableOpened",
    "HouseOpened",
    "PacksShared",
    "EpochOpened",
    "EpochClosed",
    "EpochVoided",
}
"""Events that are read as soon as their commit is met."""

_UNFIT: Final = (Refused, AssertionError, KeyError, ValueError, IndexError, TypeError)
"""What folding events ends with that no table could have."""


class Opened:
    """A commit that was opened: its events in full, and the table before and after it."""

    __slots__ = ("action", "after", "before", "events", "record")

    def __init__(
        self,
        record: Record,
        before: Table,
        events: tuple[Event, ...],
        action: Action | None,
        after: Table,
    ) -> None:
        self.record = record
        self.before = before
        self.events = events
        self.action = action
        self.after = after


class TableCheck:
    """One table.  What is wrong is told as ``Bad`` with the record that it is about.

    ``packs``: the id of those that other tables deal too, as the table says; ``first``: the
    commitment of its first epoch.
    """

    def __init__(self, stream: UUID) -> None:
        self.stream = stream
        self.counts: Counter[str] = Counter()
        self._game: AnyGame | None = None
        self._table: Table | None = None
        self._lab = False
        self.packs = ""
        self.first = b""
        self._epochs = 0
        self._commitments: dict[int, bytes] = {}
        self._secrets: dict[int, Epoch | None] = {}
        self._waiting: deque[tuple[int, Record]] = deque()
        self._chips = 0
        self._rules = 1
        self._reserve_ms = 0
        self._lost = False
        self._blind = False

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
            yield self._next()

    def end(self) -> Iterator[tuple[int, Record, Bad]]:
        """Nothing more comes: what still waits belongs to epochs that were not told.

        It folds without what is sealed in it, so that nothing hides there but cards; a position
        of the laboratory that was set there may be sealed as a whole.
        """
        self.counts["commits of epochs not told"] += len(self._waiting)
        if self._lab:
            self._waiting.clear()
        while self._waiting:
            line, record, found = self._next()
            if isinstance(found, Bad):
                yield line, record, found

    def _next(self) -> tuple[int, Record, Bad | Opened]:
        place, first = self._waiting.popleft()
        try:
            return place, first, self._open(first)
        except Bad as bad:
            self.give_up()
            return place, first, bad

    def give_up(self) -> None:
        """What follows from a state that is wrong would be wrong too."""
        self._lost = True
        self.counts["commits not opened"] += len(self._waiting)
        self._waiting.clear()

    # --- what is public -------------------------------------------------------------------------

    def _look(self, record: Record) -> None:
        """Epochs opened, told and voided; the first commit says what is played here."""
        for fact in record.facts or ():
            if name_of(fact.type) in _PUBLIC:
                self._fact(public_event(fact), first=record.base == 0)
        if record.base == 0 and self._game is None:
            raise Bad("a table whose first commit does not open it")

    def _fact(self, event: Event, *, first: bool) -> None:
        match event:
            case TableOpened() if self._game is None:
                self._begin(event)
            case HouseOpened() if first:
                self._lab = event.lab
                self.counts["lab tables"] += event.lab
            case PacksShared() if first:
                self.packs = event.packs
            case EpochOpened():
                self._epochs += 1
                if event.epoch != self._epochs:
                    raise Bad("an epoch out of turn", self._epochs, event.epoch)
                if len(event.commitment) != 32:
                    raise Bad("a commitment of a wrong length", 32, len(event.commitment))
                self._commitments[event.epoch] = event.commitment
                self.first = self.first or event.commitment
                self.counts["epochs opened"] += 1
            case EpochClosed():
                self._told(event.epoch, event.secret.value)
            case EpochVoided():
                self._require_open(event.epoch, "is voided")
                self._secrets[event.epoch] = None
                self.counts["epochs voided"] += 1

    def _begin(self, event: TableOpened) -> None:
        game = GAMES.get(event.game)
        if game is None:
            raise Bad("a game that is not known here", ", ".join(GAMES), event.game)
        self._game = game
        self._table = Table.empty(game)
        reserve = dict(event.options).get("time_bank_seconds", "0")
        self._reserve_ms = int(reserve) * 1000 if reserve.isdecimal() else 0
        self.counts["tables"] += 1

    def _require_open(self, epoch: int, what: str) -> bytes:
        """The commitment of an epoch whose end nobody has told yet."""
        commitment = self._commitments.pop(epoch, None)
        if commitment is None:
            raise Bad(f"epoch {epoch}, which was not open, {what}")
        return commitment

    def _told(self, epoch: int, secret: bytes) -> None:
        expected = self._require_open(epoch, "is told")
        found = commitment_of(self.stream, epoch, secret)
        if found != expected:
            self.give_up()
            what = f"the secret of epoch {epoch} is not the one committed to"
            raise Bad(what, expected.hex(), found.hex())
        self._secrets[epoch] = Epoch(self.stream, epoch, secret)
        self.counts["epochs told"] += 1

    # --- what is sealed -------------------------------------------------------------------------

    def _open(self, record: Record) -> Opened:
        before = self._table
        if before is None:
            raise AssertionError("nothing waits before the table is open")
        for known in [number for number in self._secrets if number < record.epoch]:
            del self._secrets[known]
        epoch = self._secrets.get(record.epoch)
        events, action = self._contents(record, epoch)
        _require_epoch(record, before, events)
        try:
            after = apply_all(before, events, record.seat)
        except _UNFIT as error:
            raise Bad("the events do not fit the table", found=type(error).__name__) from None
        self._require_rules(record, before)
        _require_over(before, after, events)
        self._require_house(record, before, after, events, action)
        # What follows from a secret that is lost nobody can say: a table that is void has its own.
        if epoch is not None and before.house.packs and not _voids(events):
            _require_packs(before, events, epoch)
        self._decide(record, before, events, action, epoch)
        _require_hand(record, before, after, events)
        # A position that was set, or a hand that did not happen, has its cards in the open again.
        self._blind = epoch is None or (self._blind and not _voids(events))
        self._conserve(after, events)
        self._table = after
        self.counts["commits opened"] += epoch is not None
        return Opened(record, before, events, action, after)

    def _contents(
        self, record: Record, epoch: Epoch | None
    ) -> tuple[tuple[Event, ...], Action | None]:
        """The events and the action, as far as they can be opened."""
        facts = record.facts or ()
        if epoch is None:
            return tuple(event_of(fact, {}) for fact in facts), None
        slots = epoch.slots(record.base, record.salt)
        events: list[Event] = []
        for version, fact in enumerate(facts, record.base + 1):
            opened = {
                slot.field: slots.open(version, slot.field, slot.audience, slot.sealed)
                for slot in fact.slots
                if slot.sealed
            }
            self.counts["slots opened"] += len(opened)
            events.append(event_of(fact, opened))
        action = slots.open_action(record.action)
        return tuple(events), action_of(action) if action else None

    def _decide(
        self,
        record: Record,
        before: Table,
        events: Sequence[Event],
        action: Action | None,
        epoch: Epoch | None,
    ) -> None:
        """The action decided once more must make the events that are stored, and no others."""
        known = epoch is not None and record.rules == before.game.RULES
        if self._lab:
            self.counts["commits of lab tables, folded"] += epoch is not None
        elif _voids(events):
            self.counts["commits that void epochs"] += 1
        elif known and epoch is not None:
            if action is None:
                raise Bad(
                    "a commit without an action", found=[type(one).__name__ for one in events]
                )
            made = decide_again(record, before, events, action, epoch, self._reserve_ms)
            self.counts["commits decided again"] += 1
            self.counts["events decided again"] += made
        else:
            self.counts["commits of older rules, folded"] += epoch is not None
        if epoch is None and record.epoch in self._secrets:
            self.counts["commits of voided epochs, folded"] += 1

    def _require_house(
        self,
        record: Record,
        before: Table,
        after: Table,
        events: Sequence[Event],
        action: Action | None,
    ) -> None:
        """What holds of every commit, whether it can be opened or not."""
        if not before.version:
            require_opening(record, events)
        elif not self._lab:
            require_no_lab(events)
            if _voids(events):
                require_void(record, before, events)
            else:
                require_actor(record, before, after, action)
                require_turn(before, events, record.seat)

    def _require_rules(self, record: Record, before: Table) -> None:
        """Rules that this program has, or had; a table never goes back to older ones."""
        newest = before.game.RULES
        if not self._rules <= record.rules <= newest:
            raise Bad("rules that there were not", f"{self._rules} to {newest}", record.rules)
        self._rules = record.rules

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
        if not self._blind:
            check_cards(after.game, after.state)


def _require_packs(before: Table, events: Sequence[Event], epoch: Epoch) -> None:
    """Where tables share their packs a secret is not drawn: it follows from the one before."""
    due = epoch.next_of(packs_of(before.house))
    for event in events:
        if isinstance(event, EpochOpened) and event.commitment != due.commitment:
            what = f"epoch {event.epoch} does not follow from the one before"
            raise Bad(what, due.commitment.hex(), event.commitment.hex())


def _require_over(before: Table, after: Table, events: Sequence[Event]) -> None:
    """No secret is told while a card of its epoch can still matter."""
    game = after.game
    if game.is_closed(after.state):
        return
    ends = any(
        (isinstance(event, DeckShuffled) and event.purpose in game.SECRET_UNTIL)
        or type(event).__name__ == "EmbargoReleased"
        for event in events
    )
    for event in events:
        if isinstance(event, EpochClosed):
            running = event.epoch == before.house.epoch
            over = not game.SECRET_UNTIL and game.epoch_is_over(after.state)
            if not (over if running else ends or not game.SECRET_UNTIL):
                raise Bad(f"the secret of epoch {event.epoch} is told while its cards matter")


def _require_epoch(record: Record, before: Table, events: Sequence[Event]) -> None:
    """A commit is of the epoch that runs, or of the one that follows on it where that is void."""
    running = before.house.epoch
    void = any(isinstance(event, EpochVoided) and event.epoch == running for event in events)
    due = running + 1 if void else running or (0 if before.version else 1)
    if record.epoch != due:
        raise Bad("a commit of another epoch than runs", due, record.epoch)


def _require_hand(record: Record, before: Table, after: Table, events: Sequence[Event]) -> None:
    hand = running_hand(before) if _voids(events) else hand_between(before, after)
    if record.hand != (hand if before.version else 0):
        raise Bad("a commit of another hand", hand, record.hand)


def _voids(events: Sequence[Event]) -> bool:
    return any(isinstance(event, EpochVoided) for event in events)
