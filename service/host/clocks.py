"""Turn clocks and time banks (rules C9, design 8).

A decision has ``turn_seconds``; what goes beyond comes out of the acting seat's time bank.  When
both are used up the host issues ``time_out``, naming the decision it expires.  Arrival before
the deadline counts, queueing does not: the timer fires a moment later than the deadline, so that
whatever arrived in time is in the table's queue before it.

At a table of a tournament, whose hands wait for nobody, a seat that missed whole hands has
``AWAY_SECONDS`` for a decision and no bank, until it answers again.

After a restart the running decision has its full time again.  Lab tables have no clock.

Every process that has a table in memory arms a timer for it.  That does no harm, since a time-out
is one command wherever it comes from; leases see to it that there is at least one such process.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine.errors import Conflict
from engine.events import TimeBankUsed
from engine.house import Table, away_seats
from engine.managed import is_managed
from service.host.live import Live
from service.world import World

__all__ = ["Clocks", "StaleDecision"]

GRACE_SECONDS: Final = 0.2
"""How long after the deadline the timer fires."""


AWAY_SECONDS: Final = 2.0
"""For a decision of a seat that is away: enough to come back."""


class StaleDecision(Conflict):
    """The action was meant for another decision than the one that is awaited."""

    reason = "STALE_DECISION"


class Clocks:
    """Arms one timer per table whose decision is awaited."""

    def __init__(self, world: World, fire: Callable[[Live, tuple[int, int]], None]) -> None:
        self._world = world
        self._fire = fire
        self.running = True

    def update(self, live: Live) -> None:
        """Arm, rearm or disarm after the table has changed, by whatever way that became known."""
        now = live.awaited
        if now is live.clocked:
            return
        live.clocked = now
        key = None if now is None or live.table.house.lab else (now.hand, now.number)
        # One decision, one clock: nothing that happens meanwhile, or after its end, starts another.
        if key == live.decision_key:
            return
        live.stop_timer()
        live.decision_key = key
        live.decision_since = self._world.monotonic()
        if key is None or not self.running:
            return
        seconds = self._allowance(live) + GRACE_SECONDS
        live.timer = self._world.call_later(seconds, lambda: self._expired(live, key))

    def _expired(self, live: Live, key: tuple[int, int]) -> None:
        live.timer = None
        if live.decision_key == key:
            self._fire(live, key)

    def stop(self) -> None:
        """Arm no more: the service is draining."""
        self.running = False

    def _allowance(self, live: Live) -> float:
        """Seconds for the decision that is awaited."""
        table = live.table
        if live.allowance[0] is not table:  # it is asked for several times at every table
            live.allowance = table, self._allowed(live)
        return live.allowance[1]

    def _allowed(self, live: Live) -> float:
        now = live.awaited
        seats = now.seats if now else ()
        house = live.table.house
        away = set(away_seats(house)) - house.answered if house.missed else set[int]()
        if away and is_managed(house) and away.issuperset(seats):
            return min(live.turn_seconds, AWAY_SECONDS)
        if not house.bank_used_ms:
            bank = live.time_bank_ms if seats else 0
        else:
            bank = max((self._bank_left_ms(live, live.table, seat) for seat in seats), default=0)
        return live.turn_seconds + bank / 1000

    @staticmethod
    def _bank_left_ms(live: Live, table: Table, seat: int) -> int:
        if not table.house.bank_used_ms:
            return live.time_bank_ms
        used = dict(table.house.bank_used_ms).get(seat, 0)
        return max(0, live.time_bank_ms - used)

    def is_late(self, live: Live, arrived: float) -> bool:
        """Whether something that arrived then was too late for the running decision."""
        self.update(live)
        if live.decision_key is None:
            return False
        return arrived > live.decision_since + self._allowance(live)

    def remaining_ms(self, live: Live) -> int:
        """Milliseconds before the running decision expires, the time bank included; 0: no clock."""
        self.update(live)
        if live.decision_key is None:
            return 0
        left = live.decision_since + self._allowance(live) - self._world.monotonic()
        return max(0, round(left * 1000))

    def bank_used(self, live: Live, seat: int, arrived: float) -> tuple[TimeBankUsed, ...]:
        """What an answer that arrived then takes from its seat's bank, as an event, if anything."""
        self.update(live)
        now = live.awaited
        if live.decision_key is None or now is None or seat not in now.seats:
            return ()
        over = arrived - live.decision_since - live.turn_seconds
        used = min(round(over * 1000), self._bank_left_ms(live, live.table, seat))
        return (TimeBankUsed(seat, used),) if used > 0 else ()

    def bank_emptied(self, live: Live) -> tuple[TimeBankUsed, ...]:
        """The rest of the bank of every seat that let the decision expire."""
        now = live.awaited
        seats = now.seats if now else ()
        rests = [(seat, self._bank_left_ms(live, live.table, seat)) for seat in seats]
        return tuple(TimeBankUsed(seat, rest) for seat, rest in rests if rest > 0)
