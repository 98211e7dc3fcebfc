"""Bots for browsers: who may ask for them, where they sit, and that they go and come back."""

from __future__ import annotations

import pytest

from engine.actions import TakeSeat
from service.web import company
from service.web.settings import WebSettings
from tests.service.harness import Running, run, running
from tests.service.test_clocks import until
from tests.web.http import Answer, post, scene, told

PALACE = {"max_seats": "4"}


async def ask(service: Running, table: str, caller: str | None = "ann", **more: object) -> Answer:
    token = None if caller is None else service.token(caller)
    return await post(service, "/bots", {"table": table, **more}, token)


async def opened(service: Running, **fields: object) -> str:
    made = await service.client("ann").create("palace_poker", options=PALACE, **fields)
    return str(made.table.table_id)


async def seated(service: Running, table: str) -> list[int]:
    return [seat.seat for seat in (await service.client("ann").get(table)).table.seats]


def test_bots_sit_down_and_play(dsn):
    """As many as are wished for in all, at free seats; asking again seats nobody twice."""

    async def play(service: Running) -> None:
        table = await opened(service, house_options={"auto_start": "true"})
        await service.client("ann").act(table, 1, TakeSeat("", 1_000))
        for _ in range(2):
            answer = await ask(service, table, bots=2, ponderMs=0)
            assert (answer.status, answer.json) == (200, {"seats": [0, 2]})
        assert await seated(service, table) == [0, 1, 2]
        assert (await ask(service, table, bots=1)).json == {"seats": [0, 2]}, "nobody is sent away"
        assert (await ask(service, table)).status == 200, "to ask who is there is enough"

        async def deals() -> bool:
            return bool((await service.client("ann").get(table)).table.hand)

        await until(deals)

    scene(dsn, play)


def test_who_may_ask(dsn):
    """The host, and who sits there; nobody else, and nobody without a token."""

    async def play(service: Running) -> None:
        table = await opened(service)
        denied = await ask(service, table, "eve", bots=1)
        assert (denied.status, denied.json["code"]) == (403, "permission_denied")
        nobody = await ask(service, table, None, bots=1)
        assert (nobody.status, nobody.json["code"]) == (401, "unauthenticated")
        assert await seated(service, table) == []
        await service.client("eve").act(table, 3, TakeSeat("", 1_000))
        assert (await ask(service, table, "eve", bots=1)).json == {"seats": [0]}

    scene(dsn, play)


def test_what_cannot_be_asked(dsn):
    """Each with its reason and its field; nobody sits down."""

    async def play(service: Running) -> None:
        table = await opened(service)
        account = await opened(service, house_options={"purse": "account"})
        token = service.token("ann")
        cases: list[tuple[object, str, str]] = [
            ({"table": table, "bots": 5}, "NO_ROOM", ""),
            ({"table": account, "bots": 1}, "BOTS_HAVE_NO_ACCOUNT", ""),
            ({"table": "nowhere", "bots": 1}, "NOT_FOUND", ""),
            ({"bots": 1}, "MALFORMED", "table"),
            ({"table": 7}, "MALFORMED", "table"),
            ({"table": "\ud800"}, "MALFORMED", "table"),
            ({"table": table, "\ud800": 1}, "MALFORMED", "request"),
            ({"table": table, "bots": 10}, "MALFORMED", "bots"),
            ({"table": table, "bots": -1}, "MALFORMED", "bots"),
            ({"table": table, "bots": True}, "MALFORMED", "bots"),
            ({"table": table, "bots": 1.5}, "MALFORMED", "bots"),
            ({"table": table, "ponderMs": 5001}, "MALFORMED", "ponderMs"),
            ({"table": table, "bot": 1}, "MALFORMED", "bot"),
        ]
        for body, reason, field in cases:
            answer = await post(service, "/bots", body, token)
            assert answer.status == 400, body
            assert told(answer.json)[1:3] == (reason, field), (body, answer.json)
        assert await seated(service, table) == []

    scene(dsn, play)


def test_there_are_so_many_at_most(dsn, monkeypatch):
    """Those beyond what one service runs are refused with a limit's status."""
    monkeypatch.setattr(company, "MOST", 2)

    async def play(service: Running) -> None:
        answer = await ask(service, await opened(service), bots=3)
        assert told(answer.json)[:2] == ("resource_exhausted", "RESOURCE_EXHAUSTED")
        assert "2 bots play here already" in answer.json["message"]

    scene(dsn, play)


def test_bots_go_when_nobody_asks_and_come_back_to_their_seats(dsn, monkeypatch):
    """They do not play on for nobody; their seats stay theirs, and they take part again."""

    async def play(service: Running) -> None:
        table = await opened(service)
        monkeypatch.setattr(company, "STAY_SECONDS", 0.0)
        assert (await ask(service, table, bots=2)).status == 200
        assert service.web is not None
        bots = service.web._company
        assert bots is not None

        async def gone() -> bool:
            return not bots._bots

        await until(gone)
        assert await seated(service, table) == [0, 1]
        monkeypatch.setattr(company, "STAY_SECONDS", 60.0)
        assert (await ask(service, table)).json == {"seats": [0, 1]}

    scene(dsn, play)


@pytest.mark.parametrize("settings", [WebSettings("127.0.0.1:0", shared=True)])
def test_there_are_none_where_others_serve_too(dsn, settings):
    """Several processes would not know of each other's bots."""

    async def play() -> None:
        async with running(dsn, web=settings) as service:
            answer = await ask(service, await opened(service), bots=1)
            assert told(answer.json)[:2] == ("permission_denied", "PERMISSION_DENIED")

    run(play())
