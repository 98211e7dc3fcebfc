"""The legal plays of a seat, for the player who holds it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar
from uuid import UUID

from engine.errors import Denied, Unknown
from engine.kernel import Listing
from engine.occupancy import seated_at
from service.host.host import Host
from service.host.listings import most_plays
from service.identity import Principal, Role

__all__ = ["own_plays"]

T = TypeVar("T")


async def own_plays(
    host: Host,
    caller: Principal,
    stream: UUID,
    seat: int,
    limit: int,
    write: Callable[[int, Listing], T],
) -> T:
    """The plays of a caller's own seat, written with the version of the table they are of.

    They tell something of the hand: raises ``Denied`` for anybody else's seat.
    """
    limit = most_plays(limit)
    if not caller.may_touch(stream, seat):
        raise Unknown("no such table")
    caller.require(Role.PLAYER, Role.ADMIN)
    table = (await host.find_table(caller, stream)).table
    if seated_at(table).get(seat) != str(caller.id):
        raise Denied("the plays of a seat are for who holds it")
    return await host.listings.make(
        caller.id, table, seat, limit, lambda found: write(table.version, found)
    )
