"""Connections of gRPC that give nothing: there are so many, for so long, and no more."""

from __future__ import annotations

import asyncio
import resource
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from structlog.testing import capture_logs

from service.metrics.observer import Refusals
from service.rpc import connections
from service.rpc.connections import Places
from tests.faults.hostile.lodgers import Lodger, Polite, Prefaced, Silent, Vanished
from tests.faults.hostile.target import Target
from tests.service.harness import Running, run, running
from tests.service.test_clocks import until

MANY = 5
CROWD = 100
"""More than other files are opened and closed meanwhile."""


@asynccontextmanager
async def lodging(
    service: Running, lodger: Lodger, many: int = MANY
) -> AsyncGenerator[list[socket.socket], None]:
    """So many of a kind, who behave as their kind does for as long as the block lasts."""
    loop, lines = asyncio.get_running_loop(), list[socket.socket]()

    def heard(line: socket.socket) -> None:
        try:
            there = lodger.heard(line)
        except OSError:
            there = False
        if not there:
            loop.remove_reader(line)
            lines.remove(line)
            line.close()

    target = Target(service.address, "", (), ())
    for _ in range(many):
        line = await asyncio.to_thread(lodger.come, target)
        lines.append(line)
        loop.add_reader(line, heard, line)
    try:
        yield lines
    finally:
        for line in lines:
            loop.remove_reader(line)
            line.close()


@pytest.mark.parametrize("kind", [Silent, Prefaced])
def test_who_does_not_say_what_he_speaks_is_hung_up_on(dsn, monkeypatch, kind):
    """Nothing of them is left; whoever calls is not disturbed."""
    monkeypatch.setattr(connections, "SPEAK_MS", 300)

    async def scenario():
        async with running(dsn) as service:
            ann = service.client("ann")
            table = (await ann.create("parlour")).table.table_id
            before = service.server.connections
            async with lodging(service, kind()) as lines:
                await until(lambda: holds(lines, 0))
                await until(lambda: are_open(service, before))
            await ann.get(table)
            assert service.server.connections == before

    run(scenario())


async def holds(lines: list[socket.socket], count: int) -> bool:
    return len(lines) == count


async def are_at_least(service: Running, count: int) -> bool:
    return service.server.connections >= count


async def are_open(service: Running, count: int) -> bool:
    return service.server.connections <= count


def test_who_asks_for_nothing_for_long_is_let_go(dsn, monkeypatch):
    """He answers every ping.  A caller whose pause was as long calls on as if nothing were."""
    monkeypatch.setattr(connections, "IDLE_MS", 300)

    async def scenario():
        async with running(dsn) as service:
            ann = service.client("ann")
            table = (await ann.create("parlour")).table.table_id
            before = service.server.connections
            async with lodging(service, Polite()) as lines:
                await until(lambda: holds(lines, 0))
                await until(lambda: are_open(service, before))
            await ann.get(table)

    run(scenario())


def test_who_has_vanished_is_forgotten(dsn, monkeypatch):
    """His machine answers nothing, not even that it is there no more."""
    monkeypatch.setattr(connections, "PING_MS", 1_000)
    monkeypatch.setattr(connections, "PING_ANSWER_MS", 500)

    async def scenario():
        async with running(dsn) as service:
            before = service.server.connections
            async with lodging(service, Vanished()):
                assert service.server.connections >= before + 2 * MANY  # both ends are here
                await until(lambda: are_open(service, before + MANY))

    run(scenario())


def test_there_are_so_many_connections_and_no_more(dsn):
    """Who has one keeps it; one more is hung up on at once, and finds room when another goes."""

    async def scenario():
        async with running(dsn, connections=MANY + 1) as service:
            ann = service.client("ann")
            table = (await ann.create("parlour")).table.table_id
            async with lodging(service, Polite()) as lines:
                async with lodging(service, Silent(), 3) as more:
                    await until(lambda: holds(more, 0))
                await ann.get(table)
                assert len(lines) == MANY
                lines[0].shutdown(socket.SHUT_WR)
                await until(lambda: holds(lines, MANY - 1))
                async with lodging(service, Polite(), 1) as more:
                    await ann.get(table)
                    assert len(more) == 1

    run(scenario())


def test_that_connections_are_many_is_told_once_and_so_is_that_they_are_few(dsn):
    """However often one looks: gRPC itself hangs up on who is too many, and tells nobody."""

    async def scenario():
        async with running(dsn, connections=CROWD) as service:
            refusals = Refusals(service.server)
            with capture_logs() as logs:
                async with lodging(service, Silent(), CROWD // 2):  # both ends are here
                    await until(lambda: are_at_least(service, CROWD - 5))
                    refusals.tell()
                    refusals.tell()
                await until(lambda: are_open(service, CROWD // 2))
                refusals.tell()
                refusals.tell()
            assert [line["event"] for line in logs] == ["connections_crowded", "connections_roomy"]
            assert logs[0]["most"] == CROWD

    run(scenario())


def test_a_process_asks_for_as_many_files_as_it_needs(monkeypatch):
    """And where the system gives few, connections leave room for the database."""
    asked = []
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: asked.append(limits))
    for given, wanted, places in (
        ((1_024, 1_048_576), (32_768, 1_048_576), (10_000, 2_000)),
        ((1_024, resource.RLIM_INFINITY), (32_768, resource.RLIM_INFINITY), (10_000, 2_000)),
        ((1_024, 4_096), (4_096, 4_096), (2_048, 1_024)),
        ((65_536, 65_536), None, (10_000, 2_000)),
        ((1_024, 1_024), None, (512, 256)),
    ):
        monkeypatch.setattr(resource, "getrlimit", lambda _, given=given: given)
        found = Places(connections.MOST_CONNECTIONS)
        assert (found.grpc, found.http) == places
        assert asked == ([] if wanted is None else [wanted])
        asked.clear()
