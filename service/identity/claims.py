"""What a token says, checked to the last field, and the ways in which one is refused."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from uuid import UUID

from engine.errors import Unauthenticated
from service.identity.roles import Role

__all__ = [
    "AUDIENCE",
    "BadToken",
    "Claims",
    "TokenFault",
    "check_subject",
    "is_subject",
    "parse_claims",
]

AUDIENCE: Final = "kartejo.v1"
_SEATS: Final = 30
_SUBJECT_LENGTH: Final = 128
_LATEST: Final = 1 << 40
_REQUIRED: Final = frozenset({"iss", "sub", "aud", "iat", "nbf", "exp", "roles"})
_OPTIONAL: Final = frozenset({"table", "seat"})


class TokenFault(StrEnum):
    """Why a token was refused; the value is the ``reason`` of the error."""

    MISSING = "TOKEN_MISSING"
    MALFORMED = "TOKEN_MALFORMED"
    WRONG_ALGORITHM = "TOKEN_WRONG_ALGORITHM"
    FORGED = "TOKEN_FORGED"
    EXPIRED = "TOKEN_EXPIRED"
    NOT_YET_VALID = "TOKEN_NOT_YET_VALID"
    WRONG_ISSUER = "TOKEN_WRONG_ISSUER"
    WRONG_AUDIENCE = "TOKEN_WRONG_AUDIENCE"
    LAB = "TOKEN_OF_LAB"


_TEXTS: Final[Mapping[TokenFault, str]] = {
    TokenFault.MISSING: "no bearer token came with the request",
    TokenFault.MALFORMED: "the bearer token is not one of ours in form",
    TokenFault.WRONG_ALGORITHM: "the bearer token is not signed with EdDSA",
    TokenFault.FORGED: "the bearer token was not signed by a key of this installation",
    TokenFault.EXPIRED: "the bearer token has expired",
    TokenFault.NOT_YET_VALID: "the bearer token is not valid yet",
    TokenFault.WRONG_ISSUER: "the bearer token names another issuer than its key's",
    TokenFault.WRONG_AUDIENCE: "the bearer token was made for another service",
    TokenFault.LAB: "lab tokens are valid only where the service runs with --lab",
}


class BadToken(Unauthenticated):
    """A token was refused; ``reason`` is the fault's word.  The text never quotes the token."""

    def __init__(self, fault: TokenFault) -> None:
        self.fault = fault
        self.reason = fault.value
        super().__init__(_TEXTS[fault])


@dataclass(frozen=True, slots=True)
class Claims:
    """What a verified token says.

    ``issuer`` and ``subject`` name the caller, ``expires_at`` is in microseconds since the epoch,
    ``lab`` says that the laboratory's issuer signed.  ``table`` and ``seat`` limit a bot's token
    to one table or one seat of it.
    """

    issuer: str
    subject: str
    roles: frozenset[Role]
    valid_from: int
    expires_at: int
    lab: bool
    table: UUID | None = None
    seat: int | None = None


def is_subject(text: str) -> bool:
    """Whether a token may name its holder so: 1 to 128 printable ASCII characters."""
    return text.isascii() and text.isprintable() and 0 < len(text) <= _SUBJECT_LENGTH


def check_subject(
    subject: str, roles: Collection[Role], table: UUID | None, seat: int | None
) -> None:
    """Raises ``ValueError`` for what no token may say.

    A subject is 1 to 128 printable ASCII characters.  A token limited to a table is a player's
    and no more; a seat is 0 to 29 and needs its table.
    """
    if not is_subject(subject):
        raise ValueError(f"a subject is 1 to {_SUBJECT_LENGTH} printable ASCII characters")
    if not roles:
        raise ValueError("a token has one role or more")
    if table is not None and set(roles) != {Role.PLAYER}:
        raise ValueError("a token limited to a table has the role player and no other")
    if seat is not None and (table is None or not 0 <= seat < _SEATS):
        raise ValueError("a seat is 0 to 29 and needs its table")


def parse_claims(payload: Mapping[str, object], issuer: str, *, lab: bool) -> Claims:
    """The claims of a token whose signature by ``issuer`` is verified.

    Raises ``BadToken``: MALFORMED for a missing, unknown or ill-typed claim, WRONG_ISSUER,
    WRONG_AUDIENCE.  Times are read, not judged.
    """
    names = set(payload)
    if names - _REQUIRED - _OPTIONAL or _REQUIRED - names:
        raise BadToken(TokenFault.MALFORMED)
    if payload["iss"] != issuer:
        raise BadToken(TokenFault.WRONG_ISSUER)
    if payload["aud"] != AUDIENCE:
        raise BadToken(TokenFault.WRONG_AUDIENCE)
    subject = payload["sub"]
    if not isinstance(subject, str):
        raise BadToken(TokenFault.MALFORMED)
    try:
        roles = _roles(payload["roles"])
        table = _table(payload.get("table"))
        seat = _number(payload["seat"]) if "seat" in payload else None
        check_subject(subject, roles, table, seat)
        _number(payload["iat"])
        valid_from, expires = _number(payload["nbf"]), _number(payload["exp"])
    except (TypeError, ValueError):
        raise BadToken(TokenFault.MALFORMED) from None
    return Claims(
        issuer=issuer,
        subject=subject,
        roles=roles,
        valid_from=valid_from * 1_000_000,
        expires_at=expires * 1_000_000,
        lab=lab,
        table=table,
        seat=seat,
    )


def _roles(named: object) -> frozenset[Role]:
    if not isinstance(named, list):
        raise TypeError
    return frozenset(Role(role) for role in named)


def _table(named: object) -> UUID | None:
    if named is None:
        return None
    if not isinstance(named, str):
        raise TypeError
    return UUID(named)


def _number(named: object) -> int:
    if not isinstance(named, int) or isinstance(named, bool) or not 0 <= named < _LATEST:
        raise ValueError
    return named
