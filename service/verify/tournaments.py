"""A tournament: its facts folded, every decision made once more when its secret is told.

What it moved is told group by group, for whoever holds it against accounts and tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

from google.protobuf.message import DecodeError

from engine.actions import Action
from engine.errors import Refused
from engine.events import EpochClosed, EpochOpened, Event, HouseOpened
from engine.tournament import events as e
from engine.tournament.actions import TOURNAMENT_ACTIONS, CreateTournament, HostAsks, PlayerAsks
from engine.tournament.all_events import stands_in_stream
from engine.tournament.decider import decide
from engine.tournament.formats import format_of
from engine.tournament.housed import Housed, with_events
from engine.tournament.transfers import PaymentKind, payments, stakes
from service.pb import tournament_actions_pb2
from service.verify.decoding import event_of, tournament_action_of
from service.verify.findings import Bad
from service.verify.records import Record, derived_stream
from service.verify.secrets import Epoch, commitment_of

__all__ = ["TournamentCheck"]

PLAYER: Final = 1
HOSTS: Final = 2
PROCESS: Final = 4

_UNFIT: Final = (Refused, AssertionError, AttributeError, KeyError, ValueError, IndexError)
"""What folding or deciding ends with where facts are none that a tournament could have."""

Waiting = tuple[int, Record, Housed, tuple[Event, ...]]


class _Lots:
    """Lots of the epoch; nothing is drawn once it is told."""

    def __init__(self, epoch: Epoch | None, drawn: int) -> None:
        self._epoch = epoch
        self._next = drawn

    def order(self, purpose: str, count: int) -> tuple[int, ...]:
        """The order of the next shuffle."""
        if self._epoch is None:
            raise Refused("ALREADY_OVER", purpose=purpose)
        order = self._epoch.order(self._next, purpose, range(count), ())
        self._next += 1
        return order


class TournamentCheck:
    """One tournament.  What is wrong is told as ``Bad`` with the record that it is about.

    ``paid``: what the last commit took from accounts, by their streams; ``staked``: the chips that
    it put on tables, by theirs.
    """

    def __init__(self, stream: UUID) -> None:
        self.stream = stream
        self.counts: Counter[str] = Counter(tournaments=1)
        self.paid: Counter[UUID] = Counter()
        self.staked: Counter[UUID] = Counter()
        self._now = Housed()
        self._tables: dict[int, UUID] = {}
        self._packs: dict[UUID, UUID] = {}
        self._commitment = b""
        self._epoch: Epoch | None = None
        self._waiting: list[Waiting] = []
        self._lost = False

    def take(self, line: int, record: Record) -> Iterator[tuple[int, Record, Bad]]:
        """The next commit, and what is found by it, about it or about those that waited."""
        self.paid, self.staked = Counter(), Counter()
        if self._lost:
            self.counts["commits not opened"] += 1
            return
        try:
            before = self._now
            events = tuple(event_of(fact, {}) for fact in record.facts or ())
            for event in events:
                if not stands_in_stream(event):
                    raise Bad("an event that no tournament has", found=type(event).__name__)
            self._follow(record, events)
        except Bad as bad:
            self.give_up()
            yield line, record, bad
            return
        except _UNFIT as error:
            self.give_up()
            what = "the events do not fit the tournament"
            yield line, record, Bad(what, found=type(error).__name__)
            return
        self._waiting.append((line, record, before, events))
        if self._epoch is not None:
            waiting, self._waiting = self._waiting, []
            for each in waiting:
                yield from self._decide(each)

    def end(self) -> None:
        """Nothing more comes: what still waits belongs to an epoch that was not told."""
        self.counts["commits of epochs not told"] += len(self._waiting)

    def give_up(self) -> None:
        """What follows from a state that is wrong would be wrong too."""
        self._lost = True
        self.counts["commits not opened"] += len(self._waiting)
        self._waiting.clear()

    def _follow(self, record: Record, events: Sequence[Event]) -> None:
        """Move on by facts, and note what they move."""
        state = self._now.state
        for version, event in enumerate(events, record.base + 1):
            match event:
                case EpochOpened() if not self._commitment:
                    self._commitment = event.commitment
                    self.counts["epochs opened"] += 1
                case EpochClosed():
                    self._told(event.epoch, event.secret.value)
                case e.TableDrawn():
                    self._tables[event.table] = _table_stream(self.stream, version)
                case EpochOpened():
                    raise Bad("a tournament opens a second epoch")
                case _:
                    pass
        for payment in payments(state, events):
            account = derived_stream(b"kartejo/v1/account", UUID(payment.player))
            taken = payment.kind is PaymentKind.ENTRY
            self.paid[account] += payment.amount if taken else -payment.amount
        for stake in stakes(state, events):
            self.staked[self._tables[stake.table]] += stake.chips
        self._now = with_events(self._now, events)
        self._note_packs(events)
        self.counts["commits of tournaments"] += 1

    def _note_packs(self, events: Sequence[Event]) -> None:
        """Which packs the format wants dealt at tables that were drawn."""
        state = self._now.state
        for event in events:
            if isinstance(event, e.TableDrawn):
                word = format_of(state.structure).deal(state, event.table).packs
                if word:
                    self._packs[self._tables[event.table]] = _packs_id(self.stream, word)

    def shared(self) -> Iterator[tuple[UUID, UUID, bytes]]:
        """Tables that deal packs which others deal too, and how each must say so.

        The id of the packs, and the commitment of its first epoch, which follows from the secret of
        the tournament; none as long as that is not told.
        """
        for table, packs in self._packs.items():
            if self._epoch is not None and not self._lost:
                yield table, packs, self._epoch.first_of(packs.bytes, table).commitment

    def _told(self, number: int, secret: bytes) -> None:
        found = commitment_of(self.stream, number, secret)
        if found != self._commitment or self._epoch is not None:
            what = "the secret of the tournament is not the one committed to"
            raise Bad(what, self._commitment.hex(), found.hex())
        self._epoch = Epoch(self.stream, number, secret)
        self.counts["epochs told"] += 1

    def _decide(self, waiting: Waiting) -> Iterator[tuple[int, Record, Bad]]:
        line, record, before, events = waiting
        try:
            self._decide_again(record, before, events)
        except Bad as bad:
            yield line, record, bad
        except _UNFIT as error:
            reason = error.reason if isinstance(error, Refused) else type(error).__name__
            what = "the rules of tournaments refuse what was asked"
            yield line, record, Bad(what, "an accepted action", reason)

    def _decide_again(self, record: Record, before: Housed, events: Sequence[Event]) -> None:
        """The action decided once more must make the events that are stored, and no others."""
        running = before.house.epoch or (0 if before.state.version else 1)
        if record.epoch != running:
            raise Bad("a commit of another epoch than runs", running, record.epoch)
        wire = record.action
        epoch = self._epoch if record.epoch else None
        if record.epoch and epoch is not None:
            wire = epoch.slots(record.base, record.salt).open_action(wire)
        action = _action_of(wire)
        _require_actor(record, action)
        own: tuple[Event, ...] = ()
        if not before.state.version:
            house, opened, *_ = events
            if house != HouseOpened((), False, str(record.actor)):
                raise Bad("a tournament is opened by its host", record.actor)
            own = (house, opened)
            before = with_events(before, own)
        actor = str(record.actor) if isinstance(action, PlayerAsks) else None
        made, _ = decide(before.state, actor, action, _Lots(epoch, before.house.shuffles))
        stored = [event for event in events[len(own) :] if not isinstance(event, EpochClosed)]
        if list(made) != stored:
            pairs = zip(made, stored, strict=False)
            one, other = next(((a, b) for a, b in pairs if a != b), (len(made), len(stored)))
            raise Bad(f"{type(action).__name__} makes other events than are stored", one, other)
        self.counts["commits decided again"] += 1
        self.counts["events decided again"] += len(made)


def _action_of(wire: bytes) -> Action:
    message: Any = tournament_actions_pb2.TournamentAction()
    try:
        message.ParseFromString(wire)
    except DecodeError:
        raise Bad("the action cannot be read") from None
    return tournament_action_of(message, TOURNAMENT_ACTIONS)


def _require_actor(record: Record, action: Action) -> None:
    """Players ask for themselves, hosts order, the service reports."""
    if isinstance(action, PlayerAsks):
        due = PLAYER
    elif isinstance(action, HostAsks | CreateTournament):
        due = HOSTS
    else:
        due = PROCESS
    if record.actor_kind != due:
        raise Bad("somebody asks who cannot", due, record.actor_kind)


def _packs_id(tournament: UUID, word: str) -> UUID:
    """What stands for the packs that a tournament calls by a word."""
    parts = (b"kartejo/v1/packs", tournament.bytes, word.encode())
    framed = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return derived_stream(b"kartejo/v1/stream", UUID(bytes=sha256(framed).digest()[:16]))


def _table_stream(tournament: UUID, drawn: int) -> UUID:
    """The table that is opened for the event of version ``drawn``: no other one can be."""
    parts = (b"kartejo/v1/process-command", tournament.bytes, drawn.to_bytes(8, "big"), b"1 open")
    framed = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return derived_stream(b"kartejo/v1/stream", UUID(bytes=sha256(framed).digest()[:16]))
