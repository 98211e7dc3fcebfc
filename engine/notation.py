"""Position notation as text: one fact a line, ``key value…`` (hand_script 1)."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from engine.kernel import Lines

__all__ = ["lines_of_text", "split_line", "text_of_lines"]


def split_line(numbered: AbstractSet[str], line: str) -> tuple[str, str]:
    """Key and value of a line; a key of ``numbered`` takes the next word with it.

    >>> split_line({"pile"}, "pile 2 Kh 3c"), split_line({"pile"}, "phase DEAL")
    (('pile 2', 'Kh 3c'), ('phase', 'DEAL'))
    """
    words = line.split()
    size = 2 if words and words[0] in numbered else 1
    return " ".join(words[:size]), " ".join(words[size:])


def lines_of_text(numbered: AbstractSet[str], text: str) -> Lines:
    """The lines of a position text; blank lines say nothing."""
    return [split_line(numbered, line) for line in text.splitlines() if line.strip()]


def text_of_lines(lines: Lines) -> str:
    """The text of a position; a line without a value is its key alone."""
    return "\n".join(f"{key} {value}".rstrip() for key, value in lines)
