"""A commit as an export tells it: its body, and its hash, computed from what is told.

docs/auditing.md gives the bytes: all integers are big-endian, fields of a hash have their length
before them, in four bytes.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID

from service.verify.findings import Bad

__all__ = [
    "Fact",
    "Record",
    "Slot",
    "body_of",
    "derived_stream",
    "genesis",
    "group_of",
    "hash_of",
]


class Slot(NamedTuple):
    """A private value: its field, who may see it, its ciphertext (empty: it stands in clear)."""

    field: int
    audience: int
    sealed: bytes


class Fact(NamedTuple):
    """A stored event."""

    type: int
    revision: int
    public: bytes
    slots: tuple[Slot, ...]


class Record(NamedTuple):
    """A commit.  ``facts`` is None where the body is not a list of events; then it is ``body``."""

    position: int
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
    salt: bytes
    facts: tuple[Fact, ...] | None
    body: bytes
    hash: bytes
    inclusion: tuple[bytes, ...]

    @property
    def base(self) -> int:
        """Version before its first event."""
        return self.version - self.count


def body_of(salt: bytes, facts: Iterable[Fact]) -> bytes:
    """The stored body of events; raises ``Bad`` for numbers that no body can hold."""
    listed = list(facts)
    try:
        out = b"\x01" + salt + len(listed).to_bytes(4, "big")
        for fact in listed:
            out += fact.type.to_bytes(2, "big") + fact.revision.to_bytes(2, "big")
            out += len(fact.public).to_bytes(4, "big") + fact.public
            out += len(fact.slots).to_bytes(2, "big")
            for slot in fact.slots:
                out += slot.field.to_bytes(2, "big") + slot.audience.to_bytes(4, "big")
                out += len(slot.sealed).to_bytes(4, "big") + slot.sealed
    except OverflowError:
        raise Bad("a number is larger than a body can hold") from None
    return out


def genesis(stream: UUID) -> bytes:
    """What stands for the hash before a stream's first commit."""
    return sha256(b"kartejo.stream.1" + stream.bytes).digest()


def derived_stream(label: bytes, of: UUID) -> UUID:
    """A stream that belongs to something: a version-8 UUID that derives from what that is."""
    framed = b"".join(len(each).to_bytes(4, "big") + each for each in (label, of.bytes))
    data = bytearray(sha256(framed).digest()[:16])
    data[6] = data[6] & 0x0F | 0x80
    data[8] = data[8] & 0x3F | 0x80
    return UUID(bytes=bytes(data))


def hash_of(previous: bytes, record: Record) -> bytes:
    """The hash that a record must have after ``previous``; raises ``Bad``."""
    body = record.body if record.facts is None else body_of(record.salt, record.facts)
    try:
        fields = (
            record.stream.bytes,
            *(_i64(record.kind), _i64(record.version), _i64(record.count)),
            *(record.command, record.group, record.digest),
            *(_i64(record.actor_kind), b"" if record.actor is None else record.actor.bytes),
            *(_i64(record.seat), _i64(record.received_at), _i64(record.recorded_at)),
            *(_i64(record.hand), _i64(record.epoch), _i64(record.rules)),
            *(record.action, body),
        )
    except OverflowError:
        raise Bad("a number is larger than 64 bits") from None
    framed = b"".join(len(each).to_bytes(4, "big") + each for each in fields)
    return sha256(b"kartejo.commit.1" + previous + framed).digest()


def _i64(number: int) -> bytes:
    return number.to_bytes(8, "big", signed=True)


def group_of(members: Iterable[Record]) -> bytes:
    """The id of commits that were stored together, in their order."""
    named = b"".join(each.stream.bytes + _i64(each.version) for each in members)
    return sha256(b"kartejo.group.1" + named).digest()[:16]
