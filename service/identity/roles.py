"""What a caller may be, as tokens name it."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Role"]


class Role(StrEnum):
    """player: sits and acts; host: opens tables and tournaments, pauses them; auditor: reads
    closed epochs, chains and proofs; admin: runs the installation.  None of them sees another
    seat's live cards.
    """

    PLAYER = "player"
    HOST = "host"
    AUDITOR = "auditor"
    ADMIN = "admin"
