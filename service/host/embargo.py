"""The host of a table releases its embargo; the rule is in ``engine.embargo``."""

from __future__ import annotations

from uuid import UUID

from engine.actions import ReleaseEmbargo
from engine.events import Event
from engine.house import Table
from engine.kernel import HOST
from service.host.commands import Command
from service.host.dealing import decide_at
from service.host.executor import Outcome
from service.host.host import Host
from service.host.live import Live
from service.identity import Principal, Role
from service.store.commit import ActorKind

__all__ = ["release_embargo"]


async def release_embargo(
    host: Host, caller: Principal, request_id: str, stream: UUID
) -> tuple[Live, Outcome]:
    """Let the epochs be told that are over at a table; for its host."""
    caller.require(Role.PLAYER, Role.HOST, Role.ADMIN)
    live = await host.find_table(caller, stream)
    action = ReleaseEmbargo()
    wire = host.codec.action_to_wire(action).SerializeToString(deterministic=True)
    digests = host.digest_of(b"host", stream.bytes, wire)
    command = Command.of_caller(
        host.world, caller.id, request_id, digests, ActorKind.HOST, type(action).__name__
    )

    def plan(table: Table) -> tuple[Event, ...]:
        host.require_host(table, caller, player_too=False)
        return decide_at(live, table, HOST, action)

    return live, await host.executor.run(live, command, plan, seat=HOST, action=wire)
