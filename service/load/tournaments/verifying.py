"""A tournament folded from its events, and where what else was told of it differs.

Pure: events, standings and balances go in, differences come out, in words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from uuid import UUID

from engine.events import Event
from engine.tournament import events as e
from engine.tournament.format import Standing
from engine.tournament.formats import format_of
from engine.tournament.housed import Housed, with_events
from engine.tournament.state import EntryStatus, Phase
from engine.tournament.transfers import PaymentKind, house_of, payments
from service.load.tournaments.reading import Stacks
from service.tournaments.deciding import table_stream

__all__ = ["Balances", "Folded"]

Balances = Mapping[str, int]
"""What is on the accounts, by player."""


class Folded:
    """A tournament as its events tell of it, from the first one on.

    ``money``: what it gave to each account, less what it took, after the version ``since``.
    """

    def __init__(self, stream: UUID, since: int = 0) -> None:
        self.now = Housed()
        self.money: Counter[str] = Counter()
        self._stream = stream
        self._since = since
        self._tables: dict[int, str] = {}
        self._stood: set[str] = set()
        self._hands: dict[str, list[Stacks]] = {}
        self._open: list[tuple[float, int]] = []

    @property
    def version(self) -> int:
        """The version it stands at."""
        return self.now.state.version

    @property
    def tables(self) -> list[str]:
        """All tables that ever stood: what is cancelled leaves some that were only drawn."""
        return [table for table in self._tables.values() if table in self._stood]

    @property
    def most_tables(self) -> int:
        """So many were open at a time."""
        return max((tables for _, tables in self._open), default=0)

    def table_seconds(self, seconds: float) -> float:
        """How long all tables were open, in the first so many seconds since there were any."""
        if not self._open:
            return 0.0
        end = self._open[0][0] + seconds
        return sum(
            tables * max(0.0, min(until, end) - at)
            for (at, tables), (until, _) in pairwise([*self._open, (end, 0)])
        )

    def take(self, version: int, events: Sequence[Event], at: float = 0.0) -> Iterator[str]:
        """The events of the next commit, ``version`` being that after them; ``at``: its time."""
        before = self.now.state
        if version - len(events) != self.version:
            yield f"version {self.version + 1} is missing: {version - len(events)} is followed on"
        for payment in payments(before, events) if version > self._since else ():
            sign = -1 if payment.kind is PaymentKind.ENTRY else 1
            self.money[payment.player] += sign * payment.amount
        for number, event in enumerate(events, self.version + 1):
            match event:
                case e.TableDrawn(table):
                    self._tables[table] = str(table_stream(self._stream, number))
                case e.TableStood(table):
                    self._stood.add(self._tables[table])
                case e.DealPlayed(table, stacks):
                    self._hands.setdefault(self._tables[table], []).append(dict(stacks))
        self.now = with_events(self.now, events)
        tables = self.now.state.standing.bit_count()
        if tables or self._open:
            self._open.append((at, tables))
        money = self.now.state.money
        held = money.waiting + money.pool + money.fees + money.owed + money.paid
        if money.taken + money.added != held:
            yield f"version {version}: {money.taken + money.added} came in, {held} are held or paid"

    def standings(self) -> list[Standing]:
        """How everybody stands, the best first."""
        return [*format_of(self.now.state.structure).standings(self.now.state)]

    def conserved(self) -> Iterator[str]:
        """Where chips are missing, money is owed, or somebody has no place, now that it is over."""
        state = self.now.state
        there = sum(seat.chips for table in state.tables for seat in table.seats)
        there += sum(entry.pocket for entry in state.entries)
        in_play = state.issued - state.removed
        # What a bank of the house has won or lost is in no stack of an entry.
        own = state.structure.stack and all(
            house_of(state, number) is None for number in range(len(state.tables))
        )
        if own and there != in_play:
            yield f"{in_play} chips are in play, {there} lie at seats"
        if state.money.owed:
            yield f"{state.money.owed} are owed and were not paid"
        if state.phase is Phase.FINISHED:
            for number, entry in enumerate(state.entries):
                if entry.status is not EntryStatus.WITHDRAWN and state.place(number) is None:
                    yield f"entry {number} has no place"

    def told_otherwise(self, rows: Sequence[Standing]) -> Iterator[str]:
        """Where standings that the service told are not those that follow."""
        mine = self.standings()
        if len(rows) != len(mine):
            yield f"{len(rows)} entries were told in the standings, {len(mine)} follow"
        for place, (told, row) in enumerate(zip(rows, mine, strict=False), 1):
            if told != row:
                yield f"row {place} of the standings is told as {told}, and is {row}"
                return

    def paid_otherwise(self, before: Balances, after: Balances) -> Iterator[str]:
        """Where accounts do not hold what follows."""
        for player, had in before.items():
            due = had + self.money[player]
            if after[player] != due:
                yield f"the account of {player} holds {after[player]}, {due} follow"

    def played_otherwise(self, ends: Iterable[tuple[str, Sequence[Stacks]]]) -> Iterator[str]:
        """Where the stacks after a hand are not those that lay at the table."""
        seen: set[str] = set()
        for table, stacks in ends:
            seen.add(table)
            hands = self._hands.get(table, [])
            if len(hands) > len(stacks):
                yield f"table {table} played {len(stacks)} hands, {len(hands)} are on record"
            for hand, (lay, counted) in enumerate(zip(stacks, hands, strict=False), 1):
                other = {seat: lay.get(seat) for seat in counted}
                if other != counted:
                    yield f"table {table}, hand {hand}: {other} lay there, {counted} were counted"
                    break
        for table in sorted(self._stood - seen):
            yield f"table {table} was not looked at"
