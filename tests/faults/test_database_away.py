"""The database goes away under a running service: UNAVAILABLE, nothing lost, back by itself."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import psycopg
import pytest
from google.rpc.error_details_pb2 import RetryInfo
from grpc_status import rpc_status

from engine.actions import TakeSeat
from service.pb import replay_service_pb2 as old
from service.pb import table_service_pb2 as pb
from service.store.embedded import EmbeddedServer, keep_alive
from tests.faults.load import Books
from tests.service.harness import Client, Failure, Running, run, running

CUT = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
 WHERE application_name LIKE %s AND datname = current_database()
"""


async def books(service: Running, count: int, *, shared: bool = False) -> list[Books]:
    """Clients with tables of their own, or all at one table of one player."""
    found: list[Books] = []
    for number in range(count):
        client = service.client("ann" if shared else f"player {number}")
        made = await client.create("royal_flush", request_id="mine")
        table = made.table.table_id
        await client.act(table, 0, TakeSeat("", 1), request_id="sit")
        found.append(Books(client, table, 1000 * number + 1))
    return found


async def unavailable(call: Callable[[], Awaitable[Any]], seconds: float) -> None:
    """The call fails with UNAVAILABLE and says when to try again, in its time.

    Backends of a killed server may serve a last request: then it is sent again.
    """
    for _ in range(100):
        started = time.monotonic()
        try:
            await call()
        except grpc.aio.AioRpcError as error:
            failure, status = Failure(error), rpc_status.from_call(error)
            break
    else:
        raise AssertionError("calls go on succeeding without a database")
    assert failure.code is grpc.StatusCode.UNAVAILABLE, failure
    assert failure.reason == "UNAVAILABLE"
    assert time.monotonic() - started < seconds
    assert status is not None
    (retry,) = [detail for detail in status.details if detail.Is(RetryInfo.DESCRIPTOR)]
    assert RetryInfo.FromString(retry.value).retry_delay.ToMilliseconds() > 0


def calls(client: Client, book: Books) -> list[Callable[[], Awaitable[Any]]]:
    """One of each kind that needs the database."""
    table = book.table
    return [
        lambda: book.once(999_999),
        lambda: client.create("parlour"),
        lambda: book.client.start(table),
        lambda: client.call(client.replay.ListHands, old.ListHandsRequest(table_id=table)),
        lambda: client.call(
            client.replay.GetStateAt, old.GetStateAtRequest(table_id=table, version=3)
        ),
        lambda: client.call(client.tables.ListTables, pb.ListTablesRequest()),
    ]


@pytest.mark.parametrize("how", ["kill", pytest.param("stop", marks=pytest.mark.long)])
def test_without_its_database_a_service_says_so_and_recovers(durable_pg: EmbeddedServer, how: str):
    """kill -9 of PostgreSQL under load, and a fast shutdown; watchers stay and get the rest."""

    async def scenario():
        async with running(durable_pg.service_conninfo, patience=2.0) as service:
            all_books = await books(service, 6)
            watcher = service.client("eve")
            table = all_books[0].table
            watch = watcher.tables.WatchTable(
                pb.WatchTableRequest(table_id=table), metadata=watcher.metadata, timeout=60
            )
            done = False

            async def work(book: Books) -> None:
                while not done:
                    await book.one_more()

            working = [asyncio.ensure_future(work(book)) for book in all_books]

            await Books.answered(all_books, 60, working)
            if how == "kill":
                durable_pg.kill()
            else:
                durable_pg._process.send_signal(2)  # type: ignore[union-attr]
                durable_pg._process.wait(20)  # type: ignore[union-attr]
            late = service.client("late")
            book = Books(late, table, 1)
            await asyncio.gather(
                *(unavailable(call, 9) for call in calls(service.client("player 0"), book))
            )
            # Not once only: orphans of a killed server may hold its memory for a moment longer.
            reviving = asyncio.ensure_future(keep_alive(durable_pg))
            await Books.answered(all_books, 60, working)
            done = True
            await asyncio.gather(*working)
            reviving.cancel()
            for each in all_books:
                await each.check()
            end = (await watcher.get(table)).state.version
            seen: list[int] = []
            while not seen or seen[-1] < end:
                seen += [event.version for event in (await watch.read()).events]
            assert seen == list(range(1, end + 1))
            assert sum(each.unanswered for each in all_books) > 0

    run(scenario())


@pytest.mark.parametrize("shared", [False, pytest.param(True, marks=pytest.mark.long)])
def test_every_request_has_one_effect_though_connections_are_cut(dsn, admin_dsn, shared):
    """Writers' backends ended at random under 16 clients, on 16 tables and on one."""

    async def scenario():
        async with running(dsn, patience=20.0) as service:
            all_books = await books(service, 16, shared=shared)
            done = False

            async def work(book: Books) -> None:
                for _ in range(15):
                    await book.one_more()

            async def cutter() -> int:
                dice = random.Random(3)
                cuts = 0
                while not done:
                    await asyncio.sleep(dice.uniform(0.005, 0.03))  # a fault comes when it comes
                    cuts += await asyncio.to_thread(cut, admin_dsn)
                return cuts

            cutting = asyncio.ensure_future(cutter())
            await asyncio.gather(*(work(book) for book in all_books))
            done = True
            assert await cutting > 3
            stored = {} if not shared else await all_books[0].stored()
            if shared:
                assert sorted(stored) == sorted(a for book in all_books for a in book.asked)
            for book in all_books:
                if shared:
                    assert all(
                        stored[amount] == answer.events[0].version
                        for amount, answer in book.answers.items()
                    )
                else:
                    await book.check()

    run(scenario())


def cut(admin_dsn: str) -> int:
    """End the backends of the service's writer; how many there were."""
    with psycopg.connect(admin_dsn, autocommit=True) as db:
        return db.execute(CUT, ("kartejo-writer%",)).rowcount
