"""Outages in the log: one line when something goes away, one when it is back."""

from __future__ import annotations

import time
from typing import Final

import structlog

__all__ = ["Outage"]

_log: Final = structlog.get_logger("kartejo.store")


class Outage:
    """Whether something is away.  ``event`` names it in the log: ``<event>`` and ``<event>_over``.

    However often it is missed meanwhile, the log says so once.

    >>> outage = Outage("store_unreachable")
    >>> outage.met(error="OperationalError")
    True
    >>> outage.met(error="OperationalError")
    False
    >>> outage.over(), outage.over()
    (2, 0)
    """

    def __init__(self, event: str) -> None:
        self._event = event
        self._since = 0.0
        self._met = 0

    def met(self, **fields: object) -> bool:
        """It is away, for what ``fields`` say; whether that is news, and was logged."""
        self._met += 1
        if self._met > 1:
            return False
        self._since = time.monotonic()
        _log.error(self._event, **fields)
        return True

    def over(self) -> int:
        """It is there; how often it was missed."""
        missed, self._met = self._met, 0
        if missed:
            seconds = round(time.monotonic() - self._since, 1)
            _log.warning(f"{self._event}_over", seconds=seconds, times=missed)
        return missed
