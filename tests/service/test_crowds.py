"""Many calls at once: each is answered by us, and whoever plays does not wait for them."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from service.pb import table_service_pb2 as pb
from service.rpc import calls
from service.rpc.budget import Limits
from service.rpc.connections import MOST_METADATA_BYTES, MOST_STREAMS_OF_CONNECTION
from service.rpc.messages import Messages
from tests.service.harness import Client, failing, run, running
from tests.service.parlour_room import Room
from tests.service.test_clocks import until

CROWD = 3_500
"""More than gRPC keeps for us of its own accord."""

CALLERS = 35


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
                return await ann.tables.GetTable(request, metadata=more, timeout=60)

            await ask(MOST_METADATA_BYTES - 2_000)
            for _ in range(20):
                failure = await failing(ask(MOST_METADATA_BYTES))
                assert failure.code is grpc.StatusCode.RESOURCE_EXHAUSTED

    run(scenario())


def test_long_lists_take_turns_with_whoever_plays(dsn, monkeypatch):
    """However many are made: between two turns of the loop lies one table of one list."""
    made = 0
    table = Messages.table

    def counted(*arguments: Any) -> Any:
        nonlocal made
        made += 1
        return table(*arguments)

    monkeypatch.setattr(Messages, "table", counted)

    async def scenario():
        nonlocal made
        async with running(dsn) as service:
            host = service.client("host")
            for _ in range(20):
                await host.create("parlour")
            request = pb.ListTablesRequest(page_size=20)

            async def listed() -> bool:
                answer = await host.call(host.tables.ListTables, request)
                return len(answer.tables) == 20

            await until(listed)
            made = most = 0
            lists = [
                asyncio.ensure_future(host.call(host.tables.ListTables, request)) for _ in range(10)
            ]
            while not all(one.done() for one in lists):
                before = made
                await asyncio.sleep(0)
                most = max(most, made - before)
            assert [len(one.result().tables) for one in lists] == [20] * 10
            assert most <= 2

    run(scenario())


def test_one_caller_has_few_lists_made_at_a_time(dsn, monkeypatch):
    """The rest hears of it at once; others have places of their own."""
    monkeypatch.setattr(calls, "LISTS", Limits(each=1, all=2))

    async def scenario():
        async with running(dsn) as service:
            ann, bob = service.client("ann"), service.client("bob")
            mine = service.server._calls.lists

            async def ask(client: Client) -> Any:
                return await client.call(client.tables.ListTables, pb.ListTablesRequest())

            asked = [asyncio.ensure_future(ask(ann)) for _ in range(20)]
            await asyncio.sleep(0)
            await ask(bob)
            ended = await asyncio.gather(*asked, return_exceptions=True)
            assert mine.refused
            refused = [one for one in ended if isinstance(one, grpc.aio.AioRpcError)]
            assert len(refused) == mine.refused < 20
            assert {one.code() for one in refused} == {grpc.StatusCode.RESOURCE_EXHAUSTED}
            assert mine.taken == 0

    run(scenario())


def test_a_health_check_does_not_stand_in_line_behind_a_crowd(dsn):
    """Who comes last of all and asks whether we are well hears of it among the first."""

    async def scenario():
        async with running(dsn) as service:
            lines = [
                grpc.aio.insecure_channel(
                    service.address, options=[("grpc.use_local_subchannel_pool", 1)]
                )
                for _ in range(5)
            ]
            for line in lines:
                service.keep(line)
                await line.channel_ready()
            check = health_pb2_grpc.HealthStub(lines.pop()).Check
            callers = [
                Client(line, service.token(f"one of many {number}"))
                for number, line in enumerate(lines)
            ]
            crowd = [
                asyncio.ensure_future(failing(callers[number % 4].get("no table")))
                for number in range(800)
            ]
            await asyncio.sleep(0)
            checked = asyncio.ensure_future(check(health_pb2.HealthCheckRequest(), timeout=60))
            await asyncio.sleep(0)
            # The loop stands still, and gRPC's threads take in what comes.
            asyncio.get_running_loop().call_soon(time.sleep, 0.5)
            await checked
            assert sum(call.done() for call in crowd) < len(crowd) / 2
            await asyncio.gather(*crowd)

    run(scenario())
