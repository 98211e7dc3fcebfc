"""Complete exports: commits exactly as they are stored, under a signed note on all of them.

The note's text is::

    kartejo/export/1
    scope store                     (or: scope table ID)
    commits NUMBER
    digest BASE64
    made MICROSECONDS

where the digest is SHA-256("kartejo.export.1" ‖ u64 position ‖ hash ‖ u64 position ‖ hash ‖ …)
over the commits in their order.  A hash covers everything else that a commit holds.  The key is
that of the log: no checkpoint begins with that first line.

With the commits goes the newest checkpoint, and with those of a single table the proof that each is
in the tree that was signed.  That a copy is made is recorded first; the copy holds that record too.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import AsyncGenerator
from functools import partial
from hashlib import sha256
from typing import Final, NamedTuple, Protocol
from uuid import UUID

from engine.errors import Unavailable
from service.store import checkpoints, log
from service.store.commit import Commit
from service.store.postgres import Store
from service.transparency.notes import Note, SignerKey
from service.transparency.tiles import Tree
from service.world import Clock

__all__ = ["CompleteExport", "Looks", "Piece"]

FIRST_LINE: Final = "kartejo/export/1"
LABEL: Final = b"kartejo.export.1"
EYES: Final = "complete"
PAGE: Final = 200
Path = tuple[bytes, ...]


class Looks(Protocol):
    """Records that somebody looks at a table, or at all; raises if it cannot be stored."""

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
        """The commit that records it."""


class Piece(NamedTuple):
    """A part of an export.

    The first holds ``total``, what progress counts up to: versions of a table, or positions of
    the whole store; ``key``, what verifies the notes; and ``checkpoint``, empty while there is
    none.  The last holds ``note``.  Those between hold ``commits``, and the path of each to the
    checkpoint's root: empty where it is not covered, and in an export of the whole store.
    """

    commits: tuple[Commit, ...] = ()
    paths: tuple[Path, ...] = ()
    total: int = 0
    key: str = ""
    checkpoint: str = ""
    note: str = ""


class CompleteExport:
    """Reads what a complete export holds.  Raises what the store raises."""

    def __init__(self, clock: Clock, store: Store, looks: Looks, key: SignerKey | None) -> None:
        self._clock = clock
        self._store = store
        self._looks = looks
        self._key = key
        self._tree = Tree(store.pool)

    async def table(
        self, reader: UUID | None, stream: UUID, surface: str
    ) -> AsyncGenerator[Piece, None]:
        """A table as it stands, then its accesses, this one included.

        Nothing at all for a stream that has no commit.
        """
        key = self._require_key()
        head = await self._store.head(stream)
        if head is None:
            return
        last = head[0]
        looked = await self._looks.record(reader, stream, surface, EYES, first=0, last=last)
        size, checkpoint = await self._checkpoint(key)
        tally = _Tally(f"table {stream}")
        yield Piece(total=last + looked.version, key=key.verifier.told(), checkpoint=checkpoint)
        for each, until in ((stream, last), (looked.stream, looked.version)):
            version = 0
            while version < until:
                commits = await self._store.read(each, version, PAGE, until)
                if not commits:
                    break
                version = commits[-1].version
                paths = [await self._path(commit, size) for commit in commits]
                yield tally.add(commits, paths)
        yield tally.end(key, self._clock)

    async def whole(self, reader: UUID | None, surface: str) -> AsyncGenerator[Piece, None]:
        """Every commit up to the one that records this very look."""
        key = self._require_key()
        last = await self._store.position()
        looked = await self._looks.record(reader, None, surface, EYES, first=0, last=last)
        _, checkpoint = await self._checkpoint(key)
        tally = _Tally("store")
        yield Piece(total=looked.position, key=key.verifier.told(), checkpoint=checkpoint)
        position = 0
        while position < looked.position:
            limit = min(PAGE, looked.position - position)
            ask = partial(log.log_after, after=position, limit=limit)
            commits = await self._store.pool.ask(ask)
            if not commits:
                break
            position = commits[-1].position
            yield tally.add(commits, [()] * len(commits))
        yield tally.end(key, self._clock)

    def _require_key(self) -> SignerKey:
        if self._key is None:
            raise Unavailable("this service has no key to sign exports with", retry_ms=0)
        return self._key

    async def _checkpoint(self, key: SignerKey) -> tuple[int, str]:
        """Size and note of the newest checkpoint, if it was signed with the key that is in use."""
        newest = await checkpoints.newest(self._store.pool)
        if newest is None or newest.key != key.verifier.told():
            return 0, ""
        return newest.size, newest.note

    async def _path(self, commit: Commit, size: int) -> Path:
        if commit.position > size:
            return ()
        return tuple(await self._tree.inclusion(commit.position - 1, size))


class _Tally:
    """What the note of an export is about, as it grows."""

    def __init__(self, scope: str) -> None:
        self._scope = scope
        self._count = 0
        self._digest = sha256(LABEL)

    def add(self, commits: list[Commit], paths: list[Path]) -> Piece:
        """A piece with these commits."""
        self._count += len(commits)
        for commit in commits:
            self._digest.update(commit.position.to_bytes(8, "big") + commit.hash)
        return Piece(tuple(commits), tuple(paths))

    def end(self, key: SignerKey, clock: Clock) -> Piece:
        """The last piece: the note on all of them."""
        text = (
            f"{FIRST_LINE}\n"
            f"scope {self._scope}\n"
            f"commits {self._count}\n"
            f"digest {b64encode(self._digest.digest()).decode()}\n"
            f"made {clock.now()}\n"
        )
        return Piece(note=Note(text, (key.sign(text),)).told())
