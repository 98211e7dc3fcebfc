"""The running service: everything wired once, started, drained."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Any, Final, Self
from uuid import UUID

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection, reflection_pb2_grpc

from engine.errors import Unavailable
from service.cold_storage import ColdStorage
from service.host.accesses import Accesses
from service.host.auditors import Auditors
from service.host.host import Host
from service.host.key_watch import KeyWatch
from service.host.lab import Lab
from service.host.lobby import Lobby
from service.host.proofs import CardProofs
from service.host.replay import Replay
from service.host.supervision import Supervisor
from service.host.watchman import Watchman
from service.identity import RememberedIdentities
from service.investigation.investigations import Investigations
from service.pb import (
    account_service_pb2,
    account_service_pb2_grpc,
    audit_service_pb2,
    audit_service_pb2_grpc,
    export_service_pb2,
    export_service_pb2_grpc,
    game_service_pb2,
    game_service_pb2_grpc,
    investigation_service_pb2,
    investigation_service_pb2_grpc,
    lab_service_pb2,
    lab_service_pb2_grpc,
    odds_service_pb2,
    odds_service_pb2_grpc,
    person_service_pb2,
    person_service_pb2_grpc,
    replay_service_pb2,
    replay_service_pb2_grpc,
    table_service_pb2,
    table_service_pb2_grpc,
    tournament_service_pb2,
    tournament_service_pb2_grpc,
)
from service.people.notes import Notes
from service.projections import Projections
from service.projections.hand_index import Hands
from service.projections.ledger import Changes
from service.projections.runner import Runner
from service.rpc.account_service import AccountCalls
from service.rpc.audit_service import Audits
from service.rpc.calls import Calls
from service.rpc.connections import Places, open_files, options
from service.rpc.door import MOST_CALLS, Door, OpenHandlers
from service.rpc.export_service import Exports
from service.rpc.game_service import Games
from service.rpc.investigation_service import InvestigationCalls
from service.rpc.lab_service import Labs
from service.rpc.listening import split, why_not
from service.rpc.messages import Messages
from service.rpc.odds_service import Odds
from service.rpc.person_service import Persons
from service.rpc.reckoning import Reckoning
from service.rpc.replay_service import Replays
from service.rpc.settings import Parts, Settings, credentials_of
from service.rpc.table_calls import TableCalls
from service.rpc.table_service import Tables
from service.rpc.tournament_service import TournamentsOverGrpc
from service.rpc.unreadable import Registrar
from service.store.leases import Leases
from service.store.people import People
from service.store.tournament_index import TournamentIndex
from service.tournaments.calls import TournamentCalls
from service.tournaments.joint import Joint
from service.tournaments.managers import Managers
from service.tournaments.registry import Tournaments
from service.transparency.complete import CompleteExport
from service.transparency.signer import Signer
from service.transparency.tiles import LogTiles
from service.world import uuid7

__all__ = ["Parts", "Server", "Settings", "credentials_of", "serve"]

DRAIN_SECONDS: Final = 5.0
LULL_SECONDS: Final = 0.05
LULLS: Final = 20
SWITCH_SECONDS: Final = 0.0005
"""How long a thread keeps the others waiting: gRPC's own, and the one that makes long lists."""
LIST_SECONDS: Final = 5.0
"""How long a start waits for the projections; what is left is done while it serves."""

_OPEN_METHODS: Final = frozenset({"Check", "Watch", "ServerReflectionInfo"})

_SERVICES: Final = tuple(
    next(iter(module.DESCRIPTOR.services_by_name.values())).full_name
    for module in (
        game_service_pb2,
        table_service_pb2,
        replay_service_pb2,
        export_service_pb2,
        account_service_pb2,
        audit_service_pb2,
        lab_service_pb2,
        person_service_pb2,
        investigation_service_pb2,
        odds_service_pb2,
        tournament_service_pb2,
    )
)


class Server:
    """A gRPC server over one store, on ``port``; an async context manager.

    ``beside`` is for other doors to the same servicers: they are closed while the server drains.
    """

    def __init__(self, settings: Settings, parts: Parts) -> None:
        self._settings = settings
        self._parts = parts
        self.store = parts.store
        self.tokens = parts.tokens
        self.codec = parts.codec
        self._stack = AsyncExitStack()
        self.beside = AsyncExitStack()
        self._tasks: list[asyncio.Task[None]] = []
        self.host = Host(
            parts.world,
            parts.store,
            parts.games,
            parts.codec,
            parts.master,
            lab=settings.lab,
            spans=parts.spans,
            refusals=settings.speed.of_refusals,
        )
        self.port = 0
        self._health = health.aio.HealthServicer()
        self._saying: asyncio.Future[None] | None = None

    async def __aenter__(self) -> Self:
        parts, host = self._parts, self.host
        credentials = credentials_of(self._settings)
        await self._stack.enter_async_context(host)
        self.lobby = lobby = Lobby(host, parts.store)
        projections = Projections.of(parts.codec, parts.games)
        followers = (*projections, LogTiles())
        runners = [Runner(parts.world, parts.store, each) for each in followers]
        owner = uuid7(parts.world)
        self.watchman = Watchman(host, parts.store, lobby.index, owner)
        self._manage_tournaments(lobby, owner)
        self.signer = self._signer_for(owner)
        self._identities = RememberedIdentities(parts.identities, parts.world)
        self._calls = Calls(
            parts.tokens, self._identities, parts.world, self._settings.speed, parts.spans
        )
        self.places = Places(self._settings.connections)
        self._server = grpc.aio.server(
            options=(
                *options(self.places.grpc),
                ("grpc.so_reuseport", int(self._settings.shared)),
            ),
            maximum_concurrent_rpcs=MOST_CALLS,
        )
        self._register(lobby, projections)
        if credentials is None:
            self.port = self._server.add_insecure_port(self._settings.listen)
        else:
            self.port = self._server.add_secure_port(self._settings.listen, credentials)
        self._files = open_files()
        await self._server.start()
        supervisor = Supervisor(parts.world, self._is_sound)
        works = {
            "follow": lobby.follow,
            "live": self.watchman.live,
            "watchman": self.watchman.run,
            "rest": host.upkeep.let_rest,
            "tournaments": self.managers.run,
            "keys": KeyWatch(parts.world, parts.store, parts.master, parts.keys_at_hand).keep,
        }
        works |= {f"project {runner.name}": runner.run for runner in runners}
        if self.signer is not None:
            works["sign"] = self.signer.run
        self._tasks = [
            asyncio.create_task(supervisor.keep(name, work), name=name)
            for name, work in works.items()
        ]
        await self._list(runners)
        await self._say(health_pb2.HealthCheckResponse.SERVING)
        return self

    @property
    def connections(self) -> int:
        """Connections of gRPC that are open, to within a dozen: gRPC does not tell."""
        return max(0, open_files() - self._files - self.door.connections.taken)

    @property
    def near(self) -> str:
        """Where this machine alone reaches it, without TLS; empty where others may come too."""
        if self._settings.tls_certificate is not None:
            return ""  # without TLS it listens on this machine only
        return f"{self._settings.listen.rpartition(':')[0]}:{self.port}"

    def _manage_tournaments(self, lobby: Lobby, owner: UUID) -> None:
        parts, host = self._parts, self.host
        tournaments = Tournaments(parts.store, parts.codec, parts.master)
        joint = Joint(host, tournaments)
        self.tournaments = TournamentCalls(host, tournaments, joint)
        host.require_in_tournament = self.tournaments.require_in
        leases = Leases(parts.store.pool, owner)
        self.managers = Managers(host, parts.store, leases, tournaments, joint)
        lobby.heard.append(self.managers.heard)
        self.watchman.others = lambda: self.managers.held

    def _signer_for(self, owner: UUID) -> Signer | None:
        parts, seconds = self._parts, self._settings.checkpoint_seconds
        if parts.signing is None or not seconds:
            return None
        leases = Leases(parts.store.pool, owner)
        return Signer(parts.world, parts.store, parts.signing, leases, seconds)

    @staticmethod
    async def _list(runners: Iterable[Runner]) -> None:
        """Let the projections catch up with what was stored before; it may be long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LIST_SECONDS):
                for runner in runners:
                    await runner.caught_up.wait()

    def _register(self, lobby: Lobby, projections: Projections) -> None:
        parts, host, calls = self._parts, self.host, self._calls
        self.door = Door(calls, self.places.http)
        self._server.add_generic_rpc_handlers((self.door,))
        messages = Messages(parts.codec, host.clocks)
        people = People(parts.store.pool)
        hands = Hands(parts.store, projections.hands)
        accesses = Accesses(parts.world, parts.store, parts.codec)
        self.replay = replay = Replay(host, parts.store, hands, accesses)
        proofs = CardProofs(host, parts.store, hands, replay)
        tables = Tables(calls, TableCalls(host, messages), lobby)
        registrar: Any = Registrar(self.door, calls)  # generated code asks for a whole server
        game_service_pb2_grpc.add_GameServiceServicer_to_server(Games(calls, host), registrar)
        table_service_pb2_grpc.add_TableServiceServicer_to_server(tables, registrar)
        replay_service_pb2_grpc.add_ReplayServiceServicer_to_server(
            Replays(calls, host, replay, proofs, messages), registrar
        )
        key = None if parts.signing is None else parts.signing.key
        complete = CompleteExport(parts.world, parts.store, accesses, key)
        export_service_pb2_grpc.add_ExportServiceServicer_to_server(
            Exports(calls, Auditors(host, parts.store, hands), complete), registrar
        )
        lab_service_pb2_grpc.add_LabServiceServicer_to_server(
            Labs(calls, host, Lab(host), replay, messages), registrar
        )
        account_service_pb2_grpc.add_AccountServiceServicer_to_server(
            AccountCalls(
                calls,
                parts.world,
                host.accounts,
                Changes(parts.store, projections.ledger),
                parts.codec,
                parts.identities,
                host.digest_of,
                Notes(parts.world, people),
            ),
            registrar,
        )
        audit_service_pb2_grpc.add_AuditServiceServicer_to_server(
            Audits(calls, host, parts.store), registrar
        )
        index = TournamentIndex(parts.store.pool)
        person_service_pb2_grpc.add_PersonServiceServicer_to_server(
            Persons(
                calls,
                parts.world,
                people,
                host.accounts,
                hands,
                self._identities,
                self.tournaments,
                index,
            ),
            registrar,
        )
        investigation_service_pb2_grpc.add_InvestigationServiceServicer_to_server(
            InvestigationCalls(calls, host, people, Investigations(parts.store)), registrar
        )
        self.reckoning = Reckoning()
        self._stack.callback(self.reckoning.close)
        odds_service_pb2_grpc.add_OddsServiceServicer_to_server(
            Odds(calls, self.reckoning), registrar
        )
        tournament_service_pb2_grpc.add_TournamentServiceServicer_to_server(
            TournamentsOverGrpc(calls, host, self.tournaments, index), registrar
        )
        self.open_handlers = OpenHandlers(self._server, self.door, _OPEN_METHODS)
        open_handlers: Any = self.open_handlers
        health_pb2_grpc.add_HealthServicer_to_server(self._health, open_handlers)
        if self._settings.reflection:
            names = (*_SERVICES, health.SERVICE_NAME, reflection.SERVICE_NAME)
            reflection_pb2_grpc.add_ServerReflectionServicer_to_server(
                reflection.aio.ReflectionServicer(names), open_handlers
            )

    def _is_sound(self, sound: bool) -> None:
        """Say whether the work behind the calls gets on: a load balancer may choose others."""
        if not self._calls.draining.is_set():
            status = health_pb2.HealthCheckResponse.ServingStatus
            saying = self._say(status.SERVING if sound else status.NOT_SERVING)
            self._saying = asyncio.ensure_future(saying)

    async def _say(self, status: Any) -> None:
        for name in ("", *_SERVICES):
            await self._health.set(name, status)

    async def __aexit__(self, *_: object) -> None:
        """Drain: say so, end the streams, let calls under way come to their answers."""
        await self._say(health_pb2.HealthCheckResponse.NOT_SERVING)
        self.host.clocks.stop()
        self._calls.drain()
        # Whoever goes on with one of these after the farewell would hold what nobody may take.
        leased = {"live", "watchman", "sign", "tournaments"}
        await self._end([task for task in self._tasks if task.get_name() in leased])
        await self.watchman.leave()
        await self._lull()
        await asyncio.gather(self.beside.aclose(), self._server.stop(DRAIN_SECONDS))
        await self._end(self._tasks)
        await self._stack.aclose()

    @staticmethod
    async def _end(tasks: Sequence[asyncio.Task[None]]) -> None:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _lull(self) -> None:
        """Wait until callers have heard that the service stops, for a second at most.

        gRPC cancels what arrives while it shuts down, without a word about why.
        """
        for _ in range(LULLS):
            before = self._calls.refused
            await asyncio.sleep(LULL_SECONDS)
            if self._calls.refused == before:
                return


Beside = Callable[[Server], AbstractAsyncContextManager[object]]
"""Another door to the servicers of a server."""


async def serve(
    settings: Settings, parts: Parts, ready: Callable[[Server], None], *others: Beside
) -> None:
    """Run a server until SIGTERM or SIGINT, and ``others`` beside it; ``ready`` is told when all
    of them listen.

    For a process of its own: it changes how the process collects garbage and takes turns.  The
    store of ``parts`` must be open.  Raises ``Malformed`` for settings that cannot be, and
    ``Unavailable`` if the address is taken.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    try:
        server = await Server(settings, parts).__aenter__()
    except RuntimeError as error:
        why = "" if settings.shared else why_not(*split(settings.listen))
        raise Unavailable(
            f"cannot listen on {settings.listen}: {why or error}", retry_ms=0
        ) from None
    try:
        sys.setswitchinterval(SWITCH_SECONDS)
        with ColdStorage(parts.world, lambda: not server.door.unary.taken) as cold:
            tidying = asyncio.create_task(cold.keep(), name="tidy")
            for other in others:
                await server.beside.enter_async_context(other(server))
            ready(server)
            await stop.wait()
            tidying.cancel()
    finally:
        await server.__aexit__()
