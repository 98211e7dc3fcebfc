"""An attacker with every right to the database, who knows the program and makes the hashes follow.

Closed epochs have their secrets in the log, so that he can seal whatever he likes again.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from engine.events import Event
from service.audit.chain import Chain
from service.audit.findings import Findings
from service.audit.reading import Reader
from service.audit.secrets import Secrets
from service.host.recorder import Recorder
from service.pb import games_pb2
from service.store.commit import Commit, Slot, StoredEvent, genesis, link, pack_body, salt_of
from service.vault import EpochKeys, MasterKey, SlotSealer
from tests.service.harness import CODEC

__all__ = ["Forger", "put"]


def put(log: Sequence[Commit], commit: Commit, other: Commit) -> list[Commit]:
    """A log with another commit in the place of one, and hashes that follow on it."""
    place = commit.position - 1
    made = list(log[:place])
    previous = next(
        (one.hash for one in reversed(made) if one.stream == commit.stream),
        genesis(commit.stream),
    )
    for one in (other, *log[place + 1 :]):
        changed = one
        if one.stream == commit.stream:
            previous = link(previous, changed)
            changed = changed._replace(hash=previous)
        made.append(changed)
    return made


class Forger:
    """A log, and what may be done to it."""

    def __init__(self, log: Sequence[Commit], masters: Sequence[MasterKey] = ()) -> None:
        self.log = list(log)
        self._masters = masters
        self._keys: dict[int, EpochKeys] = {}
        self._events: dict[int, tuple[Event, ...]] = {}
        self._first: dict[type[Event], tuple[Commit, int]] = {}
        for stream in {one.stream for one in self.log}:
            self._open(stream)
        for commit in self.log:
            for place, event in enumerate(self._events[commit.position]):
                if self.told(commit):
                    self._first.setdefault(type(event), (commit, place))

    def _open(self, stream: UUID) -> None:
        """Read a stream with the secrets that it tells."""
        secrets = Secrets(stream, CODEC, self._masters, Findings())
        reader = Reader(CODEC, secrets)
        chain = Chain(stream, Findings())
        links = (chain.take(one) for one in self.log if one.stream == stream)
        for ready in secrets.ready(links):
            commit = ready.commit
            known = secrets.opens(commit.epoch)
            if known:
                self._keys[commit.position] = secrets.keys(commit.epoch)
            self._events[commit.position] = reader.events(ready, known=known)

    def told(self, commit: Commit) -> bool:
        """Whether a commit has nothing sealed any more."""
        return not commit.epoch or commit.position in self._keys

    def events(self, commit: Commit) -> tuple[Event, ...]:
        """The events of a commit, opened where that can be."""
        return self._events[commit.position]

    @property
    def kinds(self) -> Collection[type[Event]]:
        """All kinds of events that can be read."""
        return self._first.keys()

    def find(self, kind: type[Event]) -> tuple[Commit, int]:
        """The first commit that can be read and has such an event, and the event's place in it."""
        return self._first[kind]

    def replaced(self, commit: Commit, **columns: Any) -> list[Commit]:
        """The log with other columns in a commit."""
        return put(self.log, commit, commit._replace(**columns))

    def with_event(self, commit: Commit, place: int, event: Event) -> list[Commit]:
        """The log with another event in a place of a commit, sealed as the service would."""
        events = list(self.events(commit))
        events[place] = event
        salt = salt_of(commit.body)
        stored: list[StoredEvent] = []
        for version, each in enumerate(events, commit.expected + 1):
            form = CODEC.store_event(each)
            slots: tuple[Slot, ...] = ()
            if commit.epoch:
                sealer = SlotSealer(self._keys[commit.position], base=commit.expected, salt=salt)
                slots = tuple(Recorder._slot(sealer, version, value) for value in form.private)
            stored.append(StoredEvent(form.type, form.revision, form.public, slots))
        return self.replaced(commit, body=pack_body(stored, salt))

    def action(self, commit: Commit) -> Any:
        """The action of a commit."""
        wire = self._sealer(commit).open_action(commit.action)
        return CODEC.action_from_wire(games_pb2.Action.FromString(wire))

    def with_action(self, commit: Commit, action: Any) -> list[Commit]:
        """The log with another action in a commit."""
        wire = CODEC.action_to_wire(action).SerializeToString(deterministic=True)
        return self.replaced(commit, action=self._sealer(commit).seal_action(wire))

    def _sealer(self, commit: Commit) -> SlotSealer:
        keys = self._keys[commit.position]
        return SlotSealer(keys, base=commit.expected, salt=salt_of(commit.body))
