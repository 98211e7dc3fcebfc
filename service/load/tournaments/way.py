"""What one player asks of a tournament and hears of it, over a service that comes and goes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, Final

import grpc

from engine.errors import Exhausted, Unavailable
from service.client.errors import error_of
from service.load.tally import Tally
from service.pb import tournament_service_pb2 as pb
from service.pb.tournament_service_pb2_grpc import TournamentServiceStub

__all__ = ["Way"]

AGAIN_SECONDS: Final = 0.1
LONGEST_PAUSE: Final = 1.0
DEADLINE_SECONDS: Final = 20.0
"""Many ask at once: those who come last wait for all others."""


class Way:
    """One player's way through one tournament.

    ``told`` hears where he stands, whenever that has changed.
    """

    def __init__(
        self,
        channel: grpc.aio.Channel,
        token: str,
        tournament: str,
        tally: Tally,
        told: Callable[[pb.WatchTournamentResponse], None],
    ) -> None:
        self._stub = TournamentServiceStub(channel)
        self._metadata = (("authorization", f"Bearer {token}"),)
        self._tournament = tournament
        self._tally = tally
        self._told = told

    async def follow(self) -> None:
        """Follow it until cancelled."""
        while True:
            request = pb.WatchTournamentRequest(tournament_id=self._tournament, mine=True)
            # While the service is away it waits with its connection: nobody asks in vain.
            call = self._stub.WatchTournament(request, metadata=self._metadata, wait_for_ready=True)
            try:
                async for station in call:
                    self._told(station)
            except grpc.aio.AioRpcError as failure:
                self._tally.errors[error_of(failure).reason] += 1
            finally:
                call.cancel()
            await asyncio.sleep(AGAIN_SECONDS)

    async def ask(self, name: str, patience: float, **fields: str) -> Any:
        """A call that changes something, sent again for a while where nobody takes it.

        ``fields``: the request's, its id among them.  Raises ``KartejoError``.
        """
        request = getattr(pb, f"{name}Request")(tournament_id=self._tournament, **fields)
        until = time.monotonic() + patience
        while True:
            try:
                return await getattr(self._stub, name)(
                    request, timeout=DEADLINE_SECONDS, metadata=self._metadata
                )
            except grpc.aio.AioRpcError as failure:
                error = error_of(failure)
            if not isinstance(error, (Unavailable, Exhausted)) or time.monotonic() > until:
                raise error
            self._tally.retries += 1
            pause = max(AGAIN_SECONDS, error.retry_ms / 1_000)
            await asyncio.sleep(min(pause, LONGEST_PAUSE))
