"""What a folder lists, brought to the disk."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["flush_folder"]


def flush_folder(folder: Path) -> None:
    """Return when the names in a folder survive a crash; raises ``OSError``."""
    if not hasattr(os, "O_DIRECTORY"):
        return  # Windows, which opens no folders
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
