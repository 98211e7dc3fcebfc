"""Tables that leave memory come back as they were, whoever plays or watches meanwhile."""

from __future__ import annotations

import asyncio
import random
from uuid import UUID

from engine.actions import AddChips, TakeSeat
from service.host.live import PAST, RESTING, Live
from service.host.tables import LOOKS
from service.host.upkeep import REST_SECONDS
from service.world import SteppedWorld
from tests.faults.load import Books
from tests.faults.test_database_away import books
from tests.service.harness import run, running
from tests.service.parlour_room import Room, view_of
from tests.service.test_clocks import until


def test_tables_that_leave_memory_in_mid_play_lose_nothing(dsn):
    """Eight tables in a memory for two: every request has its one effect."""

    async def scenario():
        async with running(dsn) as service:
            service.server.host.tables._most = 2
            all_books = await books(service, 8)

            async def work(book: Books) -> None:
                for _ in range(12):
                    await book.one_more()

            await asyncio.gather(*(work(book) for book in all_books))
            for book in all_books:
                await book.check()
            assert len(service.server.host.tables.hot()) <= 3

    run(scenario())


def test_a_game_goes_on_from_its_snapshot(dsn):
    """Hidden cards, turns and pot come back from a sealed snapshot and the events after it."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service, ("ann", "bob", "cid"))
            dice = random.Random(2)
            tables = service.server.host.tables
            while room.table:
                state = (await room.host.get(room.table)).state
                if not state.decision.hand:
                    if view_of(state).hand_no == 3:
                        break
                    await room.start()
                    continue
                await room.turn()
                before = [await room.state(seat) for seat in range(3)]
                live = next(each for each in tables.hot() if str(each.stream) == room.table)
                if dice.randrange(2):
                    await tables.save(live)
                tables.forget(live.stream)
                after = [await room.state(seat) for seat in range(3)]
                for one, other in zip(before, after, strict=True):
                    one.decision.remaining_ms = other.decision.remaining_ms = 0
                    assert one == other

    run(scenario())


def test_a_table_is_in_memory_once_however_often_its_making_is_asked_for(dsn):
    """One request sent by many at once: one table, one commit, and everybody sees it move."""

    async def scenario():
        async with running(dsn) as service:
            ann = service.client("ann")
            for number in range(5):
                made = await asyncio.gather(
                    *(ann.create("parlour", request_id=f"made {number}") for _ in range(12))
                )
                assert len({answer.table.table_id for answer in made}) == 1
                assert all(answer.state.version == made[0].state.version for answer in made)
                table = made[0].table.table_id
                watching = asyncio.ensure_future(ann.watched(table, 0, made[0].state.version + 1))
                await ann.act(table, 0, TakeSeat("", 5))
                assert (await watching)[-1].version == made[0].state.version + 1
            assert await service.commits() == 10

    run(scenario())


def test_a_table_at_rest_keeps_little_and_answers_as_before(dsn):
    """Watches from any version and a repeated request are answered from the store then."""

    async def scenario():
        world = SteppedWorld()
        async with running(dsn, world=world) as service:
            room = await Room.open(service, ("ann", "bob"))
            ann = room.players[0]
            first = await ann.act(room.table, 0, AddChips(1), request_id="first")
            for _ in range(20):
                await ann.act(room.table, 0, AddChips(1))
            versions = (0, first.state.version)
            before = [await ann.watched(room.table, version) for version in versions]
            live = await service.server.host.tables.get(UUID(room.table))
            assert (len(live.recent), len(live.past)) == (min(64, len(before[0]) - 1), PAST)

            async def resting() -> bool:
                world.advance(REST_SECONDS)
                return (len(live.recent), len(live.past)) == (RESTING, RESTING)

            await until(resting)
            assert [await ann.watched(room.table, version) for version in versions] == before
            again = await ann.act(room.table, 0, AddChips(1), request_id="first")
            assert again.events == first.events
            await ann.act(room.table, 0, AddChips(1))
            assert len(live.recent) == RESTING + 1

    run(scenario())


def test_where_all_tables_are_busy_a_command_looks_at_few_of_them(dsn, monkeypatch):
    """More than memory is for, a clock at each: they stay, and are not all asked every time."""

    async def scenario():
        async with running(dsn) as service:
            tables = service.server.host.tables
            tables._most = 2
            rooms = [await Room.open(service) for _ in range(2 * LOOKS)]
            for room in rooms:
                await room.start()
            assert len(tables.hot()) == len(rooms)
            asked = 0
            is_idle = Live.is_idle

            def counted(live: Live) -> bool:
                nonlocal asked
                asked += 1
                return is_idle(live)

            monkeypatch.setattr(Live, "is_idle", counted)
            live = await tables.get(UUID(rooms[0].table))
            asked = 0
            assert tables.keep(live)
            assert asked <= LOOKS
            monkeypatch.undo()
            for room in rooms[1:]:
                service.server.host.tables.peek(UUID(room.table)).decision_key = None
            for _ in rooms:
                tables.keep(live)
            assert len(tables.hot()) == 2
            assert live in tables.hot()

    run(scenario())
