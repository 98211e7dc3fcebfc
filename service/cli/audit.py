"""``kartejo audit``: everything that is stored, checked against what must follow."""

from __future__ import annotations

__all__ = ["command"]
