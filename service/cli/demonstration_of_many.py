"""A demonstration at a table of many: bots at every seat, witnesses beside them.

Each seat and an observer watch the table with eyes of their own; afterwards each holds what it saw
against the replay that it gets.  What a bot was answered is held against what its seat saw.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import aclosing
from typing import Final, NamedTuple

from engine.errors import Refused, Unavailable
from engine.kernel import AnyGame
from service.bots import PlayLine, SeatRunner, bot_of
from service.cli.company import all_seated, bot_token_maker, seat_client
from service.cli.options import Where
from service.cli.verifying import Seen, differences, of_game
from service.client import Client
from service.client.connection import request_id
from service.client.records import get_table
from service.client.sitting import create_table, follow
from service.pb import table_service_pb2 as pb

__all__ = ["Played", "play_of_many"]

SEATS: Final = 6
OPTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "royal_casino": {"players": "4", "target_score": "99", "stake": "10"},
}
"""Options of a game's table: how many sit there, and that a game lasts for some hands."""

CHIPS: Final = 1_000
LIMIT: Final = "max_deals"
MOST_DEALS: Final = 1_000
"""The option without which some tables could not be closed, and its greatest value."""

PLAYERS_BEGIN: Final = frozenset({"pontoon"})
"""Games in which a player begins each hand."""

AGAIN_SECONDS: Final = 0.05


class Played(NamedTuple):
    """What came of it; see ``Outcome``."""

    state: pb.TableState
    actions: int
    events: int
    seconds: float
    faults: list[str]


class _Line(PlayLine):
    """A line that remembers what it was answered."""

    def __init__(self, client: Client, table_id: str) -> None:
        super().__init__(client, table_id)
        self.answered: list[tuple[int, str]] = []

    async def submit(self, request: pb.SubmitActionRequest) -> pb.TableState:
        state = await super().submit(request)
        self.answered.append((state.version, state.text))
        return state


class _Witness:
    """Watches a table from its beginning until it is stopped."""

    def __init__(self, client: Client, game: AnyGame, table: str, seat: int | None) -> None:
        self._client = client
        self._game = game
        self._table = table
        self._seat = seat
        self.seen: list[Seen] = []
        self.state = pb.TableState()
        self._moved = asyncio.Event()
        self._watching = asyncio.create_task(self._watch())
        self._watching.add_done_callback(lambda _: self._moved.set())

    async def _watch(self) -> None:
        from_wire = self._client.codec.event_from_wire
        async with aclosing(follow(self._client, self._table)) as news:
            async for each in news:
                if each.events:
                    events = tuple(from_wire(event.event) for event in each.events)
                    self.seen.append(Seen(of_game(events), each.version, each.state.text))
                if each.HasField("state"):
                    self.state = each.state
                self._moved.set()

    async def until(self, version: int, *, hand_over: bool = False) -> None:
        """Until it has heard of a version, or until no hand runs after it.

        Raises what its watch ended with, ``Unavailable`` if that is nothing.
        """
        while self.state.version < version or (hand_over and self.state.decision.hand):
            if self._watching.done():
                self._watching.result()
                raise Unavailable("the table's news have ended")
            self._moved.clear()
            await self._moved.wait()

    async def stop(self) -> None:
        """Watch no longer."""
        self._watching.cancel()
        await asyncio.gather(self._watching, return_exceptions=True)

    def hands(self) -> list[list[Seen]]:
        """What was seen within each hand."""
        return list(_hands(self._game, self.seen))

    async def faults(self) -> list[str]:
        """Where the record differs from what was seen."""
        who = "an observer" if self._seat is None else f"seat {self._seat}"
        found = await differences(self._client, self._game, self._table, self.hands(), self._seat)
        return [f"{who}: {fault}" for fault in found]


def _hands(game: AnyGame, seen: list[Seen]) -> Iterator[list[Seen]]:
    hand: list[Seen] | None = None
    for each in seen:
        kinds = {type(event) for event in each.events}
        if kinds & game.HAND_BEGINS:
            hand = []
        if hand is not None:
            hand.append(each)
        if hand is not None and kinds & game.HAND_ENDS:
            yield hand
            hand = None


async def play_of_many(
    where: Where,
    host: Client,
    game: AnyGame,
    hands: int,
    draw: Callable[[Client, AnyGame, pb.TableState], None],
    pause: float,
) -> Played:
    """Play some hands with a bot at every seat, close the table, compare."""
    tokens = bot_token_maker(where)
    options = dict(OPTIONS.get(game.key, {"max_seats": str(SEATS)}))
    if any(option.name == LIMIT for option in game.OPTIONS):
        options[LIMIT] = str(min(hands, MOST_DEALS))
    made = await create_table(host, game.key, options)
    table = made.table.table_id
    seats = range(made.table.seat_count)
    clients = [seat_client(where, tokens, table, seat) for seat in seats]
    lines = [_Line(client, table) for client in clients]
    runners = [
        SeatRunner(
            line, seat, bot_of(game, "sensible", seat), chips=CHIPS, rebuy=CHIPS, pause=pause
        )
        for seat, line in enumerate(lines)
    ]
    observer = _Witness(host, game, table, None)
    playing = [asyncio.create_task(runner.run()) for runner in runners]
    tasks: list[asyncio.Task[object]] = [*playing]
    witnesses = [observer]
    try:
        await all_seated(runners, playing)
        witnesses += [_Witness(c, game, table, seat) for seat, c in enumerate(clients)]
        # Positions are told with live news only: nobody may still be catching up.
        for witness in witnesses:
            await witness.until(made.state.version)
        began = time.monotonic()
        drawing = asyncio.create_task(_draw(host, game, observer, draw))
        tasks.append(drawing)
        if game.key in PLAYERS_BEGIN:
            before = await _hands_of_players(host, game, table, observer)
        else:
            for _ in range(hands):
                await observer.until(await _start(host, game, table), hand_over=True)
            before = observer.state
        seconds = time.monotonic() - began
        if not drawing.cancel():
            drawing.result()  # by itself it ends only when it fails
        # A game of several hands goes on, or its table could not be closed.
        while game.key not in PLAYERS_BEGIN and await _close(host, table) is None:
            await observer.until(await _start(host, game, table), hand_over=True)
        await asyncio.gather(*playing)
        last = (await get_table(host, table)).state.version
        for witness in witnesses:
            await witness.until(last)
        faults = [fault for witness in witnesses for fault in await witness.faults()]
        for seat, line in enumerate(lines):
            faults += _unseen(seat, line, witnesses[seat + 1])
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for witness in witnesses:
            await witness.stop()
        for client in clients:
            await client.close()
    seen = [each for hand in observer.hands() for each in hand]
    events = sum(len(each.events) for each in seen)
    return Played(before, len(seen), events, seconds, faults)


async def _close(host: Client, table: str) -> int | None:
    """The version after the table was closed; None: it cannot be now."""
    request = pb.CloseTableRequest(request_id=request_id(), table_id=table)
    try:
        return (await host.call(host.tables.CloseTable, request)).state.version
    except Refused as error:
        if error.reason != "WRONG_PHASE":
            raise
    return None


async def _hands_of_players(
    host: Client, game: AnyGame, table: str, observer: _Witness
) -> pb.TableState:
    """Start whenever nobody has a decision, until the table is closed; the state then."""
    while not (await get_table(host, table)).table.closed:
        version = observer.state.version
        if not observer.state.HasField("decision"):
            try:
                version = await _start(host, game, table)
            except Refused as error:  # the bots were faster: news of that are on their way
                if error.reason not in {"TABLE_CLOSED", "WRONG_PHASE"}:
                    raise
        await observer.until(version + 1)
    closed = (await get_table(host, table)).state
    await observer.until(closed.version)
    return closed


async def _start(host: Client, game: AnyGame, table: str) -> int:
    """The version after the next hand's start; bots may still be buying chips."""
    while True:
        request = pb.StartHandRequest(request_id=request_id(), table_id=table)
        try:
            answer = await host.call(host.tables.StartHand, request)
            events = [host.codec.event_from_wire(each.event) for each in answer.events]
            if game.HAND_BEGINS.intersection(map(type, events)):
                return answer.state.version
            continue  # a game has begun, its first hand not yet
        except Refused as error:
            if error.reason != "NOT_ENOUGH_PLAYERS":
                raise
        await asyncio.sleep(AGAIN_SECONDS)


async def _draw(
    host: Client,
    game: AnyGame,
    observer: _Witness,
    draw: Callable[[Client, AnyGame, pb.TableState], None],
) -> None:
    while True:
        version = observer.state.version
        draw(host, game, observer.state)
        await observer.until(version + 1)


def _unseen(seat: int, line: _Line, witness: _Witness) -> Iterator[str]:
    """Answers that are not what the seat's watch saw at their version."""
    texts = {each.version: each.text for each in witness.seen}
    for version, text in line.answered:
        if texts.get(version) not in {text, ""}:
            yield f"seat {seat}: version {version} was answered otherwise than it was sent"
