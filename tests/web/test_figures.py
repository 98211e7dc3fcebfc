"""What the service counts, over HTTP: for administrators, and nobody else."""

from __future__ import annotations

import pytest
from structlog.testing import capture_logs

from service.identity import Role
from service.metrics import Observer
from service.telemetry import Tally
from service.web.door import WebDoor
from service.web.settings import WebSettings
from tests.service.harness import Running, run, running
from tests.service.scraping import Samples
from tests.web.http import Answer, Line, scene, told


async def figures(service: Running, token: str | None, method: str = "GET") -> Answer:
    async with Line.to(service) as line:
        line.ask(method, "/metrics", authorization=f"Bearer {token}" if token else "")
        return await line.answer()


@pytest.fixture
def watched(dsn):
    """Plays a scene with a service whose figures are shown once ``look`` was called."""

    def play(work):
        async def scene_of(service: Running) -> None:
            async with Observer(service.world, None, Tally("event", "level")) as observer:
                door = WebDoor(service.server, WebSettings("127.0.0.1:0"), observer.show)
                service.web = await service.server.beside.enter_async_context(door)
                await work(service, lambda: observer.look_at(service.server))

        scene(dsn, scene_of)

    return play


def test_an_administrator_reads_what_is_counted(watched):
    """The same page as --metrics shows; nobody keeps a copy of it."""

    async def play(service: Running, look) -> None:
        admin = service.token("boss", Role.ADMIN)
        early = await figures(service, admin)
        assert (early.status, told(early.json).message) == (503, "the service is starting")
        look()
        client = service.client("ann")
        await client.create("royal_flush")
        answer = await figures(service, admin)
        assert answer.status == 200
        assert answer.headers["content-type"].startswith("text/plain")
        assert answer.headers["cache-control"] == "no-store"
        samples = Samples(answer.body.decode())
        method = "kartejo.v1.TableService/CreateTable"
        assert samples("calls_total", method=method, reason="OK") == 1
        assert samples("tables") == 1
        assert samples("database_up") == 1

    watched(play)


def test_nobody_else_learns_anything(watched):
    """Not without a token, nor as anybody who plays, hosts or audits, nor with another method."""

    async def play(service: Running, look) -> None:
        look()
        table = (await service.client("ann").create("royal_flush")).table.table_id
        refusals = {
            None: (401, "TOKEN_MISSING"),
            "no token": (401, "TOKEN_MALFORMED"),
            service.token("ann"): (403, "PERMISSION_DENIED"),
            service.token("ann", Role.HOST, Role.AUDITOR): (403, "PERMISSION_DENIED"),
            service.token("ann", Role.PLAYER, table=table): (403, "PERMISSION_DENIED"),
        }
        for token, expected in refusals.items():
            answer = await figures(service, token)
            assert (answer.status, told(answer.json).reason) == expected
            assert b"kartejo_" not in answer.body
        admin = service.token("boss", Role.ADMIN)
        for method, status in (("POST", 404), ("PUT", 404)):
            assert (await figures(service, admin, method)).status == status
        async with Line.to(service) as line:
            line.ask(
                "GET", "/metrics", authorization=f"Bearer {admin}", origin="https://evil.example"
            )
            assert (await line.answer()).status == 403

    watched(play)


def test_where_nothing_is_counted_that_is_said(dsn):
    async def play(service: Running) -> None:
        answer = await figures(service, service.token("boss", Role.ADMIN))
        assert (answer.status, told(answer.json).message) == (403, "nothing is counted here")

    scene(dsn, play)


def test_a_fault_of_ours_is_answered_as_one(dsn):
    """In our form, without a word of what it was; the log has it, and the connection goes on."""

    async def broken(accept: str) -> tuple[bytes, str]:
        raise ValueError(f"the secret {accept}")

    async def play() -> None:
        async with running(dsn) as service:
            door = WebDoor(service.server, WebSettings("127.0.0.1:0"), broken)
            service.web = await service.server.beside.enter_async_context(door)
            admin = service.token("boss", Role.ADMIN)
            async with Line.to(service) as line:
                for _ in range(2):
                    line.ask("GET", "/metrics", authorization=f"Bearer {admin}", accept="is 4711")
                    answer = await line.answer()
                    assert (answer.status, told(answer.json).reason) == (500, "INTERNAL")
                    assert b"4711" not in answer.body
                    assert answer.headers["x-content-type-options"] == "nosniff"

    with capture_logs() as lines:
        run(play())
    assert [line["error"] for line in lines if line["event"] == "call_failed"] == ["ValueError"] * 2
    assert "4711" not in str(lines)
