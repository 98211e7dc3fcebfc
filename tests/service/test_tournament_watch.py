"""WatchTournament: an onlooker hears of everything, a player of his own way."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

from service.identity import Role
from tests.service.harness import Client, run, running
from tests.service.tournament import Event
from tests.service.tournament_desk import FINISHED, ask, create, listed, look, rich, watch


def test_followed_to_the_payout(dsn: str) -> None:
    """One stream of a player leads him from table to table; an onlooker's has every event."""

    async def scenario() -> None:
        async with running(dsn) as service:
            event = await Event.create(service, 7)
            id_ = str(event.stream)
            ways = [asyncio.create_task(_way(event.clients[n], id_)) for n in range(7)]
            whole = asyncio.create_task(_whole(event.clients[0], id_))
            host = service.client("host", Role.HOST)
            await ask(host, "StartTournament", id_, "start")
            live = await event.play()
            state = live.now.state
            told = await look(host, "GetTournament", id_)
            assert told.tournament.state.phase == FINISHED
            messages = await whole
            versions = [news.version for message in messages for news in message.news]
            assert versions == list(range(1, versions[-1] + 1))
            # Going on from any message, nothing comes twice and nothing is left out.
            middle = messages[len(messages) // 2].version
            rest = await _whole(event.clients[1], id_, middle, versions[-1])
            again = [news.version for message in rest for news in message.news]
            assert again == versions[versions.index(middle) + 1 :]
            tables = (await look(host, "ListTournamentTables", id_, include_closed=True)).tables
            ids = {table.table_id for table in tables}
            assert len(ids) == 3
            moved = 0
            for number, way in enumerate(ways):
                stations = await way
                entry = state.entries[state.players.get(stations[-1].player)]
                seen = list(dict.fromkeys(one.table_id for one in stations if one.table_id))
                assert set(seen) <= ids
                assert len(seen) >= 1 + min(1, entry.moves)
                moved += len(seen) > 1
                assert stations[-1].place >= 1, number
            assert moved
            rows: list[Any] = []
            token = ""
            while True:
                page = await look(host, "GetStandings", id_, page_size=3, page_token=token)
                rows += page.standings
                token = page.next_page_token
                if not token:
                    break
            places = [row.place for row in rows]  # equals share one
            assert places == [1 + sum(one < place for one in places) for place in places]
            assert sum(row.prize for row in rows) == 700
            open_ = await look(host, "ListTournamentTables", id_)
            assert not open_.tables
            await listed(host, id_, FINISHED, entries=7)

    run(scenario())


async def _way(client: Client, tournament: str) -> list[Any]:
    """How a player stands, message by message, until he has his place."""
    found: list[Any] = []
    call = watch(client, tournament, mine=True)
    while not (found and found[-1].place and found[-1].status == 4):
        message = await call.read()
        assert message.live
        assert not message.news
        found.append(message.mine)
        if message.state.phase == FINISHED:
            break
    call.cancel()
    return found


async def _whole(client: Client, tournament: str, after: int = 0, until: int = 0) -> list[Any]:
    """All messages until it is over and paid."""
    found: list[Any] = []
    call = watch(client, tournament, after_version=after)
    while not (found and until and found[-1].version >= until):
        message = await call.read()
        found.append(message)
        names = [news.event.WhichOneof("event") for news in message.news]
        if not until and "tournament_finished" in names:
            break
    call.cancel()
    return found


def test_watches_outlive_what_stands_in_memory(dsn: str) -> None:
    """A tournament that is loaded anew goes on in the streams that followed the old one."""

    async def scenario() -> None:
        async with running(dsn) as service:
            host = service.client("host", Role.HOST)
            ann, bob = await rich(service, "ann", "bob")
            id_ = (await create(host)).tournament_id
            whole, way = watch(bob, id_), watch(ann, id_, mine=True)
            while not (await whole.read()).live:
                pass
            before = await way.read()
            assert not before.HasField("mine")
            tournaments = service.server.tournaments._tournaments
            old = tournaments.peek(UUID(id_))
            tournaments.forget(old)
            made = await ask(ann, "Register", id_)
            news = await whole.read()
            assert (news.version, news.live) == (made.version, True)
            assert news.news[0].event.entry_made.player == made.mine.player
            assert not news.HasField("mine")
            assert (await way.read()).mine.entry == 0
            # What concerns others only says nothing here; the next message is one's own.
            await ask(bob, "Register", id_)
            gone = await ask(ann, "Unregister", id_)
            told = await way.read()
            assert (told.mine, told.version) == (gone.mine, gone.version)
            assert not old.watchers
            assert not old.followers

    run(scenario())
