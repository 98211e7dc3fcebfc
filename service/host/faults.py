"""What a log may say of a fault: its kind and its places, and nothing that was in play.

The text of an exception may quote a card or a token, and some renderers of tracebacks print the
local variables of every frame; a fault of ours is logged like this instead.
"""

from __future__ import annotations

import traceback
from typing import Any, Final

import structlog

__all__ = ["places_of", "report"]

_DEPTH: Final = 12


def report(log: structlog.typing.FilteringBoundLogger, event: str, error: BaseException) -> None:
    """Log a fault: the class of the error and of its cause, and the innermost places."""
    log.error(event, **places_of(error))


def places_of(error: BaseException) -> dict[str, Any]:
    """What a log may say of an error, as fields of an event."""
    frames = traceback.extract_tb(error.__traceback__)[-_DEPTH:]
    places = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
    cause = type(error.__cause__).__name__ if error.__cause__ is not None else None
    return {"error": type(error).__name__, "cause": cause, "places": places}
