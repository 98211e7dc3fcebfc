"""TournamentService over gRPC: made, entered, led and looked at, or refused precisely."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import grpc
import pytest

from engine.tournament.formats import FORMATS
from engine.tournament.state import Phase
from engine.tournament.structure import Level, Structure
from service.cli.structures import read_structure
from service.identity import Role
from service.pb import tournament_service_pb2 as pb
from service.rpc.pages import page_token
from service.tournaments import standing
from tests.service.harness import failing, run, running
from tests.service.tournament import STRUCTURE, Event
from tests.service.tournament_desk import (
    CANCELLED,
    REGISTERING,
    RUNNING,
    ask,
    create,
    listed,
    look,
    rich,
    watch,
    wire,
)

GRPC = grpc.StatusCode


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
            await listed(host, id_, CANCELLED, entries=2)

    run(scenario())


def test_lists_come_in_pages(dsn: str) -> None:
    async def scenario() -> None:
        async with running(dsn) as service:
            host = service.client("host", Role.HOST)
            made = [
                (await create(host, STRUCTURE._replace(name=f"no {n}"), f"m{n}")).tournament_id
                for n in range(5)
            ]
            await listed(host, made[-1], REGISTERING, name="no 4", game="palace_poker")
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


def test_places_that_are_made_up_are_refused(dsn: str) -> None:
    """Anybody can make a token: numbers beyond what the database holds, digits of other scripts."""

    async def scenario() -> None:
        async with running(dsn) as service:
            host = service.client("host", Role.HOST)
            id_ = (await create(host, STRUCTURE, "m")).tournament_id
            phases = [int(Phase.REGISTERING), int(Phase.RUNNING)]
            for method, question, fields in (
                ("ListTournaments", f"tournaments  {phases}", {}),
                ("ListTournamentTables", f"tables of {id_} False", {"tournament_id": id_}),
                ("GetStandings", f"standings of {id_}", {"tournament_id": id_}),
            ):
                request = getattr(pb, f"{method}Request")
                for last in ("9" * 30, "9" * 5_000, "-1", "٣", f"{'9' * 30} {id_}", f"-1 {id_}"):
                    call = getattr(host.tournaments, method)
                    asked = request(page_token=page_token(question, last), **fields)
                    failure = await failing(host.call(call, asked))
                    assert (failure.code, failure.field) == (GRPC.INVALID_ARGUMENT, "page_token")

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
        ("choice.aces", "points=1376439 target_mode=four_of_a_kind target_rank=A"),
        ("choice.flush", "points=2359139 target_mode=royal_flush target_suit=s"),
    ),
)


WRONG_CHOICES = (
    ("points=2500000 target_mode=five", ".target_mode", "expected one of"),
    # Four named cards are a four of a kind; an exact chance is not one that nearly fits.
    ("points=1376440 target_mode=named_cards named_cards=Ac,Ad,Ah,As", "", "points=1376439:"),
    ("points=1376439 target_mode=royal_flush", "", "points=2553241:"),
    ("points=1376439 target_suit=s target_rank=A", ".target_rank", "expected none with"),
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
            for choice, field, told in WRONG_CHOICES:
                bad = CHOICE._replace(settings=(*CHOICE.settings, ("choice.x", choice)))
                failure = await failing(create(host, bad, choice))
                assert failure.code is GRPC.INVALID_ARGUMENT
                assert failure.field == f"structure.settings.choice.x{field}"
                assert told in failure.message

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
    monkeypatch.setattr(standing, "LARGE", large)
    monkeypatch.setattr(standing, "FRESH_SECONDS", 10_000)

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
