"""A tournament of Palace Poker, run by the service from the first hand to the payout."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from psycopg.conninfo import make_conninfo

from engine.account import EntryPaid, PrizePaid
from engine.events import SeatTaken
from engine.house import Table, apply_all
from engine.tournament import events as e
from engine.tournament.formats import format_of
from engine.tournament.housed import Housed
from engine.tournament.state import Phase
from service.cli.auditing import lines
from service.identity import Role
from service.store.commit import Commit, StreamKind
from service.store.embedded import EmbeddedServer
from service.tournaments.registry import Tournaments
from service.vault import MasterKey
from service.verify import verify
from service.world import RealWorld
from tests.audit.forging import Forger
from tests.audit.looking import BLIND, TOOLS, audited, looked_at
from tests.audit.played import whole_log
from tests.pg import TEMPLATE, create
from tests.service.harness import CODEC, MASTER, Running, run, running
from tests.service.tournament import Dropped, Event
from tests.transparency.growing import KEY
from tests.transparency.serving import covered, signing
from tests.verify.conftest import complete
from tests.verify.forging import exported

PLAYERS = 8


class Played(NamedTuple):
    """A tournament that was played to its end."""

    dsn: str
    state: Any
    balances: list[int]
    log: Sequence[Commit]
    lines: list[bytes]


async def _played(dsn: str, folder: Path) -> Played:
    async with signing(dsn, folder) as service:
        event = await Event.create(service, PLAYERS)
        await event.start()
        live = await event.play()
        auditor = service.client("auditor", Role.AUDITOR)
        await covered(service, auditor)
        complete_lines = await complete(auditor)
        balances = await event.balances()
    return Played(dsn, live.now, balances, await whole_log(dsn), complete_lines)


@pytest.fixture(scope="module")
def played(pg: EmbeddedServer, tmp_path_factory: pytest.TempPathFactory) -> Played:
    """One for all that only look."""
    create(pg, "tournament", TEMPLATE)
    dsn = make_conninfo(pg.conninfo, dbname="tournament", user="kartejo_service")
    made: Played = run(_played(dsn, tmp_path_factory.mktemp("log")))
    return made


def standings(now: Housed) -> list[Any]:
    """Everybody, the best first."""
    return list(format_of(now.state.structure).standings(now.state))


def test_it_runs_to_the_payout(played: Played) -> None:
    """One has had all chips, prizes are on the accounts, and no chip is left anywhere."""
    state = played.state.state
    assert state.phase is Phase.FINISHED
    assert state.issued == state.removed == PLAYERS * 200
    assert (state.money.paid, state.money.fees) == (PLAYERS * 100, PLAYERS * 10)
    assert sum(played.balances) == PLAYERS * (1000 - 10)
    rows = standings(played.state)
    assert [row.place for row in rows] == sorted(row.place for row in rows)
    assert sum(row.prize for row in rows) == PLAYERS * 100
    assert rows[0].prize == max(row.prize for row in rows)


def test_tables_were_joined_and_players_moved(played: Played) -> None:
    """Three tables at first: what was played has all that this is about."""
    kinds = {type(event) for event in _events_of(played.log, StreamKind.TOURNAMENT)}
    assert {e.TableBroken, e.EntryMoved, e.EntryRemoved, e.LevelBegan, e.TableDone} <= kinds


def test_audits_are_green_with_a_key_and_without(played: Played, monkeypatch: Any) -> None:
    """Everything is decided again: chips and money add up over all streams."""
    report = audited(played.dsn, monkeypatch)
    assert report.result.findings == []
    count = report.result.count
    assert (count.tournaments, count.tables) == (1, 3)
    assert count.in_tournaments == count.tournament_money == PLAYERS * 10
    told = "\n".join(lines(report, 1))
    assert f", 1 tournament, {count.accesses}" in told
    assert f"at tables 0, in tournaments {PLAYERS * 10}\n" in told  # the fees
    blind = looked_at(played.log, tools=BLIND)
    assert blind.findings == []
    assert (blind.count.sealed, blind.count.decided) == (0, count.decided)


def test_exports_are_verified_offline(played: Played) -> None:
    report = verify(played.lines, KEY.verifier.told())
    assert report.findings == []
    of_tournament = [one for one in played.log if one.kind == StreamKind.TOURNAMENT]
    assert report.counts["tournaments"] == 1
    assert report.counts["commits of tournaments"] == len(of_tournament)
    assert report.counts["commits of epochs not told"] == 0


def test_the_standings_are_those_of_a_replay_of_the_streams(played: Played) -> None:
    """From what is stored alone: the tournament, and the stacks its tables say they had."""

    async def scenario():
        async with running(played.dsn) as service:
            fresh = Tournaments(service.store, CODEC, MasterKey(MASTER, RealWorld()))
            (stream,) = {one.stream for one in played.log if one.kind == StreamKind.TOURNAMENT}
            live = await fresh.get(stream)
            assert live.now.state == played.state.state
            assert standings(live.now) == standings(played.state)
            for table in live.streams.values():
                loaded = await service.server.host.tables.get(table)
                assert loaded.table.game.is_closed(loaded.table.state)
                assert loaded.table.game.players(loaded.table.state) == {}

    run(scenario())


FORGED = [
    (e.EntryOut, {"equal": 9}, "event"),
    (e.MoneyAwarded, {"amount": 1}, "event"),
    (e.TableDrawn, {"entries": (0, 0, 0)}, "event"),
    (SeatTaken, {"chips": 201}, "event"),
    (EntryPaid, {"amount": 1}, "transfer"),
    (PrizePaid, {"amount": 1}, "transfer"),
]


@pytest.mark.parametrize(("kind", "other", "check"), FORGED, ids=lambda one: str(one)[:40])
def test_what_is_forged_is_found(played: Played, kind: Any, other: Any, check: str) -> None:
    """By the audit as by the verifier, with every hash made to fit."""
    from dataclasses import replace

    forger = Forger(played.log)
    commit, place = forger.find(kind)
    event: Any = forger.events(commit)[place]
    log = forger.with_event(commit, place, replace(event, **other))
    found = looked_at(log, tools=TOOLS).findings
    assert check in {finding.check for finding in found}
    assert verify(exported(log)).findings


def _events_of(log: Sequence[Commit], kind: StreamKind) -> list[Any]:
    forger = Forger(log)
    return [event for one in log if one.kind == kind for event in forger.events(one)]


# --- whoever dies -----------------------------------------------------------------------------


@pytest.mark.parametrize("hands", [0, 3])
def test_it_goes_on_though_the_service_is_gone(dsn: str, monkeypatch: Any, hands: int) -> None:
    """Dropped in the middle of everything, without a farewell: another one takes over.

    Each order is carried out once: the audit would show a hand, a seat or a prize too many.
    """

    async def scenario() -> tuple[Any, list[int], Sequence[Commit]]:
        async with Dropped(dsn) as service:
            event = await Event.create(service, 5)
            await event.start()
            await event.play(until=lambda live: live.now.state.deals >= hands)
        left = await whole_log(dsn)
        async with running(dsn) as service:
            event = await event.again(service)
            live = await event.play()
            return live.now, await event.balances(), left

    now, balances, left = run(scenario())
    for tools in (TOOLS, BLIND):  # in the middle of it, with a key and without
        assert looked_at(left, tools=tools).findings == []
    assert verify(exported(left)).findings == []
    assert now.state.phase is Phase.FINISHED
    assert sum(balances) == 5 * (1000 - 10)
    report = audited(dsn, monkeypatch)
    assert report.result.findings == []
    assert report.result.count.in_tournaments == 5 * 10


def test_one_that_is_loaded_anew_is_managed_on(dsn: str, monkeypatch: Any) -> None:
    """As when nobody knew what had become of a commit."""

    async def scenario() -> Any:
        async with running(dsn) as service:
            event = await Event.create(service, 5)
            await event.start()
            await event.play(until=lambda live: live.now.state.deals >= 2)
            old = await event.live()
            event.calls._tournaments.forget(old)
            live = await event.play()
            assert live is not old
            return live.now

    assert run(scenario()).state.phase is Phase.FINISHED
    assert audited(dsn, monkeypatch).result.findings == []


@pytest.mark.long
def test_a_larger_field(dsn: str, monkeypatch: Any) -> None:
    """Forty-five at fifteen tables, the service dropped in the middle."""

    async def scenario() -> Any:
        async with Dropped(dsn) as service:
            event = await Event.create(service, 45)
            await event.start()
            await event.play(until=lambda live: live.now.state.deals >= 20)
        async with running(dsn) as service:
            event = await event.again(service)
            return (await event.play()).now

    now = run(scenario(), 110)
    assert now.state.phase is Phase.FINISHED
    assert now.state.issued == now.state.removed == 45 * 200
    assert audited(dsn, monkeypatch).result.findings == []


def test_two_services_manage_one_tournament(dsn: str, monkeypatch: Any) -> None:
    """Leases are not what is right depends on: two managers carry out each order once."""

    async def scenario() -> Any:
        async with running(dsn) as one, running(dsn) as other:
            event = await Event.create(one, 5)
            await event.start()
            await _manage_too(other, event.stream)
            live = await event.play()
            await other.server.managers._end([event.stream])
            return live.now

    now = run(scenario())
    assert now.state.phase is Phase.FINISHED
    assert audited(dsn, monkeypatch).result.findings == []


async def _manage_too(service: Running, stream: UUID) -> None:
    """A second manager, whoever holds the lease."""
    managers = service.server.managers
    (task,) = [each for each in service.server._tasks if each.get_name() == "tournaments"]
    task.cancel()
    await asyncio.wait([task])
    await managers._begin(stream)
    assert stream in managers._running


def test_a_table_is_a_function_of_its_stream(played: Played) -> None:
    """Levels too: its options are those that its last OptionsChanged says."""
    forger = Forger(played.log)
    changed = 0
    for stream in {one.stream for one in played.log if one.kind == StreamKind.TABLE}:
        events = [ev for one in played.log if one.stream == stream for ev in forger.events(one)]
        (opened,) = [event for event in events if type(event).__name__ == "TableOpened"]
        game = service_game(opened.game)
        table = apply_all(Table.empty(game), events)
        agreed = dict(table.house.agreed)
        assert table.state.options.small_bet == int(agreed["small_bet"])
        changed += agreed != dict(opened.options)
    assert changed


def service_game(key: str) -> Any:
    from engine.games import GAMES

    return GAMES[key]
