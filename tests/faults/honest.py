"""Honest clients: every request is sent, with its id, until there is a verdict, and written down.

A client keeps a journal: what it asked, how often, and what it was told.  A retry goes over a
new connection, to the next address there is.  What the network says is no verdict; what the
service says is one, unless it says itself that the outcome is not known yet.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID, uuid4

import grpc
from grpc_status import rpc_status

from service.identity import Role
from service.pb import table_service_pb2 as pb
from service.world import RealWorld
from tests.faults.server import tokens
from tests.service.harness import Client, explain

__all__ = ["Asked", "Honest", "Pulse", "Watch"]

ATTEMPT_SECONDS: Final = 3.0
INSIST_SECONDS: Final = 90.0
PAUSE_SECONDS: Final = 0.05
REPEATED: Final = 8
"""Every so many requests one is sent again though it was answered."""

WATCH_SECONDS: Final = 5.0
"""A watch that may be cut off without a word is taken up anew so often, by version."""

UNKNOWN_YET: Final = frozenset({
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
})  # fmt: skip
FAULTS: Final = frozenset({grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN})
OPTIONS: Final = (
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.initial_reconnect_backoff_ms", 50),
    ("grpc.max_reconnect_backoff_ms", 200),
)


@dataclass
class Asked:
    """One request: ``version`` is where it was accepted, ``refused`` the reason why it was not.

    ``stream`` is where it was to be stored, ``None`` before that is known.  ``amount``: chips that
    it brings into the house.
    """

    subject: str
    request_id: str
    stream: UUID | None = None
    attempts: int = 0
    version: int | None = None
    refused: str = ""
    amount: int = 0

    @property
    def accepted(self) -> bool:
        """Whether the service has said that it is stored."""
        return self.version is not None


class Pulse:
    """When requests of any client were acknowledged, in seconds of the monotonic clock.

    ``under_way``: when each that has no verdict yet was first sent; ``took``: how long each of the
    others was under way, retries included; ``put_off``: attempts that brought no verdict, by code.
    """

    def __init__(self) -> None:
        self.times: list[float] = []
        self.took: list[float] = []
        self.under_way: dict[str, float] = {}
        self.put_off: Counter[grpc.StatusCode] = Counter()
        self._moved = asyncio.Event()

    @property
    def count(self) -> int:
        """How many so far."""
        return len(self.times)

    def beat(self) -> None:
        """One more."""
        self.times.append(time.monotonic())
        self._moved.set()
        self._moved = asyncio.Event()

    @contextmanager
    def taking(self, request_id: str) -> Iterator[None]:
        """Measure how long a request is under way."""
        self.under_way[request_id] = began = time.monotonic()
        try:
            yield
        finally:
            del self.under_way[request_id]
            self.took.append(time.monotonic() - began)

    async def after(self, count: int) -> None:
        """Return when there are more than ``count``."""
        while self.count <= count:
            await self._moved.wait()


class Service:
    """What a client knows of its service: addresses, any of which may be gone."""

    def __init__(self, addresses: Sequence[str], first: int = 0) -> None:
        self.addresses = list(addresses)
        self.first = self._next = first

    def connect(self, token: str) -> tuple[grpc.aio.Channel, Client]:
        """A new connection to the next address."""
        address = self.addresses[self._next % len(self.addresses)]
        self._next += 1
        channel = grpc.aio.insecure_channel(address, options=OPTIONS)
        return channel, Client(channel, token)


class Honest:
    """A caller who insists; ``journal`` is what it asked, in order."""

    def __init__(
        self, addresses: Sequence[str], subject: str, pulse: Pulse, *roles: Role, first: int = 0
    ) -> None:
        self.subject = subject
        self.token = tokens(RealWorld()).issue(subject, roles or (Role.PLAYER,), 10**6)
        self.service = Service(addresses, first)
        self.journal: list[Asked] = []
        self.attempt_seconds = ATTEMPT_SECONDS
        self._pulse = pulse
        self._channel, self._client = self.service.connect(self.token)

    async def close(self) -> None:
        """End the connection."""
        await self._channel.close()

    async def renew(self) -> None:
        """Go on over a new connection."""
        await self._channel.close()
        self._channel, self._client = self.service.connect(self.token)

    async def read(self, method: Callable[[Client], Any], request: Any) -> Any:
        """A call that changes nothing, sent until it is answered."""
        asked = Asked(self.subject, "")
        return await self._insist(asked, method, request)

    async def ask(
        self,
        method: Callable[[Client], Any],
        request: Any,
        stream: UUID | None = None,
        amount: int = 0,
    ) -> Any | None:
        """A request that changes something: its answer, or None where it was refused.

        The answer's version is written down by whoever knows where it stands in the answer.
        """
        request.request_id = uuid4().hex
        asked = Asked(self.subject, request.request_id, stream, amount=amount)
        self.journal.append(asked)
        with self._pulse.taking(asked.request_id):
            answer = await self._insist(asked, method, request)
        if answer is not None:
            asked.version = _version(answer)
            self._pulse.beat()
            if not len(self.journal) % REPEATED:
                again = await self._insist(asked, method, request)
                assert again is not None, "a repeat is refused"
                assert _version(again) == asked.version, "a repeat took effect"
        return answer

    async def _insist(self, asked: Asked, method: Callable[[Client], Any], request: Any) -> Any:
        async with asyncio.timeout(INSIST_SECONDS):
            while True:
                asked.attempts += 1
                try:
                    return await self._client.call(
                        method(self._client), request, self.attempt_seconds
                    )
                except grpc.aio.AioRpcError as error:
                    reason, code = verdict(error), error.code()
                if reason:
                    asked.refused = reason
                    return None
                self._pulse.put_off[code] += 1
                await asyncio.sleep(PAUSE_SECONDS)
                await self.renew()


def _version(answer: Any) -> int:
    """The version that a request led to."""
    account = getattr(answer, "account", None)
    return int(answer.state.version if account is None else account.version)


def verdict(error: grpc.aio.AioRpcError) -> str:
    """The reason of a refusal; empty if nobody has decided yet.  A fault of ours is raised."""
    status = rpc_status.from_call(error)  # type: ignore[arg-type]
    reason, _, _ = explain(status)
    if not reason or error.code() in UNKNOWN_YET:
        return ""
    if error.code() in FAULTS:
        raise AssertionError(f"the service failed: {error.code()} {error.details()}")
    return reason


class Watch:
    """What one caller sees of a table, over whatever happens: each event once, in order.

    ``seen``: (version, event) as they came; ``state``: the newest one.
    """

    def __init__(self, honest: Honest, table: str) -> None:
        self.honest = honest
        self.table = table
        self.seen: list[tuple[int, bytes]] = []
        self.state = pb.TableState()
        self.ended = ""
        self.version = 0
        self._moved = asyncio.Event()
        self._service = Service(honest.service.addresses, honest.service.first)

    async def run(self) -> None:
        """Watch until cancelled, or until the service refuses it for a reason."""
        while True:
            channel, client = self._service.connect(self.honest.token)
            request = pb.WatchTableRequest(table_id=self.table, after_version=self.version)
            call = client.tables.WatchTable(
                request, metadata=client.metadata, timeout=WATCH_SECONDS
            )
            try:
                async for news in call:
                    self._take(news)
            except grpc.aio.AioRpcError as error:
                self.ended = verdict(error)
                if self.ended:
                    return
            finally:
                call.cancel()
                await channel.close()
            await asyncio.sleep(PAUSE_SECONDS)

    def _take(self, news: pb.WatchTableResponse) -> None:
        for event in news.events:
            self.seen.append((event.version, event.event.SerializeToString(deterministic=True)))
        self.version = max(self.version, news.version)
        if news.HasField("state"):
            self.state = news.state
            self._moved.set()
            self._moved = asyncio.Event()

    async def news(self, after_version: int, seconds: float = 0.5) -> None:
        """Return when a state after that version was seen, at the latest after ``seconds``."""
        try:
            async with asyncio.timeout(seconds):
                while self.state.version <= after_version:
                    await self._moved.wait()
        except TimeoutError:
            return
