"""Outages are told when they begin and when they are over, not whenever somebody meets them."""

from __future__ import annotations

import time

__all__ = ["Outage"]


class Outage:
    """Whether something is away.

    >>> outage = Outage()
    >>> outage.met(), outage.met()
    (True, False)
    >>> outage.over() is None, outage.over() is None
    (False, True)
    """

    def __init__(self) -> None:
        self._since: float | None = None

    def met(self) -> bool:
        """It is away; whether that is news."""
        if self._since is not None:
            return False
        self._since = time.monotonic()
        return True

    def over(self) -> float | None:
        """It is there; for how many seconds it was not, ``None`` if that is no news."""
        since, self._since = self._since, None
        return None if since is None else round(time.monotonic() - since, 3)
