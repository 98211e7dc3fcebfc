"""Who looked: every look with an auditor's eyes is a commit before anything is shown (design 6).

Each table has a stream of accesses beside its own; looks at all tables at once have one too.  They
stand in the log like everything else, so nobody can take one back.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final, NamedTuple
from uuid import UUID

from engine.access import AuditorLooked
from engine.errors import Conflict, Corrupt
from service.codec import Codec, StoredForm
from service.store.commit import (
    ActorKind,
    Commit,
    StoredEvent,
    StreamKind,
    chained,
    genesis,
    pack_body,
    unpack_body,
    verify,
)
from service.store.errors import StreamConflict
from service.store.postgres import Store
from service.vault.framing import pack
from service.world import World

__all__ = ["EVERYTHING", "Access", "Accesses", "access_stream"]

EVERYTHING: Final = UUID(int=0)
"""Stands for all tables: whoever copies the whole store looks at each of them."""

TRIES: Final = 16
RULES: Final = 1
"""Revision of the form of accesses."""

_STREAM: Final = b"kartejo/v1/access"
_REQUEST: Final = b"kartejo/v1/access-request"
_COMMAND_BYTES: Final = 16


class Access(NamedTuple):
    """A look that was recorded: its version on its stream, what, and when (microseconds)."""

    version: int
    looked: AuditorLooked
    recorded_at: int


def access_stream(table: UUID) -> UUID:
    """The stream of the accesses to a table, or to ``EVERYTHING``.

    >>> access_stream(UUID(int=1)) != access_stream(EVERYTHING)
    True
    """
    bits = int.from_bytes(sha256(pack(_STREAM, table.bytes)).digest()[:16], "big")
    fixed = 0xF000 << 64 | 0xC000 << 48
    return UUID(int=bits & ~fixed | 0x8000 << 64 | 0x8000 << 48)


class Accesses:
    """Records looks and lists them.  Raises what the store raises: then nothing may be shown."""

    def __init__(self, world: World, store: Store, codec: Codec) -> None:
        self._world = world
        self._store = store
        self._codec = codec

    async def record(
        self,
        reader: UUID | None,
        table: UUID | None,
        surface: str,
        eyes: str,
        *,
        hand: int = 0,
        first: int,
        last: int,
    ) -> Commit:
        """Store that ``reader`` is about to see ``first`` … ``last`` of a table.

        None for the reader is the operator, for the table all of them.
        """
        stream = access_stream(table or EVERYTHING)
        told = "" if table is None else str(table)
        event = AuditorLooked(
            "" if reader is None else str(reader), told, surface, eyes, hand, first, last
        )
        form = self._codec.store_event(event)
        command = self._world.entropy(_COMMAND_BYTES)
        received_at = self._world.now()
        for _ in range(TRIES):
            version, previous = await self._store.head(stream) or (0, genesis(stream))
            commit = Commit(
                stream=stream,
                kind=StreamKind.ACCESS,
                version=version + 1,
                count=1,
                command=command,
                group=b"",
                digest=sha256(pack(_REQUEST, command)).digest(),
                actor_kind=ActorKind.SERVICE if reader is None else ActorKind.AUDITOR,
                actor=reader,
                seat=-1,
                action=b"",
                received_at=received_at,
                recorded_at=self._world.now(),
                hand=0,
                epoch=0,
                rules=RULES,
                body=pack_body([StoredEvent(form.type, form.revision, form.public)]),
                hash=b"",
            )
            try:
                (stored,) = await self._store.append(chained([(previous, commit)]))
            except StreamConflict:
                continue  # another look was faster
            return stored
        raise Conflict("others kept being faster")

    async def of(self, table: UUID, after: int, limit: int) -> list[Access]:
        """Looks at a table, or at ``EVERYTHING``, after a version of their stream, oldest first."""
        stream = access_stream(table)
        standing = await self._store.at_version(stream, after) if after else None
        previous = genesis(stream) if standing is None else standing.hash
        found: list[Access] = []
        for commit in await self._store.read(stream, after, limit):
            verify(previous, commit)
            previous = commit.hash
            found += self._read(commit)
        return found

    def _read(self, commit: Commit) -> list[Access]:
        looks: list[Access] = []
        for form in unpack_body(commit.body, commit.count):
            event = self._codec.load_event(StoredForm(form.type, form.revision, form.public, ()))
            if not isinstance(event, AuditorLooked):
                raise Corrupt(f"stream {commit.stream} holds more than accesses")
            looks.append(Access(commit.version, event, commit.recorded_at))
        return looks
