"""A line to the service that can die without a word, as one does when a machine sleeps."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread
from typing import Final

__all__ = ["Wire", "wire"]

PIECE_BYTES: Final = 65_536


class Wire:
    """Connections through a port of its own to that of a service, on ``loop``."""

    def __init__(self, loop: asyncio.AbstractEventLoop, url: str) -> None:
        self._loop = loop
        self._to = int(url.rstrip("/").rpartition(":")[2])
        self._carries: list[asyncio.Event] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self.url = ""

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/"

    async def close(self) -> None:
        self._server.close()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def die(self) -> None:
        """From now on nothing comes through connections that are open: neither data nor their end.
        Those that are opened later work."""
        self._loop.call_soon_threadsafe(self._die)

    def _die(self) -> None:
        for carries in self._carries:
            carries.clear()
        self._carries = []

    async def _connected(self, near: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        far, on = await asyncio.open_connection("127.0.0.1", self._to)
        carries = asyncio.Event()
        carries.set()
        self._carries.append(carries)
        for read, write in ((near, on), (far, back)):
            task = asyncio.create_task(_carry(read, write, carries))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)


async def _carry(
    read: asyncio.StreamReader, write: asyncio.StreamWriter, carries: asyncio.Event
) -> None:
    try:
        with suppress(OSError):
            while data := await read.read(PIECE_BYTES):
                await carries.wait()
                write.write(data)
                await write.drain()
            await carries.wait()
    finally:
        write.close()


@contextmanager
def wire(url: str) -> Iterator[Wire]:
    """A wire to the service at ``url``, for as long as the context lasts."""
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, name="wire")
    thread.start()
    made = Wire(loop, url)
    try:
        asyncio.run_coroutine_threadsafe(made.open(), loop).result(10)
        yield made
        asyncio.run_coroutine_threadsafe(made.close(), loop).result(10)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
