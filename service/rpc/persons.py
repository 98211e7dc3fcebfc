"""Whom a request is about."""

from __future__ import annotations

from uuid import UUID

from engine.errors import Denied, Malformed, Unknown
from service.identity import ISSUER, Principal, Role, is_subject
from service.pb import person_service_pb2 as pb
from service.store.people import People

__all__ = ["player_of", "require_ordinary"]


def require_ordinary(caller: Principal) -> None:
    """Raises ``Denied`` for tokens of the laboratory, whose players are nobody."""
    if caller.lab:
        raise Denied("the laboratory has no players")


async def player_of(people: People, caller: Principal, person: pb.Person, field: str) -> UUID:
    """The player whom a message names; the caller, if it names nobody.

    Whom a subject stands for is told to admins alone.  Raises ``Unknown`` for a text that is no
    id and a subject that never came with a token, ``Malformed`` and ``Denied``.
    """
    match person.WhichOneof("who"):
        case None:
            return caller.id
        case "player":
            try:
                return UUID(person.player)
            except ValueError:
                raise Unknown("no such player") from None
        case _:
            caller.require(Role.ADMIN)
            if not is_subject(person.subject):
                raise Malformed(f"{field}.subject", "expected 1 to 128 printable ASCII characters")
            found = await people.find(ISSUER, person.subject)
            if found is None:
                raise Unknown("nobody has come with a token of this subject")
            return found
