"""Clocks of tables that another process moves, and whose bank a late answer is taken from."""

from __future__ import annotations

from uuid import UUID, uuid4

from service.world import SteppedWorld
from tests.parlour.actions import Keep
from tests.service.harness import decoded, names, run, running
from tests.service.parlour_room import Room
from tests.service.test_two_servers import deafen


def test_a_clock_begins_when_the_decision_becomes_known(dsn):
    """A repeat that is answered from the store moves the table, and its clock with it."""

    async def scenario():
        near, far = SteppedWorld(seed=b"1"), SteppedWorld(seed=b"2")
        async with running(dsn, world=near) as here, running(dsn, world=far) as there:
            room = await Room.open(here, rounds="3", turn_seconds="30", time_bank_seconds="60")
            state = await room.start()
            live = await there.server.host.tables.get(UUID(room.table))
            await there.server.host.refresh(live)
            assert live.timer is not None
            await deafen(there)
            near.advance(25)
            far.advance(25)
            (seat,) = state.decision.seats
            request = uuid4().hex
            subjects = ("ann", "bob")
            await room.players[seat].act(room.table, seat, Keep(), state, request_id=request)
            again = there.client(subjects[seat])
            await again.act(room.table, seat, Keep(), state, request_id=request)
            assert live.decision_key == (1, 2)
            assert live.decision_since == far.monotonic()
            near.advance(10)
            far.advance(10)
            other = there.client(subjects[1 - seat])
            shown = (await other.get(room.table)).state
            assert shown.decision.remaining_ms == 80_000
            kept = await other.act(room.table, 1 - seat, Keep(), shown)
            assert names(kept.events) == ["Kept"]

    run(scenario())


def test_a_table_loaded_in_mid_hand_has_its_clock_at_once(dsn):
    """Whoever loads it, and before anybody looks at it."""

    async def scenario():
        world = SteppedWorld()
        async with running(dsn) as here, running(dsn, world=world) as there:
            room = await Room.open(here, turn_seconds="30", time_bank_seconds="60")
            state = await room.start()
            (seat,) = state.decision.seats
            live = await there.server.host.tables.get(UUID(room.table))
            assert live.timer is not None
            await deafen(there)
            world.advance(35)
            late = await there.client(("ann", "bob")[seat]).act(room.table, seat, Keep(), state)
            used, _ = decoded(late.events)
            assert (used.seat, used.milliseconds) == (seat, 5_000)

    run(scenario())


def test_only_who_is_to_act_pays_with_time(dsn):
    async def scenario():
        world = SteppedWorld()
        async with running(dsn, world=world) as service:
            room = await Room.open(service, turn_seconds="10", time_bank_seconds="60")
            state = await room.start()
            live = await service.server.host.tables.get(UUID(room.table))
            world.advance(15)
            clocks, now = service.server.host.clocks, world.monotonic()
            (seat,) = state.decision.seats
            (used,) = clocks.bank_used(live, seat, now)
            assert (used.seat, used.milliseconds) == (seat, 5_000)
            assert clocks.bank_used(live, 1 - seat, now) == ()

    run(scenario())
