"""A service that is killed in mid-game, and one that is asked to stop."""

from __future__ import annotations

import asyncio
import random
import signal

import grpc
import pytest

from engine.actions import TakeSeat
from service.pb import table_service_pb2 as pb
from service.store.embedded import EmbeddedServer, keep_alive
from tests.faults.load import Books
from tests.faults.process import EndedEarly, Process
from tests.service.harness import run
from tests.service.parlour_room import Room
from tests.service.surfaces import read_out

CLIENTS = 8


async def books(service: Process, count: int) -> list[Books]:
    """Clients, each with a table of his own."""
    found = []
    for number in range(count):
        client = service.client(f"player {number}")
        table = (await client.create("royal_flush", request_id="mine")).table.table_id
        await client.act(table, 0, TakeSeat("", 1), request_id="sit")
        found.append(Books(client, table, 1000 * number + 1))
    return found


async def work(book: Books) -> None:
    """New requests until the connection breaks."""
    while True:
        try:
            await book.one_more(insist=False)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.UNAVAILABLE:
                raise
            return


@pytest.mark.parametrize("times", [1, pytest.param(5, marks=pytest.mark.long)])
def test_a_killed_service_has_lost_nothing_that_it_acknowledged(
    durable_pg: EmbeddedServer, times: int
):
    """kill -9 in mid-game: every acknowledged action is there, exactly once."""

    async def scenario():
        dice = random.Random(7)
        async with Process(durable_pg.service_conninfo) as service:
            all_books = await books(service, CLIENTS)
            for _ in range(times):
                working = [asyncio.ensure_future(work(book)) for book in all_books]
                await Books.answered(all_books, dice.randrange(60, 120), working)
                await service.kill()
                await asyncio.gather(*working)
                await service.start()
            for book in all_books:
                await book.check()
            assert sum(len(book.asked) for book in all_books) > 50 * times

    run(scenario())


def test_a_hand_goes_on_after_a_kill_where_it_stood(durable_pg: EmbeddedServer):
    """Cards, turns and pot: the table is rebuilt by replay, and the same request still answers."""

    async def scenario():
        async with Process(durable_pg.service_conninfo) as service:
            room = await Room.open(service, ("ann", "bob"))  # type: ignore[arg-type]
            await room.start()
            answer = await room.turn(request_id="once")
            before = [await room.state(seat) for seat in (0, 1)]
            watched = await room.players[1].watched(room.table)
            await service.kill()
            await service.start()
            after = [await room.state(seat) for seat in (0, 1)]
            for one, other in zip(before, after, strict=True):
                one.decision.remaining_ms = other.decision.remaining_ms = 0
                assert one == other
            for message in (*watched, *(again := await room.players[1].watched(room.table))):
                message.state.decision.remaining_ms = 0
            assert again == watched
            assert answer.events
            await room.play_out()

    run(scenario())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_service_that_is_asked_to_stop_answers_what_it_has_begun(
    durable_pg: EmbeddedServer, number: int
):
    """SIGTERM: streams end UNAVAILABLE, no call in flight is lost, the exit code is 0."""

    async def scenario():
        async with Process(durable_pg.service_conninfo) as service:
            all_books = await books(service, 4)
            table = all_books[0].table
            eve = service.client("eve")
            watch = eve.tables.WatchTable(
                pb.WatchTableRequest(table_id=table), metadata=eve.metadata, timeout=30
            )
            working = [asyncio.ensure_future(work(book)) for book in all_books]
            assert (await watch.read()).version
            await Books.answered(all_books, 50, working)
            assert await service.end(number) == 0
            await asyncio.gather(*working)
            with pytest.raises(grpc.aio.AioRpcError) as ended:
                await read_out(watch)
            assert ended.value.code() is grpc.StatusCode.UNAVAILABLE
            await service.start()
            for book in all_books:
                # Whatever was taken on was answered: only a call that never arrived is missing.
                stored = await book.stored()
                assert set(stored) - set(book.answers) == set()
                await book.check()

    run(scenario())


@pytest.mark.long
def test_a_service_without_its_database_stops_all_the_same(durable_pg: EmbeddedServer):
    """Outcomes that cannot be learned are given up after a while; they are learned later."""

    async def scenario():
        async with Process(durable_pg.service_conninfo) as service:
            all_books = await books(service, 6)
            working = [asyncio.ensure_future(work(book)) for book in all_books]
            await Books.answered(all_books, 50, working)
            durable_pg.kill()
            await asyncio.gather(*working)
            assert await service.end(signal.SIGTERM) == 0
            reviving = asyncio.ensure_future(keep_alive(durable_pg))
            await service_again(service)
            for book in all_books:
                await book.check()
            reviving.cancel()

    run(scenario())


async def service_again(service: Process) -> None:
    """Start it as soon as its database lets it."""
    async with asyncio.timeout(30):
        while True:
            try:
                await service.start()
            except EndedEarly:  # the database is not back yet
                await asyncio.sleep(0.2)  # not to keep starting processes
            else:
                return
