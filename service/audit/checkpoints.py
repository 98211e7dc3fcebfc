"""The log held against what was signed of it: every root, every signature, and nothing missing.

Whoever rewrites the store and makes everything in it follow cannot sign.  He could sign with a key
of his own and say that it was always this one: so keys and checkpoints that lie elsewhere, with a
witness or beside the key, may be brought along.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from engine.errors import KartejoError
from service.audit.findings import Findings
from service.transparency.checkpoint import Checkpoint
from service.transparency.merkle import Frontier
from service.transparency.notes import BadNote, VerifierKey

__all__ = ["Checkpoints", "SignedRow"]


class SignedRow(NamedTuple):
    """A row of the series: its number, what it says, whose key signed, and the note."""

    number: int
    size: int
    root: bytes
    frontier: bytes
    key: str
    note: str


class Checkpoints:
    """Takes the leaves of the log in order and checks every checkpoint when its size is reached.

    ``series``: the stored ones by ascending numbers.  ``kept``: notes that lay elsewhere.
    ``trusted``: keys whose signatures count.  ``head_now``: where the log ends by now.
    """

    def __init__(
        self,
        series: Iterable[SignedRow],
        kept: Sequence[str],
        trusted: Sequence[str],
        head_now: Callable[[], int],
        findings: Findings,
    ) -> None:
        self._series = iter(series)
        self._trusted = [VerifierKey.parse(key) for key in trusted]
        self._head_now = head_now
        self._findings = findings
        self._tree = Frontier()
        self._leaves: list[bytes] = []
        self._good = 0
        self._count = 0
        self._kept = sorted(filter(None, map(self._opened, kept)), key=lambda each: each.size)
        self._row = self._following(0)

    def leaf(self, commit_hash: bytes) -> None:
        """The hash of the next commit."""
        self._leaves.append(commit_hash)
        size = self._tree.size + len(self._leaves)
        if self._is_due(size):
            self._tree = self._tree.extended(self._leaves)
            self._leaves.clear()
            self._compare(size)
        elif len(self._leaves) == 4096:
            self._tree = self._tree.extended(self._leaves)
            self._leaves.clear()

    def finish(self) -> int:
        """Note what claims more than there is; how many checkpoints were looked at."""
        size = self._tree.size + len(self._leaves)
        now = max(size, self._head_now())
        claims = [each.size for each in self._kept if each.size > now]
        while self._row is not None:
            if self._row.size > now:
                claims.append(self._row.size)
            self._row = self._following(self._row.size)
        for claim in claims:
            self._add(f"{claim} commits, as they were signed", f"a log of {now}", now + 1)
        return self._count

    def _add(self, expected: str, found: str, position: int) -> None:
        self._findings.add("checkpoint", expected, found, position)

    def _is_due(self, size: int) -> bool:
        row_due = self._row is not None and self._row.size == size
        return row_due or any(each.size == size for each in self._kept)

    def _compare(self, size: int) -> None:
        root = self._tree.root()
        good = True
        for each in [each for each in self._kept if each.size == size]:
            good = self._same(size, each.root, root) and good
        while self._row is not None and self._row.size == size:
            good = self._same(size, self._row.root, root) and good
            if self._row.frontier != self._tree.packed():
                self._add("the tree in short as it follows", "another", size)
            self._row = self._following(size)
        if good:
            self._good = size

    def _same(self, size: int, signed: bytes, root: bytes) -> bool:
        self._count += 1
        if signed == root:
            return True
        where = f"signed for the first {size} commits; right for the first {self._good}"
        self._add(f"the root {signed.hex()}, {where}", root.hex(), self._good + 1)
        return False

    # --- signatures ---------------------------------------------------------------------------

    def _following(self, size: int) -> SignedRow | None:
        """The next of the series that says what its note says; others are noted and left out."""
        for row in self._series:
            found = self._opened(row.note)
            if found is None:
                continue
            if (found.size, found.root) != (row.size, row.root):
                self._add(f"checkpoint {row.number} as it was signed", "another in its row", 0)
            elif row.size < size:
                self._add(f"a size from {size} on", f"{row.size} in number {row.number}", 0)
            else:
                return row
        return None

    def _opened(self, note: str) -> Checkpoint | None:
        """What a note says, if it is signed by somebody who is trusted."""
        why = "no key to check it by"
        for key in self._trusted:
            try:
                return Checkpoint.opened(note, key)
            except (BadNote, KartejoError) as error:
                why = str(error)
        self._add("a checkpoint signed by a key that is trusted", why, 0)
        return None
