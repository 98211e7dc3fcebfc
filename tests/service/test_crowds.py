"""Many calls at once: each is answered by us, and whoever plays does not wait for them."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from typing import Any

import grpc

from service.pb import table_service_pb2 as pb
from service.rpc.connections import MOST_METADATA_BYTES, MOST_STREAMS_OF_CONNECTION
from tests.service.harness import Client, failing, run, running
from tests.service.parlour_room import Room

CROWD = 3_500
"""More than gRPC keeps for us of its own accord."""

CALLERS = 14


def test_calls_that_come_while_we_are_busy_are_answered(dsn):
    """None is ended by gRPC, CANCELLED without a reason: all of them are within our limits."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            request = pb.GetTableRequest(table_id=room.table)
            callers = []
            for number in range(CALLERS):
                channel = grpc.aio.insecure_channel(
                    service.address, options=[("grpc.use_local_subchannel_pool", 1)]
                )
                service.keep(channel)
                callers.append(Client(channel, service.token(f"one of many {number}")))
                await callers[-1].get(room.table)

            ended: Counter[str] = Counter()

            async def ask(caller: Client) -> None:
                try:
                    await caller.call(caller.tables.GetTable, request, 50)
                    ended["OK"] += 1
                except grpc.aio.AioRpcError as error:
                    ended[error.code().name] += 1

            assert CROWD // CALLERS < MOST_STREAMS_OF_CONNECTION
            crowd = [asyncio.ensure_future(ask(callers[n % CALLERS])) for n in range(CROWD)]
            await asyncio.sleep(0)  # each has begun
            # The loop stands still, and gRPC's threads take in what comes.
            asyncio.get_running_loop().call_soon(time.sleep, 1)
            await asyncio.gather(*crowd)
            assert ended == {"OK": CROWD}

    run(scenario())


def test_metadata_have_one_limit_and_not_a_range_of_luck(dsn):
    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            ann = room.players[0]
            request = pb.GetTableRequest(table_id=room.table)

            async def ask(size: int) -> Any:
                more = (*ann.metadata, ("x-more", "m" * size))
                return await ann.tables.GetTable(request, metadata=more, timeout=10)

            await ask(MOST_METADATA_BYTES - 2_000)
            for _ in range(20):
                failure = await failing(ask(MOST_METADATA_BYTES))
                assert failure.code is grpc.StatusCode.RESOURCE_EXHAUSTED

    run(scenario())
