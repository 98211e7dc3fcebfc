"""Embargo: secrets of epochs that are over wait until every table has played the same packs.

With the house option ``embargo`` no secret is told, and auditors see no hidden card, before the
table's host releases what is over; what a game itself keeps secret longer stays so.
"""

from __future__ import annotations

from uuid import UUID

from engine.errors import Refused
from engine.events import EmbargoReleased, Event
from engine.house import Table
from engine.kernel import HOST
from service.host.commands import Command
from service.host.executor import Outcome
from service.host.host import Host
from service.host.live import Live
from service.identity import Principal, Role
from service.store.commit import ActorKind

__all__ = ["release_embargo"]


async def release_embargo(
    host: Host, caller: Principal, request_id: str, stream: UUID
) -> tuple[Live, Outcome]:
    """Let the epochs be told that are over at a table; for its host.

    Raises ``Refused``: ``NO_EMBARGO``, and ``NOTHING_WITHHELD`` where nothing waits for it.
    """
    caller.require(Role.PLAYER, Role.HOST, Role.ADMIN)
    live = await host.find_table(caller, stream)
    digests = host.digest_of(b"release", stream.bytes)
    command = Command.of_caller(
        host.world, caller.id, request_id, digests, ActorKind.HOST, EmbargoReleased.__name__
    )

    def plan(table: Table) -> tuple[Event, ...]:
        host.require_host(table, caller, player_too=False)
        return _release(table)

    return live, await host.executor.run(live, command, plan, seat=HOST, action=b"")


def _release(table: Table) -> tuple[Event, ...]:
    """The fact that what is over at a table may be told.

    Raises ``Refused``: ``NO_EMBARGO``, and ``NOTHING_WITHHELD`` where nothing waits for it.
    """
    house, game = table.house, table.game
    if not house.options.embargo:
        raise Refused("NO_EMBARGO")
    ended = game.is_closed(table.state) and not game.players(table.state)
    newest = house.epoch if ended else house.epoch - 1
    if newest <= house.released or not house.epoch:
        raise Refused("NOTHING_WITHHELD")
    return (EmbargoReleased(newest),)
