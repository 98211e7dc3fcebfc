"""Lines that somebody types while other things go on."""

from __future__ import annotations

import asyncio
import os
import sys

__all__ = ["Keyboard"]


class Keyboard:
    """Standard input, line by line, without a thread: leaving never waits for a key."""

    def __init__(self) -> None:
        self._descriptor = sys.stdin.fileno()
        self._typed = bytearray()
        self._ended = False
        self.is_terminal = sys.stdin.isatty()

    async def line(self) -> str:
        """The next line, without spaces around it; what is typed later stays if cancelled.

        Raises ``EOFError`` after the last one.
        """
        while b"\n" not in self._typed and not self._ended:
            await self._readable()
            try:
                read = os.read(self._descriptor, 65_536)
            except OSError:  # the terminal has hung up
                read = b""
            self._typed += read
            self._ended = not read
        if not self._typed:
            raise EOFError
        line, _, rest = bytes(self._typed).partition(b"\n")
        self._typed[:] = rest
        return line.decode(errors="replace").strip()

    async def _readable(self) -> None:
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        try:
            loop.add_reader(self._descriptor, ready.set)
        except PermissionError:
            return  # a file: it can always be read
        try:
            await ready.wait()
        finally:
            loop.remove_reader(self._descriptor)
