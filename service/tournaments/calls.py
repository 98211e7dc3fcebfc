"""What players and hosts may ask of tournaments, free of any transport.

Every changing call takes a request id and is safe to repeat.  Errors are ``engine.errors``'.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final
from uuid import UUID

from engine.actions import Action
from engine.errors import Conflict, Denied, Reused, Unknown
from engine.events import HouseOpened
from engine.tournament.actions import CreateTournament, HostAsks, PauseTournament, PlayerAsks
from engine.tournament.housed import Housed, with_events
from engine.tournament.registration import is_excluded
from engine.tournament.state import EntryStatus
from engine.tournament.structure import Structure, invalid
from service.codec.tournaments import tournament_action_to_wire
from service.host.commands import Command, stream_of
from service.host.dealing import epoch_opened
from service.host.host import Host
from service.host.limits import Places
from service.identity import Principal, Role
from service.store.commit import ActorKind, Commit, chained, genesis
from service.tournaments.checking import check_options
from service.tournaments.deciding import RULES, decided
from service.tournaments.joint import Asked, Joint
from service.tournaments.live import LiveTournament, Recorded
from service.tournaments.points import check_points
from service.tournaments.registry import Tournaments
from service.tournaments.standing import Standings
from service.tournaments.watching import Watching
from service.vault import EpochKeys

__all__ = ["TournamentCalls"]

_INSIDE: Final = {EntryStatus.WAITING, EntryStatus.ENTERED, EntryStatus.PLAYING}

AT_ONE_TOURNAMENT: Final = 512
"""Players' requests that may wait for one tournament, which decides them one after the other.  Its
host and its manager come in line with them, and are never refused."""

OF_ONE_CALLER: Final = 16


class TournamentCalls:
    """Tournaments as their players and hosts meet them."""

    def __init__(self, host: Host, tournaments: Tournaments, joint: Joint) -> None:
        self._host = host
        self._tournaments = tournaments
        self._joint = joint
        self.watching = Watching(tournaments)
        self.standings = Standings(host.world)
        self._sums = asyncio.Lock()
        self._at_tournament = Places[UUID](AT_ONE_TOURNAMENT, "players' requests of a tournament")
        self._of_caller = Places[tuple[UUID, UUID]](
            OF_ONE_CALLER, "requests of one caller at one tournament"
        )

    async def find(self, caller: Principal, stream: UUID) -> LiveTournament:
        """A tournament the caller may know of; raises ``Unknown``."""
        if caller.lab or caller.table is not None:
            raise Unknown("no such tournament")
        return await self._tournaments.get(stream)

    async def entered(self, player: UUID, streams: Iterable[UUID]) -> int:
        """In how many of these tournaments a player is, or has money on its way to him."""
        found = 0
        for stream in streams:
            state = (await self._tournaments.get(stream)).now.state
            number = state.players.get(str(player))
            if number is not None:
                entry = state.entries[number]
                found += bool(entry.due) or entry.status in _INSIDE
        return found

    async def create(
        self, caller: Principal, request_id: str, structure: Structure
    ) -> LiveTournament:
        """Make a tournament whose host is the caller."""
        caller.require_unlimited()
        caller.require(Role.HOST, Role.ADMIN)
        if caller.lab:
            raise Denied("the laboratory has no tournaments")
        action = CreateTournament(structure)
        command = self._command(caller, request_id, b"create", action, ActorKind.HOST)
        task = self._host.executor.spawn(self._create(caller, command, action))
        return await asyncio.shield(task)

    async def _create(
        self, caller: Principal, command: Command, action: CreateTournament
    ) -> LiveTournament:
        host, stream = self._host, stream_of(command.id)
        live = LiveTournament(stream)
        live.keys = EpochKeys.draw(stream, 1, host.world)
        opened = (
            HouseOpened((), False, str(caller.id)),
            epoch_opened(live.keys, host.recorder.master),
        )
        made, after = decided(with_events(Housed(), opened), live.keys, None, action)
        await self._check(action.structure)
        now_ms = host.world.now() // 1000
        late = action.structure.start == "time" and action.structure.start_at <= now_ms
        if late and await self._tournaments.known(stream, command) is None:  # else it is a repeat
            invalid("start_at", f"a time to come, after {now_ms}")
        events = (*opened, *made)
        commit = host.recorder.write_tournament(
            stream,
            0,
            live.keys,
            command,
            events,
            action=self._wire(action),
            rules=RULES,
            recorded_at=host.world.now(),
        )
        try:
            (stored,) = await host.tables.stored.store.append(chained([(genesis(stream), commit)]))
        except Conflict:
            # The stream's id derives from the command: only a repeat of it can have made it.
            if await self._tournaments.known(stream, command) is None:
                raise Reused("this request_id stands for another tournament") from None
            return await self._tournaments.get(stream)
        live.advance(Recorded(stored, events), after)
        return self._tournaments.admit(live)

    async def _check(self, structure: Structure) -> None:
        """Hold a structure against its game; raises ``Refused(INVALID_STRUCTURE)``."""
        check_options(self._host.game(structure.game), structure)
        if structure.format == "choice":
            async with self._sums:
                await asyncio.to_thread(check_points, structure)

    async def ask(
        self, caller: Principal, request_id: str, stream: UUID, action: PlayerAsks
    ) -> Commit:
        """A player asks something for himself: register, unregister, enter again, …"""
        caller.require_unlimited()
        caller.require(Role.PLAYER, Role.ADMIN)
        live = await self.find(caller, stream)
        command = self._command(caller, request_id, stream.bytes, action, ActorKind.PLAYER)
        with self._at_tournament.place(stream), self._of_caller.place((caller.id, stream)):
            return await self._joint.run(live, command, str(caller.id), action)

    async def order(
        self, caller: Principal, request_id: str, stream: UUID, action: HostAsks
    ) -> Commit:
        """The host asks something: start, pause, resume, cancel, disqualify."""
        caller.require_unlimited()
        caller.require(Role.HOST, Role.ADMIN)
        live = await self.find(caller, stream)
        if live.now.house.host != str(caller.id) and not caller.has(Role.ADMIN):
            raise Denied("this is for the host of the tournament")
        command = self._command(caller, request_id, stream.bytes, action, ActorKind.HOST)
        asked: Asked = self._pause if isinstance(action, PauseTournament) else action
        return await self._joint.run(live, command, None, asked)

    async def require_in(self, tournament: str, caller: Principal) -> None:
        """Raises ``Denied`` for whoever was excluded: what he has at a table is nobody's to play.

        His clock runs out there, and the rules say what becomes of his hand.
        """
        live = await self._tournaments.get(UUID(tournament))
        if is_excluded(live.now.state, str(caller.id)):
            raise Denied("the host of the tournament has excluded you")

    def _pause(self, live: LiveTournament) -> Action:
        """What the running clock still has is the service's to say."""
        return PauseTournament(live.clock_left_ms(self._host.world.now()))

    def _command(
        self, caller: Principal, request_id: str, about: bytes, action: Action, kind: ActorKind
    ) -> Command:
        digests = self._host.digest_of(b"tournament", about, self._wire(action))
        name = type(action).__name__
        return Command.of_caller(self._host.world, caller.id, request_id, digests, kind, name)

    def _wire(self, action: Action) -> bytes:
        wire = tournament_action_to_wire(action)
        return wire.SerializeToString(deterministic=True)
