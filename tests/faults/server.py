"""A service of its own process for tests that kill it: ``python -m tests.faults.server DSN``.

Prints its port and its process id when it listens.  The keys of its tokens come from a seed, so
that tests can issue tokens for it, before and after it was killed.
"""

from __future__ import annotations

import asyncio
import os
import sys

from service.cli.logs import log_to_stderr
from service.identity import LAB_ISSUER, KeyRing, Tokens
from service.rpc.server import Parts, Server, Settings, serve
from service.store.postgres import Store
from service.store.principals import Principals
from service.vault import MasterKey
from service.world import RealWorld, SteppedWorld, World
from tests.service.harness import ALL_GAMES, CODEC, MASTER

__all__ = ["SEED", "tokens"]

SEED = b"tests/faults"
"""Makes the keys of the tokens."""


def tokens(world: World) -> Tokens:
    """The same keys in every process."""
    seeded = SteppedWorld(seed=SEED)
    ring, lab_ring = KeyRing.draw(seeded), KeyRing.draw(seeded, LAB_ISSUER)
    return Tokens(ring, world, lab_ring=lab_ring)


async def _serve(dsn: str, listen: str) -> None:
    # Nobody reads standard output after the port: it would fill up, and stop the service.
    log_to_stderr(as_json=True)
    world = RealWorld()
    async with Store(dsn, allow_unsafe=True) as store:
        parts = Parts(
            world=world,
            store=store,
            games=ALL_GAMES,
            codec=CODEC,
            master=MasterKey(MASTER, world),
            tokens=tokens(world),
            identities=Principals(store.pool),
        )

        def ready(server: Server) -> None:
            print(server.port, os.getpid(), flush=True)

        await serve(Settings(listen, lab=True), parts, ready)


def main() -> None:
    """Run it with the arguments of the process."""
    asyncio.run(_serve(sys.argv[1], sys.argv[2]))


if __name__ == "__main__":
    main()
