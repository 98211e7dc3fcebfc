"""Clocks of levels while no service runs: nobody could play, so the time is given back."""

from __future__ import annotations

import asyncio
from typing import Any

import psycopg
import pytest

from engine.errors import Refused
from engine.tournament import actions as a
from engine.tournament.structure import Level
from service.host.commands import Command
from service.verify import verify
from service.world import RealWorld
from tests.audit.looking import BLIND, TOOLS, audited, looked_at
from tests.audit.played import whole_log
from tests.service.harness import Running, run, running
from tests.service.test_clocks import until
from tests.service.tournament import STRUCTURE, Dropped, Event
from tests.verify.forging import exported

MINUTES = 30
AWAY = 3_600
LEVELS = (
    Level((("small_bet", "20"),), minutes=MINUTES),
    Level((("small_bet", "40"),)),
)
STACK = 10_000


class Later(RealWorld):
    """A world in which it is an hour later than it is."""

    def now(self) -> int:
        return super().now() + AWAY * 1_000_000


async def begun(service: Running, players: int = 4) -> Event:
    """A tournament whose first level's clock runs."""
    structure = STRUCTURE._replace(levels=LEVELS, stack=STACK)
    event = await Event.create(service, players, structure)
    await event.start()
    live = await event.live()
    await until(lambda: _has_clock(live))
    return event


async def _has_clock(live: Any) -> bool:
    return live.now.state.clock is not None


async def managed(service: Running, event: Event) -> Any:
    """The tournament, once somebody looks after it."""
    await until(lambda: _is_managed(service, event))
    return await event.live()


async def _is_managed(service: Running, event: Event) -> bool:
    return event.stream in service.server.managers._running


def hour_passes(admin_dsn: str) -> None:
    """As far as the database remembers of those who lived."""
    with psycopg.connect(admin_dsn, autocommit=True) as db:
        db.execute(
            "UPDATE kartejo.lease_owner SET expires_at = expires_at - make_interval(secs => %s)",
            (AWAY,),
        )


def nothing_is_remembered(admin_dsn: str) -> None:
    """As after a crash of the database."""
    with psycopg.connect(admin_dsn, autocommit=True) as db:
        db.execute("DELETE FROM kartejo.lease_owner")


@pytest.mark.parametrize("passes", [hour_passes, nothing_is_remembered])
def test_an_hour_without_a_service_is_no_hour_of_a_level(
    dsn: str, admin_dsn: str, monkeypatch: Any, passes: Any
) -> None:
    """Killed in a level of half an hour, started an hour later: it goes on with what it had."""

    async def scenario() -> None:
        async with Dropped(dsn) as service:
            event = await begun(service)
            since = (await event.live()).now.state.clock
        assert since is not None
        passes(admin_dsn)
        async with running(dsn, world=Later()) as service:
            event = await event.again(service)
            live = await managed(service, event)
            state = live.now.state
            assert state.level == 0
            assert state.clock is not None
            assert state.clock.since > since.since
            left = live.clock_left_ms(service.world.now())
            assert left is not None
            assert 0 <= MINUTES * 60_000 - left < 60_000 * 5, "only what was played is gone"
            version = live.version
            await service.server.managers._give_back(live)
            assert live.version == version, "once"
            order = a.CancelTournament("rain")
            await event.calls.order(event.host, "c", event.stream, order)
            await event.play()

    run(scenario())
    assert audited(dsn, monkeypatch).result.findings == []
    log = run(whole_log(dsn))
    assert looked_at(log, tools=BLIND).findings == []
    assert verify(exported(log)).findings == []


def test_what_is_paused_has_nothing_to_be_given_back(dsn: str, admin_dsn: str) -> None:
    async def scenario() -> None:
        async with Dropped(dsn) as service:
            event = await begun(service)
            await event.calls.order(event.host, "p", event.stream, a.PauseTournament())
            paused = (await event.live()).now.state
        hour_passes(admin_dsn)
        async with running(dsn, world=Later()) as service:
            event = await event.again(service)
            assert (await managed(service, event)).now.state.clock == paused.clock

    run(scenario())


def test_who_was_stopped_himself_takes_over_anew(dsn: str) -> None:
    """A process that has looked at nothing for long was away, whatever the others did."""

    async def scenario() -> None:
        async with running(dsn) as service:
            event = await begun(service)
            live = await managed(service, event)
            managers = service.server.managers
            before = managers._running[event.stream]
            managers._tended_at -= 3_000.0  # type: ignore[operator]
            await until(lambda: _is_another(service, event, before))
            assert live.now.state.level == 0

    run(scenario())


async def _is_another(service: Running, event: Event, before: Any) -> bool:
    return service.server.managers._running.get(event.stream, before) is not before


def test_a_service_that_sets_clocks_as_it_likes_is_found_out(dsn: str) -> None:
    """More than there was at the last commit, or less than there is."""

    async def scenario() -> None:
        async with running(dsn) as service:
            event = await begun(service)
            live = await managed(service, event)

            async def given(left: int) -> None:
                clock = live.now.state.clock
                assert clock is not None
                action = a.TimeGivenBack(clock.since, left)
                command = Command.of_process(
                    service.world, live.stream, clock.since, f"{left}", "TimeGivenBack"
                )
                await event.calls._joint.run(live, command, None, action)

            await asyncio.sleep(0.05)
            player = next(iter(event.ids))
            order = a.Disqualify(player, "time passes")
            await event.calls.order(event.host, "out", event.stream, order)
            full = MINUTES * 60_000
            for left in (0, full + 1):
                with pytest.raises(Refused) as refused:
                    await given(left)
                assert refused.value.reason == "BAD_REPORT"
            for left in (full, full - 10_000):
                await given(left)

    run(scenario())
    findings = looked_at(run(whole_log(dsn)), tools=TOOLS).findings
    assert [one.check for one in findings] == ["time", "time"]
