"""A service that is killed three times while it plays tournaments of all four games."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any, Final

import pytest

from engine.tournament.structure import Structure
from service.identity import Role
from service.load.tournaments.course import Course
from service.load.tournaments.player import Player
from service.store.embedded import EmbeddedServer
from service.verify import verify
from service.world import RealWorld
from tests.audit.looking import audited
from tests.audit.played import whole_log
from tests.faults.process import Process
from tests.faults.server import tokens
from tests.load.entered import Entered, Place, entered, field_of
from tests.load.test_tournament_run import FIELDS, check_all
from tests.service.harness import run
from tests.verify.forging import exported

KILLS: Final = 3
LIFETIME: Final = 36_000

LARGE: Final[tuple[tuple[Structure, int], ...]] = tuple(
    (structure._replace(table_size=size), entries)
    for (structure, _), size, entries in zip(FIELDS, (8, 6, 2, 1), (40, 30, 16, 40), strict=True)
)


def place_of(service: Process, database: str) -> Place:
    """Where they play: at the same port after every kill."""
    maker = tokens(RealWorld())
    return Place(
        f"127.0.0.1:{service.port}",
        lambda subject: maker.issue(subject, {Role.PLAYER}, LIFETIME),
        maker.issue("director", {Role.ADMIN}, LIFETIME),
        database,
    )


class Killer:
    """Kills a service whenever so many more actions have been acknowledged.

    While it is ``away`` nobody begins another action, so that small fields are not over before it
    can be killed again; what is under way is repeated until it is answered.
    """

    def __init__(self, service: Process, actions: int) -> None:
        self._service = service
        self._actions = actions
        self._courses: list[Course] = []
        self.killed_at: list[int] = []
        self.away = False

    def patience(self, act: Callable[[Player], None]) -> Callable[[Player], None]:
        """How a player acts who waits while the service is away."""

        def acts(player: Player) -> None:
            if self.away:
                asyncio.get_running_loop().call_later(0.02, acts, player)
            else:
                act(player)

        return acts

    async def join(self, course: Course, _: Any) -> None:
        """A course that is played."""
        self._courses.append(course)

    @property
    def acknowledged(self) -> int:
        """Actions so far."""
        return sum(course.fleet.acknowledged for course in self._courses)  # type: ignore[attr-defined]

    async def run(self) -> None:
        """Kill and start."""
        dice = random.Random(11)
        due = 0
        for _ in range(KILLS):
            due += dice.randint(self._actions // 2, self._actions)
            while True:
                await asyncio.sleep(0.01)
                if self.acknowledged >= due:
                    break
            due = self.acknowledged
            self.killed_at.append(due)
            self.away = True
            await self._service.kill()
            await self._service.start()
            self.away = False


async def survived(
    database: str,
    fields: tuple[tuple[Structure, int], ...],
    actions: int,
    monkeypatch: pytest.MonkeyPatch,
) -> list[Entered]:
    """All fields, played at the same time by a service that is killed meanwhile."""
    async with Process(database) as service:
        place = place_of(service, database)
        killer = Killer(service, actions)
        monkeypatch.setattr(Player, "_act", killer.patience(Player._act))
        killing = asyncio.create_task(killer.run())
        try:
            found = await asyncio.gather(
                *(entered(place, field_of(*field), killer.join) for field in fields)
            )
        finally:
            killing.cancel()
            (outcome,) = await asyncio.gather(killing, return_exceptions=True)
        if isinstance(outcome, Exception):
            raise outcome
        assert len(killer.killed_at) == KILLS
        return found


@pytest.mark.parametrize(
    ("fields", "actions"),
    [(FIELDS, 30), pytest.param(LARGE, 400, marks=pytest.mark.long)],
    ids=["small", "large"],
)
def test_tournaments_outlive_a_service_that_is_killed(
    durable_pg: EmbeddedServer, monkeypatch: pytest.MonkeyPatch, fields: Any, actions: int
) -> None:
    """Three times kill -9: every acknowledged action is there once, nobody's standing, chips or
    money differ from what a replay of the streams says; and the whole store stands its audits.
    """
    database = durable_pg.service_conninfo
    for found in run(survived(database, fields, actions, monkeypatch), seconds=300):
        check_all(found)
    assert audited(database, monkeypatch).result.findings == []
    assert verify(exported(run(whole_log(database)))).findings == []
