"""Tournaments that start at a time: the service sees to it, whichever process lives then."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

from engine.tournament.actions import StartDue
from engine.tournament.state import Phase
from service.host.commands import Command
from service.identity import Role
from service.world import SteppedWorld
from tests.audit.looking import audited
from tests.service.harness import run, running
from tests.service.test_clocks import until
from tests.service.test_tournament_calls import refused
from tests.service.tournament import STRUCTURE, Event

WEEK = 7 * 86_400


def _in_a_week(world: SteppedWorld) -> int:
    return world.now() // 1000 + WEEK * 1000


def test_it_starts_at_its_time_and_not_before(dsn: str, monkeypatch: Any) -> None:
    """Also where another process took over meanwhile."""

    async def scenario() -> None:
        world = SteppedWorld()
        at = _in_a_week(world)
        structure = STRUCTURE._replace(start="time", start_at=at, min_entrants=2)
        async with running(dsn, world=world) as service:
            event = await Event.create(service, 2, structure)
            world.advance(WEEK / 2)
        async with running(dsn, world=world) as service:
            event = await event.again(service)
            live = await event.live()
            world.advance(WEEK / 2 - 30)
            await asyncio.sleep(0.2)
            assert live.now.state.phase is Phase.REGISTERING

            async def began() -> bool:
                return live.now.state.phase is Phase.RUNNING

            await until(began, world)
            assert world.now() >= at * 1000

    run(scenario())
    assert audited(dsn, monkeypatch).result.findings == []


def test_with_too_few_everybody_has_his_money_back(dsn: str, monkeypatch: Any) -> None:
    async def scenario() -> None:
        world = SteppedWorld()
        structure = STRUCTURE._replace(
            start="time", start_at=_in_a_week(world), min_entrants=3, buy_in=100, fee=9
        )
        async with running(dsn, world=world) as service:
            event = await Event.create(service, 2, structure)
            live = await event.live()
            assert await event.balances() == [891, 891]
            world.advance(WEEK)

            async def paid() -> bool:
                return live.now.state.phase is Phase.CANCELLED and not live.now.state.owed

            await until(paid, world)
            assert await event.balances() == [1000, 1000]

    run(scenario())
    assert audited(dsn, monkeypatch).result.findings == []


def test_a_time_that_is_over_is_refused_but_not_a_repeat(dsn: str) -> None:
    async def scenario() -> None:
        world = SteppedWorld()
        structure = STRUCTURE._replace(start="time", start_at=_in_a_week(world))
        async with running(dsn, world=world) as service:
            made = Event(service, UUID(int=0), 0)
            host = await made.principal("host", Role.HOST)
            live = await made.calls.create(host, "make", structure)
            world.advance(2 * WEEK)
            again = await made.calls.create(host, "make", structure)
            assert again.stream == live.stream
            error = await refused(made.calls.create(host, "another", structure))
            assert (error.reason, error.detail["field"]) == ("INVALID_STRUCTURE", "start_at")

    run(scenario())


def test_a_report_that_comes_too_early_is_found(dsn: str, monkeypatch: Any) -> None:
    """The engine has no clock: whoever audits holds the time of the report against it."""

    async def scenario() -> None:
        world = SteppedWorld()
        structure = STRUCTURE._replace(start="time", start_at=_in_a_week(world))
        async with running(dsn, world=world) as service:
            event = await Event.create(service, 2, structure)
            live = await event.live()
            errands = event.calls._joint
            command = Command.of_process(world, live.stream, 1, "11", "StartDue")
            await errands.run(live, command, None, StartDue())

    run(scenario())
    (finding,) = audited(dsn, monkeypatch).result.findings
    assert finding.check == "time"
