"""What the log signs: its name, how many leaves it has, and their root (c2sp.org/tlog-checkpoint).

::

    kartejo.example/log
    20852163
    CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=
"""

from __future__ import annotations

import base64
import re
from typing import Final, NamedTuple

from service.transparency.merkle import HASH_SIZE, MOST_LEAVES
from service.transparency.notes import BadNote, Note, SignerKey, VerifierKey

__all__ = ["Checkpoint"]

_SIZE: Final = re.compile("0|[1-9][0-9]{0,18}", re.ASCII)
_ROOT: Final = re.compile("[A-Za-z0-9+/]{43}=", re.ASCII)


class Checkpoint(NamedTuple):
    """The tree of ``origin`` has this root when it has ``size`` leaves."""

    origin: str
    size: int
    root: bytes

    @classmethod
    def parse(cls, text: str) -> Checkpoint:
        """Read a note's text.  Raises ``BadNote``, also for further lines: this log adds none."""
        lines = text.split("\n")
        if len(lines) != 4 or lines[3]:
            raise BadNote("a checkpoint has three lines: origin, size, root")
        origin, size, root, _ = lines
        if not origin:
            raise BadNote("a checkpoint begins with the name of its log")
        if not _SIZE.fullmatch(size) or int(size) > MOST_LEAVES:
            raise BadNote("the second line of a checkpoint is the size of the tree")
        if not _ROOT.fullmatch(root):
            raise BadNote("the third line of a checkpoint is the root, 32 bytes in base64")
        found = cls(origin, int(size), base64.b64decode(root))
        if found.text() != text:
            raise BadNote("the root of a checkpoint is in the standard form of base64")
        return found

    @classmethod
    def opened(cls, note: str, key: VerifierKey) -> Checkpoint:
        """What a note says that the log with this key has signed; raises ``BadNote``."""
        parsed = Note.parse(note)
        key.verify(parsed)
        found = cls.parse(parsed.text)
        if found.origin != key.name:
            raise BadNote(f"this is a checkpoint of {found.origin}, not of {key.name}")
        return found

    def text(self) -> str:
        """The note's text."""
        if len(self.root) != HASH_SIZE:
            raise ValueError(f"a root has {HASH_SIZE} bytes")
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"

    def signed(self, key: SignerKey) -> str:
        """The signed note."""
        text = self.text()
        return Note(text, (key.sign(text),)).told()
