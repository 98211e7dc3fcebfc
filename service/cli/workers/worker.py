"""One of several processes that serve on one port; started by the keeper, and by nobody else."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from typing import TYPE_CHECKING, Final

from service.cli.workers.signs import Signs
from service.store.trampoline import end_with

if TYPE_CHECKING:
    from service.cli.workers.orders import Order
    from service.telemetry import Tally

__all__ = ["main"]

BEAT_SECONDS: Final = 0.5
"""Between two signs of life."""


def main() -> None:
    """Serve as the order says until SIGTERM, or for as long as the keeper lives."""
    told = json.loads(sys.stdin.readline())
    end_with(told["parent"], signal.SIGKILL)
    signs = Signs(os.dup(sys.stdout.fileno()))
    # Whatever some library prints is no sign.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    # Everything else is read when the keeper's end can no longer be missed.
    from service.cli.workers.orders import Order

    sys.exit(_serve(Order.of(told), signs))


def _serve(order: Order, signs: Signs) -> int:
    import uvloop

    from engine.errors import KartejoError
    from service.cli.failures import as_command_error
    from service.cli.logs import log_to_stderr

    lines = log_to_stderr(as_json=order.log_json, worker=order.number)
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_run(order, signs, lines))
    except (KartejoError, OSError) as error:
        signs.failed(as_command_error(error))
        return 1
    return 0


async def _run(order: Order, signs: Signs, lines: Tally) -> None:
    from service.cli.failures import of_listening
    from service.cli.logs import watch_loop
    from service.cli.parts import parts_of
    from service.cli.watched import Look, serve_watched, spans_for
    from service.metrics import MetricsEndpoint, Together
    from service.world import RealWorld

    watch_loop(asyncio.get_running_loop())
    beating = asyncio.create_task(_beat(signs), name="beat")
    lab, signing = order.settings.lab, bool(order.settings.checkpoint_seconds)
    page = MetricsEndpoint(order.metrics[order.number]) if order.metrics else None
    look = Look(page, spans_for(order.traces), lines, Together(order.metrics).show)
    async with parts_of(order.database, order.home, RealWorld(), lab=lab, signs=signing) as parts:
        with of_listening():
            await serve_watched(
                order.settings, parts, look, order.web, lambda _server, _url: signs.ready()
            )
    beating.cancel()


async def _beat(signs: Signs) -> None:
    while True:
        signs.alive()
        await asyncio.sleep(BEAT_SECONDS)


if __name__ == "__main__":
    main()
