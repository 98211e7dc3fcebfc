"""How much one player may do to a tournament: fill its line, or play on though he is excluded."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc

from engine.errors import Exhausted
from engine.tournament import actions as a
from service.identity import Principal
from service.tournaments.calls import OF_ONE_CALLER
from service.world import SteppedWorld
from tests.service.harness import failing, run, running
from tests.service.test_clocks import until
from tests.service.test_tournament_calls import Asked
from tests.service.tournament import Event


def test_who_is_excluded_plays_no_more_though_his_hand_runs(dsn: str) -> None:
    """His clock runs out; he cannot give his chips away before it does."""

    async def scenario() -> None:
        world = SteppedWorld()
        async with running(dsn, world=world) as service:
            event = await Event.create(service, 3)
            asked, live = Asked(event), await event.live()
            await event.start()

            async def dealt() -> bool:
                tables = [service.server.host.tables.peek(one) for one in live.streams.values()]
                return any(one is not None and one.awaited for one in tables)

            await until(dealt, world)
            ((stream, table),) = [
                (one, service.server.host.tables.peek(one)) for one in live.streams.values()
            ]
            assert table is not None
            assert table.awaited is not None
            (seat,), now = table.awaited.seats, table.awaited
            player = table.table.game.players(table.table.state)[seat][0]
            client, stored = event.clients[event.ids[player]], table.table.version
            await asked.host(a.Disqualify(player, "late"))
            action = event._choose(table.table, seat)
            act = client.act(str(stream), seat, action, hand=now.hand, decision=now.number)
            assert (await failing(act)).code is grpc.StatusCode.PERMISSION_DENIED
            assert table.table.version == stored

            async def goes_on() -> bool:
                world.advance(1)
                return table.awaited is not None and table.awaited != now

            await until(goes_on, world)

    run(scenario())


def test_nobody_fills_the_line_of_a_tournament(dsn: str) -> None:
    """Requests wait for its lock; beyond a bound they are told when to come again."""

    async def scenario() -> None:
        async with running(dsn) as service:
            event = await Event.create(service, 2)
            asked, live = Asked(event), await event.live()
            first, second = [await event.principal(name) for name in ("p0", "p1")]

            def leaving(who: Principal) -> Any:
                return asyncio.create_task(event.calls.ask(who, "go", event.stream, a.Unregister()))

            async with live.lock:
                waiting = [leaving(first) for _ in range(20)]
                over = set(waiting[OF_ONE_CALLER:])
                done, _ = await asyncio.wait(over)
                assert {type(task.exception()) for task in done} == {Exhausted}
                other = leaving(second)
                host = asyncio.create_task(asked.host(a.CancelTournament("closed")))
                await asyncio.sleep(0.1)
                assert not other.done()
                assert not host.done()
            versions = {one.version for one in await asyncio.gather(*waiting[:OF_ONE_CALLER])}
            assert len(versions) == 1
            await asyncio.gather(other, host)
            assert [await asked.balance(number) for number in range(2)] == [1000, 1000]

    run(scenario())
