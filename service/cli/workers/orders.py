"""What a worker is told when it starts: one line on standard input.

Not among the arguments of the process, where a password of the database would be seen.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from service.rpc.calls import Speed
from service.rpc.server import Settings

__all__ = ["Order"]


class Order(NamedTuple):
    """How a worker is to serve; ``number`` from 1, ``parent`` the process that keeps it.

    ``settings`` name the port that is kept for all workers, and absolute paths, as ``home`` is.
    ``metrics`` is the socket at which it shows them to the parent, if somebody wants to know.
    """

    number: int
    parent: int
    database: str
    home: Path
    settings: Settings
    log_json: bool
    metrics: Path | None
    traces: str | None

    def as_line(self) -> str:
        """One line for :meth:`of`."""
        told = {**self._asdict(), "settings": self.settings._asdict()}
        return json.dumps(told, default=str) + "\n"

    @classmethod
    def of(cls, told: dict[str, Any]) -> Order:
        """The order of a line, which was read as JSON."""
        settings = dict(told["settings"])
        for name in ("tls_certificate", "tls_key"):
            settings[name] = Path(settings[name]) if settings[name] else None
        settings["speed"] = Speed(*settings["speed"])
        return cls(
            **{
                **told,
                "home": Path(told["home"]),
                "metrics": Path(told["metrics"]) if told["metrics"] else None,
                "settings": Settings(**settings),
            }
        )
