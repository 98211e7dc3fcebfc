"""TournamentService over gRPC: made, entered, led, looked at and followed to the payout."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import grpc
import pytest

from engine.tournament.actions import CreateTournament
from engine.tournament.formats import FORMATS
from engine.tournament.structure import Level, Structure
from service.cli.structures import read_structure
from service.codec.tournaments import tournament_action_to_wire
from service.identity import Role
from service.pb import tournament_service_pb2 as pb
from service.rpc import tournament_service
from tests.service.harness import Client, Running, failing, run, running
from tests.service.test_accounts import Bank
from tests.service.tournament import STRUCTURE, Event

GRPC = grpc.StatusCode
REGISTERING, RUNNING, FINISHED, CANCELLED = 1, 2, 3, 4


def wire(structure: Structure) -> Any:
    """A structure as it is sent."""
    return tournament_action_to_wire(CreateTournament(structure)).create_tournament.structure


async def create(host: Client, structure: Structure = STRUCTURE, request_id: str = "make") -> Any:
    request = pb.CreateTournamentRequest(request_id=request_id, structure=wire(structure))
    return (await host.call(host.tournaments.CreateTournament, request)).tournament


async def ask(client: Client, name: str, tournament: str, request_id: str = "", **more: Any) -> Any:
    """A call that names a tournament and changes it."""
    kind = getattr(pb, f"{name}Request")
    request = kind(request_id=request_id or uuid4().hex, tournament_id=tournament, **more)
    return await client.call(getattr(client.tournaments, name), request)


async def look(client: Client, name: str, tournament: str, **more: Any) -> Any:
    request = getattr(pb, f"{name}Request")(tournament_id=tournament, **more)
    return await client.call(getattr(client.tournaments, name), request)


def watch(client: Client, tournament: str, **more: Any) -> Any:
    request = pb.WatchTournamentRequest(tournament_id=tournament, **more)
    return client.tournaments.WatchTournament(request, metadata=client.metadata, timeout=60)


async def rich(service: Running, *players: str, money: int = 1000) -> list[Client]:
    """Players with money on their accounts."""
    bank = Bank(service, service.client("house", Role.HOST))
    for player in players:
        await bank.credit(player, money, request_id=f"credit {player}")
    return [service.client(player) for player in players]


def test_a_tournament_from_its_making_to_its_list(dsn: str) -> None:
    """Everything that is asked for takes effect once, and shows everywhere."""

    async def scenario() -> None:
        async with running(dsn) as service:
            host = service.client("host", Role.HOST)
            ann, bob, cid = await rich(service, "ann", "bob", "cid")
            made = await create(host, STRUCTURE._replace(max_entrants=2, waiting=1))
            again = await create(host, STRUCTURE._replace(max_entrants=2, waiting=1))
            assert again.tournament_id == made.tournament_id
            assert made.structure.name == "Sunday"
            assert made.state.phase == REGISTERING
            assert len(made.state.lots_commitment) == 32
            id_ = made.tournament_id
            first = await ask(ann, "Register", id_, "r")
            assert (await ask(ann, "Register", id_, "r")) == first
            assert (first.mine.entry, first.mine.status) == (0, 2)
            await ask(bob, "Register", id_)
            waits = await ask(cid, "Register", id_)
            assert waits.mine.status == pb.TOURNAMENT_ENTRY_STATUS_WAITING
            told = await look(bob, "GetTournament", id_)
            assert (told.mine.entry, told.tournament.state.waiting) == (1, 1)
            assert told.tournament.state.prize_pool == 200
            gone = await ask(ann, "Unregister", id_)
            assert gone.mine.status == pb.TOURNAMENT_ENTRY_STATUS_WITHDRAWN
            moved_up = await look(cid, "GetTournament", id_)
            assert moved_up.mine.status == pb.TOURNAMENT_ENTRY_STATUS_ENTERED
            rows = (await look(cid, "GetStandings", id_)).standings
            assert [row.entry for row in rows] == [1, 2]
            stopped = await ask(host, "CancelTournament", id_, reason="the hall is cold")
            assert stopped.state.phase == CANCELLED
            await service.server.store.position()
            await _listed(host, id_, CANCELLED, entries=2)

    run(scenario())


async def _listed(client: Client, tournament: str, phase: int, **facts: Any) -> None:
    """Wait until the list, which follows the log, says so."""
    while True:
        request = pb.ListTournamentsRequest(phases=[phase])
        rows = (await client.call(client.tournaments.ListTournaments, request)).tournaments
        found = [row for row in rows if row.tournament_id == tournament]
        if found:
            (row,) = found
            assert {name: getattr(row, name) for name in facts} == facts
            return
        await asyncio.sleep(0.02)


def test_lists_come_in_pages(dsn: str) -> None:
    async def scenario() -> None:
        async with running(dsn) as service:
            host = service.client("host", Role.HOST)
            made = [
                (await create(host, STRUCTURE._replace(name=f"no {n}"), f"m{n}")).tournament_id
                for n in range(5)
            ]
            await _listed(host, made[-1], REGISTERING, name="no 4", game="palace_poker")
            found: list[str] = []
            token = ""
            while True:
                request = pb.ListTournamentsRequest(page_size=2, page_token=token)
                page = await host.call(host.tournaments.ListTournaments, request)
                found += [row.tournament_id for row in page.tournaments]
                token = page.next_page_token
                if not token:
                    break
            assert found == made[::-1]
            other = pb.ListTournamentsRequest(game="pontoon")
            answer = await host.call(host.tournaments.ListTournaments, other)
            assert not answer.tournaments
            for wrong, field in (
                ({"page_size": 201}, "page_size"),
                ({"page_token": "zz"}, "page_token"),
                ({"phases": [9]}, "phases"),
                ({"phases": [0]}, "phases"),
            ):
                request = pb.ListTournamentsRequest(**wrong)
                failure = await failing(host.call(host.tournaments.ListTournaments, request))
                assert (failure.code, failure.field) == (GRPC.INVALID_ARGUMENT, field)
            request = pb.ListTournamentsRequest(game="whist")
            failure = await failing(host.call(host.tournaments.ListTournaments, request))
            assert failure.code is GRPC.NOT_FOUND

    run(scenario())


BROKEN = (
    ({"name": " "}, "name"),
    ({"game": "whist"}, "game"),
    ({"format": "lottery"}, "format"),
    ({"levels": ()}, "levels"),
    ({"stack": 0}, "stack"),
    ({"table_size": 11}, "table_size"),
    ({"min_entrants": 5, "max_entrants": 4}, "max_entrants"),
    ({"fee": -1}, "fee"),
    ({"options": (("max_seat", "3"),)}, "options.max_seat"),
    ({"options": (("betting_structure", "spread"),)}, "options.betting_structure"),
    ({"settings": (("hand_for_hand", "often"),)}, "settings.hand_for_hand"),
    ({"levels": (Level(options=(("small_bet", "7"),), hands=2),)}, "levels[0].options"),
)


def test_a_structure_that_cannot_work_names_its_field(dsn: str) -> None:
    async def scenario() -> None:
        async with running(dsn) as service:
            host = service.client("host", Role.HOST)
            stored = await service.commits()
            for change, field in BROKEN:
                failure = await failing(create(host, STRUCTURE._replace(**change)))
                assert failure.code is GRPC.INVALID_ARGUMENT, (change, failure)
                assert failure.reason == "INVALID_STRUCTURE"
                assert failure.field.startswith(f"structure.{field}"), (change, failure)
            failure = await failing(create(host, request_id=""))
            assert (failure.code, failure.field) == (GRPC.INVALID_ARGUMENT, "request_id")
            assert await service.commits() == stored
            # What is left out has its default.
            sparse = wire(STRUCTURE)
            for name in ("table_size", "min_entrants", "max_entrants", "start"):
                sparse.ClearField(name)
            request = pb.CreateTournamentRequest(request_id="sparse", structure=sparse)
            made = (await host.call(host.tournaments.CreateTournament, request)).tournament
            told = made.structure
            assert (told.table_size, told.min_entrants, told.max_entrants) == (8, 2, 20_000)
            assert told.start == "host"

    run(scenario())


def test_who_may_not_and_what_is_not_there(dsn: str) -> None:
    async def scenario() -> None:
        async with running(dsn) as service:
            host = service.client("host", Role.HOST)
            (ann,) = await rich(service, "ann")
            id_ = (await create(host)).tournament_id
            stored = await service.commits()
            other = service.client("other", Role.HOST)
            poor = service.client("poor")
            table = str(uuid4())
            for call, code, reason in (
                (create(ann), GRPC.PERMISSION_DENIED, "PERMISSION_DENIED"),
                (ask(ann, "StartTournament", id_), GRPC.PERMISSION_DENIED, "PERMISSION_DENIED"),
                (ask(other, "StartTournament", id_), GRPC.PERMISSION_DENIED, "PERMISSION_DENIED"),
                (ask(host, "StartTournament", id_), GRPC.FAILED_PRECONDITION, "TOO_FEW_ENTRANTS"),
                (ask(host, "PauseTournament", id_), GRPC.FAILED_PRECONDITION, "NOT_RUNNING"),
                (ask(host, "CancelTournament", id_), GRPC.FAILED_PRECONDITION, "BAD_PARAMETER"),
                (ask(poor, "Register", id_), GRPC.FAILED_PRECONDITION, "INSUFFICIENT_CHIPS"),
                (ask(ann, "Unregister", id_), GRPC.FAILED_PRECONDITION, "NOT_REGISTERED"),
                (ask(ann, "TakeAddOn", id_), GRPC.FAILED_PRECONDITION, "NOT_REGISTERED"),
                (ask(ann, "Register", table), GRPC.NOT_FOUND, "NOT_FOUND"),
                (ask(ann, "Register", id_.upper()), GRPC.NOT_FOUND, "NOT_FOUND"),
                (look(ann, "GetTournament", "x"), GRPC.NOT_FOUND, "NOT_FOUND"),
                (look(service.lab(), "GetTournament", id_), GRPC.NOT_FOUND, "NOT_FOUND"),
                (look(ann, "GetStandings", id_, page_token="zz"), GRPC.INVALID_ARGUMENT, ""),
                (
                    look(service.with_token(None), "GetTournament", id_),
                    GRPC.UNAUTHENTICATED,
                    "TOKEN_MISSING",
                ),
            ):
                failure = await failing(call)
                assert failure.code is code, failure
                assert failure.reason == (reason or failure.reason)
            for after in (-1, 4, 1):
                failure = await failing(_first(watch(ann, id_, after_version=after)))
                assert (failure.code, failure.field) == (GRPC.INVALID_ARGUMENT, "after_version")
            assert await service.commits() == stored

    run(scenario())


async def _first(call: Any) -> Any:
    return await call.read()


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
            await _listed(host, id_, FINISHED, entries=7)

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


def test_paused_resumed_and_somebody_excluded(dsn: str) -> None:
    """The host's orders over gRPC; all who follow hear of them."""

    async def scenario() -> None:
        async with running(dsn) as service:
            event = await Event.create(service, 3)
            id_ = str(event.stream)
            host = service.client("host", Role.HOST)
            started = await ask(host, "StartTournament", id_)
            assert started.state.phase == RUNNING
            paused = await ask(host, "PauseTournament", id_, "p")
            assert paused.state.paused
            repeat = await ask(host, "PauseTournament", id_, "p")
            assert repeat.version == paused.version
            failure = await failing(ask(host, "PauseTournament", id_))
            assert failure.reason == "ALREADY_PAUSED"
            assert not (await ask(host, "ResumeTournament", id_)).state.paused
            player = next(iter(event.ids))
            out = await ask(host, "Disqualify", id_, player=player, reason="late")
            assert out.state.left == 2
            failure = await failing(ask(host, "Disqualify", id_, player="nobody", reason="late"))
            assert failure.reason == "NOT_REGISTERED"
            mine = (await look(event.clients[0], "GetTournament", id_)).mine
            assert (mine.disqualified, mine.place) == (True, 3)

    run(scenario())


CHOICE = Structure(
    name="Choose",
    game="royal_flush",
    format="choice",
    table_size=1,
    settings=(
        ("choice.aces", "points=2500000 target_mode=four_of_a_kind target_rank=A"),
        ("choice.flush", "points=5000000 target_mode=royal_flush target_suit=s"),
    ),
)


def test_a_choice_is_committed_to(dsn: str) -> None:
    async def scenario() -> None:
        async with running(dsn) as service:
            host, ann = service.client("host", Role.HOST), service.client("ann")
            id_ = (await create(host, CHOICE)).tournament_id
            await ask(ann, "Register", id_)
            await ask(ann, "CommitToChoice", id_, choice="flush")
            same = await failing(ask(ann, "CommitToChoice", id_, choice="flush"))
            assert same.reason == "NOTHING_CHANGES"
            none = await failing(ask(ann, "CommitToChoice", id_, choice="kings"))
            assert (none.reason, none.metadata["field"]) == ("BAD_PARAMETER", "choice")
            bad = CHOICE._replace(
                settings=(*CHOICE.settings, ("choice.x", "points=2500000 target_mode=five"))
            )
            failure = await failing(create(host, bad, "bad"))
            assert failure.field == "structure.settings.choice.x.target_mode"

    run(scenario())


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


EXAMPLES = sorted((Path(__file__).parents[2] / "docs" / "tournaments").glob("*.toml"))


def test_the_examples_of_all_formats_can_be_created(dsn: str) -> None:
    assert {read_structure(path).format for path in EXAMPLES} == set(FORMATS)

    async def scenario() -> None:
        async with running(dsn) as service:
            host = service.client("host", Role.HOST)
            for path in EXAMPLES:
                structure = read_structure(path)
                request = pb.CreateTournamentRequest(request_id=path.name, structure=structure)
                made = await host.call(host.tournaments.CreateTournament, request)
                assert made.tournament.structure.name == structure.name

    run(scenario())


@pytest.mark.parametrize("large", [2, 3])
def test_standings_of_a_large_field_are_made_now_and_then(
    dsn: str, monkeypatch: pytest.MonkeyPatch, large: int
) -> None:
    """Of a small one with every version; at its end of every one."""
    monkeypatch.setattr(tournament_service, "LARGE", large)
    monkeypatch.setattr(tournament_service, "FRESH_SECONDS", 10_000)

    async def scenario() -> None:
        async with running(dsn) as service:
            event = await Event.create(service, 2)
            id_, (cid,) = str(event.stream), await rich(service, "cid")
            before = await look(cid, "GetStandings", id_)
            entered = await ask(cid, "Register", id_)
            again = await look(cid, "GetStandings", id_)
            expected = before.version if large == 2 else entered.version
            assert (again.version, len(again.standings)) == (expected, 2 + (large == 3))
            host = service.client("host", Role.HOST)
            await ask(host, "CancelTournament", id_, reason="rain")
            end = await look(cid, "GetStandings", id_)
            assert end.version > entered.version

    run(scenario())
