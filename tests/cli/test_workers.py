"""``kartejo serve --workers``: one port, several processes, and any of them may die."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.request import Request, urlopen

import grpc
import pytest

from engine.actions import TakeSeat
from service.cli.workers.orders import Order
from service.identity import SecretFiles
from service.pb import table_service_pb2 as pb
from service.rpc.calls import Speed
from service.rpc.server import Settings
from service.web.settings import WebSettings
from tests.cli.conftest import SECONDS, Commands, Served
from tests.faults.load import AGAIN, Books
from tests.service.harness import Client, run
from tests.service.scraping import Samples

CALLERS: Final = 12
"""Each on a connection of his own: that all come to one worker happens once in two thousand."""


def workers_of(keeper: int) -> set[int]:
    """Process ids of the workers of a service."""
    children = Path(f"/proc/{keeper}/task/{keeper}/children").read_text(encoding="ascii")
    return {int(pid) for pid in children.split() if b"workers.worker" in command_of(int(pid))}


def oldest(pids: set[int]) -> int:
    """Who serves longest, which is not always the lowest id: the system counts in a circle."""
    return min(
        pids, key=lambda pid: int(Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[19])
    )


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except FileNotFoundError:
        return b""


async def until(found: Callable[[], object], seconds: float = 40) -> None:
    async with asyncio.timeout(seconds):
        while not found():  # noqa: ASYNC110 - of other processes; nothing tells of it
            await asyncio.sleep(0.02)


@asynccontextmanager
async def callers(served: Served) -> AsyncIterator[list[Client]]:
    """Callers with the administrator's token, each on a connection of his own."""
    files = SecretFiles.beside(Path(served.told["data"]))
    token = files.read_token(files.admin_token)
    options = (
        ("grpc.use_local_subchannel_pool", 1),
        ("grpc.initial_reconnect_backoff_ms", 50),
        ("grpc.max_reconnect_backoff_ms", 200),
    )
    async with contextlib.AsyncExitStack() as stack:
        channels = [
            await stack.enter_async_context(grpc.aio.insecure_channel(served.address, options))
            for _ in range(CALLERS)
        ]
        yield [Client(channel, token) for channel in channels]


class Watcher:
    """Follows a table whatever becomes of its connections, and wants every version once."""

    def __init__(self, client: Client, table: str) -> None:
        self.client = client
        self.table = table
        self.seen: list[int] = []
        self.broken = 0

    async def follow(self) -> None:
        while True:
            last = self.seen[-1] if self.seen else 0
            call = self.client.tables.WatchTable(
                pb.WatchTableRequest(table_id=self.table, after_version=last),
                metadata=self.client.metadata,
                timeout=60,
            )
            try:
                async for message in call:
                    self.seen.extend(event.version for event in message.events)
            except grpc.aio.AioRpcError as error:
                if error.code() not in AGAIN:
                    raise
                self.broken += 1
                await asyncio.sleep(0.02)


@pytest.fixture(scope="module")
def two(pg_folder: Path) -> Iterator[Served]:
    rates = ("--caller-rate", "0", "--connection-rate", "0")
    where = ("--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0")
    served = Served(pg_folder / "workers", "--workers", "2", *where, *rates)
    Served.all.remove(served)
    yield served
    served.kill()


@pytest.mark.parametrize("path", [None, Path("/etc/cards/some.pem")])
def test_a_worker_is_told_everything(path: Path | None) -> None:
    """Each of its settings, also those that are added one day."""
    values = {
        "listen": "[::1]:443",
        "tls_certificate": path,
        "tls_key": path,
        "reflection": False,
        "lab": True,
        "speed": Speed(7, 0),
        "shared": True,
        "checkpoint_seconds": 7,
        "connections": 77,
    }
    settings = Settings(**values)
    assert all(getattr(Settings(), name) != values[name] for name in Settings._fields if path)
    order = Order(
        number=3,
        parent=44,
        database="dbname=cards password='a b'",
        home=Path("/data"),
        settings=settings,
        log_json=True,
        metrics={number: path / str(number) for number in (1, 2, 3)} if path else {},
        traces="http://127.0.0.1:4318/v1/traces" if path else None,
        web=WebSettings("[::1]:444", True, ("https://a", "https://b"), path, path, True),
    )
    line = order.as_line()
    assert line.count("\n") == 1
    assert Order.of(json.loads(line)) == order


def test_it_looks_like_one_service_from_outside(two: Served) -> None:
    assert two.told["workers"] == 2
    assert len(workers_of(two.pid)) == 2
    commands = Commands(Path(two.told["data"]))
    assert commands("tables", "--json").ok().json == []


def test_one_page_has_the_metrics_of_all_workers(two: Served) -> None:
    with urlopen(two.told["metrics"], timeout=SECONDS) as answer:
        seen = Samples(answer.read().decode())
    assert seen.labelled("worker_up") == {("1",): 1, ("2",): 1}
    assert seen.labelled("database_up") == {("1",): 1, ("2",): 1}
    method = "kartejo.v1.TableService/ListTables"
    counted = [
        seen("calls_total", method=method, reason="OK", worker=worker) for worker in ("1", "2")
    ]
    assert sum(counted) >= 1  # of the test before
    assert seen("processes", worker="1") == 2
    # Whichever worker an administrator comes to has the same page.
    token = Path(two.told["admin_token"]).read_text().strip()
    asked = Request(f"{two.told['web']}metrics", headers={"authorization": f"Bearer {token}"})
    for _ in range(8):
        with urlopen(asked, timeout=SECONDS) as answer:
            assert Samples(answer.read().decode()).labelled("worker_up") == {("1",): 1, ("2",): 1}


def test_no_other_service_comes_into_its_port(two: Served, alone: Commands) -> None:
    """Though several processes listen there: its own."""
    data = Path(two.told["data"])
    told = json.loads((data / "server.json").read_text())
    key = {"KARTEJO_MASTER_KEY_FILE": str(data.with_name(f"{data.name}-secrets") / "master.key")}
    where = ("--database", told["service_conninfo"], "--listen", two.address)
    serve = ("serve", "--checkpoint-seconds", "0", *where)
    for arguments in ((), ("--workers", "2")):
        reason, words = alone.fails(*serve, *arguments, **key)
        assert reason == "UNAVAILABLE"
        assert f"cannot listen on {two.address}: Address already in use\n" in words


def test_a_worker_that_cannot_start_ends_the_service_with_its_reason(
    alone: Commands, tmp_path: Path
) -> None:
    for name in ("chain.pem", "key.pem"):
        (tmp_path / name).write_text("no PEM at all\n")
    tls = ("--tls-cert", str(tmp_path / "chain.pem"), "--tls-key", str(tmp_path / "key.pem"))
    listen = ("--listen", "127.0.0.1:0", "--temporary-data")
    reason, told = alone.fails("serve", "--workers", "2", "--no-web", *listen, *tls)
    assert reason == "UNAVAILABLE"
    assert "cannot listen on 127.0.0.1:" in told
    reason, told = alone.fails("serve", "--workers", "2", *listen, *tls)
    assert (reason, "tls: cannot use the certificate" in told) == ("MALFORMED", True)


def test_whatever_becomes_of_one_worker_nothing_acknowledged_is_lost(two: Served) -> None:
    """Killed, stopped for good, drained: each is replaced, callers and watchers go elsewhere.

    Every request has one effect and one answer, every watcher sees every version once.
    """

    async def scenario() -> None:
        async with callers(two) as clients:
            books = await open_books(clients)
            watchers = [Watcher(clients[n - 1], book.table) for n, book in enumerate(books)]
            working = [asyncio.ensure_future(insisting(book)) for book in books]
            following = [asyncio.ensure_future(watcher.follow()) for watcher in watchers]
            for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM):
                await Books.answered(books, 40, working)
                before = workers_of(two.pid)
                hurt = sum(watcher.broken for watcher in watchers)
                os.kill(oldest(before), number)
                await until(lambda old=before: len(workers_of(two.pid) - old) == 1)
                await until(lambda old=hurt: sum(each.broken for each in watchers) > old)
            await Books.answered(books, 40, working)
            await ended(working)
            await asyncio.gather(
                *(check(book, who) for book, who in zip(books, watchers, strict=True))
            )
            await ended(following)

    run(scenario(), 100)


async def check(book: Books, watcher: Watcher) -> None:
    """What was told is stored, once; a repeat says the same; the watcher has seen all of it."""
    stored = await patiently(book.stored)
    assert len(book.answers) > 5
    for amount, answer in book.answers.items():
        assert stored[amount] == answer.events[0].version
    for amount in book.asked[-5:]:
        again = await patiently(partial(book.once, amount))
        known = book.answers.setdefault(amount, again)
        assert again.events == known.events
        assert again.state.version == known.state.version
    assert sorted(await patiently(book.stored)) == sorted(book.asked)
    state = (await patiently(partial(book.client.get, book.table))).state
    assert state.view.royal_flush.chips == 1 + sum(book.asked)
    await until(lambda: len(watcher.seen) >= state.version)
    assert watcher.seen == list(range(1, state.version + 1))


async def ended(tasks: Sequence[asyncio.Future[None]]) -> None:
    """Cancel tasks that run without end; raises what one of them has failed with."""
    for task in tasks:
        task.cancel()
    for outcome in await asyncio.gather(*tasks, return_exceptions=True):
        assert isinstance(outcome, asyncio.CancelledError), outcome


async def open_books(clients: Sequence[Client]) -> list[Books]:
    """A table for each caller."""
    found = []
    for number, client in enumerate(clients):
        made = await client.create("royal_flush", request_id=f"table {number}")
        await client.act(made.table.table_id, 0, TakeSeat("", 1), request_id="sit")
        found.append(Books(client, made.table.table_id, 1000 * number + 1))
    return found


async def insisting(book: Books) -> None:
    while True:
        await book.one_more()


async def patiently(ask: Callable[[], Awaitable[Any]]) -> Any:
    """Ask again while the worker that was asked ends."""
    while True:
        try:
            return await ask()
        except grpc.aio.AioRpcError as error:
            if error.code() not in AGAIN:
                raise
            await asyncio.sleep(0.05)


def test_workers_end_with_the_process_that_keeps_them(two: Served) -> None:
    """kill -9 of it: no worker goes on without its database, and the port is free.

    Then a line of the log tells of each worker by its number; SIGTERM ends all with code 0.
    """
    pids = workers_of(two.pid)
    assert len(pids) == 2
    two.kill()
    run(until(lambda: not any(command_of(pid) for pid in pids)))
    again = Served(Path(two.told["data"]), "--workers", "2", "--listen", two.address)
    assert again.address == two.address
    killed, other = workers_of(again.pid)
    os.kill(killed, signal.SIGKILL)
    run(until(lambda: len(workers_of(again.pid) - {killed, other}) == 1))
    lines = [json.loads(line) for line in again.stop().splitlines()]
    (ended,) = [line for line in lines if line["event"] == "worker_ended"]
    assert ended["exit_code"] == -signal.SIGKILL
    assert {line["worker"] for line in lines if "worker" in line} == {1, 2}
    assert sum(line["event"] == "worker_serves" for line in lines) >= 2
    assert not any(command_of(pid) for pid in (killed, other))
