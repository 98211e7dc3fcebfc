"""Texts that persons write of themselves, and what others can safely be shown of them."""

from __future__ import annotations

import unicodedata
from typing import Final

from engine.errors import Malformed

__all__ = ["MOST_CONTACT", "MOST_NAME", "checked"]

MOST_NAME: Final = 40
MOST_CONTACT: Final = 200
MOST_MARKS: Final = 3
"""Accents on one letter; heaps of them grow over other lines."""

_UNSEEN: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters, marks and a symbol that show nothing: a name of them is one that nobody sees."""
_SAFE: Final = frozenset("LMNPS")
"""General categories, by their first letter: letters, marks, numbers, punctuation, symbols.

Left out are control and format characters (direction overrides, zero-width joiners), characters
that are not assigned, and every blank but the ordinary one.
"""


def checked(field: str, text: str, most: int) -> str:
    """The text, where it is one that others can be shown; raises ``Malformed`` with the reason.

    Up to ``most`` characters; empty is allowed.

    >>> checked("name", "Ænne O'Neill", 40)
    "Ænne O'Neill"
    """
    if len(text) > most:
        raise Malformed(field, f"expected at most {most} characters, not {len(text)}")
    if not unicodedata.is_normalized("NFC", text):
        raise Malformed(field, "expected Unicode's form NFC: accents joined with their letters")
    if text != " ".join(text.split(" ")).strip(" ") or "  " in text:
        raise Malformed(field, "expected no blank at either end, and no two in a row")
    marks = 0
    for place, sign in enumerate(text, 1):
        category = unicodedata.category(sign)
        if sign != " " and (category[0] not in _SAFE or sign in _UNSEEN):
            name = unicodedata.name(sign, "a control character")
            code = f"U+{ord(sign):04X}"
            raise Malformed(field, f"character {place}, {code} ({name}), cannot be shown safely")
        marks = marks + 1 if category[0] == "M" else 0
        if marks and (place == marks or marks > MOST_MARKS):
            raise Malformed(field, f"character {place} is an accent too many, or one on no letter")
    return text
