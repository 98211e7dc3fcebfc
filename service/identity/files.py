"""Where an installation keeps its secrets: in a folder of its own beside the data directory.

Beside and not inside: a copy or a backup of the data is then no copy of the keys, and whoever
gets hold of one still has not got the other.  The folder has mode 700, each file mode 600.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from service.vault.secret_file import read_secret_file, replace_secret_file

__all__ = ["SecretFiles"]


@dataclass(frozen=True, slots=True)
class SecretFiles:
    """The secret files of one installation.

    >>> SecretFiles.beside(Path("/var/lib/kartejo")).master_key
    PosixPath('/var/lib/kartejo-secrets/master.key')
    """

    folder: Path

    @classmethod
    def beside(cls, data_directory: Path) -> SecretFiles:
        """The files that belong to ``data_directory``."""
        return cls(data_directory.with_name(data_directory.name + "-secrets"))

    @property
    def master_key(self) -> Path:
        """Wraps epoch secrets and snapshots; back it up apart from the data."""
        return self.folder / "master.key"

    @property
    def log_key(self) -> Path:
        """Signs the checkpoints of the transparency log."""
        return self.folder / "log.key"

    @property
    def next_master_key(self) -> Path:
        """The key that is to follow it, while `kartejo keys rotate` is under way."""
        return self.folder / "master.key.next"

    @property
    def token_keys(self) -> Path:
        """The key ring that signs tokens."""
        return self.folder / "tokens.json"

    @property
    def lab_token_keys(self) -> Path:
        """The key ring of the laboratory's issuer; made by the first ``serve --lab``."""
        return self.folder / "lab-tokens.json"

    @property
    def admin_token(self) -> Path:
        """The administrator's token, for commands run on this machine."""
        return self.folder / "admin.token"

    @property
    def lab_admin_token(self) -> Path:
        """The laboratory administrator's token."""
        return self.folder / "lab-admin.token"

    def write_token(self, path: Path, token: str) -> None:
        """Put ``token`` in ``path``, readers seeing the old one or the new.

        Raises ``KeyFileError`` when that is not possible.
        """
        replace_secret_file(path, token + "\n")

    def read_token(self, path: Path) -> str:
        """The token in ``path``.

        Raises ``KeyFileError``, saying what to do, when it is missing or others may read it.
        """
        return read_secret_file(path, private_folder=True).strip()
