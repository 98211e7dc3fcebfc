"""Bearer tokens: JWT signed with EdDSA (Ed25519), by the world's clock.

The header is exactly ``alg``, ``typ`` and ``kid``; the key is chosen by ``kid`` among our own, its
ring fixes the issuer, the algorithm is fixed here.  Everything about a token is checked by us
after the signature, nothing by the system's clock.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from collections.abc import Collection
from hashlib import sha256
from math import inf
from typing import Final
from uuid import UUID

import jwt

from service.identity.claims import (
    AUDIENCE,
    BadToken,
    Claims,
    TokenFault,
    check_subject,
    parse_claims,
)
from service.identity.key_ring import ISSUER, LAB_ISSUER, LAB_PREFIX, KeyRing, SigningKey
from service.identity.links import Links
from service.identity.roles import Role
from service.world import Clock

__all__ = ["Tokens"]

_ALGORITHM: Final = "EdDSA"
_MICROSECONDS: Final = 1_000_000
_LENGTH_LIMIT: Final = 4_096
_LEEWAY_LIMIT: Final = 30
_REMEMBERED: Final = 4_096
_LONGEST_SLEEP: Final = 600.0
_FORM: Final = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+", re.ASCII)
_UNCHECKED_TIMES: Final[jwt.types.Options] = {
    "verify_signature": True,
    "verify_exp": False,
    "verify_nbf": False,
    "verify_iat": False,
    "verify_aud": False,
    "verify_iss": False,
}


class Tokens:
    """Issues and verifies the tokens of an installation.

    ``lab_ring`` is given only by ``serve --lab``; without it no lab token is valid.  ``leeway`` is
    how far, in seconds (0 to 30), clocks may differ.
    """

    def __init__(
        self, ring: KeyRing, clock: Clock, *, lab_ring: KeyRing | None = None, leeway: int = 5
    ) -> None:
        """Raises ``ValueError`` for a ring in the other's place, or a leeway out of range."""
        if ring.issuer != ISSUER or (lab_ring is not None and lab_ring.issuer != LAB_ISSUER):
            raise ValueError("a key ring stands in the other's place")
        if not 0 <= leeway <= _LEEWAY_LIMIT:
            raise ValueError(f"leeway is 0 to {_LEEWAY_LIMIT} seconds")
        self._clock = clock
        self._leeway = leeway * _MICROSECONDS
        self._rings = {held.issuer: held for held in (ring, lab_ring) if held is not None}
        self._keys: dict[str, tuple[SigningKey, str]] = {
            key.kid: (key, held.issuer) for held in self._rings.values() for key in held.keys
        }
        self.links = Links([key.derived(b"link") for key in ring.keys], clock)
        # An Ed25519 check costs a good part of a unary call; a caller sends one token many times.
        self._verified: dict[bytes, Claims] = {}

    def issue(
        self,
        subject: str,
        roles: Collection[Role],
        lifetime: int,
        issuer: str = ISSUER,
        *,
        table: UUID | None = None,
        seat: int | None = None,
    ) -> str:
        """A token for ``subject``, valid for ``lifetime`` seconds from now.

        With ``table`` (and ``seat``) it is good for that table (that seat) alone.

        Raises ``ValueError`` for an issuer without a ring here, a lifetime that is not positive,
        and what ``check_subject`` refuses.
        """
        if issuer not in self._rings:
            raise ValueError("this installation does not run with --lab")
        if lifetime <= 0:
            raise ValueError("a token lives for a positive number of seconds")
        check_subject(subject, roles, table, seat)
        key = self._rings[issuer].keys[0]
        now = self._clock.now() // _MICROSECONDS
        payload: dict[str, object] = {
            "iss": issuer,
            "sub": subject,
            "aud": AUDIENCE,
            "iat": now,
            "nbf": now,
            "exp": now + lifetime,
            "roles": sorted(roles),
        }
        if table is not None:
            payload["table"] = str(table)
        if seat is not None:
            payload["seat"] = seat
        return jwt.encode(payload, key.private, _ALGORITHM, headers={"kid": key.kid})

    def verify(self, token: str | None) -> Claims:
        """What ``token`` says, if one of our keys signed it and it is valid now.

        Raises ``BadToken`` (an ``Unauthenticated``) with one ``TokenFault``, and nothing else
        whatever comes in.
        """
        if not token:
            raise BadToken(TokenFault.MISSING)
        if len(token) > _LENGTH_LIMIT or not _FORM.fullmatch(token):
            raise BadToken(TokenFault.MALFORMED)
        name = sha256(token.encode()).digest()
        claims = self._verified.get(name)
        if claims is None:
            claims = self._parse(token)
        self._check_times(claims)
        if name not in self._verified:
            while len(self._verified) >= _REMEMBERED:
                del self._verified[next(iter(self._verified))]
            self._verified[name] = claims
        return claims

    def require_current(self, expires_at: int | None) -> None:
        """Raises ``BadToken`` (EXPIRED) once a token that ends at ``expires_at`` is over.

        For what goes on after its token was verified: each message of a stream.
        """
        if self._left(expires_at) <= 0:
            raise BadToken(TokenFault.EXPIRED)

    async def outlive(self, expires_at: int | None) -> None:
        """Return when a token that ends at ``expires_at`` is over."""
        while (left := self._left(expires_at)) > 0:
            # In short sleeps: the time of day may jump, and timers do not notice.
            await self._clock.sleep(min(left / _MICROSECONDS, _LONGEST_SLEEP))

    def _left(self, expires_at: int | None) -> float:
        """Microseconds for which a token is still good."""
        if expires_at is None:
            return inf
        return expires_at + self._leeway - self._clock.now()

    def _parse(self, token: str) -> Claims:
        # base64 leaves spare bits in a last character: two texts, one meaning.  Only one is ours,
        # whatever the installed PyJWT thinks of it.
        if not all(_is_canonical(part) for part in token.split(".")):
            raise BadToken(TokenFault.MALFORMED)
        key, issuer = self._key_of(token)
        try:
            payload = jwt.decode(token, key.public, [_ALGORITHM], options=_UNCHECKED_TIMES)
        except jwt.InvalidSignatureError:
            raise BadToken(TokenFault.FORGED) from None
        except (jwt.PyJWTError, ValueError, RecursionError):
            raise BadToken(TokenFault.MALFORMED) from None
        return parse_claims(payload, issuer, lab=issuer == LAB_ISSUER)

    def _key_of(self, token: str) -> tuple[SigningKey, str]:
        try:
            header = jwt.get_unverified_header(token)
        except (jwt.PyJWTError, ValueError, RecursionError):
            raise BadToken(TokenFault.MALFORMED) from None
        if header.get("alg") != _ALGORITHM:
            raise BadToken(TokenFault.WRONG_ALGORITHM)
        kid = header.get("kid")
        if not isinstance(kid, str) or header != {"alg": _ALGORITHM, "typ": "JWT", "kid": kid}:
            raise BadToken(TokenFault.MALFORMED)
        if kid in self._keys:
            return self._keys[kid]
        raise BadToken(TokenFault.LAB if kid.startswith(LAB_PREFIX) else TokenFault.FORGED)

    def _check_times(self, claims: Claims) -> None:
        self.require_current(claims.expires_at)
        if self._clock.now() < claims.valid_from - self._leeway:
            raise BadToken(TokenFault.NOT_YET_VALID)

    def __repr__(self) -> str:
        return f"Tokens(issuers={sorted(self._rings)})"


def _is_canonical(part: str) -> bool:
    try:
        decoded = urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except Base64Error:
        return False
    return urlsafe_b64encode(decoded).rstrip(b"=").decode() == part
