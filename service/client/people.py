"""Persons over the API: names, contacts, and their end."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from engine.errors import Malformed
from service.client.connection import Client
from service.pb import person_service_pb2 as pb

__all__ = ["erase", "get_profile", "names", "person_of", "set_profile"]

PAGE = 200


def person_of(name: str | None) -> pb.Person:
    """A player's opaque id, or the subject that the operator knows him by; None: the caller.

    Raises ``Malformed`` for an empty text: it is the variable of a script that was not set, and
    not the caller.

    >>> person_of("ann").subject, person_of(None).WhichOneof("who")
    ('ann', None)
    """
    if name is None:
        return pb.Person()
    if not name:
        raise Malformed("player", "expected a name or an id, not an empty text")
    try:
        return pb.Person(player=str(UUID(name)))
    except ValueError:
        return pb.Person(subject=name)


async def get_profile(client: Client, person: pb.Person) -> pb.Profile:
    """What is known of a person."""
    request = pb.GetProfileRequest(person=person)
    return (await client.call(client.persons.GetProfile, request)).profile


async def set_profile(client: Client, person: pb.Person, name: str, contact: str) -> pb.Profile:
    """Write a person's name and contact over what was there."""
    request = pb.SetProfileRequest(person=person, name=name, contact=contact)
    return (await client.call(client.persons.SetProfile, request)).profile


async def names(client: Client, players: Iterable[str]) -> dict[str, str]:
    """The names of some players by their ids, where they have one."""
    wanted = sorted(set(players))
    found: dict[str, str] = {}
    for first in range(0, len(wanted), PAGE):
        request = pb.ListNamesRequest(players=wanted[first : first + PAGE])
        answer = await client.call(client.persons.ListNames, request)
        found |= {each.player: each.name for each in answer.names}
    return found


async def erase(client: Client, person: pb.Person, *, force: bool) -> pb.ErasePersonResponse:
    """Forget a person; raises ``Refused`` while chips or seats are his, unless forced."""
    request = pb.ErasePersonRequest(person=person, force=force)
    return await client.call(client.persons.ErasePerson, request)
