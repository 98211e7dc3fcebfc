"""Running a command's coroutine so that Ctrl-C always reaches it, and at once."""

from __future__ import annotations

import signal
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

__all__ = ["run_async"]

T = TypeVar("T")


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """The outcome of ``work``; raises ``KeyboardInterrupt`` if Ctrl-C ended it.

    What its parts log goes to standard error: a command's output is for what it reports.

    ``asyncio.run`` leaves SIGINT to Python's own handler, which does not wake a loop that is just
    going to sleep: the key would count at the next event, which may never come.
    """
    import asyncio  # here: a command's --help does not wait for it

    from service.cli.logs import warn_on_stderr

    warn_on_stderr()
    interrupted = False

    async def interruptible() -> T:
        task = asyncio.ensure_future(work)

        def interrupt() -> None:
            nonlocal interrupted
            interrupted = True
            task.cancel()

        loop = asyncio.get_running_loop()
        # Windows' loops have no handlers; there the key interrupts whatever runs.
        with suppress(NotImplementedError):
            loop.add_signal_handler(signal.SIGINT, interrupt)
        try:
            return await task
        finally:
            with suppress(NotImplementedError):
                loop.remove_signal_handler(signal.SIGINT)

    try:
        return asyncio.run(interruptible())
    except asyncio.CancelledError:
        if interrupted:
            raise KeyboardInterrupt from None
        raise
