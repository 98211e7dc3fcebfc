"""Clocks and time banks, in a world whose time moves when it is told to (rules C9, design 8)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import grpc
from psycopg import AsyncConnection

from engine.actions import AddChips, LeaveSeat, SitIn
from service.pb import table_service_pb2 as pb
from service.world import SteppedWorld
from tests.parlour.actions import Keep, Peek
from tests.service.harness import Client, Running, decoded, failing, names, run, running
from tests.service.parlour_room import Room, lab_parlour, lab_start, view_of

TURN, BANK = 10, 30


async def until(
    found: Callable[[], Awaitable[bool]], world: SteppedWorld | None = None, seconds: float = 60
) -> None:
    """Wait for a condition in real time; the stepped world stands still, or goes on a little."""
    async with asyncio.timeout(seconds):
        while not await found():
            await asyncio.sleep(0.01)
            if world is not None:
                world.advance(0.05)


async def timed_room(service: Running, **options: Any) -> Room:
    house = options.pop("house", {})
    subjects = options.pop("subjects", ("ann", "bob"))
    return await Room.open(
        service,
        subjects,
        house=house,
        turn_seconds=TURN,
        time_bank_seconds=BANK,
        **options,
    )


async def version_above(client: Client, table: str, version: int) -> pb.TableState:
    """The state once something new is stored."""
    found: list[pb.TableState] = []

    async def moved() -> bool:
        found.append((await client.get(table)).state)
        return found[-1].version > version

    await until(moved)
    return found[-1]


async def since(client: Client, table: str, version: int) -> list[Any]:
    """Events after a version, as dataclasses."""
    messages = await client.watched(table, version)
    return [event for message in messages for event in decoded(message.events)]


def kinds(events: list[Any]) -> list[str]:
    return [type(event).__name__ for event in events]


def test_the_turn_is_free_and_then_the_bank_is_used(dsn):
    """TimeBankUsed stands in the commit that used it, in milliseconds beyond the turn."""

    async def scenario():
        world = SteppedWorld()
        async with running(dsn, world=world) as service:
            room = await timed_room(service)
            state = await room.start()
            assert state.decision.remaining_ms == (TURN + BANK) * 1000
            world.advance(TURN - 0.5)
            quick = await room.turn()
            assert names(quick.events) == ["Kept"]
            world.advance(TURN + 4.25)
            slow = await room.turn()
            used, kept = decoded(slow.events)
            assert (used.seat, used.milliseconds) == (0, 4250)
            assert type(kept).__name__ == "Kept"
            # The other seat has its whole bank, this one what is left of it.
            assert slow.state.decision.remaining_ms == (TURN + BANK) * 1000
            again = await room.turn()
            assert again.state.decision.remaining_ms == (TURN + BANK) * 1000 - 4250

    run(scenario())


def test_when_turn_and_bank_are_used_up_the_decision_times_out(dsn):
    """One commit: the rest of the bank, TurnTimedOut, and what the rules make of it."""

    async def scenario():
        world = SteppedWorld()
        async with running(dsn, world=world) as service:
            room = await timed_room(service)
            state = await room.start()
            world.advance(TURN + BANK)
            assert (await room.host.get(room.table)).state.version == state.version
            world.advance(0.5)
            now = await version_above(room.host, room.table, state.version)
            told = await since(room.host, room.table, state.version)
            assert kinds(told) == ["TimeBankUsed", "TurnTimedOut", "Kept"]
            assert (told[0].seat, told[0].milliseconds) == (1, BANK * 1000)
            assert now.decision.number == state.decision.number + 1
            # The second late turn has no bank left to use.
            await room.turn()
            world.advance(TURN + 0.5)
            last = await version_above(room.host, room.table, now.version + 1)
            assert kinds(await since(room.host, room.table, now.version + 1)) == [
                "TurnTimedOut",
                "Kept",
            ]
            assert last.decision.seats == [0]
            world.advance(3600)
            ended = await version_above(room.host, room.table, last.version)
            assert not ended.decision.hand

    run(scenario())


def test_an_answer_that_is_too_late_is_stale(dsn):
    """After the deadline nothing counts, even before the time-out is stored."""

    async def scenario():
        world = SteppedWorld()
        async with running(dsn, world=world) as service:
            room = await timed_room(service)
            state = await room.start()
            world.advance(TURN + BANK + 0.1)  # the timer fires a little later
            late = await failing(room.players[1].act(room.table, 1, Keep(), state))
            assert (late.code, late.reason) == (grpc.StatusCode.ABORTED, "STALE_DECISION")
            assert (await room.host.get(room.table)).state.version == state.version
            world.advance(0.2)
            await version_above(room.host, room.table, state.version)
            late = await failing(room.players[1].act(room.table, 1, Keep(), state))
            assert late.reason == "STALE_DECISION"

    run(scenario())


def test_arrival_before_the_deadline_counts_though_it_was_queued(dsn, admin_dsn):
    """The answer waits behind a command that the database holds up; then it is accepted."""

    async def scenario():
        world = SteppedWorld()
        async with running(dsn, world=world, patience=20.0) as service:
            room = await timed_room(service)
            state = await room.start()
            live = await service.server.host.tables.get(UUID(room.table))
            async with await AsyncConnection.connect(admin_dsn) as blocker:
                await blocker.execute("SELECT FROM kartejo.lane FOR UPDATE")
                cid = service.client("cid")
                slow = asyncio.ensure_future(
                    cid.act(room.table, 0, AddChips(1))
                )  # refused, and asks the store; the next one queues behind the lock
                await failing(slow)
                first = asyncio.ensure_future(room.players[0].act(room.table, 0, LeaveSeat()))

                async def locked() -> bool:
                    return live.lock.locked()

                await until(locked)
                world.advance(TURN + BANK)
                answer = asyncio.ensure_future(
                    room.players[1].act(room.table, 1, Keep(), state, request_id="in time")
                )

                async def arrived() -> bool:
                    return len(live.lock._waiters or ()) > 0

                await until(arrived)
                world.advance(3600)
                await blocker.rollback()
            await first
            kept = await answer
            assert names(kept.events)[:2] == ["TimeBankUsed", "Kept"]
            assert decoded(kept.events)[0].milliseconds == BANK * 1000

    run(scenario())


def test_the_bank_is_full_again_in_the_next_hand(dsn):
    async def scenario():
        world = SteppedWorld()
        async with running(dsn, world=world) as service:
            room = await timed_room(service)
            await room.start()
            world.advance(TURN + 20)
            assert "TimeBankUsed" in names((await room.turn()).events)
            await room.play_out()
            state = await room.start()
            assert state.decision.remaining_ms == (TURN + BANK) * 1000

    run(scenario())


def test_a_decision_within_a_turn_has_its_own_time(dsn):
    """Parlour: a peek is answered by another decision of the same seat."""

    async def scenario():
        world = SteppedWorld()
        async with running(dsn, world=world) as service:
            room = await timed_room(service)
            await room.start()
            world.advance(TURN - 1)
            peeked = await room.turn(Peek(0, 0))
            assert peeked.state.decision.remaining_ms == (TURN + BANK) * 1000

    run(scenario())


def test_after_a_restart_the_decision_has_its_full_time_again(dsn):
    """And it does time out then, whoever asks for the table first (design 8)."""

    async def scenario():
        world = SteppedWorld()
        async with running(dsn, world=world) as service:
            room = await timed_room(service)
            state = await room.start()
            world.advance(TURN + BANK - 1)
        for ask_first in (True, False):
            world = SteppedWorld()
            async with running(dsn, world=world) as service:
                ann = service.client("ann")
                if ask_first:
                    await ann.get(room.table)
                await until(clock_of(service, room.table), world)
                now = (await ann.get(room.table)).state
                assert now.version == state.version
                assert now.decision.remaining_ms > (TURN + BANK - 1) * 1000
        async with running(dsn, world=world) as service:
            await until(clock_of(service, room.table), world)
            world.advance(TURN + BANK + 1)
            await version_above(service.client("ann"), room.table, state.version)

    run(scenario())


def clock_of(service: Running, table: str) -> Callable[[], Awaitable[bool]]:
    """Whether a clock runs for the table in this process."""

    async def armed() -> bool:
        found = service.server.host.tables.peek(UUID(table))
        return found is not None and found.timer is not None

    return armed


def test_another_process_takes_over_the_clocks_of_a_dead_one(dsn):
    """Within the lease and a sweep, also of tables that it never heard of before."""

    async def scenario():
        async with running(dsn) as dying:
            room = await Room.open(dying, turn_seconds=5, time_bank_seconds=0)
            world = SteppedWorld()
            async with running(dsn, world=world) as other:
                await room.start()
                for task in dying.server._tasks:  # as if it were killed
                    task.cancel()
                dying.server.host.clocks.stop()
                live = dying.server.host.tables.peek(UUID(room.table))
                assert live is not None
                live.stop_timer()
                await until(clock_of(other, room.table), world)
                state = (await other.client("ann").get(room.table)).state
                world.advance(10)
                await version_above(other.client("ann"), room.table, state.version)

    run(scenario())


def test_lab_tables_have_no_clock(dsn):
    async def scenario():
        world = SteppedWorld()
        async with running(dsn, world=world) as service:
            teacher, room = await lab_parlour(service, range(1, 20))
            await lab_start(teacher, room)
            state = await room.state(0)
            assert state.decision.hand
            assert state.decision.remaining_ms == 0
            world.advance(100_000)
            assert (await room.state(0)).version == state.version
            await room.turn()

    run(scenario())


def test_who_misses_too_many_hands_sits_out(dsn):
    """sit_out_after_timeouts hands in a row; an answer in between begins the count anew."""

    async def scenario():
        world = SteppedWorld()
        async with running(dsn, world=world) as service:
            room = await timed_room(
                service,
                subjects=("ann", "bob", "cid"),
                rounds=1,
                house={"sit_out_after_timeouts": "2"},
            )

            async def hand(late: set[int]) -> list[Any]:
                state = await room.start()
                first = state.version
                while state.decision.hand:
                    (seat,) = state.decision.seats
                    if seat in late:
                        world.advance(TURN + BANK + 1)
                        state = await version_above(room.host, room.table, state.version)
                    else:
                        await room.turn()
                        state = (await room.host.get(room.table)).state
                return [first]

            async def out() -> list[int]:
                return list(view_of((await room.host.get(room.table)).state).out)

            await hand({2})
            assert await out() == []
            await hand(set())
            await hand({2})
            assert await out() == []
            await hand({2})

            async def sits_out() -> bool:
                return await out() == [2]

            await until(sits_out)
            await room.players[2].act(room.table, 2, SitIn())
            await hand({2})
            assert await out() == []

    run(scenario())
