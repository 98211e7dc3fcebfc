"""Commands: what a caller asks of a table, under an id that makes a repeat harmless (design 4).

The command id derives from the caller and his request id; the digest covers everything he asked
for.  Same id and same digest: the same command, answered alike.  Same id, other digest: an error.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID

from engine.errors import Malformed
from service.store.commit import ActorKind
from service.vault import MasterKey
from service.vault.framing import pack, u64
from service.world import World

__all__ = [
    "Command",
    "Digester",
    "command_id",
    "pairs_bytes",
    "process_command_id",
    "stream_of",
]

_COMMAND = b"kartejo/v1/command"
_PROCESS = b"kartejo/v1/process-command"
_STREAM = b"kartejo/v1/stream"
_REQUEST = b"kartejo/v1/request"

MAX_REQUEST_ID = 64


class Command(NamedTuple):
    """Who asks, under which id, and when it arrived.

    ``received_at`` is the time of day in microseconds, ``arrived`` the monotonic second: arrival
    before a deadline counts, queueing does not.  ``action`` names what is asked for, in a word of
    the program: it is counted by it, and nothing is decided by it.  ``earlier``: the digest under
    the master keys that came before.
    """

    id: bytes
    digest: bytes
    actor_kind: ActorKind
    actor: UUID | None
    received_at: int
    arrived: float
    action: str
    earlier: tuple[bytes, ...] = ()

    @classmethod
    def of_caller(
        cls,
        world: World,
        caller: UUID,
        request_id: str,
        digests: tuple[bytes, ...],
        kind: ActorKind,
        action: str,
    ) -> Command:
        """A caller's command, arriving now; raises ``Malformed`` for an unusable request id."""
        command = command_id(caller, request_id)
        digest, *earlier = digests
        now, arrived = world.now(), world.monotonic()
        return cls(command, digest, kind, caller, now, arrived, action, tuple(earlier))

    def is_of(self, digest: bytes) -> bool:
        """Whether a stored digest is that of this command."""
        return digest == self.digest or digest in self.earlier

    @classmethod
    def of_process(
        cls, world: World, stream: UUID, version: int, step: str, action: str
    ) -> Command:
        """A command of the service itself, caused by ``version`` of ``stream``."""
        command = process_command_id(stream, version, step)
        digest = sha256(pack(_REQUEST, command)).digest()
        now, arrived = world.now(), world.monotonic()
        return cls(command, digest, ActorKind.PROCESS, None, now, arrived, action)


def command_id(caller: UUID, request_id: str) -> bytes:
    """16 bytes that stand for one request of one caller.

    Raises ``Malformed`` unless the request id has 1 to 64 characters.
    """
    if not 1 <= len(request_id) <= MAX_REQUEST_ID:
        raise Malformed("request_id", f"expected 1 to {MAX_REQUEST_ID} characters")
    return sha256(pack(_COMMAND, caller.bytes, request_id.encode())).digest()[:16]


def process_command_id(stream: UUID, version: int, step: str) -> bytes:
    """16 bytes that stand for one step which ``version`` of ``stream`` causes."""
    return sha256(pack(_PROCESS, stream.bytes, u64(version), step.encode())).digest()[:16]


def stream_of(command: bytes) -> UUID:
    """The id of the stream that a creating command makes: a repeat makes the same one."""
    bits = int.from_bytes(sha256(pack(_STREAM, command)).digest()[:16], "big")
    # Version 8 and the variant of RFC 9562, which Python's constructor does not know yet.
    fixed = 0xF000 << 64 | 0xC000 << 48
    return UUID(int=bits & ~fixed | 0x8000 << 64 | 0x8000 << 48)


class Digester:
    """Digests of requests, under a key that the database does not hold.

    A plain hash over an action would be an oracle for the card in it.  The key derives from the
    master key; if that is lost, a repeat of an old request is taken for another one.
    """

    __slots__ = ("_changes", "_keys", "_master")

    def __init__(self, master: MasterKey) -> None:
        self._master = master
        self._changes, self._keys = master.changes, master.derive(_REQUEST)

    def __call__(self, *parts: bytes) -> tuple[bytes, ...]:
        """HMAC-SHA-256 over the parts of a request, each with its length.

        Under each master key that is known here, the one that wraps first.
        """
        if self._changes != self._master.changes:
            self._changes, self._keys = self._master.changes, self._master.derive(_REQUEST)
        packed = pack(_REQUEST, *parts)
        return tuple([hmac.digest(key, packed, "sha256") for key in self._keys])


def pairs_bytes(values: Mapping[str, str]) -> bytes:
    """A map of texts as bytes, whatever the order it came in."""
    flat = [part.encode() for name in sorted(values) for part in (name, values[name])]
    return pack(_REQUEST, *flat)
