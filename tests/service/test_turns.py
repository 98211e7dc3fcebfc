"""Turns: nobody stands in another one's line, and nobody's place is lost."""

from __future__ import annotations

import asyncio
from collections import Counter

import grpc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.pb import table_service_pb2 as pb
from service.rpc import turns
from service.rpc.calls import STREAMS_OF_CONNECTION, Speed
from service.rpc.connections import MOST_STREAMS_OF_CONNECTION
from service.rpc.refusals import Refusals
from service.rpc.turns import LEAST, Gate, Turns
from service.world import SteppedWorld
from tests.service.harness import Running, failing, run, running
from tests.service.parlour_room import Room
from tests.service.test_clocks import until
from tests.service.test_refused_actions import told

FOR_EVER = 3600.0
FLOOD = 100


async def is_empty(lines: Turns) -> bool:
    return not len(lines)


callers = st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), max_size=30)
"""Who calls, one after the other, and whether he takes his call back."""


@given(callers)
def test_all_get_their_turn_in_the_order_of_their_caller(calls: list[tuple[str, bool]]):
    """But for those who have gone; at the end nothing is kept."""

    async def scenario() -> None:
        gate = Gate()
        lines = Turns(1, gate)
        begun: list[tuple[str, int]] = []

        async def call(caller: str, number: int) -> None:
            await lines.take(caller)
            begun.append((caller, number))

        tasks = [
            asyncio.ensure_future(call(caller, number)) for number, (caller, _) in enumerate(calls)
        ]
        await asyncio.sleep(0)
        at_once = Counter(caller for caller, _ in begun)
        assert at_once == {
            caller: min(LEAST, count) for caller, count in Counter(c for c, _ in calls).items()
        }
        gone = {n for n, (_, leaves) in enumerate(calls) if leaves and not tasks[n].done()}
        for number in gone:
            tasks[number].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for name in "abc":
            assert [number for caller, number in begun if caller == name] == [
                n for n, (caller, _) in enumerate(calls) if caller == name and n not in gone
            ]
        await until(lambda: is_empty(lines))
        assert lines.waiting == 0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(turns, "PAUSE_SECONDS", 0.0)
        patch.setattr(turns, "TURN_SECONDS", 0.0005)
        run(scenario())


def test_lines_are_served_in_turn(monkeypatch):
    """Whoever has less to wait for is through before whoever came first with more."""
    monkeypatch.setattr(turns, "TURN_SECONDS", 0.001)

    async def scenario():
        lines = Turns(1, Gate())
        begun = []

        async def call(caller: str) -> None:
            await lines.take(caller)
            begun.append(caller)

        await asyncio.gather(*(call(caller) for caller in "a" * 40 + "b" * 4))
        assert begun[-1] == "a"
        assert Counter(begun) == {"a": 40, "b": 4}

    run(scenario())


def test_whatever_goes_on_coming_holds_nobody_up_for_ever():
    async def scenario():
        gate = Gate()
        through = asyncio.Event()
        gate.soon(through.set)
        while not through.is_set():
            gate.came += 1
            await asyncio.sleep(0.0005)

    run(scenario())


async def waiting(service: Running, least: int) -> bool:
    return service.server.door.calls.turns.waiting >= least


async def nobody_waits(service: Running) -> bool:
    return not await waiting(service, 1)


def test_others_are_answered_before_a_flood_is_through(dsn, monkeypatch):
    async def scenario():
        async with running(dsn, speed=Speed(of_connection=0)) as service:
            ann, bob = service.client("ann"), service.client("bob")
            table = (await bob.create("parlour")).table.table_id
            monkeypatch.setattr(turns, "TURN_SECONDS", FOR_EVER)
            flood = [asyncio.ensure_future(ann.get(table)) for _ in range(FLOOD)]
            await until(lambda: waiting(service, FLOOD - LEAST))
            await bob.get(table)
            assert sum(one.done() for one in flood) <= LEAST
            for one in flood:
                one.cancel()
            await until(lambda: nobody_waits(service))

    run(scenario())


def test_who_waits_for_his_turn_keeps_nobody_else_waiting(dsn, monkeypatch):
    """His deadline is kept, and when the service stops he is told to come back."""

    async def scenario():
        async with running(dsn, speed=Speed(of_connection=0)) as service:
            host, ann, bob = (service.client(name) for name in ("host", "ann", "bob"))
            table = (await host.create("parlour")).table.table_id
            monkeypatch.setattr(turns, "TURN_SECONDS", FOR_EVER)
            for _ in range(LEAST):
                await ann.get(table)
            line = [asyncio.ensure_future(ann.get(table)) for _ in range(3)]
            await until(lambda: waiting(service, 3))
            await bob.get(table)
            line.pop().cancel()
            request = pb.GetTableRequest(table_id=table)
            late = await failing(ann.call(ann.tables.GetTable, request, 0.2))
            assert late.code is grpc.StatusCode.DEADLINE_EXCEEDED
            assert not any(one.done() for one in line)
            stopping = asyncio.ensure_future(service.server.__aexit__())
            for one in line:
                assert told(await failing(one)) == ("UNAVAILABLE", "UNAVAILABLE", "")
            await stopping

    run(scenario())


def test_refusals_are_told_one_after_the_other():
    """And no one's later than in two seconds, however many were asked for and taken back."""
    refusals = Refusals(SteppedWorld())
    at_once = 0
    while (held := refusals.hold("ann")) is None:
        at_once += 1
    assert at_once == 100
    assert held.seconds == pytest.approx(0.02)
    second = refusals.hold("ann")
    assert second is not None
    assert second.seconds == pytest.approx(0.04)
    for _ in range(1000):
        more = refusals.hold("ann")
        assert more is not None
        assert more.seconds <= 2.0
        more.give_back()
    assert refusals.hold("bob") is None


def test_a_stream_too_many_is_refused_and_calls_still_go(dsn):
    """Not kept waiting without a word, as gRPC would; the place of one that ends is free."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            ann = room.players[0]
            request = pb.WatchTableRequest(table_id=room.table)
            each = STREAMS_OF_CONNECTION.each
            assert each < MOST_STREAMS_OF_CONNECTION
            watches = [ann.tables.WatchTable(request, metadata=ann.metadata) for _ in range(each)]
            for watch in watches:
                assert await watch.read()
            further = ann.tables.WatchTable(request, metadata=ann.metadata)
            failure = await failing(further.read())
            assert failure.code is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert f"too many streams at a time: {each} of one connection" in failure.message
            await ann.get(room.table)
            watches[0].cancel()

            async def has_room() -> bool:
                return service.server.door.calls.streams.taken < each

            await until(has_room)
            assert await ann.tables.WatchTable(request, metadata=ann.metadata).read()

    run(scenario())
