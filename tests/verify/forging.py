"""A forger who can write everything: he re-seals, re-chains, and signs with a key of his own."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any
from uuid import UUID

from engine.events import EntropyContributed, EpochClosed, Event
from engine.games import GAMES
from service.codec import Codec, PrivateValue, StoredForm
from service.exports import CompleteLines
from service.host.recorder import Recorder
from service.rpc.export_service import stored_commit
from service.store.commit import (
    Commit,
    Slot,
    StoredEvent,
    genesis,
    group_of,
    link,
    pack_body,
    salt_of,
    unpack_body,
)
from service.transparency.notes import Note, SignerKey
from service.vault import EpochKeys, SlotSealer

CODEC = Codec(GAMES)
KINDS = {"table": 1, "account": 2, "access": 4}
ACTORS = {"player": 1, "host": 2, "service": 3, "process": 4, "auditor": 5}
FORGER = SignerKey("forger.example/log", b"f" * 32)


def commit_of(line: bytes) -> Commit:
    """The commit of a line."""
    told = json.loads(line)
    events = [
        StoredEvent(
            each["type"],
            each["revision"],
            b64decode(each["public"]),
            tuple(Slot(s["field"], s["audience"], b64decode(s["sealed"])) for s in each["slots"]),
        )
        for each in told["events"]
    ]
    return Commit(
        stream=UUID(told["stream"]),
        kind=KINDS[told["kind"]],
        version=told["version"],
        count=told["count"],
        command=bytes.fromhex(told["command"]),
        group=bytes.fromhex(told["group"]),
        digest=bytes.fromhex(told["digest"]),
        actor_kind=ACTORS[told["actor_kind"]],
        actor=None if told["actor"] is None else UUID(told["actor"]),
        seat=told["seat"],
        action=b64decode(told["action"]),
        received_at=told["received_at"],
        recorded_at=told["recorded_at"],
        hand=told["hand"],
        epoch=told["epoch"],
        rules=told["rules"],
        body=pack_body(events, bytes.fromhex(told["salt"])),
        hash=bytes.fromhex(told["hash"]),
        position=told["position"],
    )


class Forgery:
    """An export that is changed and made to look sound again."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        head = json.loads(lines[0])
        self._scope, self._checkpoint = head["scope"], head["checkpoint"]
        self.commits = [commit_of(line) for line in lines[1:-1]]
        self._secrets: dict[tuple[UUID, int], EpochKeys] = {}
        for commit in self.commits:
            for form in unpack_body(commit.body):
                if form.type == CODEC.type_of(EpochClosed):
                    slots = tuple(PrivateValue(s.field, s.audience, None) for s in form.slots)
                    event: Any = CODEC.load_event(StoredForm(form.type, 1, form.public, slots))
                    keys = EpochKeys(commit.stream, event.epoch, event.secret.value)
                    self._secrets[commit.stream, event.epoch] = keys

    def sealer(self, commit: Commit) -> SlotSealer | None:
        """What opens and seals a commit, if its secret was told."""
        keys = self._secrets.get((commit.stream, commit.epoch))
        if keys is None:
            return None
        return SlotSealer(keys, base=commit.expected, salt=salt_of(commit.body))

    def keys(self, commit: Commit) -> EpochKeys:
        """The keys of a commit's epoch, whose secret was told."""
        return self._secrets[commit.stream, commit.epoch]

    def entropy(self, number: int) -> list[bytes]:
        """What was contributed to the epoch of a commit before it."""
        now = self.commits[number]
        mine = [c for c in self.commits[:number] if (c.stream, c.epoch) == (now.stream, now.epoch)]
        events = [event for commit in mine for event in self.events(commit)]
        return [event.value for event in events if isinstance(event, EntropyContributed)]

    def events(self, commit: Commit) -> list[Event]:
        """The events of a commit whose secret was told."""
        sealer = self.sealer(commit)
        found: list[Event] = []
        for version, form in enumerate(unpack_body(commit.body), commit.expected + 1):
            private = tuple(
                PrivateValue(
                    s.field,
                    s.audience,
                    sealer.open(version, s.field, s.audience, s.ciphertext)
                    if s.ciphertext and sealer
                    else None,
                )
                for s in form.slots
            )
            found.append(
                CODEC.load_event(StoredForm(form.type, form.revision, form.public, private))
            )
        return found

    def action(self, commit: Commit) -> Any:
        from service.pb import games_pb2

        sealer = self.sealer(commit)
        assert sealer is not None
        return CODEC.action_from_wire(
            games_pb2.Action.FromString(sealer.open_action(commit.action))
        )

    def replace(self, number: int, events: Sequence[Event], action: Any = None) -> None:
        """Put other events, and another action, into the commit of that number."""
        commit = self.commits[number]
        sealer = self.sealer(commit)
        stored = []
        for version, event in enumerate(events, commit.expected + 1):
            form = CODEC.store_event(event)
            slots = (
                tuple(Recorder._slot(sealer, version, value) for value in form.private)
                if sealer is not None
                else ()
            )
            stored.append(StoredEvent(form.type, form.revision, form.public, slots))
        told = commit.action
        if action is not None:
            assert sealer is not None
            told = sealer.seal_action(CODEC.action_to_wire(action).SerializeToString())
        body = pack_body(stored, salt_of(commit.body))
        self.commits[number] = commit._replace(body=body, action=told)

    def insert(self, number: int, event: Event) -> None:
        """Put one more event behind those of a commit; everything after it moves by a version.

        What cannot be sealed again, because its secret was not told, is left out.
        """
        stream = self.commits[number].stream
        later = [c for c in self.commits[number:] if c.stream == stream and self.sealer(c)]
        held = [([*self.events(c)], self.action(c)) for c in later]
        held[0][0].append(event)
        for moved, (commit, (events, action)) in enumerate(zip(later, held, strict=True)):
            place = self.commits.index(commit)
            count = commit.count + (not moved)
            self.commits[place] = commit._replace(version=commit.version + 1, count=count)
            self.replace(place, events, action)
        kept = [c for c in self.commits if c.stream != stream or self.sealer(c)]
        self.commits = [c._replace(group=group_of([(c.stream, c.version)])) for c in kept]

    def find(self, wanted: Callable[[Event], bool]) -> tuple[int, int]:
        """The first commit that can be opened and holds such an event, and the event's place."""
        for number, commit in enumerate(self.commits):
            if commit.epoch and self.sealer(commit) is None:
                continue
            for place, event in enumerate(self.events(commit)):
                if wanted(event):
                    return number, place
        raise AssertionError("no such event")

    def lines(self, key: SignerKey = FORGER) -> list[bytes]:
        """The export, every hash and the signature made to fit.

        Whoever has the log's own key cannot take back what he has signed of the log.
        """
        scope = self._scope
        writer = CompleteLines(CODEC, scope.partition(" ")[2])
        hashes: dict[UUID, bytes] = {}
        lines = [writer.first(key.verifier.told(), "" if key is FORGER else self._checkpoint)]
        digest = sha256(b"kartejo.export.1")
        for commit in self.commits:
            right = link(hashes.get(commit.stream, genesis(commit.stream)), commit)
            hashes[commit.stream] = right
            digest.update(commit.position.to_bytes(8, "big") + right)
            lines.append(writer.commit(stored_commit(commit._replace(hash=right))))
        text = (
            f"kartejo/export/1\nscope {scope}\ncommits {len(self.commits)}\n"
            f"digest {b64encode(digest.digest()).decode()}\nmade 1\n"
        )
        return [*lines, writer.last(Note(text, (key.sign(text),)).told())]


def exported(log: Sequence[Commit]) -> list[bytes]:
    """A whole log as an export, signed by somebody."""
    writer = CompleteLines(CODEC)
    lines = [writer.first(FORGER.verifier.told(), "")]
    lines += [writer.commit(stored_commit(commit)) for commit in log]
    digest = sha256(b"kartejo.export.1")
    for commit in log:
        digest.update(commit.position.to_bytes(8, "big") + commit.hash)
    text = (
        f"kartejo/export/1\nscope store\ncommits {len(log)}\n"
        f"digest {b64encode(digest.digest()).decode()}\nmade 1\n"
    )
    return [*lines, writer.last(Note(text, (FORGER.sign(text),)).told())]
