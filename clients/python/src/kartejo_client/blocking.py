"""The client whose calls block.  Threads may share one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from types import TracebackType
from typing import Any, Self, TypeVar

import grpc

from kartejo_client import requests
from kartejo_client.channel import OPTIONS, Token, credentials, metadata, renews, target
from kartejo_client.errors import Exhausted, KartejoError, closed, error_of
from kartejo_client.pb import games_pb2
from kartejo_client.pb import table_service_pb2 as pb
from kartejo_client.pb import tournament_service_pb2 as tournament_pb
from kartejo_client.retrying import Attempts, Patience
from kartejo_client.stubs import Stubs

__all__ = ["Client"]

Q = TypeVar("Q", bound=Any)
A = TypeVar("A", bound=Any)


class Client(Stubs):
    """A caller at one service; a context manager.

    ``address``: host:port, or https://host:port for TLS; ``certificate``: what to trust (PEM)
    instead of what the system trusts.  ``token``: the bearer token, or what gives one.

    >>> made = kartejo.create_table("royal_flush")  # doctest: +SKIP
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
            self.channel = grpc.secure_channel(place, trusted, options=OPTIONS)
        else:
            self.channel = grpc.insecure_channel(place, options=OPTIONS)
        super().__init__(self.channel)
        self._token = token
        self._patience = patience
        self._closed = threading.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the connection, and what is under way on it."""
        self._closed.set()
        self.channel.close()

    def call(
        self,
        method: grpc.UnaryUnaryMultiCallable[Q, A],
        request: Q,
        patience: Patience | None = None,
    ) -> A:
        """The answer of a unary call, however often it has to be sent.

        A request without a request id gets one.  ``patience``: another than the client's.  Raises
        ``KartejoError``.

        >>> kartejo.call(kartejo.games.ListGames, ListGamesRequest())  # doctest: +SKIP
        """
        request = requests.with_request_id(request)
        attempts = Attempts(patience or self._patience)
        while True:
            try:
                with self._translated():
                    carried = metadata(self._token)
                    return method(request, timeout=attempts.seconds, metadata=carried)
            except KartejoError as failure:
                error = failure
            self._pause(attempts, error)

    def stream(
        self, method: grpc.UnaryStreamMultiCallable[Q, A], request: Q
    ) -> Generator[A, None, None]:
        """The answers of any stream, once and as they come; closing it ends the stream.

        Raises ``KartejoError`` where it breaks off.

        >>> kartejo.stream(kartejo.replays.ReplayHand, ReplayHandRequest())  # doctest: +SKIP
        """
        with self._translated():
            call = method(request, metadata=metadata(self._token))
            try:
                yield from call
            finally:
                call.cancel()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Raises ``KartejoError`` for what gRPC raises."""
        try:
            yield
        except grpc.RpcError as failure:
            raise error_of(failure) from failure
        except ValueError:  # so gRPC calls a closed channel
            if self._closed.is_set():
                raise closed() from None
            raise

    def _pause(self, attempts: Attempts, error: KartejoError, *, repeats: bool = False) -> None:
        """Let time pass before another attempt; raises the error where there is none."""
        renewed = renews(self._token, error)
        if self._closed.wait(attempts.pause_after(error, repeats=repeats or renewed)):
            raise error

    def watch_table(
        self, table_id: str, after_version: int = 0
    ) -> Generator[pb.WatchTableResponse, None, None]:
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
    ) -> Generator[tournament_pb.WatchTournamentResponse, None, None]:
        """The news of a tournament after a version; ``mine``: how the caller stands in it.

        Otherwise like :meth:`watch_table`.
        """

        def ask(version: int) -> tournament_pb.WatchTournamentRequest:
            return tournament_pb.WatchTournamentRequest(
                tournament_id=tournament_id, after_version=version, mine=mine
            )

        return self._watch(self.tournaments.WatchTournament, ask, after_version)

    def _watch(
        self,
        method: grpc.UnaryStreamMultiCallable[Q, A],
        ask: Callable[[int], Q],
        version: int,
    ) -> Generator[A, None, None]:
        attempts = Attempts(self._patience)
        while True:
            heard = False
            try:
                with closing(self.stream(method, ask(version))) as stream:
                    for news in stream:
                        heard = True
                        attempts.answered()
                        version = max(version, news.version)
                        yield news
                return
            except KartejoError as failure:
                error = failure
            # Whoever was too slow to read a stream may go on with another.
            self._pause(attempts, error, repeats=heard and isinstance(error, Exhausted))

    def create_table(
        self,
        game: str,
        options: Mapping[str, str] | None = None,
        house_options: Mapping[str, str] | None = None,
        start: Mapping[str, str] | None = None,
    ) -> pb.CreateTableResponse:
        """Make a table; the caller is its host."""
        request = requests.making(game, options, house_options, start)
        return self.call(self.tables.CreateTable, request)

    def get_table(self, table_id: str) -> pb.GetTableResponse:
        """A table as it is now."""
        return self.call(self.tables.GetTable, pb.GetTableRequest(table_id=table_id))

    def take_seat(self, table_id: str, seat: int, chips: int = 0) -> pb.SubmitActionResponse:
        """Sit down."""
        request = requests.take_seat(table_id, seat, chips)
        return self.call(self.tables.SubmitAction, request)

    def start_hand(self, table_id: str) -> pb.StartHandResponse:
        """Begin the next hand, or what has to begin before it."""
        return self.call(self.tables.StartHand, pb.StartHandRequest(table_id=table_id))

    def act(
        self, state: pb.TableState, seat: int, action: games_pb2.Action, request_id: str = ""
    ) -> pb.SubmitActionResponse:
        """Do something at a seat, as an answer to what ``state`` shows.

        Raises ``Refused`` if the rules say no, ``Conflict`` if the decision is over.
        """
        request = requests.acting(state, seat, action, request_id)
        return self.call(self.tables.SubmitAction, request)
