"""Bots in tournaments that are held from a browser: who may ask, where, and that they play."""

from __future__ import annotations

from typing import Any

from service.identity import Role
from tests.service.harness import Running
from tests.service.test_clocks import until
from tests.service.tournament import STRUCTURE
from tests.service.tournament_desk import FINISHED, create, look
from tests.service.tournament_desk import ask as call
from tests.web.http import Answer, post, scene, told

FREE = STRUCTURE._replace(
    game="royal_flush",
    format="series",
    table_size=1,
    stack=0,
    levels=(),
    buy_in=0,
    fee=0,
    options=(),
    settings=(("games", "1"),),
)


async def ask(service: Running, body: dict[str, object], caller: str | None = "ann") -> Answer:
    token = None if caller is None else service.token(caller, Role.HOST)
    return await post(service, "/bots", body, token)


async def held(service: Running, name: str, **facts: Any) -> str:
    """A tournament of ann's."""
    structure = FREE._replace(name=name, **facts)
    made = await create(service.client("ann", Role.HOST), structure, request_id=name)
    return str(made.tournament_id)


async def state(service: Running, tournament: str) -> Any:
    found = await look(service.client("ann"), "GetTournament", tournament)
    return found.tournament.state


def test_bots_enter_once_and_play_to_the_end(dsn):
    """As many as are wished for in all; asking again enters nobody twice."""

    async def play(service: Running) -> None:
        tournament = await held(service, "free")
        for bots, entries in ((2, 2), (3, 3), (1, 3), (0, 3)):
            answer = await ask(service, {"tournament": tournament, "bots": bots, "ponderMs": 0})
            assert (answer.status, answer.json) == (200, {"entries": entries})
        assert (await state(service, tournament)).entries == 3
        await call(service.client("ann", Role.HOST), "StartTournament", tournament)

        async def is_over() -> bool:
            return bool((await state(service, tournament)).phase == FINISHED)

        await until(is_over)

    scene(dsn, play)


def test_who_may_ask_and_where(dsn):
    """Its host only; no bots where an entry costs money, and no more than there are places."""

    async def play(service: Running) -> None:
        free = await held(service, "free")
        paid = await held(service, "paid", buy_in=5)
        small = await held(service, "small", max_entrants=2)
        assert (await ask(service, {"tournament": free, "bots": 1}, "eve")).status == 403
        assert (await ask(service, {"tournament": free, "bots": 1}, None)).status == 401
        answer = await ask(service, {"tournament": paid, "bots": 1})
        assert told(answer.json).reason == "BOTS_HAVE_NO_ACCOUNT"
        answer = await ask(service, {"tournament": small, "bots": 3})
        assert told(answer.json).reason == "TOURNAMENT_FULL"
        entries = [(await state(service, each)).entries for each in (free, paid, small)]
        assert entries == [0, 0, 2]

    scene(dsn, play)


def test_what_cannot_be_asked(dsn):
    """Each with its field; nobody enters."""

    async def play(service: Running) -> None:
        tournament = await held(service, "free")
        cases: list[tuple[dict[str, object], str]] = [
            ({"tournament": tournament, "bots": 37}, "bots"),
            ({"tournament": tournament, "bots": -1}, "bots"),
            ({"tournament": tournament, "bots": True}, "bots"),
            ({"tournament": tournament, "bots": 1, "ponderMs": 5001}, "ponderMs"),
            ({"tournament": tournament, "table": tournament}, "tournament"),
            ({"tournament": 7}, "tournament"),
            ({"tournament": tournament, "seats": 1}, "seats"),
        ]
        for body, field in cases:
            answer = await ask(service, body)
            assert told(answer.json)[1:3] == ("MALFORMED", field), (body, answer.json)
        assert (await ask(service, {"tournament": "nowhere", "bots": 1})).status == 400
        assert (await state(service, tournament)).entries == 0

    scene(dsn, play)
