"""The client for asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing, contextmanager
from types import TracebackType
from typing import Any, Self, TypeVar

import grpc
import grpc.aio

from kartejo_client import requests
from kartejo_client.channel import OPTIONS, Token, credentials, metadata, renews, target
from kartejo_client.errors import Exhausted, KartejoError, closed, error_of
from kartejo_client.pb import games_pb2
from kartejo_client.pb import table_service_pb2 as pb
from kartejo_client.pb import tournament_service_pb2 as tournament_pb
from kartejo_client.retrying import Attempts, Patience
from kartejo_client.stubs import AsyncStubs

__all__ = ["AsyncClient"]

Q = TypeVar("Q", bound=Any)
A = TypeVar("A", bound=Any)


class AsyncClient(AsyncStubs):
    """A caller at one service; an async context manager.

    ``address``: host:port, or https://host:port for TLS; ``certificate``: what to trust (PEM)
    instead of what the system trusts.  ``token``: the bearer token, or what gives one.

    >>> made = await kartejo.create_table("royal_flush")  # doctest: +SKIP
    """

    def __init__(
        self,
        address: str,
        token: Token = "",
        *,
        certificate: bytes | None = None,
        patience: Patience = Patience(),  # noqa: B008 - a tuple
    ) -> None:
        place, tls = target(address)
        if tls or certificate:
            trusted = credentials(certificate)
            self.channel = grpc.aio.secure_channel(place, trusted, options=OPTIONS)
        else:
            self.channel = grpc.aio.insecure_channel(place, options=OPTIONS)
        super().__init__(self.channel)
        self._token = token
        self._patience = patience
        self._closed = False

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
        """End the connection, and what is under way on it."""
        self._closed = True
        await self.channel.close()

    async def call(
        self,
        method: grpc.aio.UnaryUnaryMultiCallable[Q, A],
        request: Q,
        patience: Patience | None = None,
    ) -> A:
        """The answer of a unary call, however often it has to be sent.

        A request without a request id gets one.  ``patience``: another than the client's.  Raises
        ``KartejoError``.

        >>> await kartejo.call(kartejo.games.ListGames, ListGamesRequest())  # doctest: +SKIP
        """
        request = requests.with_request_id(request)
        attempts = Attempts(patience or self._patience)
        while True:
            try:
                with self._translated():
                    carried = metadata(self._token)
                    return await method(request, timeout=attempts.seconds, metadata=carried)
            except KartejoError as failure:
                error = failure
            await self._pause(attempts, error)

    async def stream(
        self, method: grpc.aio.UnaryStreamMultiCallable[Q, A], request: Q
    ) -> AsyncGenerator[A, None]:
        """The answers of any stream, once and as they come; closing it ends the stream.

        Raises ``KartejoError`` where it breaks off.

        >>> kartejo.stream(kartejo.replays.ReplayHand, ReplayHandRequest())  # doctest: +SKIP
        """
        with self._translated():
            call = method(request, metadata=metadata(self._token))
            try:
                async for answer in call:
                    yield answer
            finally:
                call.cancel()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Raises ``KartejoError`` for what gRPC raises."""
        try:
            yield
        except grpc.aio.AioRpcError as failure:
            raise error_of(failure) from failure
        except (asyncio.CancelledError, grpc.aio.UsageError):
            # A channel that closes cancels its calls: whoever waits for one was not cancelled.
            task = asyncio.current_task()
            if self._closed and not (task and task.cancelling()):
                raise closed() from None
            raise

    async def _pause(
        self, attempts: Attempts, error: KartejoError, *, repeats: bool = False
    ) -> None:
        """Let time pass before another attempt; raises the error where there is none."""
        renewed = renews(self._token, error)
        seconds = attempts.pause_after(error, repeats=repeats or renewed)
        if self._closed:
            raise error
        await asyncio.sleep(seconds)

    def watch_table(
        self, table_id: str, after_version: int = 0
    ) -> AsyncGenerator[pb.WatchTableResponse, None]:
        """The news of a table after a version, over lines and services that come and go.

        No event comes twice, none is left out.  Whenever the watch has caught up, at first and
        after each interruption, a message without events has the state; so has all that follows.
        Raises ``KartejoError`` when patience ends.
        """

        def ask(version: int) -> pb.WatchTableRequest:
            return pb.WatchTableRequest(table_id=table_id, after_version=version)

        return self._watch(self.tables.WatchTable, ask, after_version)

    def watch_tournament(
        self, tournament_id: str, after_version: int = 0, *, mine: bool = False
    ) -> AsyncGenerator[tournament_pb.WatchTournamentResponse, None]:
        """The news of a tournament after a version; ``mine``: how the caller stands in it.

        Otherwise like :meth:`watch_table`.
        """

        def ask(version: int) -> tournament_pb.WatchTournamentRequest:
            return tournament_pb.WatchTournamentRequest(
                tournament_id=tournament_id, after_version=version, mine=mine
            )

        return self._watch(self.tournaments.WatchTournament, ask, after_version)

    async def _watch(
        self,
        method: grpc.aio.UnaryStreamMultiCallable[Q, A],
        ask: Callable[[int], Q],
        version: int,
    ) -> AsyncGenerator[A, None]:
        attempts = Attempts(self._patience)
        while True:
            heard = False
            try:
                async with aclosing(self.stream(method, ask(version))) as stream:
                    async for news in stream:
                        heard = True
                        attempts.answered()
                        version = max(version, news.version)
                        yield news
                return
            except KartejoError as failure:
                error = failure
            # Whoever was too slow to read a stream may go on with another.
            await self._pause(attempts, error, repeats=heard and isinstance(error, Exhausted))

    async def create_table(
        self,
        game: str,
        options: Mapping[str, str] | None = None,
        house_options: Mapping[str, str] | None = None,
        start: Mapping[str, str] | None = None,
    ) -> pb.CreateTableResponse:
        """Make a table; the caller is its host."""
        request = requests.making(game, options, house_options, start)
        return await self.call(self.tables.CreateTable, request)

    async def get_table(self, table_id: str) -> pb.GetTableResponse:
        """A table as it is now."""
        return await self.call(self.tables.GetTable, pb.GetTableRequest(table_id=table_id))

    async def take_seat(self, table_id: str, seat: int, chips: int = 0) -> pb.SubmitActionResponse:
        """Sit down."""
        request = requests.take_seat(table_id, seat, chips)
        return await self.call(self.tables.SubmitAction, request)

    async def start_hand(self, table_id: str) -> pb.StartHandResponse:
        """Begin the next hand, or what has to begin before it."""
        return await self.call(self.tables.StartHand, pb.StartHandRequest(table_id=table_id))

    async def act(
        self, state: pb.TableState, seat: int, action: games_pb2.Action, request_id: str = ""
    ) -> pb.SubmitActionResponse:
        """Do something at a seat, as an answer to what ``state`` shows.

        Raises ``Refused`` if the rules say no, ``Conflict`` if the decision is over.
        """
        request = requests.acting(state, seat, action, request_id)
        return await self.call(self.tables.SubmitAction, request)
