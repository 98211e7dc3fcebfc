"""What a serving process is made of, from a database and the keys beside the data."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

from engine.games import GAMES
from service.cli.failures import of_database
from service.cli.keys import keys_at_hand, log_key, master_key, token_keys
from service.codec import Codec
from service.identity import SecretFiles
from service.rpc.server import Parts
from service.store.postgres import Store
from service.store.principals import Principals
from service.world import World

__all__ = ["parts_of"]


@asynccontextmanager
async def parts_of(
    dsn: str,
    home: Path,
    world: World,
    *,
    lab: bool,
    signs: bool,
    renew: bool = False,
    renew_log: bool = False,
    origin: str | None = None,
) -> AsyncIterator[Parts]:
    """A store that is open, and the keys of ``home``, made where that is right.

    Who ``signs`` needs the key of the transparency log.  ``renew`` goes on with another master
    key, ``renew_log`` with another one for the log, whose name is ``origin`` when it is begun.

    Raises ``CommandError``, ``KeyFileError``, ``Unfit`` and what says that the database cannot be
    used.
    """
    async with AsyncExitStack() as stack:
        with of_database():
            store = await stack.enter_async_context(Store(dsn))
            files = SecretFiles.beside(home)
            master = await master_key(store, files, world, renew=renew)
            tokens = token_keys(files, world, lab=lab)
            signing = None
            if signs:
                signing = await log_key(store, files, world, origin=origin, renew=renew_log)
        yield Parts(
            world,
            store,
            GAMES,
            Codec(GAMES),
            master,
            tokens,
            Principals(store.pool),
            signing=signing,
            keys_at_hand=partial(keys_at_hand, files, world),
        )
