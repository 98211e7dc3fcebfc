"""The code blocks of the documentation, and what is done with each.

A comment on the line before a block says what the reader's eyes are for:

- ``<!-- output -->``: what the block before it prints, but for ids, names, cards and numbers, and
  ``…`` for what is left out;
- ``<!-- draw … -->``: drawn by tools/draw_rules.py;
- ``<!-- PATH -->``: the end of that file;
- ``<!-- checked by PATH -->``: that test does it;
- ``<!-- not run: WHY -->``: nobody does; tests/docs/test_blocks.py lists them all.

Any other block is run from top to bottom of its page by tests/docs/test_pages.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from tests.commands import ROOT

__all__ = ["Block", "blocks", "matches", "pages"]

_BLOCK: Final = re.compile(
    r"^(?:<!-- ([^\n]*) -->\n)?(`{3,})([^`\n]*)\n(.*?)^\2\n", re.MULTILINE | re.DOTALL
)


class Block(NamedTuple):
    """A fenced block; ``mark`` is the comment before it, empty without one."""

    page: str
    line: int
    mark: str
    language: str
    text: str

    @property
    def is_run(self) -> bool:
        """Whether a reader would do it, and so tests/docs/test_pages.py does."""
        return not self.mark


def pages() -> list[str]:
    """All Markdown of the repository, by path."""
    found = [*ROOT.glob("*.md")]
    for folder in ("benchmarks", "clients", "csrc", "docs", "engine", "proto", "service", "tests"):
        found += ROOT.joinpath(folder).rglob("*.md")
    names = sorted(path.relative_to(ROOT).as_posix() for path in found)
    return [name for name in names if "node_modules" not in Path(name).parts]


def blocks(page: str) -> Iterator[Block]:
    """The blocks of a page, in order."""
    text = ROOT.joinpath(page).read_text(encoding="utf-8")
    for found in _BLOCK.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        yield Block(page, line, found[1] or "", found[3], found[4])


_WORDS: Final = (
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "ID"),
    (re.compile(r"\b[2-9TJQKA][cdhs]( [2-9TJQKA][cdhs])*\b"), "CARDS"),
    (re.compile(r"\?\?( \?\?)*( …)?"), "HIDDEN"),
    (re.compile(r"\d[\d,.]*"), "N"),
    (re.compile(r" +$", re.MULTILINE), ""),
)


def _shape(text: str) -> str:
    for word, stand in _WORDS:
        text = word.sub(stand, text)
    return text.strip()


def matches(shown: str, told: str) -> bool:
    """Whether a page shows what was told.

    Ids, cards and numbers may be others, and ``…`` is anything, or nothing.

    >>> matches("dealer 1\\npalace 0 6d 2s Ac\\n…\\n", "dealer 0\\npalace 1 Td 2s 3h\\n")
    True
    >>> matches("dealer 1\\n", "dealer one\\n")
    False
    """
    pattern = re.sub(r"\\(\s)…", r"(\1.*)?", re.escape(_shape(shown))).replace("…", ".*")
    return re.fullmatch(pattern, _shape(told), re.DOTALL) is not None
