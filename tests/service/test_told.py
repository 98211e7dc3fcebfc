"""What many are told of one commit is made once, and is each one's own nevertheless."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID, uuid4

from engine.actions import AddChips
from service.host.host import Step
from service.identity import Principal, Role
from service.pb import table_service_pb2 as pb
from service.rpc.messages import Messages
from service.rpc.told import FRESH_SECONDS, Telling, Viewer
from service.world import SteppedWorld
from tests.service.harness import Running, run, running
from tests.service.parlour_room import Room
from tests.service.test_clocks import until


def somebody(player: str | None = None) -> Viewer:
    """A viewer: the player of that id, or a stranger."""
    return Viewer.of(Principal(UUID(player) if player else uuid4(), frozenset({Role.PLAYER})))


def telling_of(service: Running) -> Telling:
    host = service.server.host
    return Telling(host, Messages(host.codec, host.clocks))


def test_strangers_get_the_same_bytes_and_players_their_own(dsn):
    """Whoever holds no seat sees what all of them see."""

    async def scenario():
        async with running(dsn, world=SteppedWorld()) as service:
            room = await Room.open(service)
            await room.start()
            telling = telling_of(service)
            live = await service.server.host.tables.get(UUID(room.table))
            news = Step(live.recent[-1], live=True)
            one, other = (telling.news(somebody(), live, news) for _ in range(2))
            assert one is other
            seated = dict(live.opener.seated)
            own = [telling.news(somebody(seated[seat]), live, news) for seat in (0, 1)]
            assert len({one, *own}) == 3
            for seat, data in enumerate(own):
                assert list(pb.WatchTableResponse.FromString(data).state.seats) == [seat]

    run(scenario())


def test_the_time_left_is_as_of_the_sending(dsn):
    """What is shared grows old within milliseconds and is made anew; an older version has none."""

    async def scenario():
        world = SteppedWorld()
        async with running(dsn, world=world) as service:
            room = await Room.open(service)
            await room.start()
            telling = telling_of(service)
            live = await service.server.host.tables.get(UUID(room.table))
            news = Step(live.recent[-1], live=True)

            def left() -> int:
                told = pb.WatchTableResponse.FromString(telling.news(somebody(), live, news))
                assert told.state.decision.hand == 1
                return told.state.decision.remaining_ms

            before = left()
            assert before > 5_000
            world.advance(FRESH_SECONDS / 2)
            assert left() == before
            world.advance(FRESH_SECONDS)
            assert left() == before - 1500 * FRESH_SECONDS
            await room.play_out()
            late = pb.WatchTableResponse.FromString(telling.news(somebody(), live, news))
            assert late.live
            assert not late.HasField("state")

    run(scenario())


def test_who_acts_hears_before_those_who_watch(dsn):
    """However many look on, the table goes on at the pace of those who play."""

    async def scenario():
        async with running(dsn) as service:
            room = await Room.open(service)
            host = service.server.host
            live = await host.tables.get(UUID(room.table))
            ann = somebody(live.opener.seated[0]).caller
            heard: list[str] = []

            async def watch() -> None:
                steps: Any = host.watch(live, live.table.version)
                await anext(steps)
                await anext(steps)
                heard.append("watcher")
                await steps.aclose()

            watching = [asyncio.ensure_future(watch()) for _ in range(20)]

            async def all_there() -> bool:
                return live.watchers == len(watching)

            await until(all_there)
            await host.submit(ann, "add", live.stream, 0, AddChips(1), None, None)
            heard.append("player")
            await asyncio.gather(*watching)
            assert heard == ["player", *["watcher"] * len(watching)]

    run(scenario())
