"""A recorded commit of a table, decided again: what the service would have stored.

The kernel is deterministic.  From the table before, the action and the epoch's secret follow all
events of a commit; what does not follow is taken from the record and bounded: who asked and when,
the time bank that an answer used, the salt of the commit, a newly drawn secret's commitment.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from google.protobuf.message import DecodeError

from engine.actions import (
    MANAGER_ACTIONS,
    Action,
    CloseTable,
    OpenTable,
    ReleaseEmbargo,
    SitOut,
    TableAction,
    TakeSeat,
    TimeOut,
)
from engine.errors import Corrupt, Malformed
from engine.events import (
    DeckStacked,
    EpochOpened,
    EpochVoided,
    Event,
    HouseOpened,
    PacksShared,
    PositionSet,
    TimeBankUsed,
)
from engine.house import (
    Table,
    apply_all,
    hand_between,
    idle_seats,
    running_hand,
)
from engine.house_options import read_house_options
from engine.kernel import HOST
from engine.managed import is_managed
from engine.occupancy import seated_at
from service.audit.secrets import Secrets
from service.codec import Codec
from service.host.commands import Command, stream_of
from service.host.dealing import (
    committed,
    decide,
    decide_at,
    next_start,
    start_at,
    turn_of_epoch,
)
from service.host.recorder import Recorder
from service.host.voiding import REASON, HandSoFar
from service.pb import games_pb2
from service.store.commit import ActorKind, Commit, salt_of
from service.vault import MasterKey, SlotSealer

__all__ = ["NOBODY", "Decided", "Decider", "Differs", "Given", "epoch_of"]


class Differs(Exception):
    """The record is not what follows: what was expected, what is there, at which event."""

    def __init__(self, check: str, expected: str, found: str, *, version: int = 0) -> None:
        self.check = check
        self.version = version
        self.expected = expected
        self.found = found
        super().__init__(f"{check}: expected {expected}, found {found}")


class Decided(NamedTuple):
    """What follows: the commit as it would be stored (not chained), its events, the table after."""

    commit: Commit
    events: tuple[Event, ...]
    after: Table


class Given:
    """Entropy that is on record: the salt of a commit; zeros for what the record replaces."""

    def __init__(self, salt: bytes = b"") -> None:
        self._salt = salt

    def entropy(self, size: int) -> bytes:
        """Those bytes where they are asked for."""
        return self._salt if len(self._salt) == size else bytes(size)


NOBODY: Final = MasterKey(bytes(32), Given())
"""Wraps what is replaced by what the record says."""


class Decider:
    """Decides the commits of one table again, in their order."""

    def __init__(self, codec: Codec, secrets: Secrets, hand: HandSoFar) -> None:
        self.opener = secrets
        self.time_bank_ms = 0
        """The reserve of each seat, an option of the table."""
        self.hand = hand
        """The hand that runs at the table, for the case that it did not happen."""
        self._codec = codec

    def again(self, before: Table, commit: Commit, recorded: Sequence[Event]) -> Decided:
        """What follows from ``before`` and the action of ``commit``.

        ``recorded``: the events of the commit, from which only inputs are taken.  Raises
        ``Differs`` where the record cannot be an outcome of its action, ``Refused`` where the
        rules refuse it, ``Corrupt`` where the action does not open, ``MissingKeys``.
        """
        voided = any(isinstance(one, EpochVoided) for one in recorded)
        epoch = epoch_of(before, recorded)
        if commit.epoch != epoch:
            raise Differs("epoch", f"epoch {epoch}", f"epoch {commit.epoch}")
        keys = self.opener.keys(epoch)
        salt = salt_of(commit.body)
        wire = SlotSealer(keys, base=commit.expected, salt=salt).open_action(commit.action)
        hand = 0
        if voided:
            events = self._voided(before, commit, wire, recorded)
            after = apply_all(before, events)
            hand = running_hand(before)
        elif before.version:
            events = self._events(before, commit, wire, recorded)
            events, after, fresh = turn_of_epoch(
                commit.stream,
                before,
                committed(keys, before.house, events),
                commit.seat,
                self.opener,
                NOBODY,
                Given(),
            )
            if fresh is not None:
                if before.house.packs:
                    _require_packs(fresh.commitment, fresh.epoch, recorded)
                events = _drawn(events, recorded)
                after = apply_all(before, events, commit.seat)
            hand = hand_between(before, after)
        else:
            events = self._opening(before, commit, wire, recorded)
            after = apply_all(before, events)
        written = Recorder(self._codec, NOBODY, Given(salt)).write(
            commit.stream,
            before,
            keys,
            _command(commit),
            events,
            seat=commit.seat,
            action=wire,
            hand=hand,
            recorded_at=commit.recorded_at,
        )
        return Decided(written, events, after)

    def _action(self, wire: bytes) -> Action:
        try:
            return self._codec.action_from_wire(games_pb2.Action.FromString(wire))
        except (DecodeError, Malformed):
            raise Corrupt("the action cannot be read") from None

    def _opening(
        self, empty: Table, commit: Commit, wire: bytes, recorded: Sequence[Event]
    ) -> tuple[Event, ...]:
        """The events of the commit that makes a table."""
        derived = stream_of(commit.command)
        if commit.stream != derived:
            expected = f"stream {derived}, which this command makes"
            raise Differs("stream", expected, f"stream {commit.stream}")
        action = self._action(wire)
        if not isinstance(action, OpenTable) or commit.seat != HOST:
            raise Differs("action", "OpenTable of the host", _told(action, commit.seat))
        houses = [one for one in recorded if isinstance(one, HouseOpened)]
        if len(houses) != 1:
            raise Differs("house", "one HouseOpened", str(len(houses)))
        house, options = read_house_options(dict(houses[0].options))
        kind = ActorKind.PROCESS if house.purse == "tournament" else ActorKind.HOST
        if commit.actor_kind != kind:
            expected = f"an actor of kind {kind}"
            raise Differs("actor", expected, f"an actor of kind {commit.actor_kind}")
        if kind == ActorKind.HOST and houses[0].host != str(commit.actor):
            raise Differs("house", "a HouseOpened by the actor", "another's")
        if options != houses[0].options:
            raise Differs("house", "every option of the house, in its order", "others")
        if houses[0].lab and house.purse != "free":
            raise Differs("house", "play chips at a table of the laboratory", house.purse)
        epochs = [one for one in recorded if isinstance(one, EpochOpened)]
        opened = decide(empty, self.opener.keys(1), HOST, action)
        packs = [one for one in recorded if isinstance(one, PacksShared)]
        if packs and not (house.purse == "tournament" and house.embargo):
            raise Differs("packs", "shared under an embargo at a tournament's table", "elsewhere")
        return (*houses, *packs[:1], *epochs[:1], *opened)

    def _events(
        self, before: Table, commit: Commit, wire: bytes, recorded: Sequence[Event]
    ) -> tuple[Event, ...]:
        """The events of an action, without those by which an epoch ends."""
        seat = commit.seat
        if before.house.lab and not wire:
            return _placed(recorded)
        action = self._action(wire)
        _require_actor(before, commit, action)
        if before.house.lab:
            return decide_at(self, before, seat, action)
        if seat >= 0:
            bank = self._bank_used(before, seat, action, recorded)
            return bank + decide_at(self, before, seat, action)
        if isinstance(action, TimeOut):
            return self._bank_emptied(before) + decide_at(self, before, HOST, action)
        if isinstance(action, (CloseTable, ReleaseEmbargo, *MANAGER_ACTIONS)):
            return decide_at(self, before, HOST, action)
        due = next_start(self, before)
        if due != action:
            raise Differs("action", _told(due, HOST), _told(action, HOST))
        return start_at(self, before)

    def _voided(
        self, before: Table, commit: Commit, wire: bytes, recorded: Sequence[Event]
    ) -> tuple[Event, ...]:
        """The events by which epochs end that nobody can open any more."""
        if wire or commit.seat != HOST or commit.actor_kind != ActorKind.PROCESS:
            raise Differs("actor", "the service by itself, where a key is lost", "another")
        house = before.house
        untold = [*(epoch for epoch, _, _ in house.kept), house.epoch]
        events: list[Event] = []
        for one in recorded:
            if not isinstance(one, EpochVoided):
                continue
            if one.epoch not in untold or self.opener.opens(one.epoch):
                raise Differs("void", "an epoch that nothing opens", f"epoch {one.epoch}")
            position = self.hand.voided(before) if one.epoch == house.epoch else ""
            events.append(EpochVoided(one.epoch, REASON, position))
        opened = [one for one in recorded if isinstance(one, EpochOpened)]
        return (*events, *opened[:1])

    # --- time banks ---------------------------------------------------------------------------

    def _bank_left(self, table: Table, seat: int) -> int:
        return self.time_bank_ms - dict(table.house.bank_used_ms).get(seat, 0)

    def _bank_used(
        self, before: Table, seat: int, action: Action, recorded: Sequence[Event]
    ) -> tuple[Event, ...]:
        """The time bank that an answer says it used: an input, within what was left."""
        first = recorded[0] if recorded else None
        if not isinstance(first, TimeBankUsed):
            return ()
        asked = seat in before.game.to_act(before.state) and not isinstance(action, TableAction)
        left = self._bank_left(before, seat) if asked else 0
        if first.seat != seat or not 0 < first.milliseconds <= left:
            expected = f"at most {left} ms of the bank of seat {seat}"
            raise Differs("time bank", expected, f"{first.milliseconds} ms of seat {first.seat}")
        return (first,)

    def _bank_emptied(self, before: Table) -> tuple[Event, ...]:
        """The rest of the bank of everybody who let a decision expire."""
        seats = before.game.to_act(before.state)
        rests = [(seat, self._bank_left(before, seat)) for seat in seats]
        return tuple(TimeBankUsed(seat, rest) for seat, rest in rests if rest > 0)


def epoch_of(before: Table, recorded: Sequence[Event]) -> int:
    """The epoch of a commit: the one that runs, or the one that follows on one that is void."""
    epoch = before.house.epoch
    if any(isinstance(one, EpochVoided) and one.epoch == epoch for one in recorded):
        return epoch + 1
    # The commit that opens a table opens its first epoch, which is its own.
    return epoch or 1


def _command(commit: Commit) -> Command:
    """The command as it is on record: who asks, and when, follows from nothing."""
    kind = ActorKind(commit.actor_kind)
    return Command(commit.command, commit.digest, kind, commit.actor, commit.received_at, 0.0, "")


def _drawn(events: Sequence[Event], recorded: Sequence[Event]) -> tuple[Event, ...]:
    """The events with commitments and wrapped secrets of new epochs as they are on record."""
    drawn = {one.epoch: one for one in recorded if isinstance(one, EpochOpened)}
    return tuple(
        drawn.get(event.epoch, event) if isinstance(event, EpochOpened) else event
        for event in events
    )


def _require_packs(commitment: bytes, epoch: int, recorded: Sequence[Event]) -> None:
    """Where tables share their packs a secret is not drawn: it follows from the one before."""
    told = [one for one in recorded if isinstance(one, EpochOpened) and one.epoch == epoch]
    if [one.commitment for one in told] != [commitment]:
        found = told[0].commitment.hex() if told else "none"
        raise Differs("packs", f"commitment {commitment.hex()}", found)


def _placed(recorded: Sequence[Event]) -> tuple[Event, ...]:
    """A deck that was stacked, or a position that was set, at a table of the laboratory."""
    if not recorded or not isinstance(recorded[0], DeckStacked | PositionSet):
        found = type(recorded[0]).__name__ if recorded else "nothing"
        raise Differs("action", "a stacked deck or a position", found)
    return (recorded[0],)


def _require_actor(before: Table, commit: Commit, action: Action) -> None:
    """Players act on their own seats, hosts on none, the service by itself where it is due."""
    kind, seat = commit.actor_kind, commit.seat
    if kind == ActorKind.PLAYER:
        owner = action.player if isinstance(action, TakeSeat) else seated_at(before).get(seat)
        if owner is not None and owner != str(commit.actor):
            raise Differs("actor", f"the player of seat {seat}, {owner}", str(commit.actor))
        fits = seat >= 0
    elif kind == ActorKind.HOST:
        fits = before.house.lab or (
            seat == HOST and not isinstance(action, TimeOut) and not is_managed(before.house)
        )
    elif kind != ActorKind.PROCESS:
        fits = False
    elif seat == HOST:
        starts = before.house.options.auto_start and not isinstance(
            action, CloseTable | ReleaseEmbargo
        )
        fits = isinstance(action, TimeOut) or starts or is_managed(before.house)
    else:
        fits = isinstance(action, SitOut) and seat in idle_seats(before)
    if not fits:
        word = ActorKind(kind).name.lower()
        raise Differs("actor", f"an action that a {word} may take", _told(action, seat))


def _told(action: Action, seat: int) -> str:
    return f"{type(action).__name__} of {'the host' if seat == HOST else f'seat {seat}'}"
