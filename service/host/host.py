"""The application service: what callers may ask of tables, free of any transport.

Callers are principals; every changing call takes a request id and is safe to repeat.  Errors are
those of ``engine.errors``.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from types import TracebackType
from typing import NamedTuple, Self
from uuid import UUID

import structlog

from engine.actions import (
    COMMON_ACTIONS,
    HOUSE_ACTIONS,
    Action,
    CloseTable,
    HostAction,
    OpenTable,
    TableAction,
    TakeSeat,
)
from engine.embargo import is_for_players_only
from engine.errors import Denied, Malformed, Refused, Unknown
from engine.events import Event, HouseOpened, TableOpened
from engine.house import Table
from engine.house_options import read_house_options
from engine.kernel import HOST, AnyGame
from engine.managed import is_managed
from engine.occupancy import seated_at, viewer_of
from service.codec import Codec
from service.host.accounts import Accounts
from service.host.clocks import StaleDecision
from service.host.commands import Command, Digester, pairs_bytes, stream_of
from service.host.dealing import decide, decide_at, epoch_opened, next_start, start_at
from service.host.executor import Executor, Outcome, Planner, Wire
from service.host.eyes import limit
from service.host.listings import Listings
from service.host.live import Live
from service.host.purses import require_buy_in, require_purse
from service.host.recorder import Recorded, Recorder
from service.host.tables import Tables
from service.host.upkeep import Upkeep
from service.identity import Principal, Role
from service.store.commit import ActorKind
from service.store.postgres import Store
from service.telemetry.spans import Spans, no_spans
from service.vault import EpochKeys, MasterKey
from service.world import World

__all__ = ["Host", "Step"]

log = structlog.get_logger(__name__)


class Step(NamedTuple):
    """What a table's watcher gets: a commit, or the word that nothing is left to send."""

    recorded: Recorded | None
    live: bool


async def _anybody(tournament: str, caller: Principal) -> None:
    """Where nothing is known of tournaments, nobody is excluded from one."""


class Host:
    """Tables of one process on one store; an async context manager.

    ``require_in_tournament`` raises ``Denied`` for callers who may not play in a tournament.
    """

    def __init__(
        self,
        world: World,
        store: Store,
        games: Mapping[str, AnyGame],
        codec: Codec,
        master: MasterKey,
        *,
        lab: bool = False,
        most_tables: int = 4096,
        spans: Spans = no_spans,
        refusals: int = 0,
    ) -> None:
        self.world = world
        self.games = dict(games)
        self.codec = codec
        self.lab = lab
        self.recorder = Recorder(codec, master, world)
        self.digest_of = Digester(master)
        self.tables = Tables(world, store, self.recorder, self.games, most_tables)
        self.accounts = Accounts(world, store, codec)
        self.upkeep = Upkeep(world, codec, self.tables)
        self.clocks = self.upkeep.clocks
        self.tables.moved = self.clocks.update
        after = self.upkeep.after
        self.executor = Executor(
            world, store, self.recorder, self.tables, self.accounts, after, spans, refusals
        )
        self.upkeep.runner = self.executor
        self.listings = Listings()
        self.require_in_tournament: Callable[[str, Principal], Awaitable[None]] = _anybody

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Finish what is under way, then keep a snapshot of every table that has moved."""
        self.clocks.stop()
        for live in self.tables.hot():
            live.stop_timer()
        self.listings.close()
        await self.executor.finish()
        await self.tables.finish()

    # --- tables -------------------------------------------------------------------------------

    def game(self, key: str) -> AnyGame:
        """The game of that id; raises ``Unknown``."""
        game = self.games.get(key)
        if game is None:
            raise Unknown(f"no game {key[:64]!r}; there are {', '.join(sorted(self.games))}")
        return game

    async def create_table(
        self,
        caller: Principal,
        request_id: str,
        game_key: str,
        options: Mapping[str, str],
        house_options: Mapping[str, str],
        start: Mapping[str, str],
        *,
        lab: bool = False,
    ) -> tuple[Live, Outcome]:
        """Make a table whose host is the caller."""
        caller.require_unlimited()
        if not lab:
            caller.require(Role.PLAYER, Role.HOST, Role.ADMIN)
            if caller.lab:
                raise Denied("a token of the lab's issuer makes lab tables only")
        digest = self.digest_of(
            b"create",
            game_key.encode(),
            pairs_bytes(options),
            pairs_bytes(house_options),
            pairs_bytes(start),
            bytes((lab,)),
        )
        command = Command.of_caller(
            self.world, caller.id, request_id, digest, ActorKind.HOST, OpenTable.__name__
        )
        game = self.game(game_key)
        stream = stream_of(command.id)
        house, house_texts = read_house_options(house_options)
        if lab and house.purse != "free":
            raise Refused("INVALID_OPTIONS", option="purse", expected="free at a lab table")
        if house.purse == "tournament":
            expected = "free or account: a tournament opens its tables itself"
            raise Refused("INVALID_OPTIONS", option="purse", expected=expected)
        action = OpenTable(dict(options), dict(start))
        keys = EpochKeys.draw(stream, 1, self.world)
        table = Table.empty(game)
        opened = decide(table, keys, HOST, action)
        events: tuple[Event, ...] = (
            HouseOpened(house_texts, lab, str(caller.id)),
            epoch_opened(keys, self.recorder.master),
            *opened,
        )
        (fact,) = [event for event in opened if isinstance(event, TableOpened)]
        wire = self._wire(action)
        return await self.executor.create(stream, table, keys, fact, command, events, wire)

    async def find_table(self, caller: Principal, stream: UUID) -> Live:
        """A table the caller may know of; raises ``Unknown``.

        The laboratory and the house do not meet: a lab admin is nobody at an ordinary table.
        """
        if not caller.may_touch(stream):
            raise Unknown("no such table")
        live = await self.tables.get(stream)
        lab = live.table.house.lab
        if lab != caller.lab or (lab and not self.lab):
            raise Unknown("no such table")
        withheld = is_for_players_only(live.table.house) and not caller.has(Role.AUDITOR)
        if withheld and str(caller.id) not in seated_at(live.table).values():
            raise Denied("others still play the packs of this table")
        return live

    async def refresh(self, live: Live, version: int | None = None) -> None:
        """Take over what other processes have stored on a table, up to ``version`` at least."""
        await self.tables.refresh(live, version)

    def viewer(self, caller: Principal, table: Table) -> int:
        """The caller's viewer mask at a table as it stands."""
        return limit(caller, viewer_of(seated_at(table), str(caller.id)))

    # --- commands -----------------------------------------------------------------------------

    async def submit(
        self,
        caller: Principal,
        request_id: str,
        stream: UUID,
        seat: int,
        action: Action,
        hand: int | None,
        number: int | None,
    ) -> tuple[Live, Outcome]:
        """An action of a player at a seat."""
        if isinstance(action, HostAction):
            raise Denied("this action is the host's")
        if seat < 0:
            raise Malformed("seat", "expected a number from 0 up")
        if not caller.may_touch(stream, seat):
            raise Unknown("no such table")
        caller.require(Role.PLAYER, Role.ADMIN)
        if isinstance(action, TakeSeat):
            action = TakeSeat(str(caller.id), action.chips)
        wire = self._wire(action)
        digest = self.digest_of(
            b"submit", stream.bytes, str(seat).encode(), wire, f"{hand} {number}".encode()
        )
        command = Command.of_caller(
            self.world, caller.id, request_id, digest, ActorKind.PLAYER, type(action).__name__
        )
        live = await self.find_table(caller, stream)
        self.require_of_game(live, action)
        require_purse(live.table.house, caller, action)
        if is_managed(live.table.house):
            await self.require_in_tournament(live.table.house.host, caller)

        def plan(table: Table) -> tuple[Event, ...]:
            self._require_own_seat(table, caller, seat, action)
            bank: tuple[Event, ...] = ()
            if not isinstance(action, TableAction):
                self._require_decision(live, hand, number, command.arrived)
                bank = self.clocks.bank_used(live, seat, command.arrived)
            require_buy_in(table, seat, action)
            return bank + decide_at(live, table, seat, action)

        return live, await self.executor.run(live, command, plan, seat=seat, action=wire)

    async def start_hand(
        self, caller: Principal, request_id: str, stream: UUID
    ) -> tuple[Live, Outcome]:
        """What leads on to the next hand, for the table's host; at a one-seat table its player."""
        live = await self.find_table(caller, stream)
        return live, await self._host_action(
            caller,
            request_id,
            live,
            live.table.game.START(),
            lambda table: start_at(live, table),
            lambda table: self._wire(next_start(live, table)),
            player_too=True,
        )

    def _wire(self, action: Action) -> bytes:
        return self.codec.action_bytes(action)

    async def close_table(
        self, caller: Principal, request_id: str, stream: UUID
    ) -> tuple[Live, Outcome]:
        """Close a table, for its host."""
        live = await self.find_table(caller, stream)
        return live, await self._host_action(
            caller,
            request_id,
            live,
            CloseTable(),
            lambda table: decide_at(live, table, HOST, CloseTable()),
            self._wire(CloseTable()),
            player_too=False,
        )

    async def _host_action(
        self,
        caller: Principal,
        request_id: str,
        live: Live,
        asked: HostAction,
        planner: Planner,
        wire: Wire,
        *,
        player_too: bool,
    ) -> Outcome:
        """``asked``: what a repeat of the request must ask for again."""
        caller.require(Role.PLAYER, Role.HOST, Role.ADMIN)
        digest = self.digest_of(b"host", live.stream.bytes, self._wire(asked))
        command = Command.of_caller(
            self.world, caller.id, request_id, digest, ActorKind.HOST, type(asked).__name__
        )

        def plan(table: Table) -> tuple[Event, ...]:
            self.require_host(table, caller, player_too=player_too)
            return planner(table)

        return await self.executor.run(live, command, plan, seat=HOST, action=wire)

    @staticmethod
    def require_host(table: Table, caller: Principal, *, player_too: bool) -> None:
        """A token for one seat is good for what is the seat's: its principal's office is not."""
        if is_managed(table.house):
            tournament = table.house.host
            expected = "its tournament begins hands and closes it"
            raise Refused("TOURNAMENT_TABLE", tournament=tournament, expected=expected)
        host = table.house.host == str(caller.id) or caller.has(Role.ADMIN)
        if host and caller.seat is None:
            return
        alone = player_too and table.game.seats(table.state) == 1 and not caller.seat
        if not (alone and seated_at(table).get(0) == str(caller.id)):
            raise Denied("this is for the host of the table")

    @staticmethod
    def require_of_game(live: Live, action: Action) -> None:
        """Raises ``Malformed`` for an action of another game."""
        game = live.table.game
        if type(action) not in COMMON_ACTIONS + HOUSE_ACTIONS + game.ACTIONS:
            raise Malformed("action", f"not an action of {game.key}")

    @staticmethod
    def _require_own_seat(table: Table, caller: Principal, seat: int, action: Action) -> None:
        """Somebody else's seat is out of reach; an empty one is the rules' business."""
        if isinstance(action, TakeSeat):
            return
        sitting = seated_at(table).get(seat)
        if sitting and sitting != str(caller.id):
            raise Denied("somebody else holds this seat")

    def _require_decision(
        self, live: Live, hand: int | None, number: int | None, arrived: float
    ) -> None:
        """The action must name the decision that is awaited.

        One that names a decision while none is awaited comes too late as well; one that names
        none then, which is also what 0, 0 says, is the rules' to answer.
        """
        now = live.awaited
        if now is None:
            if hand or number:
                raise StaleDecision(f"hand {hand}, decision {number} is over: none is awaited")
            return
        if hand is None or number is None:
            missing = "hand" if hand is None else "decision"
            raise Malformed(missing, "a turn action names the hand and decision it answers")
        if (hand, number) != (now.hand, now.number):
            raise StaleDecision(
                f"hand {now.hand}, decision {now.number} is awaited, not {hand}, {number}"
            )
        if self.clocks.is_late(live, arrived):
            raise StaleDecision("the time for this decision is over")

    # --- watching -----------------------------------------------------------------------------

    async def watch(self, live: Live, after_version: int) -> AsyncGenerator[Step, None]:
        """Every commit after a version, then what comes; one ``live`` step in between.

        Raises ``Malformed`` if the version is not one that a commit ends at.
        """
        if after_version > live.table.version:  # seen at another process, which was faster
            await self.refresh(live)
        if not 0 <= after_version <= live.table.version:
            raise Malformed("after_version", f"expected 0 to {live.table.version}")
        version = after_version
        said_live = False
        live.watchers += 1
        self.tables.keep(live)
        try:
            while True:
                recent = live.recent_after(version)
                if recent is None:
                    async with aclosing(self.tables.stored.history(live, version)) as past:
                        async for recorded in past:
                            self._require_boundary(recorded, version)
                            version = recorded.commit.version
                            yield Step(recorded, live=False)
                    continue
                for recorded in recent:
                    version = recorded.commit.version
                    yield Step(recorded, live=said_live)
                if not said_live and version == live.table.version:
                    said_live = True
                    yield Step(None, live=True)
                await live.news(version)
        finally:
            live.watchers -= 1

    @staticmethod
    def _require_boundary(recorded: Recorded, version: int) -> None:
        if recorded.commit.expected < version:
            raise Malformed("after_version", "expected the version of an answer or a message")
