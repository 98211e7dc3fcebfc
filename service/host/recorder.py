"""Between a table's events and its commits: encoding, sealing, chaining, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from engine.errors import Corrupt
from engine.events import EpochOpened, Event
from engine.house import House, Table
from service.codec import Codec, PrivateValue, StoredForm
from service.host.commands import Command
from service.store.commit import (
    Commit,
    Slot,
    StoredEvent,
    StreamKind,
    link,
    pack_body,
    unpack_body,
)
from service.vault import EpochKeys, MasterKey, SlotSealer

__all__ = ["Opener", "Recorded", "Recorder"]


class Recorded(NamedTuple):
    """A stored commit with its events in full."""

    commit: Commit
    events: tuple[Event, ...]
    action: bytes = b""


class Recorder:
    """Writes commits of tables."""

    def __init__(self, codec: Codec, master: MasterKey) -> None:
        self.codec = codec
        self.master = master

    def write(
        self,
        stream: UUID,
        table: Table,
        previous: bytes,
        keys: EpochKeys,
        command: Command,
        events: Sequence[Event],
        *,
        seat: int,
        action: bytes,
        hand: int,
        recorded_at: int,
    ) -> Commit:
        """The commit that adds ``events`` to ``table`` (the table before them)."""
        base = table.version
        rules = table.game.RULES
        sealer = SlotSealer(keys, base=base, command=command.id, digest=command.digest, rules=rules)
        stored: list[StoredEvent] = []
        for version, event in enumerate(events, base + 1):
            form = self.codec.store_event(event)
            slots = tuple(self._slot(sealer, version, value) for value in form.private)
            stored.append(StoredEvent(form.type, form.revision, form.public, slots))
        commit = Commit(
            stream=stream,
            kind=StreamKind.TABLE,
            version=base + len(stored),
            count=len(stored),
            command=command.id,
            group=command.id,
            digest=command.digest,
            actor_kind=command.actor_kind,
            actor=command.actor,
            seat=seat,
            action=sealer.seal_action(action),
            received_at=command.received_at,
            recorded_at=recorded_at,
            hand=hand,
            epoch=keys.epoch,
            rules=rules,
            body=pack_body(stored),
            hash=b"",
        )
        return commit._replace(hash=link(previous, commit))

    @staticmethod
    def _slot(sealer: SlotSealer, version: int, value: PrivateValue) -> Slot:
        # A slot without a ciphertext only says who may see a value of the public bytes.
        if value.data is None:
            return Slot(value.field, value.audience, b"")
        sealed = sealer.seal(version, value.field, value.audience, value.data)
        return Slot(value.field, value.audience, sealed)


class Opener:
    """Reads the commits of one stream, in order, learning the key of each epoch as it opens."""

    def __init__(self, recorder: Recorder, stream: UUID) -> None:
        self._codec = recorder.codec
        self._master = recorder.master
        self._opened_type = recorder.codec.type_of(EpochOpened)
        self._stream = stream
        self._keys: dict[int, EpochKeys] = {}

    def learn(self, house: House) -> None:
        """Take over the open epoch of a table that was loaded from a snapshot."""
        if house.epoch:
            self._unwrap(house.epoch, house.wrapped, house.commitment)

    def keys(self, epoch: int) -> EpochKeys:
        """The keys of an epoch that was met; raises ``Corrupt`` if it was not."""
        found = self._keys.get(epoch)
        if found is None:
            raise Corrupt(f"stream {self._stream}: epoch {epoch} was never opened")
        return found

    def add(self, keys: EpochKeys) -> None:
        """Take over the keys of an epoch that was just opened here."""
        self._keys[keys.epoch] = keys
        while len(self._keys) > 2:
            del self._keys[min(self._keys)]

    def skim(self, commit: Commit) -> None:
        """Learn what a commit opens, and open nothing of it."""
        for form in unpack_body(commit.body, commit.count):
            self._look(form)

    def open(self, commit: Commit) -> Recorded:
        """The commit with its events and its action; raises ``Corrupt``."""
        forms = unpack_body(commit.body, commit.count)
        if commit.epoch not in self._keys:  # the commit that opens a table opens its epoch
            for form in forms:
                self._look(form)
        sealer = SlotSealer(
            self.keys(commit.epoch),
            base=commit.expected,
            command=commit.command,
            digest=commit.digest,
            rules=commit.rules,
        )
        events = tuple(
            self._event(sealer, version, form)
            for version, form in enumerate(forms, commit.expected + 1)
        )
        action = sealer.open_action(commit.action)
        for form in forms:
            self._look(form)
        return Recorded(commit, events, action)

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

    def _look(self, form: StoredEvent) -> None:
        if form.type != self._opened_type:
            return
        slots = tuple(PrivateValue(slot.field, slot.audience, None) for slot in form.slots)
        event = self._codec.load_event(StoredForm(form.type, form.revision, form.public, slots))
        if isinstance(event, EpochOpened) and event.epoch not in self._keys:
            self._unwrap(event.epoch, event.wrapped.value, event.commitment)

    def _unwrap(self, epoch: int, wrapped: bytes, commitment: bytes) -> None:
        self.add(EpochKeys.unwrap(self._master, self._stream, epoch, wrapped, commitment))
