"""What every call goes through: who is it, how long may it take, and which status it ends with."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Any, Final, NoReturn, TypeVar

import structlog
from google.rpc.status_pb2 import Status
from grpc_status import rpc_status

from engine.errors import Corrupt, KartejoError, Unavailable
from service.host.faults import report
from service.identity import IdentityMap, Principal, Tokens, identify
from service.rpc.status import deadline_status, internal_status, status_of

__all__ = ["Calls"]

log = structlog.get_logger(__name__)

DEFAULT_SECONDS: Final = 10.0
MOST_SECONDS: Final = 60.0
"""A unary call without a deadline gets the default; none gets more than the most."""

Request = TypeVar("Request")
Response = TypeVar("Response")
Context = Any  # grpc.aio.ServicerContext is generic over types that this module does not see


class Calls:
    """Guards the calls of one server."""

    def __init__(self, tokens: Tokens, identities: IdentityMap) -> None:
        self._tokens = tokens
        self._identities = identities
        self.draining = asyncio.Event()
        self.refused = 0

    async def caller(self, context: Context) -> Principal:
        """The verified caller; raises ``Unauthenticated`` or ``Unavailable``."""
        token = None
        for key, value in context.invocation_metadata() or ():
            if key == "authorization" and isinstance(value, str):
                scheme, _, rest = value.partition(" ")
                # Another scheme is answered as a malformed token: the whole header is none.
                token = rest if scheme.lower() == "bearer" else value
        return await identify(self._tokens.verify(token), self._identities)

    async def unary(
        self, context: Context, work: Callable[[Principal], Awaitable[Response]]
    ) -> Response:
        """Run a unary call within its deadline; errors end it with their status."""
        try:
            if self.draining.is_set():
                self.refused += 1
                raise _stopping()
            left = context.time_remaining()
            async with asyncio.timeout(
                DEFAULT_SECONDS if left is None else min(left, MOST_SECONDS)
            ):
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
        self, context: Context, work: Callable[[Principal], AsyncGenerator[Response, None]]
    ) -> None:
        """Send what ``work`` yields until it ends, the caller leaves or the service drains."""
        sending = asyncio.ensure_future(self._send(context, work))
        stopping = asyncio.ensure_future(self.draining.wait())
        try:
            await asyncio.wait((sending, stopping), return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
            else:
                raise _stopping()
        except KartejoError as error:
            await self.fail(context, self.told(error))
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 whatever it is, the call must end with a status
            report(log.bind(call=_name(context)), "call_failed", error)
            await self.fail(context, internal_status())
        finally:
            for task in (sending, stopping):
                task.cancel()
            await asyncio.gather(sending, stopping, return_exceptions=True)

    async def _send(
        self, context: Context, work: Callable[[Principal], AsyncGenerator[Response, None]]
    ) -> None:
        caller = await self.caller(context)
        async with aclosing(work(caller)) as messages:
            async for message in messages:
                await context.write(message)

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


def _stopping() -> Unavailable:
    return Unavailable("the service is stopping; come back in a moment", retry_ms=1_000)


def _name(context: Context) -> str:
    return str(getattr(context, "_method", "?"))
