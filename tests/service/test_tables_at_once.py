"""A field in flights, on a service: whatever dies in between, nobody is left out, nothing is told
too early."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from engine.tournament.formats import format_of
from engine.tournament.state import Phase, TableStatus
from service.tournaments.live import LiveTournament
from service.verify import verify
from tests.audit.looking import audited
from tests.audit.played import whole_log
from tests.service.harness import Running, run, running
from tests.service.test_clocks import until
from tests.service.test_tournament_games import CHOICE, PONTOON, _orders, played
from tests.service.tournament import Dropped, Event
from tests.verify.forging import exported

MOST = 2
PLAYERS = 5
LIMIT = ("tables_at_once", str(MOST))
FLIGHTS = CHOICE._replace(settings=(*CHOICE.settings, LIMIT))


def has_closed(count: int) -> Any:
    def closed(live: LiveTournament) -> bool:
        tables = live.now.state.tables
        return sum(table.status is TableStatus.DONE for table in tables) >= count

    return closed


def test_a_choice_in_flights(dsn: str, monkeypatch: Any) -> None:
    """Two tables at a time for five players, killed after the first of them are closed.

    The packs of a game are told when all have played them, before those of the next are.
    """

    async def scenario() -> tuple[Any, list[UUID], list[int]]:
        async with Dropped(dsn) as service:
            event = await Event.create(service, PLAYERS, FLIGHTS)
            await event.start()
            live = await event.play(has_closed(MOST))
            assert live.now.state.standing.bit_count() <= MOST
            assert format_of(FLIGHTS).deals_later(live.now.state, "game 1")
            closed = [
                live.streams[number]
                for number in live.packs["game 1"]
                if live.now.state.tables[number].status is TableStatus.DONE
            ]
            assert len(closed) >= MOST
            for stream in closed:
                table = await service.server.host.tables.get(stream)
                assert not told(table), "nobody is told what others are still to play"
        async with running(dsn) as service:
            event = await event.again(service)
            live = await event.play(lambda live: bool(live.packs.get("game 2")))
            first = [live.streams[number] for number in live.packs["game 1"]]
            assert len(first) == PLAYERS
            await until(lambda: _all_told(service, first))
            live = await event.play()
            await until(lambda: _all_told(service, live.streams.values()))
            return live.now.state, [*live.streams.values()], await event.balances()

    state, streams, balances = run(scenario())
    assert state.phase is Phase.FINISHED
    assert state.deals == len(streams) == 2 * PLAYERS
    assert sum(balances) == PLAYERS * 1000
    assert audited(dsn, monkeypatch).result.findings == []
    log = run(whole_log(dsn))
    orders = [_orders(log, stream) for stream in streams]
    assert len({tuple(each) for each in orders[:PLAYERS]}) == 1, "the same packs for all"
    assert len({tuple(each) for each in orders[PLAYERS:]}) == 1
    assert orders[0] != orders[-1]
    honest = verify(exported(log))
    assert honest.findings == []
    assert honest.counts["tables with the packs of others"] == 2 * PLAYERS


def told(table: Any) -> bool:
    """Whether what a table dealt may be told."""
    return bool(table.table.house.released)


async def _all_told(service: Running, streams: Any) -> bool:
    tables = [await service.server.host.tables.get(stream) for stream in streams]
    return all(told(table) for table in tables)


def test_pontoon_in_flights(dsn: str, monkeypatch: Any) -> None:
    """Three tables in the first round, one at a time, against the bank of the house."""
    structure = PONTOON._replace(settings=(("deals", "1"), ("tables_at_once", "1")))
    state, balances = run(played(dsn, structure, 7))
    assert state.phase is Phase.FINISHED
    assert len(state.tables) == 4
    assert sum(balances) == 7 * 1000
    assert audited(dsn, monkeypatch).result.findings == []
