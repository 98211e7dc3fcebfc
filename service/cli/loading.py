"""What ``kartejo load`` does: tokens, processes, progress, the verification, the files."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from psycopg import errors

from service.cli.company import bot_token_maker, has_keys
from service.cli.console import Output
from service.cli.failures import CommandError
from service.cli.load_progress import picture, progress_on
from service.cli.loop import run_async
from service.cli.options import Where, home_of
from service.cli.words import counted
from service.identity import Role
from service.load.fleet import Fleet, Measured
from service.load.page import page
from service.load.plan import LARGEST, Load, Share, Store, groups, players_of, shares
from service.load.reading import Checked
from service.load.result import Result, document, words
from service.load.worker import main
from service.store.connection import LOST, Connection, open_connection
from service.store.log import batch_sizes, head_position
from service.vault.secret_file import read_secret_file

__all__ = [
    "SHOWN_FAULTS",
    "TOKEN_SECONDS",
    "batches_since",
    "position_of",
    "run",
    "version_of_program",
]

TOKEN_SECONDS: Final = 30 * 86_400
SHOWN_FAULTS: Final = 10
READ_SECONDS: Final = 300.0


def run(
    where: Where,
    load: Load,
    database: str | None,
    players: Path | None,
    files: Mapping[str, Path],
) -> bool:
    """Load, verify, tell; whether everything was as it was told."""
    out = Output()
    run_async(is_there(where))
    store = Store(database or "", None if where.address else home_of(where.data))
    found = store.find()
    before = run_async(position_of(found)) if found else 0
    started = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    measured = Measured()
    progress = progress_on(out)
    with Fleet(main, _shares(where, load, store, players)) as fleet:
        with progress.counting("opening tables", load.tables) as count:
            fleet.open(load.tables, count)
        fleet.begin()
        with progress.playing(
            lambda second: picture(f"{load.seconds:g} s", measured, second)
        ) as told:
            try:
                fleet.measure(measured, told)
            except KeyboardInterrupt:
                fleet.stop()
                fleet.measure(measured, told)
        found = store.find() if found else None
        batches = run_async(batches_since(found, before)) if found else None
        with progress.counting("verifying", load.tables + sum(measured.gone.values())) as count:
            checked = fleet.verify(Checked(), lambda found: count(found.tables))
    address = where.endpoint().address
    outcome = document(
        Result(load, address, started, version_of_program(), measured, checked, batches)
    )
    _tell(out, outcome, in_store=checked.in_store > 0)
    if path := files.get("json"):
        path.write_text(json.dumps(outcome, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    if path := files.get("html"):
        path.write_text(page(outcome), encoding="utf-8")
    return not checked.faults


async def is_there(where: Where) -> None:
    """Raises what says that no service is, or that the token is none of it."""
    from service.client.records import list_tables

    async with where.client() as client:
        await list_tables(client, most=1)


async def position_of(database: str) -> int:
    """Where the log stands."""
    with _of_database():
        async with await _connected(database) as db:
            return await head_position(db)


async def batches_since(database: str, after: int) -> Mapping[int, int]:
    """How many batches of each size there were since."""
    with _of_database():
        async with await _connected(database) as db:
            return await batch_sizes(db, after, await head_position(db))


@contextmanager
def _of_database() -> Iterator[None]:
    """Raises ``CommandError`` for what the database says."""
    try:
        yield
    except LOST:
        hint = "see whether it runs, and lets this login in (--database)"
        raise CommandError("UNAVAILABLE", "the database cannot be reached", hint) from None
    except errors.InsufficientPrivilege:
        hint = "GRANT kartejo_reader TO it"
        raise CommandError("PERMISSION_DENIED", "this login may not read the store", hint) from None
    except (errors.UndefinedTable, errors.InvalidSchemaName):
        hint = "name the database of the service"
        raise CommandError("NOT_FOUND", "there is no store in that database", hint) from None


async def _connected(database: str) -> Connection:
    """With what the login itself may do: reading is enough."""
    return await open_connection(
        database, name="kartejo-load", role=None, statement_seconds=READ_SECONDS
    )


def _shares(where: Where, load: Load, store: Store, players: Path | None) -> list[Share]:
    parts = shares(load)
    run_name = secrets.token_hex(6)
    tokens = _from_file(players, load) if players else _made(where, load)
    return [
        Share(
            load,
            run_name,
            number,
            where.endpoint(),
            games,
            load.rate * len(games) / load.tables,
            tuple(
                tokens(f"{number} {group}", players_of(load, some))
                for group, some in enumerate(groups(games))
            ),
            where.token(),
            store,
        )
        for number, games in enumerate(parts)
    ]


Tokens = Callable[[str, int], tuple[str, ...]]
"""The tokens of a group: of its players, so many, then of its watchers."""


def _made(where: Where, load: Load) -> Tokens:
    """Tokens of our own making, for the same players in every run."""
    if not has_keys(where):
        hint = "make them there (`kartejo token NAME --role player`) and name a file: --players"
        raise CommandError("NO_KEYS", "players need tokens, and there are no keys here", hint)
    maker = bot_token_maker(where)
    return lambda group, players: tuple(
        maker.issue(f"load {group} {who}", {Role.PLAYER}, TOKEN_SECONDS)
        for who in range(players + load.watchers)
    )


def _from_file(path: Path, load: Load) -> Tokens:
    """The same ones for every group."""
    if load.apart:
        what = "--apart plays with players of its own, one a seat"
        raise CommandError("BAD_OPTIONS", what, "leave out --players or --apart")
    found = tuple(read_secret_file(path).split())
    needed = min(load.seats, max(LARGEST[game] for game in load.games)) + load.watchers
    if len(found) < needed:
        what = f"{counted(needed, 'player')} sit or look on at a table, {path} has {len(found)}"
        raise CommandError("NO_KEYS", what, "make more with `kartejo token NAME --role player`")
    return lambda *_: found


def version_of_program() -> str:
    """Which version this is."""
    try:
        return version("kartejo")
    except PackageNotFoundError:
        return "not installed"


# --- what people see ------------------------------------------------------------------------------


def _tell(out: Output, told: Mapping[str, Any], *, in_store: bool) -> None:
    load, found = told["load"], told["verification"]
    over = "Play streams" if load["calls"] == "play" else "unary calls"
    out.print(
        f"\n{told['seconds']:g} s at {counted(load['tables'], 'table')} "
        f"({', '.join(load['games'])}) over {over}",
        style="bold",
        markup=False,
    )
    out.lines(f"  {name:<11} {value}" for name, value in words(told))
    if found["unknown"]:
        out.print(f"  {'unknown':<11} {counted(found['unknown'], 'request')} without an answer")
    where = "in the commit table" if in_store else "over the API (no --database to look into)"
    if found["holds"]:
        out.print(
            f"Verified {where}: {found['acknowledged']:,} acknowledged actions are stored once and "
            f"as they were told, without a gap; chips are conserved at {found['tables']:,} tables; "
            f"{found['watched']:,} watched commits are those stored.",
            style="green",
            markup=False,
        )
        return
    out.print(f"Not what was told, in {found['differences']:,} places:", style="bold red")
    out.lines((f"  {each}" for each in found["first_differences"][:SHOWN_FAULTS]), style="red")
