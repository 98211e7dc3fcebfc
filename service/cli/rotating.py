"""What ``kartejo keys`` does: the keys of a store, and the way from one to the next.

Rotation is one row.  Before it the old key is in use, after it the new one; whoever is cut off in
between has a file more, which the next run, or the next start, takes up.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from service.cli.failures import CommandError, of_database
from service.cli.keys import finish_rotation, master_key, named_key
from service.host.key_watch import LOOK_SECONDS
from service.identity import SecretFiles
from service.store.master_keys import KeyUse, key_use, take_into_use
from service.store.postgres import Store
from service.vault import MasterKey
from service.world import RealWorld

__all__ = ["rotate", "uses"]

LEARN_SECONDS: Final = 2 * LOOK_SECONDS + 1
"""Until every running service knows the key that follows: it opens what others wrap by it."""


async def uses(dsn: str) -> KeyUse:
    """The keys of a store."""
    with of_database():
        async with Store(dsn) as store:
            return await key_use(store.pool)


async def rotate(
    dsn: str, home: Path, to: Path | None, learn_seconds: float = LEARN_SECONDS
) -> tuple[bytes, bytes]:
    """Go over to another master key; the ids of the old one and the new one.

    Raises ``CommandError``, ``KeyFileError`` and ``Unfit``.
    """
    world = RealWorld()
    files = SecretFiles.beside(home)
    named = named_key()
    if named and to is None:
        raise CommandError(
            "KEY_NAMED",
            f"{named} names the master key: this command cannot replace it",
            "make a new one (openssl rand -hex 32, mode 600), and name it by --to",
        )
    with of_database():
        async with Store(dsn) as store:
            if not (await key_use(store.pool)).keys:
                raise CommandError(
                    "NO_KEYS", "no key was used yet", "`kartejo serve` makes one on its first start"
                )
            old = await master_key(store, files, world)
            new = _following(files, world, to)
            if new.id == old.id:
                raise CommandError(
                    "SAME_KEY", "that key is in use already", "name another one, or none, by --to"
                )
            await asyncio.sleep(learn_seconds)
            use = await key_use(store.pool)
            done = use.id == old.id and await take_into_use(
                store.pool, use, new.id, new.wrap_former(old)
            )
            if not done:
                raise CommandError(
                    "KEY_CHANGED", "somebody else went over to another key", "run this again"
                )
            if named is None:
                finish_rotation(files, world, await key_use(store.pool))
            else:
                files.next_master_key.unlink(missing_ok=True)
    return old.id, new.id


def _following(files: SecretFiles, world: RealWorld, to: Path | None) -> MasterKey:
    """The key that is to follow, lying where running services look for it."""
    if to is None:
        return MasterKey.read(files.next_master_key, world, make=True)
    new = MasterKey.read(to, world)
    new.put(files.next_master_key)
    return new
