"""Bots at real tables: over Play streams and unary calls, with tokens of one seat each."""

from __future__ import annotations

import asyncio

import pytest

from engine.actions import LeaveSeat
from engine.errors import Unknown
from engine.games import GAMES
from engine.games.palace_poker.actions import Stay
from service.bots import PlayLine, SeatRunner, UnaryLine, bot_of
from service.bots.line import Line
from service.client import Client, Endpoint
from service.identity import Role
from service.pb import table_service_pb2 as pb
from tests.service.harness import Client as Caller
from tests.service.harness import Running, failing, run, running

PALACE = GAMES["palace_poker"]
LINES = {"play": PlayLine, "unary": UnaryLine}


def runner(
    service: Running,
    line: type[Line],
    table: str,
    seat: int,
    *,
    name: str = "sensible",
    chips: int = 400,
    rebuy: int = 0,
    entropy: bool = False,
) -> SeatRunner:
    token = service.token(f"bot {seat}", Role.PLAYER, table=table, seat=seat)
    client = Client(Endpoint.parse(service.address), token, patience=5.0)
    bot = bot_of(PALACE, name, seat)
    return SeatRunner(line(client, table), seat, bot, chips=chips, rebuy=rebuy, entropy=entropy)


async def hands_played(host: Caller, table: str, count: int) -> None:
    """Until a hand after ``count`` others is over; the host starts each."""
    state = (await host.get(table)).state
    while True:
        view = state.view.palace_poker
        if not state.decision.hand and view.hand_no >= count:
            return
        if not state.decision.hand:
            state = (await host.start(table)).state
        await host.watched(table, state.version, state.version + 1)
        state = (await host.get(table)).state


@pytest.mark.parametrize("line", ["play", pytest.param("unary", marks=pytest.mark.long)])
def test_six_bots_play_some_hands(dsn, line):
    """Nothing refused, nothing too late, and every runner ends when the table closes."""

    async def scenario():
        async with running(dsn) as service:
            host = service.client("host")
            made = await host.create("palace_poker", options={"max_seats": "6"})
            table = made.table.table_id
            names = ["sensible", "random"] * 3
            bots = [
                runner(service, LINES[line], table, seat, name=names[seat], rebuy=400)
                for seat in range(6)
            ]
            playing = [asyncio.create_task(bot.run()) for bot in bots]
            await asyncio.gather(*(bot.seated.wait() for bot in bots))
            await hands_played(host, table, 4)
            await close(host, table)
            tallies = await asyncio.gather(*playing)
            assert sum(tally.actions for tally in tallies) > 40
            assert all(tally.stale == 0 for tally in tallies)
            assert all(tally.refused == 0 for tally in tallies)

    run(scenario())


def test_bots_add_entropy_before_each_hand(dsn):
    """Two of them do, and one does not: every hand has what two seats contributed, at most."""

    async def scenario():
        async with running(dsn) as service:
            host = service.client("host")
            made = await host.create("palace_poker", options={"max_seats": "3"})
            table = made.table.table_id
            bots = [
                runner(service, PlayLine, table, seat, entropy=seat > 0, rebuy=400)
                for seat in range(3)
            ]
            playing = [asyncio.create_task(bot.run()) for bot in bots]
            await asyncio.gather(*(bot.seated.wait() for bot in bots))
            while list((await host.get(table)).table.epoch.contributed) not in ([1, 2], [2, 1]):
                state = (await host.get(table)).state
                await host.watched(table, state.version, state.version)
            await hands_played(host, table, 2)
            await close(host, table)
            await asyncio.gather(*playing)
            values = [
                event.event.house.entropy_contributed
                for message in await host.watched(table)
                for event in message.events
                if event.event.house.HasField("entropy_contributed")
            ]
            assert len({each.value for each in values}) == len(values) >= 2
            assert {len(each.value) for each in values} == {32}
            assert {each.seat for each in values} == {1, 2}

    run(scenario())


async def close(host: Caller, table: str) -> None:
    request = pb.CloseTableRequest(request_id="close", table_id=table)
    await host.call(host.tables.CloseTable, request)


@pytest.mark.parametrize("line", LINES)
def test_who_is_too_late_looks_again(dsn, line):
    """Somebody else acted with the bot's seat: its own answer is stale, and it plays on."""

    async def scenario():
        async with running(dsn) as service:
            host = service.client("host")
            made = await host.create("palace_poker", options={"max_seats": "2"})
            table = made.table.table_id
            bots = [runner(service, LINES[line], table, seat) for seat in (0, 1)]
            bot = bots[0]
            pressed = asyncio.Event()

            class Twin(type(bot._line)):
                """The same player at another keyboard, who is faster once."""

                async def submit(self, request):
                    if request.HasField("decision") and not pressed.is_set():
                        twin = service.client("bot 0", Role.PLAYER)
                        now = (await twin.get(table)).state
                        if "phase TURN" in now.text:  # the cards may begin with a battle
                            pressed.set()
                            await twin.act(table, 0, Stay(), now)
                    return await super().submit(request)

            bot._line = Twin(bot._line.client, table)
            playing = [asyncio.create_task(each.run()) for each in bots]
            await asyncio.gather(*(each.seated.wait() for each in bots))
            await hands_played(host, table, 2)
            await close(host, table)
            tally, _ = await asyncio.gather(*playing)
            assert tally.stale == 1

    run(scenario())


@pytest.mark.parametrize("line", LINES)
def test_a_bot_ends_where_its_seat_ends(dsn, line):
    """Given up by the same player elsewhere; and at a table that is none, at once."""

    async def scenario():
        async with running(dsn) as service:
            host = service.client("host")
            made = await host.create("palace_poker")
            table = made.table.table_id
            bot = runner(service, LINES[line], table, 3)
            playing = asyncio.create_task(bot.run())
            await bot.seated.wait()
            await service.client("bot 3").act(table, 3, LeaveSeat())
            assert (await playing).actions == 0
            nowhere = runner(service, LINES[line], "01890000-0000-7000-8000-000000000000", 3)
            with pytest.raises(Unknown):
                await nowhere.run()

    run(scenario())


def test_a_bots_token_is_good_for_its_seat_only(dsn):
    """It cannot sit elsewhere, nor act for another seat."""

    async def scenario():
        async with running(dsn) as service:
            host = service.client("host")
            table = (await host.create("palace_poker")).table.table_id
            other = (await host.create("palace_poker")).table.table_id
            bot = service.client("bot", Role.PLAYER, table=table, seat=2)
            for where, seat in ((table, 1), (other, 2)):
                failure = await failing(bot.act(where, seat, Stay()))
                assert failure.reason == "NOT_FOUND"

    run(scenario())


@pytest.mark.parametrize("line", ["play", pytest.param("unary", marks=pytest.mark.long)])
def test_a_service_that_restarts_is_found_again(dsn, line):
    """The streams end, the bots wait, and the hand goes on where it was."""

    async def scenario():
        async with running(dsn) as first:
            host = first.client("host")
            made = await host.create("palace_poker", options={"max_seats": "2"})
            table = made.table.table_id
            bots = [runner(first, LINES[line], table, seat) for seat in (0, 1)]
            playing = [asyncio.create_task(bot.run()) for bot in bots]
            await asyncio.gather(*(bot.seated.wait() for bot in bots))
            await hands_played(host, table, 1)
            address, ring = first.address, first.tokens
        async with running(dsn, listen=address, tokens=ring) as second:
            host = second.client("host")
            await hands_played(host, table, 3)
            await close(host, table)
            for tally in await asyncio.gather(*playing):
                assert tally.refused == 0

    run(scenario())
