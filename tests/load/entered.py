"""Fields of tournaments beside a real service, played in the test's own process."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple
from uuid import uuid4

from engine.tournament.actions import CreateTournament
from engine.tournament.structure import Structure
from service.client import Client, Endpoint
from service.codec.tournaments import tournament_action_to_wire
from service.identity import Role
from service.load.fleet import Fleet, Second, _Process
from service.load.plan import Store
from service.load.tournaments.course import Course, Outcome
from service.load.tournaments.director import Director
from service.load.tournaments.plan import Field, Part, parts
from service.load.tournaments.worker import Worker
from tests.service.harness import Running

PATIENCE: Final = 60.0


def field_of(structure: Structure, entries: int, **rest: Any) -> Field:
    """A field for a structure."""
    wire = tournament_action_to_wire(CreateTournament(structure)).create_tournament.structure
    choices = tuple(
        name.removeprefix("choice.") for name, _ in structure.settings if name.startswith("choice.")
    )
    return Field(
        wire.SerializeToString(),
        structure.name,
        structure.game,
        structure.format,
        entries,
        choices=choices,
        patience=PATIENCE,
        **rest,
    )


class Place(NamedTuple):
    """Where it is played: the address, who makes tokens for players, the host's, the database."""

    address: str
    player: Callable[[str], str]
    host: str
    database: str = ""

    @classmethod
    def of(cls, service: Running, database: str = "") -> Place:
        """A service in this process."""
        host = service.token("director", Role.ADMIN)
        return cls(service.address, service.token, host, database)


class Entered(NamedTuple):
    """A run that is over."""

    course: Course
    director: Director
    fleet: InProcess
    outcome: Outcome

    @property
    def faults(self) -> list[str]:
        """Everything that was found wrong."""
        return [*self.outcome.faults, *self.outcome.checked.checked.faults]


class Task:
    """Stands for a process."""

    exitcode = "a task"

    def join(self, _: float = 0.0) -> None:
        """It is not waited for here."""


class InProcess(Fleet):
    """A fleet whose processes are tasks."""

    def __init__(self, pieces: Sequence[Part]) -> None:
        super().__init__(_nobody, ())
        self.workers: list[Worker] = []
        self._tasks: list[asyncio.Task[None]] = []
        for piece in pieces:
            ours, theirs = multiprocessing.Pipe()
            worker = Worker(piece, theirs)
            task = asyncio.create_task(worker.run())
            task.add_done_callback(lambda _, pipe=theirs: pipe.close())
            self.workers.append(worker)
            self._tasks.append(task)
            self._processes.append(_Process(piece.number, Task(), ours))

    @property
    def acknowledged(self) -> int:
        """Actions that players were told are stored, so far."""
        return sum(len(journal) for worker in self.workers for journal in worker._journals.values())

    async def close(self) -> None:
        """End all of them; raises what one has failed with."""
        outcomes = []
        for task in self._tasks:
            if not task.done():
                task.cancel()
            outcomes += await asyncio.gather(task, return_exceptions=True)
        for each in self._processes:
            each.pipe.close()
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome


def _nobody(*_: object) -> None:
    """Nothing is started."""


class Silent:
    """Shows nothing."""

    @contextmanager
    def counting(self, what: str, total: int) -> Iterator[Callable[[int], None]]:
        yield lambda _: None

    @contextmanager
    def playing(self, draw: Any) -> Iterator[Callable[[Second], None]]:
        yield lambda _: None


Meanwhile = Callable[[Course, Callable[[int], None]], Awaitable[None]]
"""What happens while it is played; the course can be looked at, the last hears of kills."""


async def entered(place: Place, field: Field, meanwhile: Meanwhile | None = None) -> Entered:
    """A field that has entered, played and been verified."""
    endpoint = Endpoint.parse(place.address)
    async with Client(endpoint, place.host, patience=PATIENCE) as client:
        director = Director(client, field)
        await director.create()
        subjects = [f"{director.tournament_id} {number}" for number in range(field.entries)]
        await director.credit(subjects)
        tokens = [place.player(subject) for subject in subjects]
        store, run = Store(place.database), uuid4().hex[:12]
        fleet = InProcess(
            [
                Part(
                    field,
                    run,
                    number,
                    endpoint,
                    director.tournament_id,
                    part.start,
                    tuple(tokens[part.start : part.stop]),
                    place.host,
                    store,
                )
                for number, part in enumerate(parts(field.entries, field.processes))
            ]
        )
        try:
            kill = None if meanwhile is None else lambda told: meanwhile(course, told)
            course = Course(field, director, fleet, store, Silent(), kill)
            outcome = await course.run(lambda _: None)
        finally:
            await fleet.close()
        return Entered(course, director, fleet, outcome)
