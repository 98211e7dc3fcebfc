"""What ``kartejo load --tournament`` does: enters a field, has it play, verifies, tells."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from rich.table import Table

from service.cli.company import bot_token_maker, has_keys
from service.cli.console import Output
from service.cli.failures import CommandError
from service.cli.load_progress import OnTerminal, Plain, picture, progress_on
from service.cli.loading import (
    SHOWN_FAULTS,
    TOKEN_SECONDS,
    batches_since,
    position_of,
    version_of_program,
)
from service.cli.loop import run_async
from service.cli.options import Where, home_of
from service.cli.structures import read_structure
from service.cli.words import counted
from service.identity import Role
from service.load.fleet import Fleet, Second
from service.load.plan import Store
from service.load.tournaments.course import Course
from service.load.tournaments.director import Director
from service.load.tournaments.killing import OwnService, kill_now_and_then
from service.load.tournaments.page import page
from service.load.tournaments.plan import FIELDS, Field, Part, parts
from service.load.tournaments.result import Result, document, words
from service.load.tournaments.worker import main
from service.vault.secret_file import read_secret_file

__all__ = ["Killing", "Wish", "field_of", "run"]

PATIENCE_SECONDS: Final = 120.0


class Killing(NamedTuple):
    """The service is started by the load itself, and killed ``times`` times, every ``seconds``."""

    times: int
    seconds: float
    arguments: tuple[str, ...] = ()


class Wish(NamedTuple):
    """What is wished for.  ``database``, ``players``: see ``kartejo load``."""

    where: Where
    field: Field
    database: str | None = None
    players: Path | None = None
    killing: Killing | None = None
    files: Mapping[str, Path] = {}


def field_of(name: str, entries: int | None, **rest: Any) -> Field:
    """The field of a structure's name or file; raises ``CommandError``."""
    path = FIELDS.get(name, Path(name))
    if name not in FIELDS and not path.exists():
        there_are = ", ".join(FIELDS)
        raise CommandError("NOT_FOUND", f"no file {name}; by name there are {there_are}")
    structure = read_structure(path)
    if entries is None:
        entries = structure.max_entrants or structure.min_entrants
    structure.max_entrants = max(structure.max_entrants, entries)
    choices = tuple(
        option.name.removeprefix("choice.")
        for option in structure.settings
        if structure.format == "choice" and option.name.startswith("choice.")
    )
    return Field(
        structure.SerializeToString(),
        structure.name,
        structure.game,
        structure.format,
        entries,
        choices=choices,
        **rest,
    )


def run(wish: Wish) -> bool:
    """Load, verify, tell; whether everything was as it was told."""
    out = Output()
    with ExitStack() as stack:
        service: OwnService | None = None
        if wish.killing is not None:
            home = home_of(wish.where.data)
            service = stack.enter_context(OwnService(home, wish.killing.arguments))
        outcome = run_async(_Run(wish, out, service).run())
    _tell(out, outcome)
    for kind, made in (("json", _as_json), ("html", page)):
        if path := wish.files.get(kind):
            path.write_text(made(outcome), encoding="utf-8")
    return bool(outcome["verification"]["holds"])


def _as_json(outcome: Mapping[str, Any]) -> str:
    return json.dumps(outcome, ensure_ascii=False, indent=1) + "\n"


class _Run:
    """One run, from the structure to the document."""

    def __init__(self, wish: Wish, out: Output, service: OwnService | None) -> None:
        self._wish = wish
        self._field = wish.field
        self._service = service
        self._progress: Plain | OnTerminal = progress_on(out)

    async def run(self) -> dict[str, Any]:
        """The document of it."""
        wish, field = self._wish, self._field
        started = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        store = Store(wish.database or "", None if wish.where.address else home_of(wish.where.data))
        found = store.find()
        before = await position_of(found) if found else 0
        async with AsyncExitStack() as stack:
            client = wish.where.client(patience=PATIENCE_SECONDS)
            await stack.enter_async_context(client)
            director = Director(client, field)
            await director.create()
            tokens = await self._tokens(director)
            fleet = stack.enter_context(Fleet(main, self._parts(director, store, tokens)))
            kill = self._kill if wish.killing is not None else None
            course = Course(field, director, fleet, store, self._progress, kill)
            outcome = await course.run(lambda second: self._picture(course, director, second))
        found = store.find() if found else None
        batches = await batches_since(found, before) if found else None
        return document(
            Result(
                field,
                wish.where.endpoint().address,
                started,
                version_of_program(),
                course.measured,
                outcome,
                director,
                batches,
            )
        )

    # --- before -------------------------------------------------------------------------------

    async def _tokens(self, director: Director) -> list[str]:
        """Tokens of players who can pay for their entries."""
        wish, entries = self._wish, self._field.entries
        if wish.players is not None:
            found = read_secret_file(wish.players).split()
            if len(found) < entries:
                what = f"{counted(entries, 'player')} enter, {wish.players} has {len(found)}"
                hint = "make more with `kartejo token NAME --role player`"
                raise CommandError("NO_KEYS", what, hint)
            return found[:entries]
        if not has_keys(wish.where):
            hint = "make them there (`kartejo token NAME --role player`) and name a file: --players"
            raise CommandError("NO_KEYS", "players need tokens, and there are no keys here", hint)
        maker = bot_token_maker(wish.where)
        subjects = [f"load {director.tournament_id} {number}" for number in range(entries)]
        with self._progress.counting("crediting", entries):
            await director.credit(subjects)
        return [maker.issue(subject, {Role.PLAYER}, TOKEN_SECONDS) for subject in subjects]

    def _parts(self, director: Director, store: Store, tokens: list[str]) -> list[Part]:
        where, field = self._wish.where, self._field
        run_name = secrets.token_hex(6)
        return [
            Part(
                field,
                run_name,
                number,
                where.endpoint(),
                director.tournament_id,
                part.start,
                tuple(tokens[part.start : part.stop]),
                where.token(),
                store,
            )
            for number, part in enumerate(parts(field.entries, field.processes))
        ]

    # --- the play -----------------------------------------------------------------------------

    async def _kill(self, told: Callable[[int], None]) -> None:
        if self._service is not None and self._wish.killing is not None:
            times, seconds, _ = self._wish.killing
            await kill_now_and_then(self._service, times, seconds, told)

    def _picture(self, course: Course, director: Director, second: Second) -> Table:
        seconds = self._field.seconds
        found = picture(f"{seconds:g} s" if seconds else "?", course.measured, second)
        state = director.state
        found.add_row("in", f"{state.left:,} of {state.entries:,} at {state.tables:,} tables")
        found.add_row("hands", f"{state.deals:,}" + f", level {state.level}" * bool(state.level))
        if course.killed:
            found.add_row("killed", f"{course.killed} times")
        return found


def _tell(out: Output, told: Mapping[str, Any]) -> None:
    played, found = told["tournament"], told["verification"]
    out.print(
        f"\n{played['name']}: {played['entries']:,} players of "
        f"{told['load']['games'][0]} at {counted(told['load']['tables'], 'table')}, "
        f"{counted(played['hands'], 'hand')}; {played['phase']} in {told['seconds']:g} s",
        style="bold",
        markup=False,
    )
    out.lines(f"  {name:<11} {value}" for name, value in words(told))
    if found["holds"]:
        where = "in the commit table" if found["in_commit_table"] else "over the API"
        out.print(
            f"Verified {where}: {found['acknowledged']:,} acknowledged actions are stored once and "
            f"as they were told, at {found['tables']:,} tables; the standings are those of a "
            "replay of the stream, everybody has a place; chips and money are conserved.",
            style="green",
            markup=False,
        )
        return
    out.print(f"Not what was told, in {found['differences']:,} places:", style="bold red")
    out.lines((f"  {each}" for each in found["first_differences"][:SHOWN_FAULTS]), style="red")
