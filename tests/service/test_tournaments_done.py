"""Who starts looks after what is left to do, and reads nothing of tournaments that are done."""

from __future__ import annotations

from uuid import UUID

import psycopg

from engine.tournament.actions import CancelTournament
from service.identity import Role
from tests.service.harness import Running, run, running
from tests.service.test_clocks import until
from tests.service.tournament import STRUCTURE, Event


async def _noted(service: Running) -> None:
    async def nothing_left() -> bool:
        return not await service.store.tournaments()

    await until(nothing_left)


def test_what_is_done_is_not_looked_at_again(dsn: str, admin_dsn: str) -> None:
    """If the note is lost, the stream says it again."""

    async def scenario() -> None:
        async with running(dsn) as service:
            event = await Event.create(service, 2)
            assert await service.store.tournaments() == {event.stream}
            await event.calls.order(event.host, "c", event.stream, CancelTournament("rain"))
            await _noted(service)
            assert await event.balances() == [1000, 1000]
        async with running(dsn) as service:
            await _another_is_over(service)
            assert service.server.tournaments._tournaments.peek(event.stream) is None
        with psycopg.connect(admin_dsn, autocommit=True) as db:
            assert db.execute("DELETE FROM kartejo.tournament_done").rowcount == 2
        async with running(dsn) as service:
            await _noted(service)

    run(scenario())


async def _another_is_over(service: Running) -> None:
    """A second tournament's end shows that the manager's first look is over."""
    calls = service.server.tournaments
    host = await Event(service, UUID(int=0), 0).principal("host", Role.HOST)
    live = await calls.create(host, "another", STRUCTURE)
    await calls.order(host, "another's end", live.stream, CancelTournament("snow"))
    await _noted(service)
