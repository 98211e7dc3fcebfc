"""A connection to a service: stubs, the bearer token, deadlines, and retries that are safe."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeVar
from uuid import uuid4

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from engine.errors import Exhausted, KartejoError, Unavailable
from engine.games import GAMES
from service.client.endpoint import Endpoint
from service.client.errors import error_of, error_of_silence
from service.codec import Codec
from service.pb import table_service_pb2 as table_pb
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

__all__ = ["Client", "open_channel", "request_id"]

DEADLINE_SECONDS: Final = 10.0
SHORTEST_PAUSE: Final = 0.05

Q = TypeVar("Q")
A = TypeVar("A")


def request_id() -> str:
    """A new id for a changing request; the same one goes with every retry of it."""
    return uuid4().hex


class Client:
    """A caller at one service; an async context manager.

    ``patience``: seconds for which a call is sent again while the service is away.  That is safe
    for every call: reading changes nothing, and changing requests carry their request id.
    """

    def __init__(self, endpoint: Endpoint, token: str = "", *, patience: float = 0.0) -> None:
        self.endpoint = endpoint
        self.codec = Codec(GAMES)
        self._metadata = (("authorization", f"Bearer {token}"),) if token else ()
        self.patience = patience
        self._channel = open_channel(endpoint)
        self.games = GameServiceStub(self._channel)
        self.tables = TableServiceStub(self._channel)
        self.replays = ReplayServiceStub(self._channel)
        self.exports = ExportServiceStub(self._channel)
        self.accounts = AccountServiceStub(self._channel)
        self.audits = AuditServiceStub(self._channel)
        self.labs = LabServiceStub(self._channel)
        self.persons = PersonServiceStub(self._channel)
        self.investigations = InvestigationServiceStub(self._channel)
        self.odds = OddsServiceStub(self._channel)
        self.tournaments = TournamentServiceStub(self._channel)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End the connection."""
        await self._channel.close()

    async def call(
        self,
        method: grpc.aio.UnaryUnaryMultiCallable[Q, A],
        request: Q,
        seconds: float = DEADLINE_SECONDS,
    ) -> A:
        """The answer of a unary call within some seconds.

        Raises the error it ended with (``engine.errors``).
        """
        loop = asyncio.get_running_loop()
        until = loop.time() + self.patience
        pause = SHORTEST_PAUSE
        while True:
            try:
                return await method(request, timeout=seconds, metadata=self._metadata)
            except grpc.aio.AioRpcError as failure:
                error = self.error(failure)
            if not isinstance(error, (Unavailable, Exhausted)) or loop.time() > until:
                raise error
            # What the service asks for, within reason: it may be back sooner than it thought.
            await asyncio.sleep(min(max(pause, error.retry_ms / 1_000 / 4), 1.0))
            pause *= 2

    def open_play(self) -> grpc.aio.StreamStreamCall[table_pb.PlayRequest, table_pb.PlayResponse]:
        """A Play stream; what it ends with is read by :meth:`error`."""
        return self.tables.Play(metadata=self._metadata)

    async def stream(
        self, method: grpc.aio.UnaryStreamMultiCallable[Q, A], request: Q
    ) -> AsyncGenerator[A, None]:
        """The messages of a streaming call; raises the error it ended with."""
        call = method(request, metadata=self._metadata)
        try:
            async for message in call:
                yield message
        except grpc.aio.AioRpcError as failure:
            raise self.error(failure) from None
        finally:
            call.cancel()

    def error(self, failure: grpc.aio.AioRpcError) -> KartejoError:
        """The error that a call ended with (``engine.errors``)."""
        error = error_of(failure)
        silent = failure.code() is grpc.StatusCode.UNAVAILABLE and not failure.trailing_metadata()
        if not silent:
            return error
        return error_of_silence(self.endpoint.address, failure.details() or "")

    async def is_serving(self, seconds: float = 2.0) -> bool:
        """Whether somebody answers there and takes calls."""
        check = health_pb2_grpc.HealthStub(self._channel).Check
        try:
            answer = await check(health_pb2.HealthCheckRequest(), timeout=seconds)
        except grpc.aio.AioRpcError:
            return False
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


def open_channel(endpoint: Endpoint) -> grpc.aio.Channel:
    """A connection to a service; raises ``KartejoError`` for a certificate that cannot be read."""
    # A subchannel pool of its own: a client made after a failure does not inherit the other's
    # back-off, and a service that was restarted is found within a second.  An attempt that nobody
    # answers, as of a service that is just coming, is given up soon.
    options = (
        ("grpc.use_local_subchannel_pool", 1),
        ("grpc.min_reconnect_backoff_ms", 3_000),
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.max_reconnect_backoff_ms", 1_000),
    )
    if not endpoint.tls:
        return grpc.aio.insecure_channel(endpoint.address, options=options)
    trusted = None
    if endpoint.certificate:
        try:
            trusted = Path(endpoint.certificate).read_bytes()
        except OSError as error:
            told = f"the certificate {endpoint.certificate} cannot be read: {error.strerror}"
            raise KartejoError(told) from None
    credentials = grpc.ssl_channel_credentials(trusted)
    return grpc.aio.secure_channel(endpoint.address, credentials, options=options)
