"""Master keys that come while a service runs: learnt when they appear, used once the store says so.

`kartejo keys rotate` writes the key that is to follow, waits, and notes it in the store.  A service
that sees the file opens what others wrap by it; when the store names it, it wraps by it too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import structlog

from service.store.master_keys import key_use
from service.store.postgres import Store
from service.vault import MasterKey
from service.world import World

__all__ = ["LOOK_SECONDS", "KeyWatch"]

log = structlog.get_logger(__name__)

LOOK_SECONDS: Final = 2.0
"""How often a service looks for keys."""


class KeyWatch:
    """Keeps the master key of one process up to date.  ``found``: the keys that lie ready now."""

    def __init__(
        self,
        world: World,
        store: Store,
        master: MasterKey,
        found: Callable[[], Iterable[MasterKey]],
    ) -> None:
        self._world = world
        self._store = store
        self._master = master
        self._found = found
        self._missed: bytes | None = None

    async def keep(self) -> None:
        """Look again and again, without end."""
        while True:
            await self._world.sleep(LOOK_SECONDS)
            await self.look()

    async def look(self) -> None:
        """Learn what lies ready, and go over to the key that the store names."""
        master = self._master
        for key in self._found():
            master.learn(key)
        use = await key_use(self._store.pool)
        if use.id is None or use.id == master.id:
            return
        if master.use(use.id):
            log.info("master_key_taken", key_id=use.id.hex())
        elif self._missed != use.id:  # once, not every two seconds
            self._missed = use.id
            log.error("master_key_missing", key_id=use.id.hex(), used_id=master.id.hex())
