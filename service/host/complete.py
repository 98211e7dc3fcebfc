"""Complete exports: commits exactly as they are stored, under a signed note on all of them.

The note's text is::

    kartejo/export/1
    scope store                     (or: scope table ID)
    commits NUMBER
    digest BASE64
    made MICROSECONDS

where the digest is SHA-256("kartejo.export.1" ‖ u64 position ‖ hash ‖ u64 position ‖ hash ‖ …)
over the commits in their order.  A hash covers everything else that a commit holds.

That a copy is made is recorded first; the copy holds that record too.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import AsyncGenerator
from functools import partial
from hashlib import sha256
from typing import Final, NamedTuple
from uuid import UUID

from engine.errors import Denied, Unavailable
from service.host.accesses import EVERYTHING, Accesses, access_stream
from service.host.eyes import require_impartial
from service.host.host import Host
from service.identity import Principal, Role
from service.projections.hand_index import Hands
from service.store import log
from service.store.commit import Commit
from service.store.postgres import Store
from service.vault.note import NoteSigner
from service.world import Clock

__all__ = ["KEY_NAME", "Auditors", "CompleteExport", "Piece"]

KEY_NAME: Final = "kartejo-export"
LABEL: Final = b"kartejo.export.1"
EYES: Final = "complete"
PAGE: Final = 200
READERS: Final = 2


class Piece(NamedTuple):
    """Some commits; ``total`` is what progress counts up to; the last piece has the note.

    Progress counts versions of a table, and positions of the whole store.
    """

    commits: list[Commit]
    total: int
    note: str = ""


class CompleteExport:
    """Reads what a complete export holds.  Raises what the store raises."""

    def __init__(
        self, clock: Clock, store: Store, accesses: Accesses, signer: NoteSigner | None
    ) -> None:
        self._clock = clock
        self._store = store
        self._accesses = accesses
        self._signer = signer

    @property
    def key(self) -> str:
        """The key that verifies the notes; raises ``Unavailable`` where there is none."""
        return self._notes().key

    def _notes(self) -> NoteSigner:
        if self._signer is None:
            raise Unavailable("this service has no key to sign exports with", retry_ms=0)
        return self._signer

    async def table(
        self, reader: UUID | None, stream: UUID, surface: str
    ) -> AsyncGenerator[Piece, None]:
        """A table as it stands, then its accesses, this one included.

        Nothing at all for a stream that has no commit.
        """
        signer = self._notes()
        head = await self._store.head(stream)
        if head is None:
            return
        last = head[0]
        looked = await self._accesses.record(reader, stream, surface, EYES, first=0, last=last)
        tally = _Tally(f"table {stream}", last + looked.version)
        for each, until in ((stream, last), (access_stream(stream), looked.version)):
            version = 0
            while version < until:
                commits = await self._store.read(each, version, PAGE, until)
                if not commits:
                    break
                version = commits[-1].version
                yield tally.add(commits)
        yield tally.end(signer, self._clock)

    async def whole(self, reader: UUID | None, surface: str) -> AsyncGenerator[Piece, None]:
        """Every commit up to the one that records this very look."""
        signer = self._notes()
        last = await self._store.position()
        looked = await self._accesses.record(reader, EVERYTHING, surface, EYES, first=0, last=last)
        tally = _Tally("store", looked.position)
        position = 0
        while position < looked.position:
            limit = min(PAGE, looked.position - position)
            ask = partial(log.log_after, after=position, limit=limit)
            commits = await self._store.pool.ask(ask)
            if not commits:
                break
            position = commits[-1].position
            yield tally.add(commits)
        yield tally.end(signer, self._clock)


class _Tally:
    """What the note of an export is about, as it grows."""

    def __init__(self, scope: str, total: int) -> None:
        self._scope = scope
        self._total = total
        self._count = 0
        self._digest = sha256(LABEL)

    def add(self, commits: list[Commit]) -> Piece:
        """A piece with these commits."""
        self._count += len(commits)
        for commit in commits:
            self._digest.update(commit.position.to_bytes(8, "big") + commit.hash)
        return Piece(commits, self._total)

    def end(self, signer: NoteSigner, clock: Clock) -> Piece:
        """The last piece: the note on all of them."""
        text = (
            "kartejo/export/1\n"
            f"scope {self._scope}\n"
            f"commits {self._count}\n"
            f"digest {b64encode(self._digest.digest()).decode()}\n"
            f"made {clock.now()}\n"
        )
        return Piece([], self._total, signer.sign(text))


class Auditors:
    """Who may have a complete export: auditors who do not play.  Raises ``Denied``, ``Unknown``."""

    def __init__(self, host: Host, store: Store, hands: Hands) -> None:
        self._host = host
        self._store = store
        self._hands = hands

    async def require_table(self, caller: Principal, stream: UUID) -> None:
        """Raises unless the caller may have a table."""
        caller.require(Role.AUDITOR)
        live = await self._host.find_table(caller, stream)
        await require_impartial(caller, live, self._store)

    async def require_all(self, caller: Principal) -> None:
        """Raises unless the caller may have the whole store."""
        caller.require(Role.AUDITOR)
        if caller.lab:
            raise Denied("the laboratory has no auditors")
        if await self._hands.of_player(caller.id, 1):
            raise Denied("who plays here is no auditor of everything: ask for single tables")
