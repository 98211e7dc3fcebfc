"""Where a service runs: a small file beside its data, by which other commands find it.

It holds no secret.  What it says is believed only as far as somebody answers there: a service
that was killed leaves it behind.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final, NamedTuple

__all__ = ["Endpoint"]

_NAME: Final = "endpoint.json"
HIGHEST_PORT: Final = 65_535


class Endpoint(NamedTuple):
    """How to reach a service.

    ``address`` is host:port.  ``tls``: it speaks TLS; ``certificate`` names a file with the
    certificate to trust, empty for those the system trusts.  ``process`` is its process id, 0 if
    it was not read from a file.  ``web`` is where browsers find it, empty if nowhere.
    """

    address: str
    tls: bool = False
    certificate: str = ""
    lab: bool = False
    process: int = 0
    web: str = ""

    @classmethod
    def parse(cls, text: str, certificate: str = "") -> Endpoint:
        """``host:port``, or ``https://host:port`` for TLS; raises ``ValueError``.

        >>> Endpoint.parse("https://cards.example:443").tls
        True
        """
        scheme, separator, rest = text.rpartition("://")
        host, _, port = rest.rpartition(":")
        if (separator and scheme not in {"http", "https"}) or not host or not port.isdecimal():
            raise ValueError(f"an address is host:port or https://host:port, not {text!r}")
        if not 0 < int(port) <= HIGHEST_PORT:
            raise ValueError(f"a port is a number from 1 to {HIGHEST_PORT}, not {port}")
        return cls(rest, tls=scheme == "https" or bool(certificate), certificate=certificate)

    @classmethod
    def read(cls, home: Path) -> Endpoint | None:
        """What the last service on ``home`` said; None where none did."""
        try:
            return cls(**json.loads((home / _NAME).read_text(encoding="utf-8")))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (ValueError, TypeError):
            return None  # of another version: as good as none

    def write(self, home: Path) -> None:
        """Say so, in one step: nobody reads half a file."""
        home.mkdir(parents=True, exist_ok=True)
        fresh = home / f"{_NAME}.new"
        fresh.write_text(json.dumps(self._asdict(), indent=1) + "\n", encoding="utf-8")
        fresh.replace(home / _NAME)

    @staticmethod
    def remove(home: Path) -> None:
        """Say no more."""
        (home / _NAME).unlink(missing_ok=True)
