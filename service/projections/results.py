"""Results: what every player won and lost in every hand, and from whom.

Chips that move between two hands, such as the price of Pontoon's bank, are counted with the hand
before; those of a pot with the hand in which it is paid out.  Tables of the laboratory are left
out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final, NamedTuple
from uuid import UUID

from engine.errors import Corrupt
from engine.events import Event, HouseOpened, PositionSet, SeatLeft, SeatTaken, TableOpened
from engine.kernel import AnyGame
from engine.occupancy import Seated, seated_after
from engine.transfers import Tally
from service.projections.facts import Facts
from service.projections.pair_sums import NOTHING, Pair, PairSums, added_up, of_hand
from service.projections.projection import Projection
from service.store import results
from service.store.commit import Commit, StreamKind
from service.store.connection import Connection
from service.store.results import HandResult, MoveRow, PairRow, PlayerRow, TableState

__all__ = ["Played", "Results", "TableResults"]

_SEEN: Final = frozenset({SeatTaken, SeatLeft, PositionSet})
_FIRST: Final = frozenset({TableOpened, HouseOpened})
DAY: Final = 86_400_000_000
"""Microseconds."""


class Played(NamedTuple):
    """A hand so far; 0 is what lies before a table's first.

    ``moves``: chips that went from the lower player of a pair to the higher, negative: back.
    """

    hand: int
    started_at: int
    ended_at: int
    over: bool = False
    players: tuple[str, ...] = ()
    moves: Mapping[Pair, int] = {}

    def moved(self, payer: str, payee: str, chips: int) -> Played:
        """Chips went from one player to another."""
        if payer == payee:
            return self
        pair, change = ((payer, payee), chips) if payer < payee else ((payee, payer), -chips)
        return self._replace(moves={**self.moves, pair: self.moves.get(pair, 0) + change})

    @property
    def nets(self) -> dict[str, int]:
        """What each player won; negative: lost."""
        nets = dict.fromkeys(self.players, 0)
        for (low, high), chips in self.moves.items():
            nets[low] = nets.get(low, 0) - chips
            nets[high] = nets.get(high, 0) + chips
        return nets


class TableResults(NamedTuple):
    """What is known of a table, and what has changed since it was loaded.

    ``newest``: the hand that runs, or the one before.  ``changed``: hands to be written;
    ``added``: what is to be added to pairs, by day.
    """

    stream: UUID
    version: int
    game: str
    lab: bool
    seated: Seated
    tally: Tally
    newest: Played
    changed: Mapping[int, Played]
    added: Mapping[tuple[int, Pair], PairSums]


class Results(Projection[TableResults]):
    """A row a hand, a row a player of it, a row a pair that chips moved between; sums of pairs."""

    NAME: ClassVar[str] = results.NAME
    REVISION: ClassVar[int] = 1
    KIND: ClassVar[StreamKind] = StreamKind.TABLE

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def fold(self, known: TableResults | None, commit: Commit) -> TableResults:
        """The table after a commit; raises ``Corrupt``."""
        table = known or self._opened(commit)
        game = self._facts.game(table.game)
        before = table.newest
        wanted = _SEEN | game.HAND_BEGINS | game.HAND_ENDS | game.MOVES_CHIPS
        for event in self._facts.of(commit, wanted):
            table = _after(table, game, commit, event)
        table = table._replace(version=commit.version)
        if table.lab or table.newest is before:
            return table
        now = table.newest._replace(ended_at=commit.recorded_at)
        return table._replace(
            newest=now,
            changed={**table.changed, now.hand: now},
            added=_added(table.added, before, now),
        )

    def _opened(self, commit: Commit) -> TableResults:
        game, lab = "", False
        for event in self._facts.of(commit, _FIRST):
            if isinstance(event, TableOpened):
                game = event.game
            elif isinstance(event, HouseOpened):
                lab = event.lab
        if not game:
            raise Corrupt(f"stream {commit.stream} does not begin as a table")
        newest = Played(0, commit.recorded_at, commit.recorded_at)
        return TableResults(commit.stream, 0, game, lab, {}, Tally(), newest, {}, {})

    async def load(
        self, db: Connection, build: int, streams: Sequence[UUID]
    ) -> dict[UUID, TableResults]:
        """See ``Projection``."""
        found = await results.states_of(db, build, streams)
        return {state.stream: _known(state) for state in found}

    async def save(self, db: Connection, build: int, changed: Iterable[TableResults]) -> None:
        """See ``Projection``."""
        tables = list(changed)
        pairs: dict[tuple[Pair, str, int], PairSums] = {}
        for table in tables:
            for (day, pair), sums in table.added.items():
                key = (pair, table.game, day)
                pairs[key] = added_up(pairs.get(key, NOTHING), sums)
        hands = [(table, played) for table in tables for played in table.changed.values()]
        await results.put(
            db,
            build,
            map(_state, tables),
            [_hand(table, played) for table, played in hands],
            [row for table, played in hands for row in _players(table, played)],
            [row for table, played in hands for row in _moves(table, played)],
            # In one order, so that two who write never wait for each other in a circle.
            [
                PairRow(UUID(pair[0]), UUID(pair[1]), game, day, *sums)
                for (pair, game, day), sums in sorted(pairs.items())
            ],
        )

    async def clear(self, db: Connection, build: int, limit: int) -> int:
        """See ``Projection``."""
        return await results.clear(db, build, limit)


def _after(table: TableResults, game: AnyGame, commit: Commit, event: Event) -> TableResults:
    """The table after one event."""
    if table.lab:
        return table
    kind = type(event)
    if kind in game.HAND_BEGINS:
        seats = game.dealt_in(event)
        dealt = [
            name for seat, name in sorted(table.seated.items()) if seats is None or seat in seats
        ]
        at = commit.recorded_at
        newest = Played(commit.hand, at, at, players=tuple(dict.fromkeys(dealt)))
        table = table._replace(newest=newest)
    if kind in game.MOVES_CHIPS:
        tally, made = table.tally.follow(game.moved(event), table.seated)
        newest = table.newest
        for transfer in made:
            newest = newest.moved(*transfer)
        table = table._replace(tally=tally, newest=newest)
    if kind in game.HAND_ENDS:
        table = table._replace(newest=table.newest._replace(over=True))
    return table._replace(seated=seated_after(table.seated, event))


def _added(
    added: Mapping[tuple[int, Pair], PairSums], before: Played, now: Played
) -> dict[tuple[int, Pair], PairSums]:
    """What pairs gain where ``now`` is what became of ``before``, or the hand after it."""
    changed = dict(added)

    def count(played: Played, times: int) -> None:
        for pair, sums in of_hand(played.players, played.moves).items():
            key = (played.started_at // DAY, pair)
            changed[key] = added_up(changed.get(key, NOTHING), sums, times)

    count(now, 1)
    if before.hand == now.hand:
        count(before, -1)
    return changed


# --- rows -------------------------------------------------------------------------------------


def _known(state: TableState) -> TableResults:
    """What a row says of its table."""
    told: Mapping[str, Any] = state.known
    moves = {(low, high): chips for low, high, chips in told["moves"]}
    hand, started_at, ended_at, over = told["hand"]
    newest = Played(hand, started_at, ended_at, over, tuple(told["players"]), moves)
    seated = {int(seat): player for seat, player in told["seated"].items()}
    return TableResults(
        state.stream,
        state.version,
        state.game,
        state.lab,
        seated,
        Tally(*told["tally"]),
        newest,
        {},
        {},
    )


def _state(table: TableResults) -> TableState:
    newest = table.newest
    known = {
        "seated": table.seated,
        "tally": table.tally,
        "hand": newest[:4],
        "players": newest.players,
        "moves": [[*pair, chips] for pair, chips in sorted(newest.moves.items())],
    }
    return TableState(table.stream, table.version, table.game, table.lab, known)


def _hand(table: TableResults, played: Played) -> HandResult:
    return HandResult(
        stream=table.stream,
        hand=played.hand,
        game=table.game,
        started_at=played.started_at,
        ended_at=played.ended_at,
        over=played.over,
        most=max(map(abs, played.nets.values()), default=0),
    )


def _players(table: TableResults, played: Played) -> Iterable[PlayerRow]:
    for player, net in sorted(played.nets.items()):
        yield PlayerRow(UUID(player), played.started_at, table.stream, played.hand, net)


def _moves(table: TableResults, played: Played) -> Iterable[MoveRow]:
    for (low, high), chips in sorted(played.moves.items()):
        yield MoveRow(table.stream, played.hand, UUID(low), UUID(high), chips)
