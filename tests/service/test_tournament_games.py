"""Small tournaments of the games in which points or wins are counted, not chips."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID

import grpc

from engine.actions import ContributeEntropy
from engine.events import DeckShuffled, EpochOpened, PacksShared
from engine.games.pontoon.events import DealStarted
from engine.tournament.formats import format_of
from engine.tournament.state import Phase
from engine.tournament.structure import Structure
from service.identity import Role
from service.verify import verify
from tests.audit.forging import Forger
from tests.audit.looking import BLIND, audited, looked_at
from tests.audit.played import whole_log
from tests.service.harness import Running, failing, run, running
from tests.service.test_clocks import until
from tests.service.tournament import Event
from tests.verify.forging import exported

CASINO = Structure(
    name="Casino night",
    game="royal_casino",
    format="knock_out",
    table_size=2,
    buy_in=50,
    options=(("max_deals", "1"),),
)
SERIES = Structure(
    name="Patience",
    game="royal_flush",
    format="series",
    table_size=1,
    buy_in=10,
    fee=1,
    settings=(("games", "3"),),
)
ROTATING = Structure(
    name="Twenty-one",
    game="pontoon",
    format="rounds",
    table_size=3,
    stack=5_000,
    buy_in=20,
    options=(("shoot", "true"),),
    settings=(("bank", "rotating"), ("deals", "2")),
)
CHOICE = Structure(
    name="Prophets",
    game="royal_flush",
    format="choice",
    table_size=1,
    buy_in=10,
    settings=(
        ("games", "2"),
        ("commit_seconds", "1"),
        ("choice.any", "points=2553241 target_mode=royal_flush"),
        ("choice.ace", "points=1000000 target_mode=named_cards named_cards=As"),
    ),
)


async def played(dsn: str, structure: Structure, players: int) -> tuple[Any, list[int]]:
    """A tournament to its end, and what is on the accounts then."""
    async with running(dsn) as service:
        event = await Event.create(service, players, structure)
        await event.start()
        live = await event.play()
        return live.now.state, await event.balances()


def test_royal_casino_is_knocked_out(dsn: str, monkeypatch: Any) -> None:
    """Three in, one of them with a bye: matches at tables of their own, scored by the game."""
    state, balances = run(played(dsn, CASINO, 3))
    assert state.phase is Phase.FINISHED
    rows = list(format_of(state.structure).standings(state))
    assert [row.place for row in rows] == [1, 2, 3]
    assert sum(balances) == 3 * 1000
    report = audited(dsn, monkeypatch)
    assert report.result.findings == []
    assert report.result.count.in_tournaments == 0


def test_a_series_of_royal_flush(dsn: str, monkeypatch: Any) -> None:
    """Everybody at a table of his own, three games each: most wins, then fewest cards left."""
    state, balances = run(played(dsn, SERIES, 3))
    assert state.phase is Phase.FINISHED
    assert state.deals == 9
    assert sum(balances) == 3 * (1000 - 1)
    assert audited(dsn, monkeypatch).result.findings == []


DUPLICATE = CASINO._replace(settings=(("duplicate", "true"),))


def test_duplicate_tables_deal_the_same_packs(dsn: str, monkeypatch: Any) -> None:
    """Two tables, the same cards; nobody else may look before both have played them."""

    async def scenario() -> tuple[Any, list[Any]]:
        async with running(dsn) as service:
            event = await Event.create(service, 4, DUPLICATE)
            await event.start()
            live = await event.live()
            await until(lambda: _are_open(service, live, 2))
            first, second = (live.streams[number] for number in (0, 1))
            seats = (await _as_auditor(service, first)).table.seats
            player = event.clients[event.ids[seats[0].player]]
            assert (await player.get(str(first))).table.table_id == str(first)
            for call in (player.get(str(second)), service.client("fan").get(str(first))):
                assert (await failing(call)).code is grpc.StatusCode.PERMISSION_DENIED
            entropy = ContributeEntropy(2, b"mine")
            closed = await failing(player.act(str(first), seats[0].seat, entropy))
            assert closed.reason == "ENTROPY_CLOSED"
            live = await event.play()
            seen = (await service.client("fan").get(str(first))).table
            assert seen.closed
            return live.now.state, [*live.streams.values()]

    state, streams = run(scenario())
    assert state.phase is Phase.FINISHED
    report = audited(dsn, monkeypatch)
    assert report.result.findings == []
    log = run(whole_log(dsn))
    orders = [_orders(log, stream) for stream in streams]
    assert orders[0] == orders[1]
    assert len(orders[0]) > 0
    assert orders[2] != orders[0]
    honest = verify(exported(log))
    assert honest.findings == []
    assert honest.counts["tables with the packs of others"] == len(streams)
    assert looked_at(log, tools=BLIND).count.sealed == 0
    _other_packs_are_found(log, streams[0])


def _other_packs_are_found(log: Any, stream: Any) -> None:
    """Whoever deals one table packs of his own choice cannot have them from the tournament."""
    forger = Forger(log)
    first = next(one for one in log if one.stream == stream)
    for place, event in enumerate(forger.events(first)):
        match event:
            case PacksShared():
                other: Any = PacksShared(str(UUID(int=1)))
            case EpochOpened():
                other = replace(event, commitment=b"c" * 32)
            case _:
                continue
        forged = forger.with_event(first, place, other)
        findings = looked_at(forged).findings
        assert "packs" in {one.check for one in findings if one.stream != stream}
        told = [one.what for one in verify(exported(forged)).findings]
        assert any(f"table {stream} does not deal" in what for what in told)


async def _are_open(service: Running, live: Any, count: int) -> bool:
    tables = [service.server.host.tables.peek(stream) for stream in live.streams.values()]
    return sum(table is not None and table.awaited is not None for table in tables) >= count


async def _as_auditor(service: Running, stream: Any) -> Any:
    return await service.client("auditor", Role.AUDITOR).get(str(stream))


def _orders(log: Any, stream: Any) -> list[tuple[int, ...]]:
    """The orders of all shuffles of a table."""
    forger = Forger(log)
    events = [event for one in log if one.stream == stream for event in forger.events(one)]
    return [event.order.value for event in events if isinstance(event, DeckShuffled)]


PONTOON = Structure(
    name="Twenty-one",
    game="pontoon",
    format="rounds",
    table_size=4,
    stack=100,
    buy_in=20,
    settings=(("deals", "3"),),
)


def test_pontoon_against_the_bank_of_the_house(dsn: str, monkeypatch: Any) -> None:
    """Who banks has no choice: the house deals, draws, stays as is published."""
    state, balances = run(played(dsn, PONTOON, 5))
    assert state.phase is Phase.FINISHED
    assert sum(balances) == 5 * 1000
    assert audited(dsn, monkeypatch).result.findings == []
    log = run(whole_log(dsn))
    assert verify(exported(log)).findings == []
    assert not any(one.seat >= 0 and one.actor is None for one in log), "it needs no commit"


def test_shoot_pontoon_with_a_bank_that_rotates(dsn: str, monkeypatch: Any) -> None:
    """Three at a table, six deals: each banks twice who does not lose all before."""
    state, balances = run(played(dsn, ROTATING, 3))
    assert state.phase is Phase.FINISHED
    assert sum(balances) == 3 * 1000
    assert audited(dsn, monkeypatch).result.findings == []
    log = run(whole_log(dsn))
    deals = _deals(log)
    bankers = [deal.banker for deal in deals]
    for before, deal in zip(bankers, deals[1:], strict=False):
        left = sorted({deal.banker, *deal.punters})
        assert deal.banker == next((seat for seat in left if seat > before), left[0])
    if len(deals[-1].punters) == 2:
        assert bankers == [0, 1, 2, 0, 1, 2]
    assert verify(exported(log)).findings == []


def test_against_the_house_the_first_bet_goes_round(dsn: str) -> None:
    state, _ = run(played(dsn, PONTOON._replace(stack=5_000), 3))
    assert state.phase is Phase.FINISHED
    deals = _deals(run(whole_log(dsn)))
    assert [deal.punters for deal in deals] == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    assert {deal.banker for deal in deals} == {3}


def _deals(log: Any) -> list[DealStarted]:
    """How all deals of Pontoon began, in their order."""
    forger = Forger(log)
    events = [event for one in log for event in forger.events(one)]
    return [event for event in events if isinstance(event, DealStarted)]


def test_royal_flush_by_choice(dsn: str, monkeypatch: Any) -> None:
    """Two deals, with a second between them to commit anew."""
    state, balances = run(played(dsn, CHOICE, 3))
    assert state.phase is Phase.FINISHED
    assert state.deals == 6
    assert sum(balances) == 3 * 1000
    assert audited(dsn, monkeypatch).result.findings == []
