"""Pages of lists (AIP-158): sizes with bounds, tokens that say nothing and fit one question."""

from __future__ import annotations

import base64
import binascii
from hashlib import sha256
from typing import Final

from engine.errors import Malformed

__all__ = ["page_size", "page_token", "read_token"]

DEFAULT_SIZE: Final = 50
MOST: Final = 200


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
