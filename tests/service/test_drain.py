"""A server that drains answers what is under way, on Play as on the unary calls."""

from __future__ import annotations

import asyncio
from uuid import UUID

from service.pb import table_service_pb2 as pb
from tests.service.harness import failing, run, running
from tests.service.parlour_room import Room
from tests.service.surfaces import read_out
from tests.service.test_clocks import until
from tests.service.test_refused_actions import told
from tests.service.test_token_life import add_chips

UNAVAILABLE = ("UNAVAILABLE", "UNAVAILABLE", "")


def test_a_request_under_way_on_play_is_answered_before_the_stream_ends(dsn):
    """Its effect is stored and told; then the stream says that the service stops."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            ann, server = room.players[0], service.server
            live = await server.host.tables.get(UUID(room.table))
            version = live.table.version
            play = ann.tables.Play(metadata=ann.metadata, timeout=60)
            idle = ann.tables.Play(metadata=ann.metadata, timeout=60)
            for stream in (play, idle):
                request = {"table_id": room.table, "after_version": version}
                await stream.write(pb.PlayRequest(watch=request))
                assert (await stream.read()).news.live
            async with live.lock:
                asked = [add_chips(room.table) for _ in range(3)]
                for request in asked:
                    await play.write(request)
                await until(lambda: at_work(server, 3))
                stopping = asyncio.ensure_future(server.__aexit__())
                assert told(await failing(read_out(idle))) == UNAVAILABLE
                assert not stopping.done()
            answers = [(await play.read()).submitted for _ in asked]
            assert {answer.request_id for answer in answers} == {
                request.submit.request_id for request in asked
            }
            assert {answer.state.version for answer in answers} == {
                version + 1,
                version + 2,
                version + 3,
            }
            assert told(await failing(play.read())) == UNAVAILABLE
            await stopping

    run(scenario())


async def at_work(server, count: int) -> bool:
    return len(server.host.executor.under_way.futures) == count


def test_a_request_that_takes_too_long_does_not_hold_the_service_up(dsn, monkeypatch):
    """The stream ends without it; its request_id tells the outcome later."""
    monkeypatch.setattr("service.rpc.calls.LAST_SECONDS", 0.3)

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            ann, server = room.players[0], service.server
            live = await server.host.tables.get(UUID(room.table))
            play = ann.tables.Play(metadata=ann.metadata, timeout=60)
            async with live.lock:
                await play.write(add_chips(room.table))
                await until(lambda: at_work(server, 1))
                stopping = asyncio.ensure_future(server.__aexit__())
                assert told(await failing(read_out(play))) == UNAVAILABLE
            await stopping

    run(scenario())


def test_the_next_server_lists_what_this_one_stored_in_its_last_moment(dsn):
    """The list is brought up to date before a server says that it serves."""

    async def scenario():
        made = set()
        for number in range(3):
            async with running(dsn) as service:
                ann = service.client("ann")
                answer = await ann.call(ann.tables.ListTables, pb.ListTablesRequest())
                assert {table.table_id for table in answer.tables} == made
                for _ in range(number + 1):
                    made.add((await Room.open(service)).table)

    run(scenario())
