"""The tools of these tests: what a client met is seen, and a restarted service answers at once."""

from __future__ import annotations

import asyncio

import grpc
import pytest

from service.pb import table_service_pb2 as pb
from service.store.embedded import EmbeddedServer
from tests.faults.load import Books
from tests.faults.process import Process
from tests.service.harness import run


class Odd(Exception):
    """What no client reckons with."""


def test_a_client_that_fails_is_seen_at_once():
    """Its error comes out of the waiting for answers, which would not come any more."""

    async def scenario():
        async def work() -> None:
            raise Odd

        with pytest.raises(Odd):
            await Books.answered([], 1, [asyncio.ensure_future(work())])

    run(scenario(), seconds=5)


def test_a_client_that_stops_is_seen_at_once():
    """Nor may one go away quietly while the others wait for its share."""

    async def scenario():
        with pytest.raises(AssertionError, match="7 answers before the end"):
            await Books.answered([], 7, [asyncio.ensure_future(asyncio.sleep(0))])

    run(scenario(), seconds=5)


def test_a_service_that_was_away_is_back_for_clients_that_were_refused(durable_pg: EmbeddedServer):
    """The first call after a restart is answered, however often the channel failed before."""

    async def scenario():
        async with Process(durable_pg.service_conninfo) as service:
            client = service.client("ann")
            request = pb.ListTablesRequest()
            await client.call(client.tables.ListTables, request)
            await service.kill()
            for _ in range(20):
                with pytest.raises(grpc.aio.AioRpcError):
                    await client.call(client.tables.ListTables, request)
                await asyncio.sleep(0.1)  # let the back-off of the channel grow
            await service.start()
            await client.call(client.tables.ListTables, request)

    run(scenario())
