"""What ``kartejo serve`` does: database, keys, tokens, the server, and back."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from collections.abc import AsyncIterator, Coroutine, Iterable
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    ExitStack,
    asynccontextmanager,
)
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import uvloop

from engine.errors import Malformed
from service.cli.browser import link_to, shared_port, web_settings
from service.cli.console import Output, print_json, program
from service.cli.failures import of_database, of_listening
from service.cli.keys import write_admin_tokens
from service.cli.logs import log_to_stderr, watch_loop
from service.cli.options import home_of
from service.cli.parts import parts_of
from service.cli.watched import Look, serve_watched, spans_for
from service.cli.workers.keeper import Keeper
from service.cli.workers.orders import Order
from service.client import Endpoint
from service.identity import SecretFiles
from service.metrics import MetricsEndpoint, Together
from service.rpc.calls import Speed
from service.rpc.listening import reserved, split
from service.rpc.server import Parts, Settings, credentials_of
from service.rpc.settings import is_loopback
from service.store.connection import parsed
from service.store.embedded import DURABLE, EmbeddedServer, keep_alive, launch
from service.store.migrate import migrate
from service.web.settings import WebSettings, url_of
from service.world import RealWorld

__all__ = ["TO_TRY", "Plan", "run", "settings_for"]

CONNECTIONS: Final = 14
"""To PostgreSQL, of one worker: eight that read, one that writes, two for hints, two for reports,
and a spare."""

LEAST_CONNECTIONS: Final = 100

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
    address_rate: int
    connections: int
    metrics: str | None
    traces: str | None
    log_json: bool
    as_json: bool
    temporary_data: bool
    new_master_key: bool
    log_origin: str | None
    new_log_key: bool
    checkpoint_seconds: int
    workers: int
    web: str | None = None
    no_web: bool = False
    web_origins: tuple[str, ...] = ()


def run(plan: Plan) -> None:
    """Serve until told to stop.  Raises ``LaunchError``, ``KeyFileError``, ``Malformed``, …"""
    lines = log_to_stderr(as_json=plan.log_json)
    settings = Settings(
        plan.listen,
        plan.certificate,
        plan.key,
        reflection=plan.reflection,
        lab=plan.lab,
        speed=Speed(plan.caller_rate, plan.connection_rate, plan.address_rate),
        checkpoint_seconds=plan.checkpoint_seconds,
        connections=plan.connections,
    )
    credentials_of(settings)  # what cannot be is said before a database is started
    web = web_settings(settings, plan.web, plan.web_origins, off=plan.no_web)
    page = MetricsEndpoint(split(plan.metrics, "metrics")) if plan.metrics else None
    look = Look(page, spans_for(plan.traces), lines)
    if plan.workers > 1 and not sys.platform.startswith("linux"):
        raise Malformed("workers", "several processes share a port on Linux only: leave it at 1")
    home = home_of(plan.data).absolute()
    with ExitStack() as stack:
        port = 0
        if plan.workers > 1:
            with of_listening():
                port = stack.enter_context(reserved(plan.listen))
                if web is not None:
                    web = stack.enter_context(shared_port(web))
        embedded: EmbeddedServer | None = None
        dsn = plan.database
        if dsn is not None:
            parsed(dsn)
        else:
            # Before the event loop and in the main thread: the kernel ends PostgreSQL with it.
            embedded = stack.enter_context(
                launch(
                    home,
                    settings=settings_for(plan.workers),
                    allow_temporary=plan.temporary_data,
                ),
            )
            with of_database():
                migrate(embedded.conninfo)
            dsn = embedded.service_conninfo
        if plan.workers > 1:
            together = _serve_together(plan, settings, web, home, dsn, port, page)
            asyncio.run(_main(home, embedded, together))
        else:
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                alone = _serve_alone(plan, settings, web, home, dsn, look)
                runner.run(_main(home, embedded, alone))


async def _main(
    home: Path, embedded: EmbeddedServer | None, serving: Coroutine[Any, Any, None]
) -> None:
    """Serve for as long as the database can be kept alive; raises what ended it."""
    watch_loop(asyncio.get_running_loop())
    tasks = {asyncio.create_task(serving, name="serve")}
    if embedded is not None:
        tasks.add(asyncio.create_task(keep_alive(embedded), name="keep-postgres-alive"))
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        Endpoint.remove(home)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()


def _parts(plan: Plan, home: Path, dsn: str) -> AbstractAsyncContextManager[Parts]:
    """What serves, with the keys that this start may make."""
    return parts_of(
        dsn,
        home,
        RealWorld(),
        lab=plan.lab,
        signs=bool(plan.checkpoint_seconds),
        renew=plan.new_master_key,
        renew_log=plan.new_log_key,
        origin=plan.log_origin,
    )


async def _serve_alone(
    plan: Plan, settings: Settings, web: WebSettings | None, home: Path, dsn: str, look: Look
) -> None:
    async with _parts(plan, home, dsn) as parts:
        write_admin_tokens(parts.tokens, SecretFiles.beside(home), lab=plan.lab)
        with of_listening():
            await serve_watched(
                settings,
                parts,
                look,
                web,
                lambda server, url: _ready(plan, home, server.port, look.page, url),
            )


async def _serve_together(
    plan: Plan,
    settings: Settings,
    web: WebSettings | None,
    home: Path,
    dsn: str,
    port: int,
    page: MetricsEndpoint | None,
) -> None:
    """Make the keys, as every start does, and let the workers serve with them."""
    async with _parts(plan, home, dsn) as parts:
        write_admin_tokens(parts.tokens, SecretFiles.beside(home), lab=plan.lab)
    shared = settings._replace(
        listen=f"{plan.listen.rpartition(':')[0]}:{port}",
        shared=True,
        tls_certificate=plan.certificate and plan.certificate.absolute(),
        tls_key=plan.key and plan.key.absolute(),
    )
    numbers = range(1, plan.workers + 1)
    async with _pages_of(numbers, page, asked=bool(page or web)) as places:
        orders = [
            Order(
                number,
                os.getpid(),
                dsn,
                home,
                shared,
                plan.log_json,
                places,
                plan.traces,
                web,
            )
            for number in numbers
        ]
        url = "" if web is None else url_of(web, split(web.listen, "web")[1])
        await Keeper(orders).run(lambda: _ready(plan, home, port, page, url))


@asynccontextmanager
async def _pages_of(
    workers: Iterable[int], page: MetricsEndpoint | None, *, asked: bool
) -> AsyncIterator[dict[int, Path]]:
    """Show the pages of all workers as one; where each of them is to show its own, if asked."""
    if not asked:
        yield {}
        return
    # For this user alone, and short: the path of a socket has a hundred characters.
    with TemporaryDirectory(prefix="kartejo-") as folder:
        places = {number: Path(folder) / str(number) for number in workers}
        async with AsyncExitStack() as stack:
            if page is not None:
                page.show = Together(places).show
                with of_listening():
                    await stack.enter_async_context(page)
            yield places


def settings_for(workers: int) -> dict[str, str]:
    """Settings of an embedded server that lets so many workers in, and commands beside them."""
    wanted = max(LEAST_CONNECTIONS, workers * CONNECTIONS + LEAST_CONNECTIONS // 4)
    return {**DURABLE, "max_connections": str(wanted)}


def _ready(plan: Plan, home: Path, port: int, page: MetricsEndpoint | None, url: str) -> None:
    """Say where it listens: to the other commands by a file, to people, to programs."""
    host = plan.listen.rpartition(":")[0]
    # What listens everywhere is reached on this machine by its own name.
    near = "127.0.0.1" if host in {"0.0.0.0", "[::]"} else host  # noqa: S104 - compared, not bound
    endpoint = Endpoint(
        f"{near}:{port}",
        tls=plan.certificate is not None,
        certificate=str(plan.certificate.absolute()) if plan.certificate else "",
        lab=plan.lab,
        process=os.getpid(),
        web=url,
    )
    endpoint.write(home)
    files = SecretFiles.beside(home)
    if plan.as_json:
        told = {
            **endpoint._asdict(),
            "workers": plan.workers,
            "metrics": page.url if page else None,
            "web": url or None,
            "data": str(home),
            "admin_token": str(files.admin_token),
            "lab_admin_token": str(files.lab_admin_token) if plan.lab else None,
        }
        print_json(told)
        return
    _greet(plan, home, f"{host}:{port}", endpoint, files, page)


def _greet(
    plan: Plan,
    home: Path,
    listens: str,
    endpoint: Endpoint,
    files: SecretFiles,
    page: MetricsEndpoint | None,
) -> None:
    out = Output()
    kept = "in your PostgreSQL" if plan.database else f"{home}, in a PostgreSQL of its own"
    lines = [f"  data         {kept}", f"  admin token  {files.admin_token}"]
    if plan.workers > 1:
        lines.append(f"  workers      {plan.workers}, each on every table")
    if plan.lab:
        lines.append(f"  lab tables   on; their admin token: {files.lab_admin_token}")
    if page is not None:
        lines.append(f"  metrics      {page.url}")
    if endpoint.web:
        is_near = is_loopback(split(plan.web or plan.listen)[0])
        link = link_to(endpoint.web, home, host=True) if is_near else endpoint.web
        lines.insert(0, f"  browser      {link}")
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
