"""Messages made from the schema, thrown at every method: a verdict each time, and never a fault.

Allowed are acceptance, a refusal with its reason, or a malformed field (trust.md 5.6).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar
from uuid import UUID

import grpc
import pytest
from google.protobuf.message_factory import GetMessageClass
from hypothesis import HealthCheck, Phase, given, settings

from engine.actions import TakeSeat
from engine.games.royal_flush.actions import StartGame
from engine.house import decision
from engine.kernel import HOST
from engine.tournament.actions import CreateTournament
from service.codec.tournaments import tournament_action_to_wire
from service.identity import Role
from service.pb import (
    account_service_pb2,
    games_pb2,
    lab_service_pb2,
    table_service_pb2,
    tournament_service_pb2,
)
from tests.service.harness import Client, Failure, Running, running
from tests.service.parlour_room import Room
from tests.service.schema_messages import CALLS, METHODS, TABLES
from tests.service.test_refused_questions import solitaire
from tests.service.tournament import STRUCTURE

T = TypeVar("T")

FAULTS = {
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.UNKNOWN,
    grpc.StatusCode.DATA_LOSS,
    grpc.StatusCode.UNIMPLEMENTED,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.CANCELLED,
}
OWN = {
    "royal_flush": "<royal>",
    "palace_poker": "<palace>",
    "royal_casino": "<casino>",
    "pontoon": "<pontoon>",
    "extension": "<parlour>",
}


class Target:
    """A service under fire, and the tables it is shot at."""

    def __init__(self, service: Running) -> None:
        self.service = service
        self.verdicts: dict[str, int] = {}
        self.tables: dict[str, str] = {}
        self.callers: list[Client] = []
        self.shots = 0
        self.position = ""
        self.tournament = ""

    async def set_up(self) -> None:
        """A running hand, a running game, a lab table."""
        service = self.service
        room = await Room.open(service, ("ann", "bob"))
        await room.start()
        ann = room.players[0]
        royal = (await ann.create("royal_flush")).table.table_id
        await ann.act(royal, 0, TakeSeat("", 100))
        await ann.start(royal)
        teacher = service.lab()
        lab = await solitaire(teacher)
        await teacher.lab_act(lab, 0, TakeSeat("ann", 100))
        await teacher.lab_act(lab, HOST, StartGame())
        look = lab_service_pb2.LookRequest(table_id=lab, viewer={"auditor": True})
        self.position = (await teacher.call(teacher.lab.Look, look)).state.text
        house = service.client("house", Role.HOST)
        for name in ("ann", "bob"):
            credit = account_service_pb2.CreditAccountRequest(
                request_id=f"{name} {self.shots}", owner={"subject": name}, amount=2_000
            )
            await house.call(house.accounts.CreditAccount, credit)
        made = await ann.create("palace_poker", house_options={"purse": "account"})
        palace = made.table.table_id
        for seat, player in enumerate(room.players):
            await player.act(palace, seat, TakeSeat("", 500))
        await ann.start(palace)
        casino = (await ann.create("royal_casino")).table.table_id
        for seat, player in enumerate(room.players):
            await player.act(casino, seat, TakeSeat("", 500))
        for _ in ("game", "deal"):
            await ann.start(casino)
        bank = {"shoot": "true", "min_players_to_start": "2"}
        pontoon = (await ann.create("pontoon", options=bank)).table.table_id
        for seat, player in enumerate(room.players):
            await player.act(pontoon, seat, TakeSeat("", 500))
        await ann.start(pontoon)
        create = tournament_action_to_wire(CreateTournament(STRUCTURE)).create_tournament
        request = tournament_service_pb2.CreateTournamentRequest(
            request_id=f"set up {self.shots}", structure=create.structure
        )
        answer = await house.call(house.tournaments.CreateTournament, request)
        self.tournament = answer.tournament.tournament_id
        self.tables = {
            "<parlour>": room.table,
            "<royal>": royal,
            "<lab>": lab,
            "<palace>": palace,
            "<casino>": casino,
            "<pontoon>": pontoon,
        }
        self.callers = [
            *room.players,
            service.lab(),
            service.client("carl", Role.AUDITOR),
            service.client("root", Role.ADMIN),
            service.with_token(None),
            house,
        ]

    def versions(self) -> list[int]:
        hot = self.service.server.host.tables
        found = [hot.peek(UUID(table)) for table in self.tables.values()]
        return [live.table.version for live in found if live is not None]

    def aim(self, message: Any, *, lab: bool, well: bool) -> None:
        """Put real table ids for the placeholders; a good aim also hits what may be accepted."""
        names = message.DESCRIPTOR.fields_by_name
        for field, value in message.ListFields():
            if field.name == "table_id" and value in self.tables:
                message.table_id = self.tables[value]
            elif field.name == "tournament_id" and value == "<tournament>":
                message.tournament_id = self.tournament
            elif field.message_type and not field.is_repeated:
                self.aim(value, lab=lab, well=well)
        if not well:
            return
        if "request_id" in names:
            self.shots += 1
            message.request_id = f"shot {self.shots}"
        if "table_id" in names:
            game = message.action.WhichOneof("family") if "action" in names else ""
            others = [name for name in TABLES if name != "<lab>"]
            ordinary = OWN.get(str(game), others[self.shots % len(others)])
            message.table_id = self.tables["<lab>" if lab else ordinary]
        if "tournament_id" in names:
            message.tournament_id = self.tournament
        if "position" in names and self.shots % 2:
            message.position = self.position
        if message.DESCRIPTOR.name == "ActRequest" and self.shots % 3:
            message.seat = HOST if self.shots % 3 == 1 else 0
        if message.DESCRIPTOR.name == "SubmitActionRequest":
            live = self.service.server.host.tables.peek(UUID(message.table_id))
            awaited = decision(live.table) if live is not None else None
            if awaited is not None:
                message.hand, message.decision = awaited.hand, awaited.number
                (message.seat,) = awaited.seats

    async def shoot(self, method: Any, message: Any, caller: int, *, well: bool) -> None:
        lab = method.containing_service.name == "LabService"
        self.aim(message, lab=lab, well=well)
        if well:
            seat = message.seat if method.name == "SubmitAction" else 0
            house = method.containing_service.name == "AccountService"
            caller = 2 if lab else 6 if house else seat % 2
        client = self.callers[caller]
        before = self.versions()
        try:
            await self.send(client, method, message)
        except grpc.aio.AioRpcError as error:
            failure = Failure(error)
            told = f"{method.name} as {caller}: {failure}\n{message}"
            assert failure.code not in FAULTS, told
            assert failure.reason, told
            assert self.versions() == before, told
            self.count(f"{method.name} {failure.code.name}")
        else:
            self.count(f"{method.name} OK")
        for number, table in enumerate(self.tables.values()):
            await self.callers[2 if number == 2 else 3].get(table)
        if len(self.versions()) < len(TABLES) or any(self.closed()):
            await self.set_up()

    def closed(self) -> list[bool]:
        hot = self.service.server.host.tables
        found = [hot.peek(UUID(table)) for table in self.tables.values()]
        return [live is None or not live.table.house.epoch for live in found]

    def count(self, verdict: str) -> None:
        self.verdicts[verdict] = self.verdicts.get(verdict, 0) + 1

    async def send(self, client: Client, method: Any, message: Any) -> None:
        stubs = {
            "GameService": client.games,
            "TableService": client.tables,
            "ReplayService": client.replay,
            "LabService": client.lab,
            "AccountService": client.accounts,
            "ExportService": client.exports,
            "PersonService": client.persons,
            "InvestigationService": client.investigations,
            "AuditService": client.audits,
            "OddsService": client.odds,
            "TournamentService": client.tournaments,
        }
        stub = getattr(stubs[method.containing_service.name], method.name)
        if method.client_streaming:
            call = stub(metadata=client.metadata, timeout=5)
            await call.write(message)
            await call.done_writing()
            while (answer := await call.read()) is not grpc.aio.EOF:
                code = answer.failed.status.code
                assert code not in {fault.value[0] for fault in FAULTS}, f"{answer}\n{message}"
                if answer.news.live:
                    break
            call.cancel()
        elif method.server_streaming:
            call = stub(message, metadata=client.metadata, timeout=5)
            while (answer := await call.read()) is not grpc.aio.EOF:
                if getattr(answer, "live", False):
                    break
            call.cancel()
        else:
            # Sums wait in line, and one may take seconds where the machine is loaded.
            seconds = 60 if method.containing_service.name == "OddsService" else 5
            await client.call(stub, message, seconds=seconds)


async def sure_shots(target: Target) -> None:
    """Every method once, and one hit where the volleys hit by luck only.

    They show that what comes out of the volleys would be seen: tables are there and acted on.
    """
    for method in METHODS:
        await target.shoot(method, GetMessageClass(method.input_type)(), 0, well=False)
    assert {verdict.split()[0] for verdict in target.verdicts} == {each.name for each in METHODS}
    step = games_pb2.Action(royal_flush={"auto_play": {"scope": "step"}})
    far = games_pb2.Action(royal_flush={"search_pile": {"pile": 5}})
    lab: dict[str, Any] = {"table_id": "<lab>"}
    stack = lab_service_pb2.StackDeckRequest(request_id="sure 1", cards=[52, 1], **lab)
    place = lab_service_pb2.SetPositionRequest(request_id="sure 2", position=target.position, **lab)
    act = lab_service_pb2.ActRequest(request_id="sure 3", seat=0, action=step, **lab)
    credit: dict[str, Any] = {"owner": {"subject": "ann"}, "amount": 3}
    for verdict, message in (
        ("CreditAccount OK", account_service_pb2.CreditAccountRequest(**credit)),
        ("DebitAccount OK", account_service_pb2.DebitAccountRequest(**credit)),
        ("SubmitAction OK", table_service_pb2.SubmitActionRequest(action=step)),
        ("SubmitAction FAILED_PRECONDITION", table_service_pb2.SubmitActionRequest(action=far)),
        ("Register OK", tournament_service_pb2.RegisterRequest()),
        ("StackDeck OK", stack),
        ("SetPosition OK", place),
        ("Act OK", act),
    ):
        (method,) = [each for each in METHODS if each.name == verdict.split()[0]]
        before = target.verdicts.get(verdict, 0)
        await target.shoot(method, message, 2, well=method.containing_service.name != "LabService")
        assert target.verdicts.get(verdict, 0) == before + 1, (verdict, target.verdicts)


@pytest.mark.parametrize("volleys", [60, pytest.param(400, marks=pytest.mark.long)])
def test_no_message_of_the_schema_makes_a_fault(dsn, volleys):
    """Whatever comes: no INTERNAL, a reason with every refusal, no version moved by one."""
    with asyncio.Runner() as runner:
        context = running(dsn)
        service = runner.run(context.__aenter__())
        target = Target(service)

        def do(work: Awaitable[T]) -> T:
            async def bounded() -> T:
                async with asyncio.timeout(60):
                    return await work

            return runner.run(bounded())

        do(target.set_up())
        do(sure_shots(target))

        @settings(
            max_examples=volleys,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.generate, Phase.shrink),
        )
        @given(CALLS)
        def volley(calls: list[tuple[Any, Any, int, bool]]) -> None:
            for method, message, caller, well in calls:
                do(target.shoot(method, message, caller, well=well))

        try:
            volley()
        finally:
            runner.run(context.__aexit__(None, None, None))
