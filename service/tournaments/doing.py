"""Single steps of the manager of one tournament: commands whose ids derive from their causes."""

from __future__ import annotations

from engine.actions import Action
from engine.kernel import HOST
from engine.tournament import orders as o
from service.host.commands import Command
from service.host.dealing import decide_at
from service.host.host import Host
from service.host.live import Live
from service.tournaments.joint import Joint
from service.tournaments.live import LiveTournament

__all__ = ["Doing"]


class Doing:
    """What the doings of a manager share."""

    def __init__(self, host: Host, joint: Joint, live: LiveTournament) -> None:
        self._host = host
        self._joint = joint
        self._live = live

    async def _table(self, number: int) -> Live:
        return await self._host.tables.get(self._live.streams[number])

    def _command(self, version: int, step: str, action: Action) -> Command:
        world, stream = self._host.world, self._live.stream
        return Command.of_process(world, stream, version, step, type(action).__name__)

    async def _manage(self, live: Live, order: o.Order, step: str, action: Action) -> None:
        await self._host.executor.run(
            live,
            self._command(order.version, f"{order.STEP} {step}", action),
            lambda table: decide_at(live, table, HOST, action),
            seat=HOST,
            action=self._wire(action),
        )

    def _wire(self, action: Action) -> bytes:
        return self._host.codec.action_to_wire(action).SerializeToString(deterministic=True)
