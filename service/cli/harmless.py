"""Texts that somebody else wrote, on this terminal and in this program's JSON.

An export, an answer of a service, a name: whoever reads one may trust nobody, and his terminal
obeys what it is sent.  Characters that do something instead of being seen are told by their number.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["in_json", "in_lines", "on_a_line"]

# Control characters, marks of direction and of no width, ends of lines that are no newline, and
# halves of a character, which no output takes.
_ACTS: Final = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f"
)
_IN_LINES: Final = re.compile(f"[{_ACTS}]")
_ON_A_LINE: Final = re.compile(f"[{_ACTS}\t\n]")


def in_lines(text: str) -> str:
    r"""The text, of one line or several.

    >>> in_lines("one\n\x1b[2Jtwo")
    'one\n\\x1b[2Jtwo'
    """
    return _IN_LINES.sub(_told, text)


def on_a_line(text: str) -> str:
    r"""The text on the line where it is told, of which it makes no second one.

    >>> on_a_line("no\neverything holds")
    'no\\neverything holds'
    """
    return _ON_A_LINE.sub(_told, text)


def in_json(text: str) -> str:
    r"""A JSON text that says the same: within its strings, where alone such characters can be.

    >>> in_json('"\ud800 \x9b"')
    '"\\ud800 \\u009b"'
    """
    return _IN_LINES.sub(_escaped, text)


def _told(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
