"""What ``kartejo serve`` does: database, keys, tokens, the server, and back."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from typing import Final, NamedTuple

import uvloop

from engine.errors import Unavailable
from engine.games import GAMES
from service.cli.console import Output, print_json, program
from service.cli.failures import CommandError, of_database
from service.cli.keys import master_key, token_keys
from service.cli.logs import log_to_stderr, watch_loop
from service.cli.options import home_of
from service.client import Endpoint
from service.codec import Codec
from service.identity import SecretFiles
from service.rpc.calls import Speed
from service.rpc.server import Parts, Server, Settings, credentials_of, serve
from service.store.connection import parsed
from service.store.embedded import EmbeddedServer, keep_alive, launch
from service.store.migrate import migrate
from service.store.postgres import Store
from service.store.principals import Principals
from service.world import RealWorld

__all__ = ["TO_TRY", "Plan", "run"]


TO_TRY: Final = (
    ("demo", "bots play every game, then the hands are replayed and compared"),
    ("play palace_poker", "play yourself, against three of them"),
    ("tables", "what there is"),
)
"""Commands for a newcomer, in the words of README."""


class Plan(NamedTuple):
    """The options of ``kartejo serve``."""

    data: Path | None
    database: str | None
    listen: str
    certificate: Path | None
    key: Path | None
    lab: bool
    reflection: bool
    caller_rate: int
    connection_rate: int
    log_json: bool
    as_json: bool
    temporary_data: bool
    new_master_key: bool


def run(plan: Plan) -> None:
    """Serve until told to stop.  Raises ``LaunchError``, ``KeyFileError``, ``Malformed``, …"""
    log_to_stderr(as_json=plan.log_json)
    settings = Settings(
        plan.listen,
        plan.certificate,
        plan.key,
        reflection=plan.reflection,
        lab=plan.lab,
        speed=Speed(plan.caller_rate, plan.connection_rate),
    )
    credentials_of(settings)  # what cannot be is said before a database is started
    home = home_of(plan.data)
    world = RealWorld()
    with ExitStack() as stack:
        embedded: EmbeddedServer | None = None
        dsn = plan.database
        if dsn is not None:
            parsed(dsn)
        else:
            # Before the event loop and in the main thread: the kernel ends PostgreSQL with it.
            embedded = stack.enter_context(
                launch(home, allow_temporary=plan.temporary_data),
            )
            with of_database():
                migrate(embedded.conninfo)
            dsn = embedded.service_conninfo
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_serve(plan, settings, home, dsn, embedded, world))


async def _serve(
    plan: Plan,
    settings: Settings,
    home: Path,
    dsn: str,
    embedded: EmbeddedServer | None,
    world: RealWorld,
) -> None:
    watch_loop(asyncio.get_running_loop())
    async with AsyncExitStack() as stack:
        with of_database():
            store = await stack.enter_async_context(Store(dsn))
            files = SecretFiles.beside(home)
            master = await master_key(store, files, world, renew=plan.new_master_key)
            tokens = token_keys(files, world, lab=plan.lab)
        principals = Principals(store.pool)
        parts = Parts(world, store, GAMES, Codec(GAMES), master, tokens, principals)
        serving = asyncio.create_task(
            serve(settings, parts, lambda server: _ready(plan, home, server)), name="serve"
        )
        tasks = {serving}
        if embedded is not None:
            tasks.add(asyncio.create_task(keep_alive(embedded), name="keep-postgres-alive"))
        try:
            # A database that cannot be kept alive ends the service, with its reason.
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            Endpoint.remove(home)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for task in done:
            _result(task)


def _result(task: asyncio.Task[None]) -> None:
    try:
        task.result()
    except Unavailable as error:
        hint = "choose another address with --listen; port 0 takes a free one"
        raise CommandError(error.reason, str(error), hint) from None


def _ready(plan: Plan, home: Path, server: Server) -> None:
    """Say where it listens: to the other commands by a file, to people, to programs."""
    host = plan.listen.rpartition(":")[0]
    # What listens everywhere is reached on this machine by its own name.
    near = "127.0.0.1" if host in {"0.0.0.0", "[::]"} else host  # noqa: S104 - compared, not bound
    endpoint = Endpoint(
        f"{near}:{server.port}",
        tls=plan.certificate is not None,
        certificate=str(plan.certificate.absolute()) if plan.certificate else "",
        lab=plan.lab,
        process=os.getpid(),
    )
    endpoint.write(home)
    files = SecretFiles.beside(home)
    if plan.as_json:
        told = {
            **endpoint._asdict(),
            "data": str(home),
            "admin_token": str(files.admin_token),
            "lab_admin_token": str(files.lab_admin_token) if plan.lab else None,
        }
        print_json(told)
        return
    _greet(plan, home, f"{host}:{server.port}", endpoint, files)


def _greet(plan: Plan, home: Path, listens: str, endpoint: Endpoint, files: SecretFiles) -> None:
    out = Output()
    kept = "in your PostgreSQL" if plan.database else f"{home}, in a PostgreSQL of its own"
    lines = [f"  data         {kept}", f"  admin token  {files.admin_token}"]
    if plan.lab:
        lines.append(f"  lab tables   on; their admin token: {files.lab_admin_token}")
    if listens != endpoint.address:
        lines.insert(0, f"  from here    {endpoint.address}")
    name = program()
    where = f" --data {shlex.quote(str(home))}" if plan.data else ""
    tls = " (TLS)" if endpoint.tls else ""
    out.print(f"Kartejo serves on {listens}{tls}", style="bold", markup=False)
    # Paths are printed as they are: what looks like markup in them is none.
    out.lines(lines)
    out.print("\nFrom another terminal:")
    width = max(len(command) for command, _ in TO_TRY) + len(where)
    out.lines(f"  {name} {command + where:<{width}}   {told}" for command, told in TO_TRY)
    out.print("Ctrl-C stops it; nothing that was acknowledged is lost.\n")
    sys.stdout.flush()
