"""The stored unit: one accepted command on one stream, its body and its link in the hash chain.

Everything in this module is the format on disk, final from the first row ever written.  All
integers are big-endian; ``u16`` and ``u32`` are unsigned, ``i64`` is signed.

**Body**, the events of the commit::

    u8  format = 1
    16 bytes salt: random in commits with sealed values, drawn for every attempt; else zeros
    u32 number of events (at least 1)
    per event:
        u16 type     u16 revision
        u32 n        n bytes, public
        u16 number of sealed slots
        per slot:
            u16 field     u32 audience
            u32 n         n bytes, ciphertext

Nothing follows the last event.  Private values never stand in the public bytes.  A slot with an
empty ciphertext says who may see a value that stands in the public bytes.

**Group**: commits that were stored together carry the same group id, which names all of them::

    first 16 bytes of SHA-256("kartejo.group.1" ‖ stream (16) ‖ i64 version ‖ stream ‖ …)

in the order in which they were appended, so a commit whose partner is missing shows it.

**Action**: the bytes of the accepted action.  Sealed in commits of an epoch, in clear (or empty)
where the epoch is 0: streams of accounts and accesses have none.

**Hash**, over stored bytes only and thus the same for every reader::

    SHA-256("kartejo.commit.1" ‖ previous hash ‖ field ‖ field ‖ …)

where every field is ``u32 length ‖ bytes``, in this order: stream (16), kind, version, count,
command (16), group (16), digest (32), actor kind, actor (16, or 0 when there is none), seat,
received at, recorded at, hand, epoch, rules, action, body.  Numbers are ``i64`` (length 8).
The hash before the first commit of a stream is ``SHA-256("kartejo.stream.1" ‖ stream)``.  The
position is not hashed: the store gives it out after the hash is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum
from hashlib import sha256
from hmac import compare_digest
from struct import Struct, error
from typing import Final, NamedTuple
from uuid import UUID

from engine.errors import Corrupt
from engine.records import quick_copies

__all__ = [
    "NO_SALT",
    "ActorKind",
    "Commit",
    "Slot",
    "StoredEvent",
    "StreamKind",
    "chained",
    "genesis",
    "group_of",
    "link",
    "pack_body",
    "salt_of",
    "unpack_body",
    "verify",
]

COMMIT_LABEL: Final = b"kartejo.commit.1"
STREAM_LABEL: Final = b"kartejo.stream.1"
GROUP_LABEL: Final = b"kartejo.group.1"
BODY_FORMAT: Final = 1

_EVENT_HEAD: Final = Struct(">HHI")
_SLOT_HEAD: Final = Struct(">HII")
_U16: Final = Struct(">H")
_BODY_HEAD: Final = Struct(">B16sI")
SALT_SIZE: Final = 16
NO_SALT: Final = bytes(SALT_SIZE)
# Label, previous hash, stream, kind, version, count, command, group, digest, actor kind, (actor),
# seat, received at, recorded at, hand, epoch, rules, length of the action: each behind its length.
_BEFORE_ACTOR: Final = "16s 32s I16s Iq Iq Iq I16s I16s I32s Iq"
_AFTER_ACTOR: Final = "Iq Iq Iq Iq Iq Iq I"
_OF_SOMEBODY: Final = Struct(f">{_BEFORE_ACTOR} I16s {_AFTER_ACTOR}".replace(" ", ""))
_OF_NOBODY: Final = Struct(f">{_BEFORE_ACTOR} I {_AFTER_ACTOR}".replace(" ", ""))
_U32: Final = Struct(">I")
_I64: Final = Struct(">q")


class StreamKind(IntEnum):
    """What a stream is about."""

    TABLE = 1
    ACCOUNT = 2
    TOURNAMENT = 3
    ACCESS = 4


class ActorKind(IntEnum):
    """Who gave a command."""

    PLAYER = 1
    HOST = 2
    SERVICE = 3
    PROCESS = 4
    AUDITOR = 5


class Slot(NamedTuple):
    """A private value of an event: which field, who may see it, and its sealed bytes."""

    field: int
    audience: int
    ciphertext: bytes


class StoredEvent(NamedTuple):
    """An event as it lies on disk: type number, revision of its form, public bytes, slots."""

    type: int
    revision: int
    public: bytes
    slots: tuple[Slot, ...] = ()


@quick_copies
class Commit(NamedTuple):
    """One accepted command on one stream.

    ``version`` counts events and stands after the last event of the commit; ``count`` says how
    many events it has.  ``received_at`` and ``recorded_at`` are microseconds since the Unix
    epoch.  ``seat`` is -1 where no seat acts, ``hand`` 0 between hands.  ``position`` is the
    gapless place in the log, 0 until stored.
    """

    stream: UUID
    kind: int
    version: int
    count: int  # type: ignore[assignment]  # the format's word; tuple.count is not used
    command: bytes
    group: bytes
    digest: bytes
    actor_kind: int
    actor: UUID | None
    seat: int
    action: bytes
    received_at: int
    recorded_at: int
    hand: int
    epoch: int
    rules: int
    body: bytes
    hash: bytes
    position: int = 0

    @property
    def expected(self) -> int:
        """Version of the stream that this commit continues."""
        return self.version - self.count

    def placed(self, position: int) -> Commit:
        """The same commit at ``position`` of the log."""
        return tuple.__new__(Commit, (*self[:-1], position))


def pack_body(events: Iterable[StoredEvent], salt: bytes = NO_SALT) -> bytes:
    """The body's bytes; raises ``ValueError`` for no event or a number outside its width.

    >>> pack_body([StoredEvent(3, 1, b"ab", (Slot(2, 0x80000001, b"x"),))]).hex()
    '0100000000000000000000000000000000000000010003000100000002616200010002800000010000000178'
    """
    parts: list[bytes] = [b""]
    number = 0
    try:
        for event in events:
            number += 1
            parts.append(_EVENT_HEAD.pack(event.type, event.revision, len(event.public)))
            parts.append(event.public)
            parts.append(_U16.pack(len(event.slots)))
            for slot in event.slots:
                parts.append(_SLOT_HEAD.pack(slot.field, slot.audience, len(slot.ciphertext)))
                parts.append(slot.ciphertext)
        parts[0] = _BODY_HEAD.pack(BODY_FORMAT, salt, number)
    except error as cause:
        raise ValueError(f"event {number} does not fit the stored format: {cause}") from None
    if not number:
        raise ValueError("a commit has at least one event")
    if len(salt) != SALT_SIZE:
        raise ValueError(f"a salt has {SALT_SIZE} bytes")
    return b"".join(parts)


def unpack_body(body: bytes, count: int | None = None) -> tuple[StoredEvent, ...]:
    """The events in ``body``; ``count`` is what the commit's header says, where it is known.

    Raises ``Corrupt`` for anything that ``pack_body`` could not have written.
    """
    events: list[StoredEvent] = []
    new, event_head, u16 = tuple.__new__, _EVENT_HEAD.unpack_from, _U16.unpack_from
    slots: tuple[Slot, ...]
    try:
        form, _, number = _BODY_HEAD.unpack_from(body)
        if form != BODY_FORMAT:
            raise Corrupt(f"body has the unknown format {form}")
        if number < 1 or (count is not None and number != count):
            raise Corrupt(f"body says {number} events, its commit says {count}")
        at = _BODY_HEAD.size
        for _ in range(number):
            kind, revision, size = event_head(body, at)
            end = at + 8 + size
            (sealed,) = u16(body, end)
            slots = ()
            public = body[at + 8 : end]
            at = end + 2
            if sealed:
                slots, at = _unpack_slots(body, at, sealed)
            events.append(new(StoredEvent, (kind, revision, public, slots)))
    except error:
        raise Corrupt("body ends too early") from None
    if at != len(body):
        raise Corrupt("body goes on after its last event")
    return tuple(events)


def _unpack_slots(body: bytes, at: int, number: int) -> tuple[tuple[Slot, ...], int]:
    """The slots that begin at a place of a body, and the place after them."""
    slots: list[Slot] = []
    for _ in range(number):
        field, audience, size = _SLOT_HEAD.unpack_from(body, at)
        at += _SLOT_HEAD.size
        if at + size > len(body):
            raise Corrupt("body ends too early")
        slots.append(Slot(field, audience, body[at : at + size]))
        at += size
    return tuple(slots), at


def salt_of(body: bytes) -> bytes:
    """The salt at the head of a body; raises ``Corrupt`` where there is none."""
    if len(body) < _BODY_HEAD.size:
        raise Corrupt("body ends too early")
    return body[1 : 1 + SALT_SIZE]


def group_of(members: Iterable[tuple[UUID, int]]) -> bytes:
    """The group id of commits by (stream, version), in the order in which they are appended."""
    parts = [stream.bytes + _I64.pack(version) for stream, version in members]
    return sha256(GROUP_LABEL + b"".join(parts)).digest()[:16]


def chained(commits: Sequence[tuple[bytes, Commit]]) -> tuple[Commit, ...]:
    """Commits of one group, each behind the hash it continues, with group id and hash set.

    Raises ``ValueError`` when a field does not fit the format.
    """
    group = group_of([(commit.stream, commit.version) for _, commit in commits])
    found: list[Commit] = []
    for previous, commit in commits:
        grouped = commit._replace(group=group)
        found.append(grouped._replace(hash=link(previous, grouped)))
    return tuple(found)


def genesis(stream: UUID) -> bytes:
    """The hash before the first commit of ``stream``."""
    return sha256(STREAM_LABEL + stream.bytes).digest()


def link(previous: bytes, commit: Commit) -> bytes:
    """The hash that ``commit`` must carry after ``previous``; its own hash is not looked at.

    Raises ``ValueError`` when a field has the wrong length or a number outside its width.
    """
    stream, kind, version, count, command, group, digest, actor_kind, actor = commit[:9]
    seat, action, received_at, recorded_at, hand, epoch, rules, body = commit[9:17]
    if len(previous) != 32 or len(digest) != 32:
        raise ValueError("previous hash and digest have 32 bytes")
    if len(command) != 16 or len(group) != 16:
        raise ValueError("command id and group id have 16 bytes")
    head = _OF_NOBODY if actor is None else _OF_SOMEBODY
    try:
        return sha256(
            head.pack(
                *(COMMIT_LABEL, previous, 16, stream.bytes),
                *(8, kind, 8, version, 8, count, 16, command, 16, group, 32, digest),
                *(8, actor_kind, *((0,) if actor is None else (16, actor.bytes))),
                *(8, seat, 8, received_at, 8, recorded_at, 8, hand, 8, epoch, 8, rules),
                len(action),
            )
            + action
            + _U32.pack(len(body))
            + body
        ).digest()
    except error as cause:
        raise ValueError(f"commit does not fit the stored format: {cause}") from None


def verify(previous: bytes, commit: Commit) -> None:
    """Raise ``Corrupt`` unless ``commit`` carries the hash that follows from ``previous``."""
    try:
        right = link(previous, commit)
    except ValueError as cause:
        raise Corrupt(f"stream {commit.stream} version {commit.version}: {cause}") from None
    if not compare_digest(right, commit.hash):
        raise Corrupt(f"stream {commit.stream} version {commit.version}: hash does not follow")
