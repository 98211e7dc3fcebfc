"""A real service for tests: real PostgreSQL, a real gRPC server, real channels."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final
from uuid import UUID, uuid4

import grpc
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status
from grpc_status import rpc_status

from engine.games import GAMES
from engine.kernel import AnyGame
from service.codec import Codec
from service.identity import ISSUER, LAB_ISSUER, IdentityMap, KeyRing, Role, Tokens
from service.pb import lab_service_pb2 as lab_pb
from service.pb import table_service_pb2 as pb
from service.pb.account_service_pb2_grpc import AccountServiceStub
from service.pb.audit_service_pb2_grpc import AuditServiceStub
from service.pb.export_service_pb2_grpc import ExportServiceStub
from service.pb.game_service_pb2_grpc import GameServiceStub
from service.pb.investigation_service_pb2_grpc import InvestigationServiceStub
from service.pb.lab_service_pb2_grpc import LabServiceStub
from service.pb.odds_service_pb2_grpc import OddsServiceStub
from service.pb.person_service_pb2_grpc import PersonServiceStub
from service.pb.replay_service_pb2_grpc import ReplayServiceStub
from service.pb.table_service_pb2_grpc import TableServiceStub
from service.pb.tournament_service_pb2_grpc import TournamentServiceStub
from service.rpc.calls import Speed
from service.rpc.connections import MOST_CONNECTIONS
from service.rpc.server import Parts, Server, Settings
from service.store.postgres import Store
from service.store.principals import Principals
from service.telemetry.spans import Spans, no_spans
from service.transparency.signer import Signing
from service.vault import MasterKey
from service.web.door import WebDoor
from service.web.settings import WebSettings
from service.world import RealWorld, World
from tests.parlour import Parlour
from tests.parlour.wire import WIRE

ALL_GAMES: dict[str, AnyGame] = {**GAMES, "parlour": Parlour()}
CODEC = Codec(ALL_GAMES, {"parlour": WIRE})
MASTER = bytes(range(32))


def run(scenario: Coroutine[Any, Any, Any], seconds: float = 110) -> Any:
    """Run a scenario on a loop of its own, within a time."""

    async def bounded() -> Any:
        async with asyncio.timeout(seconds):
            return await scenario

    return asyncio.run(bounded())


class Client:
    """A caller with a token: stubs for every service, and the everyday calls."""

    def __init__(self, channel: grpc.aio.Channel, token: str | None) -> None:
        self.metadata = () if token is None else (("authorization", f"Bearer {token}"),)
        self.games = GameServiceStub(channel)
        self.tables = TableServiceStub(channel)
        self.replay = ReplayServiceStub(channel)
        self.exports = ExportServiceStub(channel)
        self.lab = LabServiceStub(channel)
        self.accounts = AccountServiceStub(channel)
        self.audits = AuditServiceStub(channel)
        self.persons = PersonServiceStub(channel)
        self.investigations = InvestigationServiceStub(channel)
        self.odds = OddsServiceStub(channel)
        self.tournaments = TournamentServiceStub(channel)

    async def call(self, method: Any, request: Any, seconds: float = 60) -> Any:
        """A unary call with this caller's token."""
        return await method(request, metadata=self.metadata, timeout=seconds)

    async def create(self, game: str, **fields: Any) -> Any:
        fields.setdefault("request_id", uuid4().hex)
        return await self.call(self.tables.CreateTable, pb.CreateTableRequest(game=game, **fields))

    async def act(self, table: str, seat: int, action: Any, at: Any = None, **fields: Any) -> Any:
        """SubmitAction; ``at`` is a decision (or a state) that it answers."""
        fields.setdefault("request_id", uuid4().hex)
        if at is not None:
            decision = getattr(at, "decision", at)
            fields.setdefault("hand", decision.hand)
            fields.setdefault("decision", decision.number)
        request = pb.SubmitActionRequest(
            table_id=table, seat=seat, action=CODEC.action_to_wire(action), **fields
        )
        return await self.call(self.tables.SubmitAction, request)

    async def start(self, table: str, **fields: Any) -> Any:
        fields.setdefault("request_id", uuid4().hex)
        return await self.call(self.tables.StartHand, pb.StartHandRequest(table_id=table, **fields))

    async def get(self, table: str) -> Any:
        return await self.call(self.tables.GetTable, pb.GetTableRequest(table_id=table))

    async def watched(self, table: str, after: int = 0, until: int | None = None) -> list[Any]:
        """Messages of a watch up to the live one, or up to a version."""
        messages: list[Any] = []
        call = self.tables.WatchTable(
            pb.WatchTableRequest(table_id=table, after_version=after),
            metadata=self.metadata,
            timeout=60,
        )
        async for message in call:
            messages.append(message)
            if (until is None and message.live) or (until is not None and message.version >= until):
                break
        call.cancel()
        return messages

    async def lab_act(self, table: str, seat: int, action: Any) -> Any:
        request = lab_pb.ActRequest(
            request_id=uuid4().hex,
            table_id=table,
            seat=seat,
            action=CODEC.action_to_wire(action),
        )
        return await self.call(self.lab.Act, request)


class Running:
    """A running server and how to call it."""

    def __init__(self, server: Server, tokens: Tokens, store: Store, world: World) -> None:
        self.server = server
        self.tokens = tokens
        self.store = store
        self.world = world
        self.address = f"127.0.0.1:{server.port}"
        self.web: WebDoor | None = None
        self._channels: list[grpc.aio.Channel] = []

    def token(
        self,
        subject: str,
        *roles: Role,
        issuer: str = ISSUER,
        lifetime: int = 10**7,
        table: str | None = None,
        seat: int | None = None,
    ) -> str:
        return self.tokens.issue(
            subject,
            roles or (Role.PLAYER,),
            lifetime,
            issuer,
            table=None if table is None else UUID(table),
            seat=seat,
        )

    def client(self, subject: str, *roles: Role, **limits: Any) -> Client:
        return self.with_token(self.token(subject, *roles, **limits))

    def lab(self) -> Client:
        return self.client("teacher", Role.ADMIN, issuer=LAB_ISSUER)

    def with_token(self, token: str | None) -> Client:
        channel = grpc.aio.insecure_channel(self.address)
        self._channels.append(channel)
        return Client(channel, token)

    async def commits(self) -> int:
        """How many commits are stored, of all tables."""

        async def count(db: Any) -> int:
            rows = await db.execute("SELECT count(*) FROM kartejo.commit")
            return int((await rows.fetchone())[0])

        return await self.store.pool.ask(count)

    def keep(self, channel: grpc.aio.Channel) -> None:
        """Close a channel with the service."""
        self._channels.append(channel)

    async def close(self) -> None:
        for channel in self._channels:
            await channel.close()


AT_WILL: Final = Speed(of_caller=0, of_connection=0, of_address=0)
"""A test's callers are as fast as the machine, where speed is not what it is about."""


@asynccontextmanager
async def running(
    dsn: str,
    *,
    lab: bool = True,
    world: World | None = None,
    listen: str = "127.0.0.1:0",
    identities: IdentityMap | None = None,
    tokens: Tokens | None = None,
    speed: Speed = AT_WILL,
    spans: Spans = no_spans,
    signing: Signing | None = None,
    master: MasterKey | None = None,
    web: WebSettings | None = None,
    connections: int = MOST_CONNECTIONS,
    **store_settings: Any,
) -> AsyncGenerator[Running, None]:
    """A server over a database.

    It waits long for its database where ``patience`` is not given: a machine on which a commit
    takes seconds is no reason for a test to fail.
    """
    world = world or RealWorld()
    store_settings.setdefault("patience", 30.0)
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(Store(dsn, allow_unsafe=True, **store_settings))
        ring = KeyRing.draw(world)
        lab_ring = KeyRing.draw(world, LAB_ISSUER) if lab else None
        tokens = tokens or Tokens(ring, world, lab_ring=lab_ring)
        parts = Parts(
            world=world,
            store=store,
            games=ALL_GAMES,
            codec=CODEC,
            master=master or MasterKey(MASTER, world),
            tokens=tokens,
            identities=identities or Principals(store.pool),
            spans=spans,
            signing=signing,
        )
        settings = Settings(
            listen, lab=lab, speed=speed, checkpoint_seconds=1, connections=connections
        )
        server = await stack.enter_async_context(Server(settings, parts))
        service = Running(server, tokens, store, world)
        if web is not None:
            service.web = await server.beside.enter_async_context(WebDoor(server, web))
        stack.push_async_callback(service.close)
        yield service


class Failure(Exception):
    """An expected failure: code, reason, field, metadata; ``retry_ms`` 0 where none is told."""

    def __init__(self, error: grpc.aio.AioRpcError) -> None:
        self.code = error.code()
        self.message = error.details()
        status = rpc_status.from_call(error)
        self.reason, self.field, self.metadata = explain(status)
        self.retry_ms = retry_of(status)
        super().__init__(f"{self.code} {self.reason} {self.field}: {self.message}")


def explain(status: Status | None) -> tuple[str, str, dict[str, str]]:
    """Reason, field and metadata of a status."""
    reason, field, metadata = "", "", {}
    for detail in status.details if status else ():
        if detail.Is(ErrorInfo.DESCRIPTOR):
            info = ErrorInfo.FromString(detail.value)
            assert info.domain == "kartejo"
            reason, metadata = info.reason, dict(info.metadata)
        if detail.Is(BadRequest.DESCRIPTOR):
            field = BadRequest.FromString(detail.value).field_violations[0].field
    return reason, field, metadata


def retry_of(status: Status | None) -> int:
    """Milliseconds of the status's ``RetryInfo``, 0 without one."""
    for detail in status.details if status else ():
        if detail.Is(RetryInfo.DESCRIPTOR):
            return int(RetryInfo.FromString(detail.value).retry_delay.ToMilliseconds())
    return 0


@asynccontextmanager
async def unmoved(service: Running, caller: Client, *tables: str) -> AsyncGenerator[None, None]:
    """Whatever is tried inside changes no version, no view and stores no commit."""
    before = [await caller.get(table) for table in tables]
    stored = await service.commits()
    yield
    after = [await caller.get(table) for table in tables]
    for answer in (*before, *after):
        answer.state.decision.remaining_ms = 0
    assert after == before
    assert await service.commits() == stored


async def failing(call: Awaitable[Any]) -> Failure:
    """The failure of a call that must fail."""
    try:
        answer = await call
    except grpc.aio.AioRpcError as error:
        return Failure(error)
    raise AssertionError(f"a call succeeded that must fail: {answer}")


def names(events: Sequence[pb.TableEvent]) -> list[str]:
    """Class names of events."""
    return [type(CODEC.event_from_wire(event.event)).__name__ for event in events]


def decoded(events: Sequence[pb.TableEvent]) -> list[Any]:
    """Events as the engine's dataclasses."""
    return [CODEC.event_from_wire(event.event) for event in events]


Scenario = Callable[[Running], Coroutine[Any, Any, None]]
