"""A service of its own process for tests that kill it.

``python -m tests.faults.server DSN LISTEN [WEB]``: with ``WEB`` it answers HTTP there too.
Prints its port and its process id when it listens.  The keys of its tokens come from a seed, so
that tests can issue tokens for it, before and after it was killed.
"""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import nullcontext

from service.cli.logs import log_to_stderr
from service.cli.watched import Look, serve_watched
from service.identity import LAB_ISSUER, KeyRing, Tokens
from service.rpc.server import Parts, Server, Settings
from service.store.postgres import Store
from service.store.principals import Principals
from service.telemetry.spans import no_spans
from service.vault import MasterKey
from service.web.settings import WebSettings
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


async def _serve(dsn: str, listen: str, web: str = "") -> None:
    # Nobody reads standard output after the port: it would fill up, and stop the service.
    lines = log_to_stderr(as_json=True)
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

        def ready(server: Server, _: str) -> None:
            print(server.port, os.getpid(), flush=True)

        look = Look(None, nullcontext(no_spans), lines)
        door = WebSettings(web) if web else None
        await serve_watched(Settings(listen, lab=True), parts, look, door, ready)


def main() -> None:
    """Run it with the arguments of the process."""
    asyncio.run(_serve(*sys.argv[1:]))


if __name__ == "__main__":
    main()
