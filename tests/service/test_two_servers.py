"""Two services on one database: each shows what the other stores, and neither shows too much."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any
from uuid import UUID

from engine.actions import AddChips, LeaveSeat, TakeSeat
from engine.errors import KartejoError
from service.identity import Role
from service.world import SteppedWorld
from tests.parlour.actions import Keep
from tests.service.harness import Running, decoded, failing, names, run, running
from tests.service.parlour_room import Room, view_of
from tests.service.surfaces import events_of, everything, replayed, states_of
from tests.service.test_hidden_cards import check, seats_held, truth_of


@asynccontextmanager
async def two(dsn: str):
    async with AsyncExitStack() as stack:
        yield tuple([await stack.enter_async_context(running(dsn)) for _ in range(2)])


async def deafen(service: Running) -> None:
    """Let a server lag: it follows the log no longer, and watches no clocks."""
    for task in service.server._tasks:
        task.cancel()
    await asyncio.gather(*service.server._tasks, return_exceptions=True)
    service.server._tasks.clear()


def test_a_watcher_on_one_server_sees_what_is_played_on_the_other(dsn):
    """In both directions, up to the last event, with no later one to push it."""

    async def scenario():
        async with two(dsn) as (here, there):
            room = await Room.open(here)
            for other, near in ((there, here), (here, there)):
                watcher = other.client("eve")
                player = near.client("ann")
                known = (await player.get(room.table)).state.version
                watching = asyncio.create_task(watcher.watched(room.table, 0, known + 12))
                for chips in range(12):
                    answer = await player.act(room.table, 0, AddChips(chips + 1))
                    assert answer.state.version == known + chips + 1
                seen = [event for message in await watching for event in message.events]
                assert [event.version for event in seen] == list(range(1, known + 13))

    run(scenario())


def test_every_server_keeps_its_tables_fresh_whoever_writes_the_index(dsn):
    """Many tables at once: no follower misses a commit that the other one's index took over."""

    async def scenario():
        async with two(dsn) as servers:
            rooms = [await Room.open(servers[i % 2]) for i in range(6)]
            watches = []
            for room in rooms:
                start = (await room.host.get(room.table)).state.version
                for service in servers:
                    eve = service.client("eve")
                    watches.append(eve.watched(room.table, start, start + 15))

            async def feed(room: Room) -> None:
                for chips in range(15):
                    await room.host.act(room.table, 0, AddChips(chips + 1))

            results = await asyncio.gather(*watches, *(feed(room) for room in rooms))
            for messages in results[: len(watches)]:
                assert sum(len(message.events) for message in messages) == 15

    run(scenario())


def test_commands_race_on_both_and_exactly_the_accepted_ones_are_stored(dsn):
    """The store decides; the loser reads the tail and decides again (design 8)."""

    async def scenario():
        async with two(dsn) as (here, there):
            room = await Room.open(here)
            near, far = here.client("ann"), there.client("ann")
            start = (await near.get(room.table)).state

            async def raise_chips(client: Any, name: str) -> list[Any]:
                return [
                    await client.act(room.table, 0, AddChips(1), request_id=f"{name} {i}")
                    for i in range(20)
                ]

            answers = [
                answer
                for part in await asyncio.gather(raise_chips(near, "n"), raise_chips(far, "f"))
                for answer in part
            ]
            versions = sorted(answer.state.version for answer in answers)
            assert versions == list(range(start.version + 1, start.version + 41))
            end = await far.act(room.table, 0, AddChips(1))
            assert view_of(end.state).stacks[0] == view_of(start).stacks[0] + 41
            same = await asyncio.gather(
                *(client.act(room.table, 0, AddChips(5), request_id="x") for client in (near, far))
            )
            assert same[0].events == same[1].events
            assert decoded(same[0].events)[0].amount == 5

    run(scenario())


def test_an_action_is_judged_by_the_newest_state_wherever_it_arrives(dsn):
    """A server that lags refuses nothing that is right by now, and no fresh answer as late."""

    async def scenario():
        world = SteppedWorld()
        async with running(dsn, world=world) as here, running(dsn, world=world) as there:
            room = await Room.open(here, turn_seconds=10, time_bank_seconds=0)
            far = [there.client("ann"), there.client("bob")]
            state = await room.start()
            await far[0].get(room.table)
            await deafen(there)
            world.advance(9)
            state = (await room.turn()).state
            world.advance(9)
            (seat,) = state.decision.seats
            kept = await far[seat].act(room.table, seat, Keep(), state)
            assert names(kept.events) == ["Kept"]
            stale = await failing(far[1 - seat].act(room.table, 1 - seat, Keep(), state))
            assert stale.reason == "STALE_DECISION"

    run(scenario())


def test_a_watcher_may_come_back_to_a_server_that_lags(dsn):
    """A version that was seen elsewhere is no malformed one; nothing is left out."""

    async def scenario():
        async with two(dsn) as (here, there):
            room = await Room.open(here)
            await there.client("eve").get(room.table)
            await deafen(there)
            answer = await room.host.act(room.table, 0, AddChips(1))
            messages = await there.client("eve").watched(room.table, answer.state.version)
            assert [message.live for message in messages] == [True]
            assert messages[0].state.version == answer.state.version

    run(scenario())


def test_a_server_that_lags_shows_nobody_more_than_he_may_see(dsn):
    """Its memory is old, the log is not: who sat where, and which epoch runs, is the log's word."""

    async def scenario():
        async with two(dsn) as (here, there):
            room = await Room.open(here)
            await room.start()
            await room.play_out()
            ann, table = room.players[0], room.table
            old_ann, auditor = there.client("ann"), there.client("carl", Role.AUDITOR)
            await old_ann.get(table)
            await deafen(there)
            await ann.act(table, 0, LeaveSeat())
            room.players[0] = here.client("dora")
            await room.players[0].act(table, 0, TakeSeat("", 50))
            await ann.start(table)
            truth = await truth_of(here, table)
            player = (await here.client("ann").get(table)).table.host
            nobody = seats_held(truth, "-")
            for viewer in ({"auditor": True}, {"seat": 0}, {"seat": 1}):
                for hand in (2,):
                    steps = {"ReplayHand": await replayed(auditor, table, hand, **viewer)}
                    shown, _ = check(steps, truth, nobody)
                    assert shown == 0
            found = await everything(old_ann, table)
            found["ReplayHand"] += await replayed(old_ann, table, 2)
            check(found, truth, seats_held(truth, player))
            assert events_of(found)
            assert states_of(found)

    run(scenario())


def test_a_table_read_from_its_snapshot_is_watched_from_the_beginning(dsn):
    """History is read from the log; what memory knows of it plays no part."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            await room.start()
            await room.play_out()
            before = await room.players[1].watched(room.table)
        async with running(dsn) as service:
            bob = service.client("bob")
            after = await bob.watched(room.table)
            assert after == before
            try:
                live = await service.server.host.tables.get(UUID(room.table))
            except KartejoError as error:
                raise AssertionError from error
            assert not live.recent

    run(scenario())
