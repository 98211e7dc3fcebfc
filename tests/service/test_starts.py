"""``auto_start``: the host starts hands by itself, whoever comes, goes or restarts (C12)."""

from __future__ import annotations

from engine.actions import SitIn, SitOut, TakeSeat
from service.world import SteppedWorld
from tests.service.harness import run, running
from tests.service.test_clocks import timed_room, until, version_above


def test_the_host_starts_hands_by_itself_where_the_option_says_so(dsn):
    """auto_start: again and again at a table of many seats, never at a solitaire (C12)."""

    async def scenario():
        world = SteppedWorld()
        auto = {"auto_start": "true"}
        async with running(dsn, world=world) as service:
            room = await timed_room(service, house=auto)
            ann, table = room.players[0], room.table
            alone = await ann.create("royal_flush", house_options=auto)
            await ann.act(alone.table.table_id, 0, TakeSeat("", 5))
            for hand in (1, 2, 3):
                version = (await ann.get(table)).state.version
                world.advance(1.5)
                state = await version_above(ann, table, version)
                assert state.decision.hand == hand
                await room.play_out()
            world.advance(100)
            solitaire = (await ann.get(alone.table.table_id)).state
            assert solitaire.text.startswith("phase LOBBY")

    run(scenario())


def test_nobody_keeps_the_next_hand_from_starting(dsn):
    """auto_start: what somebody does over and over between hands sets no pause back."""

    async def scenario():
        world = SteppedWorld()
        async with running(dsn, world=world) as service:
            subjects = ("ann", "bob", "eve")
            room = await timed_room(service, house={"auto_start": "true"}, subjects=subjects)
            eve, table = room.players[2], room.table
            for _ in range(4):
                for action in (SitOut(), SitIn()):
                    world.advance(0.25)
                    await eve.act(table, 2, action)

            async def started() -> bool:
                return (await eve.get(table)).state.decision.hand == 1

            await until(started)

    run(scenario())


def test_a_start_that_was_due_comes_after_a_restart(dsn):
    """auto_start: a table that waits for its next hand does not wait for ever."""

    async def scenario():
        world = SteppedWorld()
        async with running(dsn, world=world) as service:
            room = await timed_room(service, house={"auto_start": "true"})
            version = (await room.host.get(room.table)).state.version
        async with running(dsn, world=world) as service:
            ann = service.client("ann")

            async def started() -> bool:
                return (await ann.get(room.table)).state.version > version

            await until(started, world)

    run(scenario())
