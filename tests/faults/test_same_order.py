"""A crash redraws nothing: whenever the service is killed, the same pack is dealt afterwards."""

from __future__ import annotations

import asyncio
from uuid import UUID

import grpc
import psycopg

from engine.actions import ContributeEntropy, TakeSeat
from engine.cards import PACK
from engine.events import DeckShuffled, ShuffleCommitted
from service.host.recorder import Opener, Recorder
from service.store.postgres import Store
from service.vault import EpochShuffler, MasterKey
from service.world import RealWorld
from tests.faults.process import Process
from tests.service.harness import CODEC, MASTER, run

VALUE = b"the players' own"


async def recorded(dsn: str, table: str) -> tuple[Opener, list[object]]:
    """What is stored of a table, opened with the service's key."""
    world = RealWorld()
    opener = Opener(Recorder(CODEC, MasterKey(MASTER, world), world), UUID(table))
    facts: list[object] = []
    async with Store(dsn, allow_unsafe=True) as store:
        for commit in await store.read(UUID(table)):
            facts += opener.open(commit).events
    return opener, facts


async def due(dsn: str, table: str, entropy: tuple[bytes, ...]) -> tuple[int, ...]:
    """The pack that the open epoch has for its first shuffle."""
    opener, facts = await recorded(dsn, table)
    assert not any(isinstance(fact, DeckShuffled) for fact in facts)
    return EpochShuffler(opener.keys(1), entropy).shuffle("GAME", PACK)


async def blocked(dsn: str) -> None:
    """Wait until an append waits for the lock of the log."""
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as db:
        while True:
            rows = await db.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            )
            if (await rows.fetchone() or (0,))[0]:
                return
            await asyncio.sleep(0.02)


def test_whenever_it_is_killed_the_same_pack_is_dealt(dsn, admin_dsn):
    """After the commitment; after the entropy; between the decision and its commit; after that."""

    async def scenario():
        async with Process(dsn) as service:
            ann = service.client("ann")
            table = (await ann.create("royal_flush")).table.table_id
            await ann.act(table, 0, TakeSeat("", 5))
            bare = await due(dsn, table, ())
            await service.kill()

            await service.start()
            assert await due(dsn, table, ()) == bare
            await ann.act(table, 0, ContributeEntropy(1, VALUE), request_id="adds")
            pack = await due(dsn, table, (VALUE,))
            assert pack != bare
            await service.kill()

            await service.start()
            assert (await ann.get(table)).table.epoch.contributed == [0]
            async with await psycopg.AsyncConnection.connect(admin_dsn) as db:
                await db.execute("SELECT FROM kartejo.lane FOR UPDATE")
                asked = asyncio.ensure_future(ann.start(table, request_id="starts"))
                await asyncio.wait_for(blocked(admin_dsn), 20)
                assert await due(dsn, table, (VALUE,)) == pack  # decided, and not stored
                await service.kill()
                await db.rollback()
            try:
                await asked
            except grpc.aio.AioRpcError as error:
                assert error.code() is grpc.StatusCode.UNAVAILABLE  # noqa: PT017

            await service.start()
            await ann.start(table, request_id="starts")
            await service.kill()
            await service.start()
            again = await ann.start(table, request_id="starts")
            assert again.state.decision.hand == 1
            _, facts = await recorded(dsn, table)
            (dealt,) = [fact for fact in facts if isinstance(fact, DeckShuffled)]
            assert dealt.order.value == pack
            assert sum(isinstance(fact, ShuffleCommitted) for fact in facts) == 1

    run(scenario(), 110)
