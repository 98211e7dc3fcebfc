"""The body of a request, read whole: no more than is allowed, and in no more time."""

from __future__ import annotations

import asyncio
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from contextlib import suppress
from typing import Final

from google.rpc.code_pb2 import DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED

from engine.errors import Exhausted, Malformed
from service.rpc.budget import Budget
from service.rpc.connections import MOST_REQUEST_BYTES
from service.rpc.status import status_for, status_of
from service.web.asgi import Message, Receive, Send
from service.web.call import Ended

__all__ = ["Body", "as_text"]

BODY_SECONDS: Final = 10.0
ENVELOPE_BYTES: Final = 5
"""What stands before each message of a stream: flags, and the length of the message."""

_TOO_LARGE: Final = status_for(
    RESOURCE_EXHAUSTED, f"a request is {MOST_REQUEST_BYTES} bytes at most", "REQUEST_TOO_LARGE"
)


class Body:
    """Stands in the place of ``receive``: tells the body at once, and later that the caller left.

    ``length`` is what was told of it before.  ``is_framed``: it is one message as streams have
    them; ``is_text``: in base64, whose pieces may each be padded.  ``slow``: places of those that
    are waited for, by ``address``.
    """

    def __init__(
        self,
        receive: Receive,
        length: int,
        slow: Budget,
        address: str,
        *,
        is_framed: bool = False,
        is_text: bool = False,
    ) -> None:
        self._receive = receive
        self._length = length
        self._slow = slow
        self._address = address
        self._is_framed = is_framed
        self._is_text = is_text
        self._is_read = False

    async def __call__(self) -> Message:
        """Raises ``Ended``, as ``read`` does."""
        if self._is_read:
            return await self._receive()
        self._is_read = True
        data = await self.read()
        if data is None:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": data, "more_body": False}

    async def read(self) -> bytes | None:
        """All of it; None if the caller left before.

        Raises ``Ended`` for what is too long, too slow, or not in the form that it should have, and
        where too many are waited for.
        """
        most = MOST_REQUEST_BYTES + ENVELOPE_BYTES * self._is_framed
        most *= 1 + self._is_text  # with all its padding
        if self._length > most:
            raise Ended(_TOO_LARGE)
        try:
            async with asyncio.timeout(BODY_SECONDS):
                data = await self._all(most)
        except Exhausted as error:
            raise Ended(status_of(error)) from None
        except TimeoutError:
            why = f"the request did not come within {BODY_SECONDS:.0f} seconds"
            raise Ended(status_for(DEADLINE_EXCEEDED, why, "REQUEST_TOO_SLOW")) from None
        if data is None:
            return None
        if self._is_text:
            data = _from_text(data)
        if self._is_framed:
            _require_one(data)
        return data

    async def _all(self, most: int) -> bytes | None:
        data = bytearray()
        with suppress(TimeoutError):
            async with asyncio.timeout(0):  # what came with its head takes nobody's place
                return await self._rest(data, most)
        with self._slow.place(self._address):
            return await self._rest(data, most)

    async def _rest(self, data: bytearray, most: int) -> bytes | None:
        while (message := await self._receive())["type"] == "http.request":
            data += message.get("body", b"")
            if len(data) > most:
                raise Ended(_TOO_LARGE)
            if not message.get("more_body"):
                return bytes(data)
        return None


def _from_text(data: bytes) -> bytes:
    """Base64 in four characters at a time, since each piece may end with padding."""
    try:
        return b"".join(
            b64decode(data[at : at + 4], validate=True) for at in range(0, len(data), 4)
        )
    except Base64Error:
        raise Ended(status_of(Malformed("request", "expected base64"))) from None


def _require_one(data: bytes) -> None:
    """Raises ``Ended`` for what is not one message, whole and as it is, behind its five bytes."""
    size = int.from_bytes(data[1:ENVELOPE_BYTES], "big")
    there = len(data) - ENVELOPE_BYTES
    if there < 0:
        why = f"expected one message behind 5 bytes, its flags and length; {len(data)} bytes came"
    elif data[0]:
        why = f"expected the flags 0, not {data[0]}: one message that is not compressed"
    elif size > MOST_REQUEST_BYTES:
        raise Ended(_TOO_LARGE)
    elif size != there:
        why = f"expected one message of the {size} bytes that it tells; {there} bytes came"
    else:
        return
    raise Ended(status_of(Malformed("request", why)))


def as_text(send: Send, kind: str) -> Send:
    """Sends what is sent in base64, each piece for itself, as content of a kind."""

    async def text(message: Message) -> None:
        if message.get("body"):
            message = {**message, "body": b64encode(message["body"])}
        elif "headers" in message:
            headers = [pair for pair in message["headers"] if pair[0] != b"content-type"]
            message = {**message, "headers": [*headers, (b"content-type", kind.encode())]}
        await send(message)

    return text
