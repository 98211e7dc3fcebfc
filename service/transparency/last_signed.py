"""The newest checkpoint, kept beside the key that signed it.

A database that was restored from a backup knows nothing of what was signed after it; this file
does, and nothing that contradicts it is signed.  It is no secret, but must be there to be believed.
"""

from __future__ import annotations

import json
from pathlib import Path

from service.transparency.checkpoint import Checkpoint
from service.transparency.notes import BadNote, VerifierKey
from service.vault.secret_file import KeyFileError, read_secret_file, replace_secret_file

__all__ = ["LastSigned"]


class LastSigned:
    """The file of one key in a folder of secrets."""

    def __init__(self, folder: Path, key: VerifierKey) -> None:
        self._key = key
        self.path = folder / f"log-{key.id.hex()}.last"

    def read(self) -> Checkpoint | None:
        """What was signed last, as far as this machine knows; None: nothing yet.

        Raises ``KeyFileError`` for a file that says nothing, or that others may change.
        """
        if not self.path.exists():
            return None
        try:
            note = json.loads(read_secret_file(self.path, private_folder=True))["note"]
            return Checkpoint.opened(note, self._key)
        except (ValueError, TypeError, LookupError, AttributeError, BadNote):
            raise KeyFileError(
                f"{self.path} is no checkpoint of {self._key.name}: restore it from your backup"
            ) from None

    def write(self, note: str) -> None:
        """Keep a note; raises ``KeyFileError``."""
        replace_secret_file(self.path, json.dumps({"note": note}) + "\n")
