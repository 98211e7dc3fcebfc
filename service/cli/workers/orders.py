"""What a worker is told when it starts: one line on standard input.

Not among the arguments of the process, where a password of the database would be seen.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from service.rpc.calls import Speed
from service.rpc.server import Settings
from service.web.settings import WebSettings

__all__ = ["Order"]


class Order(NamedTuple):
    """How a worker is to serve; ``number`` from 1, ``parent`` the process that keeps it.

    ``settings`` name the port that is kept for all workers, and absolute paths, as ``home`` is.
    ``metrics``: the sockets at which the workers show them, by number, if somebody wants to know.
    """

    number: int
    parent: int
    database: str
    home: Path
    settings: Settings
    log_json: bool
    metrics: dict[int, Path]
    traces: str | None
    web: WebSettings | None = None

    def as_line(self) -> str:
        """One line for :meth:`of`."""
        web = None if self.web is None else self.web._asdict()
        told = {**self._asdict(), "settings": self.settings._asdict(), "web": web}
        return json.dumps(told, default=str) + "\n"

    @classmethod
    def of(cls, told: dict[str, Any]) -> Order:
        """The order of a line, which was read as JSON."""
        settings = _with_paths(told["settings"])
        settings["speed"] = Speed(*settings["speed"])
        return cls(
            **{
                **told,
                "home": Path(told["home"]),
                "metrics": {int(one): Path(path) for one, path in told["metrics"].items()},
                "settings": Settings(**settings),
                "web": _web(told["web"]),
            }
        )


def _web(told: dict[str, Any] | None) -> WebSettings | None:
    if told is None:
        return None
    return WebSettings(**{**_with_paths(told), "origins": tuple(told["origins"])})


def _with_paths(told: dict[str, Any]) -> dict[str, Any]:
    paths = {name: told[name] for name in ("tls_certificate", "tls_key")}
    return {**told, **{name: Path(path) if path else None for name, path in paths.items()}}
