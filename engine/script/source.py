"""Lines of a script file and the words on them, each with its column."""

from __future__ import annotations

import re
from typing import NamedTuple

from engine.script.model import At, ScriptError

__all__ = ["Pair", "Source", "Word", "sections"]

_WORD = re.compile(r"(?:\[[^][]*\]|\S)+")
_KEY = re.compile(r"\s*([A-Za-z_]+|[0-9]{1,9})\s*:")


class Word(NamedTuple):
    """A word; blanks inside brackets do not end it.  Columns count from 1."""

    text: str
    column: int


class Pair(NamedTuple):
    """A word of the form ``name=text``."""

    name: str
    text: str
    column: int


class Source(NamedTuple):
    """One line without its comment; columns count from 1."""

    file: str
    line: int
    text: str

    def at(self, column: int = 1) -> At:
        """A place on this line."""
        return At(self.file, self.line, column)

    def error(self, column: int, message: str) -> ScriptError:
        """The error to raise for something on this line."""
        return ScriptError(self.at(column), message)

    @property
    def start(self) -> int:
        """The column of the first word."""
        return len(self.text) - len(self.text.lstrip()) + 1

    def key(self) -> tuple[str, int]:
        """What stands before the colon, and the column after it; ("", 1) if that is no word."""
        found = _KEY.match(self.text)
        return (found[1], found.end() + 1) if found else ("", 1)

    def words(self, column: int) -> list[Word]:
        """The words from a column on."""
        return [Word(w[0], w.start() + 1) for w in _WORD.finditer(self.text, column - 1)]

    def pairs(self, words: list[Word]) -> list[Pair]:
        """Words as ``name=text`` pairs, no name twice."""
        found: list[Pair] = []
        for word in words:
            name, equals, text = word.text.partition("=")
            if not equals or not name:
                raise self.error(word.column, f"expected name=value, not {word.text!r}")
            if any(pair.name == name for pair in found):
                raise self.error(word.column, f"{name!r} is named twice")
            found.append(Pair(name, text, word.column))
        return found


def sections(text: str, file: str) -> list[list[Source]]:
    """The lines that say something, divided at the ``---`` lines; empty sections say nothing."""
    found: list[list[Source]] = [[]]
    # Editors count lines by line feeds alone; str.splitlines knows eight more line ends.
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.partition("#")[0].rstrip()
        if line.strip() == "---":
            found.append([])
        elif line:
            found[-1].append(Source(file, number, line))
    return [section for section in found if section]
