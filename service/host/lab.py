"""Lab tables: stacked decks, positions, all-seeing eyes (design 7).

They exist only where the service was started with ``--lab``, say so in their first commit, have
no purse and no clock, and need the role admin in a token of the lab's issuer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar
from uuid import UUID

from engine.actions import Action, HostAction, TakeSeat
from engine.cards import PACK
from engine.errors import Denied, Malformed, Refused, Unknown
from engine.events import DeckStacked, Event, PositionSet
from engine.house import Table
from engine.kernel import HOST, Listing, PositionError
from engine.notation import lines_of_text
from engine.visibility import AUDITOR, SERVER, Private
from service.host.commands import Command
from service.host.dealing import decide_at
from service.host.executor import Outcome, Planner
from service.host.host import Host
from service.host.listings import most_plays
from service.host.live import Live
from service.identity import Principal
from service.store.commit import ActorKind

__all__ = ["Lab"]

T = TypeVar("T")

# A name stands in position notation, between spaces.
_NAME: Final = re.compile(r"[\w.-]{1,64}")


class Lab:
    """What an admin of the lab may do; every call raises ``Denied`` for anybody else."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def _require(self, caller: Principal) -> None:
        if not self._host.lab:
            raise Denied("this service was not started with --lab")
        caller.require_lab()

    async def open_table(
        self,
        caller: Principal,
        request_id: str,
        game: str,
        options: Mapping[str, str],
        house_options: Mapping[str, str],
        start: Mapping[str, str],
    ) -> tuple[Live, Outcome]:
        """Make a lab table."""
        self._require(caller)
        return await self._host.create_table(
            caller, request_id, game, options, house_options, start, lab=True
        )

    async def table(self, caller: Principal, stream: UUID) -> Live:
        """A lab table; raises ``Unknown`` for any other."""
        self._require(caller)
        live = await self._host.find_table(caller, stream)
        if not live.table.house.lab:
            raise Unknown("no such lab table")
        return live

    async def stack_deck(
        self, caller: Principal, request_id: str, stream: UUID, cards: Sequence[int]
    ) -> Outcome:
        """Set the top of the next shuffle's result; cards left out follow in canonical order."""
        live = await self.table(caller, stream)
        if any(card not in PACK for card in cards) or len(set(cards)) != len(cards):
            raise Malformed("cards", "expected different card numbers 1 to 52")
        event = DeckStacked(Private(tuple(cards), SERVER))

        def plan(table: Table) -> tuple[Event, ...]:
            _require_open(table)
            return (event,)

        return await self._run(caller, request_id, live, b"stack", bytes(cards), plan, HOST, b"")

    async def set_position(
        self, caller: Principal, request_id: str, stream: UUID, position: str
    ) -> Outcome:
        """Put the game into a position; raises ``Malformed`` for one that cannot be."""
        live = await self.table(caller, stream)
        event = PositionSet(Private(position, SERVER))

        def plan(table: Table) -> tuple[Event, ...]:
            _require_open(table)
            lines = lines_of_text(table.game.NUMBERED, position)
            try:
                placed = table.game.place(table.state, lines)
            except PositionError as error:
                raise Malformed("position", str(error)) from None
            try:
                self._host.codec.view_to_wire(table.game.view(placed, AUDITOR))
            except ValueError:
                raise Malformed("position", "a number is too large to be shown") from None
            return (event,)

        return await self._run(
            caller, request_id, live, b"position", position.encode(), plan, HOST, b""
        )

    async def act(
        self, caller: Principal, request_id: str, stream: UUID, seat: int, action: Action
    ) -> Outcome:
        """Act for any seat, or (seat -1) as the host; no decision needs to be named."""
        live = await self.table(caller, stream)
        host = self._host
        host.require_of_game(live, action)
        if seat < HOST or isinstance(action, HostAction) != (seat == HOST):
            raise Malformed("seat", "host actions have seat -1, all others a seat")
        if isinstance(action, TakeSeat):
            action = TakeSeat(action.player or f"p{seat}", action.chips)
            if not _NAME.fullmatch(action.player):
                raise Malformed("action.player", "expected a word of 1 to 64 letters and digits")
        wire = host.codec.action_to_wire(action).SerializeToString(deterministic=True)

        def plan(table: Table) -> tuple[Event, ...]:
            return decide_at(live, table, seat, action)

        content = str(seat).encode() + b" " + wire
        return await self._run(caller, request_id, live, b"act", content, plan, seat, wire)

    async def list_plays(
        self,
        caller: Principal,
        stream: UUID,
        seat: int,
        limit: int,
        write: Callable[[int, Listing], T],
    ) -> T:
        """The legal plays of any seat, written with the version they are of."""
        limit = most_plays(limit)
        table = (await self.table(caller, stream)).table
        return await self._host.listings.make(
            caller.id, table, seat, limit, lambda found: write(table.version, found)
        )

    async def _run(
        self,
        caller: Principal,
        request_id: str,
        live: Live,
        label: bytes,
        content: bytes,
        plan: Planner,
        seat: int,
        wire: bytes,
    ) -> Outcome:
        host = self._host
        digest = host.digest_of(b"lab " + label, live.stream.bytes, content)
        name = f"lab_{label.decode()}"
        command = Command.of_caller(host.world, caller.id, request_id, digest, ActorKind.HOST, name)
        return await host.executor.run(live, command, plan, seat=seat, action=wire)


def _require_open(table: Table) -> None:
    if not table.house.epoch:
        raise Refused("TABLE_CLOSED")
