"""Who calls: an internal id, roles, and the limits of the token.

Streams carry internal ids only.  What an id means, (issuer, subject), stands in one erasable table
behind ``IdentityMap``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from engine.errors import Denied
from service.identity.claims import Claims
from service.identity.roles import Role
from service.world import World, uuid7

__all__ = ["IdentityMap", "MemoryIdentityMap", "Principal", "identify"]


@dataclass(frozen=True, slots=True)
class Principal:
    """A caller whose token is verified.

    ``table`` and ``seat`` limit what he may touch (``None``: no limit); ``lab`` says that his
    token is of the laboratory's issuer.  ``expires_at`` is when the token ends, in microseconds
    since the epoch (``None``: never): a stream must not outlive it.
    """

    id: UUID
    roles: frozenset[Role]
    lab: bool = False
    table: UUID | None = None
    seat: int | None = None
    expires_at: int | None = None

    def has(self, *roles: Role) -> bool:
        """Whether he has one of ``roles``."""
        return not self.roles.isdisjoint(roles)

    def require(self, *roles: Role) -> None:
        """Raises ``Denied`` unless he has one of ``roles``."""
        if not self.has(*roles):
            raise Denied(f"this needs the role {' or '.join(roles)}")

    def require_lab(self) -> None:
        """Raises ``Denied`` unless he may use lab tables: role admin, token of the lab's issuer."""
        if not (self.lab and self.has(Role.ADMIN)):
            raise Denied("lab tables need the role admin and a token of the lab's issuer")

    def may_touch(self, table: UUID, seat: int | None = None) -> bool:
        """Whether his token reaches ``table`` and, when given, ``seat`` of it."""
        if self.table is not None and table != self.table:
            return False
        return seat is None or self.seat is None or seat == self.seat

    def require_unlimited(self) -> None:
        """Raises ``Denied`` for a token that is limited to one table."""
        if self.table is not None:
            raise Denied("this token is limited to one table")


class IdentityMap(Protocol):
    """(issuer, subject) → internal id; the same id every time until the row is erased."""

    async def resolve(self, issuer: str, subject: str) -> UUID:
        """The id of ``subject`` of ``issuer``, made at first sight.

        May raise ``Unavailable``.
        """

    async def is_known(self, player: UUID) -> bool:
        """Whether an id stands for somebody.  May raise ``Unavailable``."""


class MemoryIdentityMap:
    """An identity map that lives as long as its process, for deterministic runs and tests."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._ids: dict[tuple[str, str], UUID] = {}

    async def resolve(self, issuer: str, subject: str) -> UUID:
        known = self._ids.get((issuer, subject))
        if known is None:
            known = self._ids[issuer, subject] = uuid7(self._world)
        return known

    async def is_known(self, player: UUID) -> bool:
        return player in self._ids.values()


async def identify(claims: Claims, identities: IdentityMap) -> Principal:
    """The caller whom ``claims`` describe.  May raise ``Unavailable``."""
    return Principal(
        id=await identities.resolve(claims.issuer, claims.subject),
        roles=claims.roles,
        lab=claims.lab,
        table=claims.table,
        seat=claims.seat,
        expires_at=claims.expires_at,
    )
