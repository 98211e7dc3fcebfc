"""Between a table's events and its commits: encoding, sealing, and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple
from uuid import UUID

from engine.errors import Corrupt
from engine.events import (
    EpochClosed,
    EpochOpened,
    EpochVoided,
    Event,
    PositionSet,
    SeatLeft,
    SeatTaken,
    TableOpened,
)
from engine.house import House, Table, secret_epochs
from engine.occupancy import Seated, seated_after, seated_at
from service.codec import Codec, PrivateValue, StoredForm
from service.host.commands import Command
from service.store.commit import (
    NO_SALT,
    Commit,
    Slot,
    StoredEvent,
    StreamKind,
    pack_body,
    salt_of,
    unpack_body,
)
from service.vault import SALT_SIZE, EpochKeys, MasterKey, SlotSealer
from service.world import Entropy

__all__ = ["MissingKeys", "Opener", "Recorded", "Recorder"]


class MissingKeys(Corrupt):
    """An epoch whose secret the master key does not give: it may stand where the epoch closes."""

    def __init__(self, stream: UUID, epoch: int) -> None:
        self.epoch = epoch
        super().__init__(f"stream {stream}: nothing opens epoch {epoch}")


class Recorded(NamedTuple):
    """A stored commit with its events in full, and who sat where before it."""

    commit: Commit
    events: tuple[Event, ...]
    seated: Seated
    open_action: Callable[[], bytes] = bytes

    @property
    def action(self) -> bytes:
        """The action, opened now: few who read a table ask for it.  Raises ``Corrupt``."""
        return self.open_action()


class Recorder:
    """Writes commits of tables."""

    def __init__(self, codec: Codec, master: MasterKey, entropy: Entropy) -> None:
        self.codec = codec
        self.master = master
        self._entropy = entropy

    def write(
        self,
        stream: UUID,
        table: Table,
        keys: EpochKeys,
        command: Command,
        events: Sequence[Event],
        *,
        seat: int,
        action: bytes,
        hand: int,
        recorded_at: int,
    ) -> Commit:
        """The commit that adds ``events`` to ``table`` (the table before them), not yet chained."""
        kind, base, rules = StreamKind.TABLE, table.version, table.game.RULES
        return self._commit(
            stream, kind, base, keys, command, events, action, recorded_at, rules, seat, hand
        )

    def write_tournament(
        self,
        stream: UUID,
        version: int,
        keys: EpochKeys | None,
        command: Command,
        events: Sequence[Event],
        *,
        action: bytes,
        rules: int,
        recorded_at: int,
    ) -> Commit:
        """The commit that adds ``events`` to a tournament at ``version``, not yet chained.

        Without ``keys``, when its epoch is told, nothing is sealed any more.
        """
        kind = StreamKind.TOURNAMENT
        return self._commit(
            stream, kind, version, keys, command, events, action, recorded_at, rules
        )

    def _commit(
        self,
        stream: UUID,
        kind: StreamKind,
        base: int,
        keys: EpochKeys | None,
        command: Command,
        events: Sequence[Event],
        action: bytes,
        recorded_at: int,
        rules: int,
        seat: int = -1,
        hand: int = 0,
    ) -> Commit:
        salt = self._entropy.entropy(SALT_SIZE) if keys else NO_SALT
        sealer = SlotSealer(keys, base=base, salt=salt) if keys else None
        stored: list[StoredEvent] = []
        for version, event in enumerate(events, base + 1):
            form = self.codec.store_event(event)
            slots = tuple(self._slot(sealer, version, value) for value in form.private)
            stored.append(StoredEvent(form.type, form.revision, form.public, slots))
        return Commit(
            stream=stream,
            kind=kind,
            version=base + len(stored),
            count=len(stored),
            command=command.id,
            group=b"",
            digest=command.digest,
            actor_kind=command.actor_kind,
            actor=command.actor,
            seat=seat,
            action=sealer.seal_action(action) if sealer else action,
            received_at=command.received_at,
            recorded_at=recorded_at,
            hand=hand,
            epoch=keys.epoch if keys else 0,
            rules=rules,
            body=pack_body(stored, salt),
            hash=b"",
        )

    @staticmethod
    def _slot(sealer: SlotSealer | None, version: int, value: PrivateValue) -> Slot:
        # A slot without a ciphertext only says who may see a value of the public bytes.
        if value.data is None or sealer is None:
            return Slot(value.field, value.audience, b"")
        sealed = sealer.seal(version, value.field, value.audience, value.data)
        return Slot(value.field, value.audience, sealed)


class Opener:
    """Reads the commits of one stream, in order.

    It learns the key of each epoch as it opens, and who sits where.
    """

    def __init__(self, recorder: Recorder, stream: UUID) -> None:
        codec = recorder.codec
        self._codec = codec
        self._master = recorder.master
        self._opened_type = codec.type_of(EpochOpened)
        self._closed_type = codec.type_of(EpochClosed)
        self._voided_type = codec.type_of(EpochVoided)
        self._seat_types = frozenset((codec.type_of(SeatTaken), codec.type_of(SeatLeft)))
        self._position_type = codec.type_of(PositionSet)
        self._telling = self._seat_types | {self._opened_type, self._position_type}
        self._stream = stream
        self._keys: dict[int, EpochKeys] = {}
        self._shut: dict[int, tuple[bytes, bytes]] = {}  # wrapped secret, commitment
        self._unopened: set[int] = set()
        self._held: dict[int, tuple[bytes, bytes]] = {}
        self._seated: Seated = {}

    @property
    def seated(self) -> Seated:
        """Who sits where after what was read, or followed, so far."""
        return self._seated

    def learn(self, table: Table) -> None:
        """Take over the open epochs and the seats of a table that was loaded from a snapshot."""
        house = table.house
        for epoch, commitment, wrapped in house.kept:
            self._unwrap(epoch, wrapped, commitment)
        if house.epoch:
            self._unwrap(house.epoch, house.wrapped, house.commitment)
        self._seated = seated_at(table)

    def follow(self, table: Table, fresh: EpochKeys | None) -> None:
        """Take over what a commit that was made here has led to."""
        if fresh is not None:
            self.add(fresh)
        self._seated = seated_at(table)

    def keys(self, epoch: int) -> EpochKeys:
        """The keys of an epoch that was met; raises ``MissingKeys``."""
        found = self._keys.get(epoch)
        if found is not None:
            return found
        if epoch in self._held:
            wrapped, commitment = self._held[epoch]
            return EpochKeys.unwrap(self._master, self._stream, epoch, wrapped, commitment)
        if epoch in self._shut:
            self._unwrap(epoch, *self._shut[epoch])  # its master key may have come meanwhile
        if epoch not in self._keys:
            raise MissingKeys(self._stream, epoch)
        return self._keys[epoch]

    def hold(self, house: House) -> None:
        """Be ready to give the keys of the epochs that a table keeps secret, however many."""
        self._held = {epoch: (wrapped, commitment) for epoch, commitment, wrapped in house.kept}

    def add(self, keys: EpochKeys) -> None:
        """Take over the keys of an epoch."""
        self._keys[keys.epoch] = keys
        while len(self._keys) > 2:
            del self._keys[min(self._keys)]

    def is_lost(self, epoch: int) -> bool:
        """Whether the epoch that was met is under a master key which the store has lost."""
        return epoch in self._shut and self._master.has_lost(self._shut[epoch][0])

    def unopened(self, table: Table) -> tuple[int, ...]:
        """Epochs of a table that are open, or not told yet, and that nothing opens any more."""
        shut = self._shut.keys() - self._keys.keys()
        return tuple(sorted(secret_epochs(table.house) & shut))

    def give_up(self, epoch: int) -> None:
        """Read the commits of an epoch without what is sealed in them: nobody will ever open it."""
        self._unopened.add(epoch)

    def reveal(self, epoch: int, closing: Commit) -> bool:
        """Take from a commit the secret of an epoch, or that it is void; whether it tells that."""
        for form in unpack_body(closing.body, closing.count):
            if form.type == self._voided_type:
                event = self._public(form)
                if isinstance(event, EpochVoided) and event.epoch == epoch:
                    self.give_up(epoch)
                    return True
            if form.type == self._closed_type:
                event = self._public(form)
                if isinstance(event, EpochClosed) and event.epoch == epoch:
                    _, commitment = self._shut[epoch]
                    secret = event.secret.value
                    self.add(EpochKeys.revealed(self._stream, epoch, secret, commitment))
                    return True
        return False

    def opening(self, first: Commit) -> TableOpened | None:
        """The fact that opened a table, from its first commit."""
        for form in unpack_body(first.body, first.count):
            if form.type == self._codec.type_of(TableOpened):
                event = self._public(form)
                return event if isinstance(event, TableOpened) else None
        return None

    def skim(self, commit: Commit) -> None:
        """Learn what a commit opens and who sits where, and open nothing of it."""
        for form in unpack_body(commit.body, commit.count):
            self._look(form)
            if form.type in self._seat_types:
                self._seated = seated_after(self._seated, self._public(form))
            elif form.type == self._position_type:
                self._seated = {}

    def open(self, commit: Commit) -> Recorded:
        """The commit with its events and its action; raises ``Corrupt`` and ``MissingKeys``.

        After ``MissingKeys`` it may be called again for the same commit.
        """
        forms = unpack_body(commit.body, commit.count)
        if commit.epoch not in self._keys:  # the commit that opens a table opens its epoch
            for form in forms:
                self._look(form)
        if commit.epoch in self._unopened:
            return self._without_secrets(commit, forms)
        keys, seated = self.keys(commit.epoch), self._seated
        load, telling = self._codec.load_public, self._telling
        sealer: SlotSealer | None = None
        events: list[Event] = []
        for place, (type_, revision, public, slots) in enumerate(forms):
            if slots:
                sealer = sealer or _sealer(keys, commit)
                event = self._event(sealer, commit.expected + 1 + place, forms[place])
            else:
                event = load(type_, revision, public)
            events.append(event)
            if type_ in telling:
                self._take_in(event)
        return Recorded(commit, tuple(events), seated, partial(_action, keys, commit))

    def _without_secrets(self, commit: Commit, forms: Sequence[StoredEvent]) -> Recorded:
        """The commit of an epoch that is void: its sealed values and its action stay hidden."""
        seated = self._seated
        events = tuple([self._codec.load_unopened(_stored(form)) for form in forms])
        for form, event in zip(forms, events, strict=True):
            if form.type in self._telling:
                self._take_in(event)
        return Recorded(commit, events, seated)

    def _take_in(self, event: Event) -> None:
        """An event that opens an epoch, or tells who sits where."""
        if isinstance(event, EpochOpened):
            self._open_epoch(event)
        else:
            self._seated = seated_after(self._seated, event)

    def _event(self, sealer: SlotSealer, version: int, form: StoredEvent) -> Event:
        private = tuple(
            PrivateValue(
                slot.field,
                slot.audience,
                sealer.open(version, slot.field, slot.audience, slot.ciphertext)
                if slot.ciphertext
                else None,
            )
            for slot in form.slots
        )
        return self._codec.load_event(StoredForm(form.type, form.revision, form.public, private))

    def _public(self, form: StoredEvent) -> Event:
        """An event whose private values, if any, lie in its public bytes."""
        return self._codec.load_event(_stored(form))

    def _look(self, form: StoredEvent) -> None:
        if form.type == self._opened_type:
            event = self._public(form)
            if isinstance(event, EpochOpened):
                self._open_epoch(event)

    def _open_epoch(self, event: EpochOpened) -> None:
        if event.epoch not in self._keys:
            self._unwrap(event.epoch, event.wrapped.value, event.commitment)

    def _unwrap(self, epoch: int, wrapped: bytes, commitment: bytes) -> None:
        try:
            keys = EpochKeys.unwrap(self._master, self._stream, epoch, wrapped, commitment)
        except Corrupt:
            # Another master key: history needs none where the epoch was closed (design 5.5).
            self._shut[epoch] = wrapped, commitment
        else:
            self.add(keys)


def _stored(form: StoredEvent) -> StoredForm:
    """A stored event whose private values are not opened."""
    slots = tuple(PrivateValue(slot.field, slot.audience, None) for slot in form.slots)
    return StoredForm(form.type, form.revision, form.public, slots)


def _sealer(keys: EpochKeys, commit: Commit) -> SlotSealer:
    return SlotSealer(keys, base=commit.expected, salt=salt_of(commit.body))


def _action(keys: EpochKeys, commit: Commit) -> bytes:
    return _sealer(keys, commit).open_action(commit.action)
