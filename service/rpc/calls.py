"""What every call goes through: who is it, how long may it take, and which status it ends with."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from contextvars import ContextVar
from typing import Final, NamedTuple, TypeVar

import structlog
from google.rpc.status_pb2 import Status

from engine.errors import Corrupt, Exhausted, KartejoError, Unavailable
from service.host.faults import report
from service.host.rates import Rates
from service.identity import (
    BadToken,
    Claims,
    IdentityMap,
    Principal,
    TokenFault,
    Tokens,
    identify,
)
from service.rpc.budget import Budget, Limits
from service.rpc.context import Context, Metadata
from service.rpc.measured import CallRecords
from service.rpc.patience import Patience, Within
from service.rpc.refusals import Refusals
from service.rpc.status import deadline_status, internal_status, status_of
from service.rpc.turns import Gate, Turns
from service.telemetry.spans import Spans, no_spans
from service.world import Clock

__all__ = ["STREAMS_OF_CONNECTION", "Calls", "Speed"]

log = structlog.get_logger(__name__)

DEFAULT_SECONDS: Final = 10.0
MOST_SECONDS: Final = 60.0
"""A unary call without a deadline gets the default; none gets more than the most."""

WRITE_SECONDS: Final = 30.0
"""How long a message of a stream may wait for its caller to read.  Then the stream's work ends.
Its status waits like the message did, in a place that is counted as the caller's (``door``)."""

LAST_SECONDS: Final = 3.0
"""How long a stream may go on answering while the service drains."""

WATCHES: Final = Limits(each=512, all=50_000)
"""Tables watched on Play streams."""

STREAMS_OF_CONNECTION: Final = Limits(each=120, all=10_000)
"""Fewer than a connection may have open (``connections``): who has too many is told so, and can
still call.  gRPC would keep the stream waiting and say nothing."""

LISTS: Final = Limits(each=16, all=256)
"""Lists of tables that are made or wait for it: each may be as much work as hundreds of actions."""


class Speed(NamedTuple):
    """Calls a second of one caller, and of all callers on one connection; connections of HTTP a
    second from one address; 0: no limit.

    What a caller asks on his Play streams counts apart from his calls, at the same rate.
    """

    of_caller: int = 400
    of_connection: int = 1_000
    of_address: int = 100

    @property
    def of_refusals(self) -> int:
        """Commands of a caller that the rules may refuse: each costs several times an action."""
        return -(-self.of_caller // 8)


STANDARD: Final = Speed()

Request = TypeVar("Request")
Response = TypeVar("Response")
_ADMITTED: Final[ContextVar[Claims | None]] = ContextVar("admitted", default=None)
"""What the token of the task's call says: verified at the door, and not a second time."""


class Calls:
    """Guards the calls of one server."""

    def __init__(
        self,
        tokens: Tokens,
        identities: IdentityMap,
        clock: Clock,
        speed: Speed = STANDARD,
        spans: Spans = no_spans,
    ) -> None:
        self._tokens = tokens
        self._identities = identities
        self.rate = Rates("one caller", "calls", speed.of_caller, clock)
        self.pace = Rates("one caller", "requests", speed.of_caller, clock)
        self.refusals = Refusals(clock)
        self.connection = Rates("one connection", "calls", speed.of_connection, clock)
        self.arrivals = Rates("one address", "connections", speed.of_address, clock)
        self.gate = Gate()
        self.turns = Turns(speed.of_caller, self.gate)
        self.connection_turns = Turns(speed.of_connection, self.gate)
        self.draining = asyncio.Event()
        self.refused = 0
        self.watches = Budget("watches", WATCHES)
        self.streams = Budget("streams", STREAMS_OF_CONNECTION, "one connection")
        self.lists = Budget("lists", LISTS)
        self.records = CallRecords(spans)

    def claims(self, metadata: Metadata) -> Claims:
        """What the token in a call's headers says; raises ``Unauthenticated``.

        A caller is one: who sends two tokens, or the same one twice, has sent none of ours.
        """
        found = [value for key, value in metadata if key == "authorization"]
        if not found:
            return self._tokens.verify(None)
        value = found[0]
        if len(found) > 1 or not isinstance(value, str):
            raise BadToken(TokenFault.MALFORMED)
        scheme, _, rest = value.partition(" ")
        # Another scheme is answered as a malformed token: the whole header is none.
        return self._tokens.verify(rest if scheme.lower() == "bearer" else value)

    def admit(self, metadata: Metadata) -> Claims:
        """``claims``, kept for the rest of the call, which is one task from its headers on."""
        self.gate.came += 1
        claims = self.claims(metadata)
        _ADMITTED.set(claims)
        return claims

    async def caller(self, context: Context) -> Principal:
        """The verified caller; raises ``Unauthenticated`` or ``Unavailable``."""
        claims = _ADMITTED.get()
        if claims is None:
            claims = self.claims(context.metadata())
        else:  # its message may have come long after its headers
            self._tokens.require_current(claims.expires_at)
        return await identify(claims, self._identities)

    def require_current(self, caller: Principal) -> None:
        """Raises ``Unauthenticated`` once the token of a caller is over."""
        self._tokens.require_current(caller.expires_at)

    async def unary(
        self, context: Context, work: Callable[[Principal], Awaitable[Response]]
    ) -> Response:
        """Run a unary call within its deadline; errors end it with their status."""
        try:
            self._require_not_draining()
            self._take_turn(context)
            left = context.time_remaining()
            with Within(DEFAULT_SECONDS if left is None else min(left, MOST_SECONDS)):
                caller = await self.caller(context)
                await self.turns.take(caller.id)
                await self.connection_turns.take(context.peer())
                self._require_not_draining()
                return await work(caller)
        except KartejoError as error:
            if isinstance(error, Exhausted):
                await self.refusals.pause(context.peer())
            await context.abort(self.told(error))
        except TimeoutError:
            await context.abort(deadline_status())
        except Exception as error:  # noqa: BLE001 whatever it is, the call must end with a status
            report(log.bind(call=context.method), "call_failed", error)
            await context.abort(internal_status())
        raise AssertionError("an aborted call goes on")

    async def stream(
        self,
        context: Context,
        work: Callable[[Principal], AsyncGenerator[Response, None]],
        *,
        ends_itself: bool = False,
    ) -> None:
        """Send what ``work`` yields until it ends, the caller leaves, his token is over, or the
        service drains.  Work that ``ends_itself`` when the service drains gets time for it.
        """
        try:
            self._take_turn(context)
            with Within(DEFAULT_SECONDS):
                caller = await self.caller(context)
            with self.streams.place(context.peer()):
                await self._send_while_allowed(context, caller, work, LAST_SECONDS * ends_itself)
        except KartejoError as error:
            if isinstance(error, Exhausted):
                await self.refusals.pause(context.peer())
            await context.abort(self.told(error))
        except TimeoutError:
            await context.abort(deadline_status())
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 whatever it is, the call must end with a status
            report(log.bind(call=context.method), "call_failed", error)
            await context.abort(internal_status())

    def drain(self) -> None:
        """The service stops: streams end, and what waits for its turn is told to come back."""
        self.draining.set()
        self.turns.end()
        self.connection_turns.end()

    def _require_not_draining(self) -> None:
        """Raises ``Unavailable``, for a call that has not begun when the service drains."""
        if self.draining.is_set():
            self.refused += 1
            raise self.stopping()

    def _take_turn(self, context: Context) -> None:
        """Count a call of its connection; raises ``Exhausted``."""
        if self.connection.is_limited:
            self.connection.take(context.peer())

    async def _send_while_allowed(
        self,
        context: Context,
        caller: Principal,
        work: Callable[[Principal], AsyncGenerator[Response, None]],
        last_seconds: float,
    ) -> None:
        sending = asyncio.ensure_future(self._send(context, caller, work))
        expiring = asyncio.ensure_future(self._tokens.outlive(caller.expires_at))
        stopping = asyncio.ensure_future(self.draining.wait())
        tasks = (sending, expiring, stopping)
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if not (sending.done() or expiring.done()) and last_seconds:
                await asyncio.wait((sending,), timeout=last_seconds)
            if sending.done():
                sending.result()
            elif expiring.done():
                raise BadToken(TokenFault.EXPIRED)
            else:
                raise self.stopping()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _send(
        self,
        context: Context,
        caller: Principal,
        work: Callable[[Principal], AsyncGenerator[Response, None]],
    ) -> None:
        with Patience(WRITE_SECONDS) as patience:
            async with aclosing(work(caller)) as messages:
                async for message in messages:
                    self.require_current(caller)
                    if not await patience.write(context, message):
                        return

    @staticmethod
    def stopping() -> Unavailable:
        """Why calls are refused and streams end while the service drains."""
        return Unavailable("the service is stopping; come back in a moment", retry_ms=1_000)

    @staticmethod
    def told(error: KartejoError) -> Status:
        """The status of an error; what the operator must know is logged."""
        if isinstance(error, Corrupt):
            log.error("corrupt", where=str(error))
        return status_of(error)
