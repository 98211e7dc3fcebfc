"""Pages of lists (AIP-158): sizes with bounds, tokens that say nothing and fit one question."""

from __future__ import annotations

import base64
import binascii
import re
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

from engine.errors import Malformed

__all__ = ["page_size", "page_token", "place_of", "read_token"]

DEFAULT_SIZE: Final = 50
MOST: Final = 200

_ID: Final = "([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"


def page_size(asked: int) -> int:
    """The page size of a request: 0 is the default; raises ``Malformed`` outside 0 to 200."""
    if not 0 <= asked <= MOST:
        raise Malformed("page_size", f"expected 0 to {MOST}")
    return asked or DEFAULT_SIZE


def _mark(question: str) -> bytes:
    return sha256(question.encode()).digest()[:6]


def page_token(question: str, last: str) -> str:
    """The token of the page after ``last``, good for this question only."""
    return base64.urlsafe_b64encode(_mark(question) + last.encode()).decode()


def read_token(question: str, token: str) -> str | None:
    """Where the page begins; None for the first.  Raises ``Malformed`` for a foreign token."""
    if not token:
        return None
    try:
        data = base64.urlsafe_b64decode(token.encode("ascii"))
        last = data[6:].decode()
    except (binascii.Error, ValueError):
        raise Malformed("page_token", "expected a token of the page before") from None
    if data[:6] != _mark(question):
        raise Malformed("page_token", "this token belongs to another list or filter")
    return last


def place_of(last: str, *parts: int | type[UUID]) -> tuple[Any, ...]:
    """What a token holds: an id, or a number of so many digits at most, for each of ``parts``.

    Anybody can make a token up.  Raises ``Malformed``.

    >>> place_of("1700 00000000-0000-0000-0000-000000000007 12", 18, UUID, 9)
    (1700, UUID('00000000-0000-0000-0000-000000000007'), 12)
    """
    form = " ".join(_ID if part is UUID else f"([0-9]{{1,{part}}})" for part in parts)
    found = re.fullmatch(form, last)
    if found is None:
        raise Malformed("page_token", "expected a token of the page before")
    values = zip(parts, found.groups(), strict=True)
    return tuple(UUID(text) if part is UUID else int(text) for part, text in values)
