"""Where a service's log goes, and what never gets into it.

An event has fields; of an error it has the class and the places (``service.host.faults``).  Texts
of exceptions, local variables and arguments of callbacks may be cards or tokens: whatever some
library would print of them is left out here, where everything passes.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from functools import partial
from types import TracebackType
from typing import Any, Final

import structlog

from service.host.faults import places_of, report
from service.telemetry import Tally
from service.telemetry.seldom import Seldom

__all__ = ["log_to_stderr", "warn_on_stderr", "watch_loop"]

log = structlog.get_logger(__name__)

_SAID: Final = "message"


def log_to_stderr(*, as_json: bool, worker: int = 0) -> Tally:
    """Events with fields on standard error; standard output is for what the command reports.

    Of several processes that log to one place each puts its number into its lines.  Returns the
    count of the lines.
    """
    shape: structlog.typing.Processor = structlog.dev.ConsoleRenderer(
        colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
    )
    if as_json:
        shape = structlog.processors.JSONRenderer()
    seldom = Seldom()
    shared: list[structlog.typing.Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _places_only,
    ]
    if worker:
        shared.insert(0, partial(_numbered, worker))
    structlog.configure(
        processors=[seldom, *shared, shape],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    # Libraries log by the standard module: the same lines, and only what is amiss.
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(seldom.allows)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(processor=shape, foreign_pre_chain=shared)
    )
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    # psycopg warns of connections that are closed under way, as every ending service does.
    logging.getLogger("psycopg").setLevel(logging.ERROR)
    sys.excepthook = _ended_by
    return seldom.lines


def warn_on_stderr() -> None:
    """For a command that does not serve: only warnings of its parts, and never on its output."""
    if not structlog.is_configured():
        structlog.configure(
            wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
            logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        )


def watch_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Log what goes wrong in callbacks and forgotten tasks of a loop, without their arguments."""
    loop.set_exception_handler(_in_loop)


def _in_loop(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    error = context.get("exception")
    if error is None:
        # Without an error the text is one of the loop's own, and quotes nothing.
        log.error("loop_fault", said=context[_SAID])
    else:
        report(log, "loop_fault", error)


def _ended_by(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
    else:
        report(log, "ended_by_fault", error)


def _numbered(
    worker: int, _logger: Any, _name: str, event: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    event["worker"] = worker
    return event


def _places_only(
    _logger: Any, _name: str, event: structlog.typing.EventDict
) -> structlog.typing.EventDict:
    """Of an error that comes with an event: its class and its places."""
    given = event.pop("exc_info", None)
    event.pop("stack_info", None)
    if given is True:
        given = sys.exc_info()
    error = given[1] if isinstance(given, tuple) else given
    if isinstance(error, BaseException):
        event.update(places_of(error))
    return event
