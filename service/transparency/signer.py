"""Signs the tree as it grows: one series of checkpoints, each only after a second computation.

The tiles are one computation of the root.  The other reads the hashes of the commits themselves
once more and goes on from the newest checkpoint's tree in short, which its own signed root
vouches for.  Where the two differ, or where what was signed before does not begin this tree,
nothing is signed: a signature is for ever, and a flipped bit under one could never be mended.

Any number of processes may run this.  A lease says which of them signs, to spare the others the
work; a checkpoint is stored only as the successor of the one it was made from, so that there is one
series whoever it was.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple, NoReturn

import structlog

from engine.errors import Corrupt, KartejoError, Unavailable
from service.store import checkpoints
from service.store.checkpoints import Signed
from service.store.leases import SIGNER, Leases
from service.store.postgres import Store
from service.transparency.checkpoint import Checkpoint
from service.transparency.last_signed import LastSigned
from service.transparency.merkle import BadProof, Frontier, verify_consistency
from service.transparency.notes import SignerKey
from service.transparency.tiles import Tree
from service.world import World

__all__ = ["Signer", "SignerRecords", "Signing", "Unsound"]

log = structlog.get_logger(__name__)

BATCH: Final = 1_000
"""Hashes read at a time."""


class Unsound(KartejoError):
    """What is stored must not be signed; the text says why."""

    reason = "UNSOUND"


class Signing(NamedTuple):
    """The key that signs, and the folder that remembers what it signed."""

    key: SignerKey
    folder: Path


class SignerRecords:
    """What one process has done: checkpoints signed, and looks at what must not be signed.

    ``size`` is that of the newest checkpoint that it has seen, whoever signed it.
    """

    def __init__(self) -> None:
        self.signed = 0
        self.refused = 0
        self.size = 0


class Signer:
    """Signs in one process, whose ``leases`` these are, every so many ``seconds`` at most."""

    def __init__(
        self, world: World, store: Store, signing: Signing, leases: Leases, seconds: float
    ) -> None:
        self._world = world
        self._store = store
        self._key = signing.key
        self._last = LastSigned(signing.folder, signing.key.verifier)
        self._leases = leases
        self._seconds = seconds
        self._tree = Tree(store.pool)
        self._verified = Frontier()
        self._why = ""
        self._stuck_at = 0
        self.records = SignerRecords()

    async def run(self) -> NoReturn:
        """Sign whenever the log has grown, without end.  Raises ``Unavailable``."""
        while True:
            await self.look()
            await self._world.sleep(self._seconds)

    async def look(self) -> None:
        """Sign what there is now, if it is this process's turn and all is sound.

        What is not is told once in the log; then another process may try, whose machine may be
        the better one.  Raises ``Unavailable``.
        """
        try:
            await self._look()
        except Unavailable:
            raise
        except (KartejoError, BadProof) as error:
            self.records.refused += 1
            if str(error) != self._why:
                self._why = str(error)
                log.error("checkpoint_refused", why=self._why)  # noqa: TRY400 it names no place
            self._stuck_at = self.records.size
            self._verified = Frontier()
            await self._leases.release([SIGNER])
        else:
            if self._why and self.records.size > self._stuck_at:
                self._why = ""
                log.warning("checkpoint_signed_again")

    async def _look(self) -> None:
        newest = await checkpoints.newest(self._store.pool)
        mine = self._opened(newest)
        remembered = self._last.read()
        known = [each for each in (mine, remembered) if each is not None]
        # After the checkpoints: each of them was made of commits that were stored before it.
        head = await self._store.position()
        for each in known:
            if each.size > head:
                raise Unsound(
                    f"the log has {head} commits, and a checkpoint of {each.size} was signed: the "
                    "database was restored from an older backup"
                )
        if newest is not None:
            self.records.size = newest.size
            if mine is not None and (remembered is None or remembered.size < mine.size):
                await asyncio.to_thread(self._last.write, newest.note)
        if await self._is_my_turn():
            await self._sign(newest, mine, known)

    def _opened(self, newest: Signed | None) -> Checkpoint | None:
        """What this key has signed; None where there is nothing, or another key signed it."""
        if newest is None or newest.key != self._key.verifier.told():
            return None
        return Checkpoint.opened(newest.note, self._key.verifier)

    async def _is_my_turn(self) -> bool:
        return SIGNER in await self._leases.held() or bool(await self._leases.claim([SIGNER]))

    async def _sign(
        self, newest: Signed | None, mine: Checkpoint | None, known: Sequence[Checkpoint]
    ) -> None:
        size = await self._tree.size()
        if size <= (mine.size if mine else 0) or any(each.size > size for each in known):
            return  # nothing new, or the tiles are being made anew
        frontier = await self._second(self._trusted(newest, mine), size)
        root = frontier.root()
        if root != (other := await self._tree.root(size)):
            raise Unsound(
                f"the {size} commits have the root {root.hex()}, the tiles {other.hex()}: "
                "`kartejo audit` tells what was altered, `kartejo rebuild log` makes the tiles anew"
            )
        for each in known:
            proof = await self._tree.consistency(each.size, size)
            try:
                verify_consistency(each.size, size, proof, each.root, root)
            except BadProof as error:
                raise Unsound(
                    f"the tree of {size} commits does not begin with the one of {each.size} that "
                    f"was signed: {error}"
                ) from None
        await self._store_next(newest.number + 1 if newest else 1, frontier)

    def _trusted(self, newest: Signed | None, mine: Checkpoint | None) -> Frontier:
        """The tree in short that the newest checkpoint vouches for, as its root says."""
        if newest is None or mine is None:
            return Frontier()
        if (self._verified.size, self._verified.root()) == (mine.size, mine.root):
            return self._verified
        try:
            frontier = Frontier.unpacked(mine.size, newest.frontier)
        except ValueError as error:
            raise Corrupt(f"checkpoint {newest.number}: {error}") from None
        if frontier.root() != mine.root:
            raise Corrupt(f"checkpoint {newest.number} does not hold the tree that was signed")
        return frontier

    async def _second(self, frontier: Frontier, size: int) -> Frontier:
        """The tree of ``size`` leaves in short, from the commits themselves."""
        while frontier.size < size:
            most = min(BATCH, size - frontier.size)
            leaves = await self._store.hashes(frontier.size, most)
            if len(leaves) < most:
                raise Corrupt(f"position {frontier.size + len(leaves) + 1} is missing from the log")
            frontier = frontier.extended(leaves)
        return frontier

    async def _store_next(self, number: int, frontier: Frontier) -> None:
        verifier, root = self._key.verifier, frontier.root()
        note = Checkpoint(verifier.name, frontier.size, root).signed(self._key)
        signed = Signed(number, frontier.size, root, frontier.packed(), verifier.told(), note)
        # Remembered before anybody can read it: what others have seen this machine knows of.
        if await checkpoints.add(
            self._store.pool, signed, lambda: asyncio.to_thread(self._last.write, note)
        ):
            self._verified = frontier
            self.records.signed += 1
            self.records.size = frontier.size
        else:
            log.debug("checkpoint_made_elsewhere", number=number)
