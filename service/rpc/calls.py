"""What every call goes through: who is it, how long may it take, and which status it ends with."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import aclosing
from contextvars import ContextVar
from typing import Any, Final, NamedTuple, NoReturn, TypeVar

import structlog
from google.rpc.status_pb2 import Status
from grpc_status import rpc_status

from engine.errors import Corrupt, KartejoError, Unavailable
from service.host.faults import report
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
from service.rpc.measured import CallRecords
from service.rpc.patience import Patience, Within
from service.rpc.rates import Rates
from service.rpc.status import deadline_status, internal_status, status_of
from service.telemetry.spans import Spans, no_spans
from service.world import Clock

__all__ = ["Calls", "Speed"]

log = structlog.get_logger(__name__)

DEFAULT_SECONDS: Final = 10.0
MOST_SECONDS: Final = 60.0
"""A unary call without a deadline gets the default; none gets more than the most."""

WRITE_SECONDS: Final = 30.0
"""How long a message of a stream may wait for its caller to read.  Then the stream's work ends.
Its status waits like the message did, in a place that is counted as the caller's (``door``)."""

LAST_SECONDS: Final = 3.0
"""How long a stream may go on answering while the service drains."""

REFUSED_AT_ONCE: Final = 100
"""Refusals a second that one caller gets at once; callers without a token count as one."""

WATCHES: Final = Limits(each=512, all=50_000)
"""Tables watched on Play streams."""

LISTS: Final = Limits(each=16, all=256)
"""Lists of tables that are made or wait for it: each may be as much work as hundreds of actions."""


class Speed(NamedTuple):
    """Calls a second of one caller, and of all callers on one connection; 0: no limit.

    What a caller asks on his Play streams counts apart from his calls, at the same rate.
    """

    of_caller: int = 400
    of_connection: int = 4_000


STANDARD: Final = Speed()

Request = TypeVar("Request")
Response = TypeVar("Response")
_ADMITTED: Final[ContextVar[Claims | None]] = ContextVar("admitted", default=None)
"""What the token of the task's call says: verified at the door, and not a second time."""

Context = Any  # grpc.aio.ServicerContext is generic over types that this module does not see


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
        self.refusals = Rates("one caller", "refused calls", REFUSED_AT_ONCE, clock)
        self.connection = Rates("one connection", "calls", speed.of_connection, clock)
        self.draining = asyncio.Event()
        self.refused = 0
        self.watches = Budget("watches", WATCHES)
        self.lists = Budget("lists", LISTS)
        self.records = CallRecords(spans)

    def claims(self, metadata: Iterable[tuple[str, str | bytes]] | None) -> Claims:
        """What the token in a call's headers says; raises ``Unauthenticated``.

        A caller is one: who sends two tokens, or the same one twice, has sent none of ours.
        """
        found = [value for key, value in metadata or () if key == "authorization"]
        if not found:
            return self._tokens.verify(None)
        value = found[0]
        if len(found) > 1 or not isinstance(value, str):
            raise BadToken(TokenFault.MALFORMED)
        scheme, _, rest = value.partition(" ")
        # Another scheme is answered as a malformed token: the whole header is none.
        return self._tokens.verify(rest if scheme.lower() == "bearer" else value)

    def admit(self, metadata: Iterable[tuple[str, str | bytes]] | None) -> Claims:
        """``claims``, kept for the rest of the call, which is one task from its headers on."""
        claims = self.claims(metadata)
        _ADMITTED.set(claims)
        return claims

    async def caller(self, context: Context) -> Principal:
        """The verified caller; raises ``Unauthenticated`` or ``Unavailable``."""
        claims = _ADMITTED.get()
        if claims is None:
            claims = self.claims(context.invocation_metadata())
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
            if self.draining.is_set():
                self.refused += 1
                raise self.stopping()
            self._take_turn(context)
            left = context.time_remaining()
            with Within(DEFAULT_SECONDS if left is None else min(left, MOST_SECONDS)):
                return await work(await self.caller(context))
        except KartejoError as error:
            await self.fail(context, self.told(error))
        except TimeoutError:
            await self.fail(context, deadline_status())
        except Exception as error:  # noqa: BLE001 whatever it is, the call must end with a status
            report(log.bind(call=_name(context)), "call_failed", error)
            await self.fail(context, internal_status())
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
            await self._send_while_allowed(context, caller, work, LAST_SECONDS * ends_itself)
        except KartejoError as error:
            await self.fail(context, self.told(error))
        except TimeoutError:
            await self.fail(context, deadline_status())
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 whatever it is, the call must end with a status
            report(log.bind(call=_name(context)), "call_failed", error)
            await self.fail(context, internal_status())

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

    @staticmethod
    async def fail(context: Context, status: Status) -> NoReturn:
        """End the call with a status and its details."""
        await context.abort_with_status(rpc_status.to_status(status))
        raise AssertionError("an aborted call goes on")


def _name(context: Context) -> str:
    return str(getattr(context, "_method", "?"))
