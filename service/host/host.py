"""The application service: what callers may ask of tables, free of any transport.

Callers are principals; every changing call takes a request id and is safe to repeat.  Errors are
those of ``engine.errors``.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from types import TracebackType
from typing import Final, NamedTuple, Self
from uuid import UUID

import structlog

from engine.actions import (
    COMMON_ACTIONS,
    Action,
    AddChips,
    CloseTable,
    HostAction,
    OpenTable,
    SitOut,
    TableAction,
    TakeSeat,
    TimeOut,
)
from engine.errors import Conflict, Denied, KartejoError, Malformed, Refused, Unavailable, Unknown
from engine.events import Event, HouseOpened, TableOpened
from engine.house import Table, decision, idle_seats, read_house_options
from engine.kernel import HOST, AnyGame
from engine.occupancy import seated_at, viewer_of
from service.codec import Codec
from service.host.accounts import Accounts
from service.host.clocks import Clocks
from service.host.commands import Command, Digester, pairs_bytes, stream_of
from service.host.dealing import decide, epoch_opened
from service.host.executor import Executor, Outcome, Planner
from service.host.live import Live
from service.host.recorder import Recorded, Recorder
from service.host.tables import Tables
from service.identity import Principal, Role
from service.store.commit import ActorKind
from service.store.postgres import Store
from service.vault import EpochKeys, MasterKey
from service.world import World

__all__ = ["Host", "StaleDecision", "Step"]

log = structlog.get_logger(__name__)

START_PAUSE_SECONDS: Final = 1.0
"""How long the host waits between two hands before it starts the next by itself."""


class StaleDecision(Conflict):
    """The action was meant for another decision than the one that is awaited."""

    reason = "STALE_DECISION"


class Step(NamedTuple):
    """What a table's watcher gets: a commit, or the word that nothing is left to send."""

    recorded: Recorded | None
    live: bool


class Host:
    """Tables of one process on one store; an async context manager."""

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
    ) -> None:
        self.world = world
        self.games = dict(games)
        self.codec = codec
        self.lab = lab
        self.recorder = Recorder(codec, master, world)
        self.digest_of = Digester(master)
        self.tables = Tables(store, self.recorder, self.games, most_tables)
        self.accounts = Accounts(world, store, codec)
        self.executor = Executor(
            world, store, self.recorder, self.tables, self.accounts, self._after
        )
        self.clocks = Clocks(world, self._time_is_over)

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
        await self.executor.finish()
        for live in self.tables.hot():
            try:
                await self.tables.save(live)
            except Unavailable:
                log.warning("snapshots_not_kept")
                return  # nor will the others be, and each would take its time
            except KartejoError as why:
                log.warning("snapshot_not_kept", stream=str(live.stream), reason=why.reason)

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
        command = Command.of_caller(self.world, caller.id, request_id, digest, ActorKind.HOST)
        game = self.game(game_key)
        stream = stream_of(command.id)
        house, house_texts = read_house_options(house_options)
        if lab and house.purse != "free":
            raise Refused("INVALID_OPTIONS", option="purse", expected="free at a lab table")
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
        wire = self.codec.action_to_wire(action).SerializeToString(deterministic=True)
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
        return live

    async def refresh(self, live: Live, version: int | None = None) -> None:
        """Take over what other processes have stored on a table, up to ``version`` at least."""
        async with live.lock:
            if version is None or live.table.version < version:
                await self.tables.catch_up(live)
        self.clocks.update(live)

    def viewer(self, caller: Principal, table: Table) -> int:
        """The caller's viewer mask at a table as it stands."""
        return viewer_of(seated_at(table), str(caller.id))

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
        wire = self.codec.action_to_wire(action).SerializeToString(deterministic=True)
        digest = self.digest_of(
            b"submit", stream.bytes, str(seat).encode(), wire, f"{hand} {number}".encode()
        )
        command = Command.of_caller(self.world, caller.id, request_id, digest, ActorKind.PLAYER)
        live = await self.find_table(caller, stream)
        self.require_of_game(live, action)

        def plan(table: Table) -> tuple[Event, ...]:
            self._require_own_seat(table, caller, seat, action)
            bank: tuple[Event, ...] = ()
            if not isinstance(action, TableAction):
                self._require_decision(live, hand, number, command.arrived)
                bank = self.clocks.bank_used(live, seat, command.arrived)
            self._require_buy_in(table, seat, action)
            return bank + self.decide(live, table, seat, action)

        return live, await self.executor.run(live, command, plan, seat=seat, action=wire)

    async def start_hand(
        self, caller: Principal, request_id: str, stream: UUID
    ) -> tuple[Live, Outcome]:
        """The game's start action, for the table's host; at a one-seat table for its player."""
        live = await self.find_table(caller, stream)
        return live, await self._host_action(
            caller, request_id, live, live.table.game.START(), player_too=True
        )

    async def close_table(
        self, caller: Principal, request_id: str, stream: UUID
    ) -> tuple[Live, Outcome]:
        """Close a table, for its host."""
        live = await self.find_table(caller, stream)
        return live, await self._host_action(
            caller, request_id, live, CloseTable(), player_too=False
        )

    async def _host_action(
        self,
        caller: Principal,
        request_id: str,
        live: Live,
        action: HostAction,
        *,
        player_too: bool,
    ) -> Outcome:
        caller.require(Role.PLAYER, Role.HOST, Role.ADMIN)
        wire = self.codec.action_to_wire(action).SerializeToString(deterministic=True)
        digest = self.digest_of(b"host", live.stream.bytes, wire)
        command = Command.of_caller(self.world, caller.id, request_id, digest, ActorKind.HOST)

        def plan(table: Table) -> tuple[Event, ...]:
            alone = player_too and table.game.seats(table.state) == 1
            if not (
                table.house.host == str(caller.id)
                or caller.has(Role.ADMIN)
                or (alone and seated_at(table).get(0) == str(caller.id))
            ):
                raise Denied("this is for the host of the table")
            return self.decide(live, table, HOST, action)

        return await self.executor.run(live, command, plan, seat=HOST, action=wire)

    def decide(self, live: Live, table: Table, actor: int, action: Action) -> tuple[Event, ...]:
        """What the rules make of an action; raises ``Refused``."""
        if not table.house.epoch:
            raise Refused("TABLE_CLOSED")
        return decide(table, live.opener.keys(table.house.epoch), actor, action)

    def _planner(self, live: Live, actor: int, action: Action) -> Planner:
        return lambda table: self.decide(live, table, actor, action)

    @staticmethod
    def require_of_game(live: Live, action: Action) -> None:
        """Raises ``Malformed`` for an action of another game."""
        game = live.table.game
        if type(action) not in COMMON_ACTIONS and type(action) not in game.ACTIONS:
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
        now = decision(live.table)
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

    @staticmethod
    def _require_buy_in(table: Table, seat: int, action: Action) -> None:
        """House rule C12: what a player brings lies between the house's bounds."""
        low, high = table.house.options.min_buy_in, table.house.options.max_buy_in
        wanted = 0
        if isinstance(action, TakeSeat):
            wanted = action.chips or 0
        elif isinstance(action, AddChips):
            sitting = table.game.players(table.state).get(seat)
            wanted = (action.amount or 0) + (sitting[1] if sitting else 0)
            low = 0
        else:
            return
        # What is no amount at all is left to the rules: they have their own word for it.
        if wanted > high or 0 <= wanted < low:
            raise Refused("BUY_IN_OUT_OF_RANGE", low=low, high=high)

    # --- the host's own doings ----------------------------------------------------------------

    def _after(self, live: Live, recorded: Recorded) -> None:
        """What follows from a stored commit: clocks, snapshots, the next hand."""
        self.clocks.update(live)
        if self.tables.wants_snapshot(live):
            self.executor.spawn(self._keep_snapshot(live))
        game = live.table.game
        if not self.clocks.running or live.table.house.lab:
            return
        if any(type(event) in game.HAND_ENDS for event in recorded.events):
            self.executor.spawn(self._after_hand(live))
        elif live.table.house.options.auto_start and not game.to_act(live.table.state):
            self._start_soon(live)

    async def _keep_snapshot(self, live: Live) -> None:
        try:
            await self.tables.save(live)
        except KartejoError as error:
            log.warning("snapshot_not_kept", stream=str(live.stream), reason=error.reason)

    async def _after_hand(self, live: Live) -> None:
        for seat in idle_seats(live.table):
            version = live.table.version
            command = Command.of_process(self.world, live.stream, version, f"sit_out {seat}")
            plan = self._planner(live, seat, SitOut())
            await self._own(live, command, seat, SitOut(), plan)
        if live.table.house.options.auto_start:
            self._start_soon(live)

    def _start_soon(self, live: Live) -> None:
        """Start the next hand after a pause, once for every version it may start at."""
        version = live.table.version
        if not _awaits_start(live.table) or live.start_version == version:
            return
        live.start_version = version

        def start() -> None:
            if live.table.version == version and self.clocks.running:
                self.executor.spawn(self._start(live, version))

        self.world.call_later(START_PAUSE_SECONDS, start)

    async def _start(self, live: Live, version: int) -> None:
        command = Command.of_process(self.world, live.stream, version, "start")
        action = live.table.game.START()
        plan = self._planner(live, HOST, action)
        if not await self._own(live, command, HOST, action, plan):
            live.start_version = 0  # it stays due: the next sweep sets it again

    @staticmethod
    def is_due(table: Table) -> bool:
        """Whether something happens at a table when time passes: a time-out, or a start."""
        return not table.house.lab and (decision(table) is not None or _awaits_start(table))

    def resume(self, live: Live) -> None:
        """Set what is due at a table that this process has come to look after."""
        self.clocks.update(live)
        if self.is_due(live.table) and self.clocks.running:
            self._start_soon(live)

    def _time_is_over(self, live: Live, key: tuple[int, int]) -> None:
        self.executor.spawn(self._expire(live, key))

    async def _expire(self, live: Live, key: tuple[int, int]) -> None:
        """Time a decision out; while the store is away it stays due."""
        step = f"time_out {key[0]} {key[1]}"
        command = Command.of_process(self.world, live.stream, 0, step)

        def plan(table: Table) -> tuple[Event, ...]:
            now = decision(table)
            if now is None or (now.hand, now.number) != key:
                raise StaleDecision("it was answered in time")
            bank: tuple[Event, ...] = self.clocks.bank_emptied(live)
            return bank + self.decide(live, table, HOST, TimeOut())

        while not await self._own(live, command, HOST, TimeOut(), plan) and self.clocks.running:
            await self.world.sleep(1.0)

    async def _own(
        self, live: Live, command: Command, actor: int, action: Action, plan: Planner
    ) -> bool:
        """A step of the service itself; false if it has to be tried again."""
        wire = self.codec.action_to_wire(action).SerializeToString(deterministic=True)
        try:
            await self.executor.run(live, command, plan, seat=actor, action=wire)
        except (Refused, Conflict) as error:  # somebody did it, or it has become needless
            log.debug("own_step_needless", stream=str(live.stream), reason=error.reason)
        except KartejoError as error:
            log.warning("own_step_failed", stream=str(live.stream), reason=error.reason)
            return False
        return True

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
        try:
            while True:
                recent = live.recent_after(version)
                if recent is None:
                    async with aclosing(self.tables.history(live, version)) as past:
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


def _awaits_start(table: Table) -> bool:
    """Whether the host is to start the next hand; a solitaire's waits for its player (C12)."""
    game, state = table.game, table.state
    return (
        table.house.options.auto_start
        and game.seats(state) > 1
        and not game.to_act(state)
        and game.can_start(state)
    )
