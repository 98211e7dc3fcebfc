"""One table under load: whose turn it is, what he does, and what became of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from engine.actions import Action, AddChips
from engine.errors import Conflict, Exhausted, KartejoError, Refused, Unavailable
from engine.games import GAMES
from engine.kernel import View
from service.bots import Bot, Look
from service.client.offers import first_action
from service.codec import Codec
from service.load.journal import Acknowledged, Journal, fingerprint
from service.load.lines import Answer, Line, Request
from service.load.plan import CHIPS
from service.load.tally import Tally
from service.pb import common_pb2
from service.pb import table_service_pb2 as pb

__all__ = ["HOST", "Crew", "Table"]

HOST: Final = -1
"""Who starts hands; his requests go over the line of seat 0, whose player made the table."""

SHORTEST_PAUSE: Final = 0.05
LONGEST_PAUSE: Final = 1.0
MOST_REFUSALS: Final = 3
"""Refusals in a row after which a table is given up: nobody knows how to go on there."""


class Crew(Protocol):
    """What a table needs of the process that plays it."""

    codec: Codec
    tally: Tally
    patience: float

    def ready(self, table: Table) -> None:
        """The table may act."""

    def gone(self, table: Table, why: str) -> None:
        """The table will not act any more."""

    def next_request(self) -> tuple[int, str]:
        """A fresh request: its number, and its id."""


class _Asked:
    """A request under way."""

    __slots__ = ("intended", "number", "request", "seat", "until")

    def __init__(
        self, number: int, request: Request, seat: int, intended: float, until: float
    ) -> None:
        self.number = number
        self.request = request
        self.seat = seat
        self.intended = intended
        self.until = until


class Table:
    """A table and its players: at most one request is under way at a time.

    ``lines``: of the players, by seat.  ``sees``: the bot looks at more than its offers.

    It acts when its crew says so, after it has said that it is ready: somebody is to decide and
    has been shown what he may do, or a hand can be started.
    """

    def __init__(
        self, crew: Crew, journal: Journal, lines: Sequence[Line], bot: Bot, *, sees: bool
    ) -> None:
        self.journal = journal
        self.lines = lines
        self.is_ready = False
        self.stopped = False
        self._crew = crew
        self._game = GAMES[journal.game]
        self._bot = bot
        self._sees = sees
        self._states = [pb.TableState() for _ in lines]
        self._newest = pb.TableState()
        self._asked: _Asked | None = None
        self._poor: list[int] = []
        self._refusals = 0

    # --- what is seen -------------------------------------------------------------------------

    def listener(self, seat: int) -> Callable[[pb.WatchTableResponse], None]:
        """Takes the news that the player of a seat gets."""

        def heard(news: pb.WatchTableResponse) -> None:
            if news.HasField("state"):
                self.heard(seat, news.state)

        return heard

    def heard(self, seat: int, state: pb.TableState) -> None:
        """What a player sees now."""
        if state.version >= self._states[seat].version:
            self._states[seat] = state
        if state.version >= self._newest.version:
            self._newest = state
        if not (self.is_ready or self._asked or self.stopped) and self._mover() is not None:
            self.is_ready = True
            self._crew.ready(self)

    def _mover(self) -> int | None:
        """Who acts; None: those who may have not been shown yet what they may do."""
        if self._poor or not self._newest.HasField("decision"):
            return HOST
        for seat in self._newest.decision.seats:
            state = self._states[seat]
            if state.version == self._newest.version and state.offers:
                return seat
        return None

    @property
    def version(self) -> int:
        """The newest version that anybody here has heard of."""
        return self._newest.version

    # --- what is done -------------------------------------------------------------------------

    def act(self, intended: float) -> None:
        """Do what is to be done; its latency counts from ``intended``."""
        self.is_ready = False
        mover = self._mover()
        if mover is None or self.stopped:  # the table has moved on by itself
            self._crew.tally.errors["TOO_LATE"] += 1
            return
        number, request_id = self._crew.next_request()
        request: Request
        seat = mover
        if self._poor:
            seat = self._poor.pop()
            request = self._submit(request_id, seat, AddChips(CHIPS))
        elif mover == HOST:
            request = pb.StartHandRequest(request_id=request_id, table_id=self.journal.table)
        else:
            began = time.perf_counter()
            request = self._submit(request_id, seat, self._choose(seat))
            self._crew.tally.thought += time.perf_counter() - began
        until = time.monotonic() + self._crew.patience
        self._asked = _Asked(number, request, seat, intended, until)
        self._send(self._asked)

    def _choose(self, seat: int) -> Action:
        offers: Sequence[common_pb2.Offer] = self._states[seat].offers
        if self._refusals:  # what the bot wanted was not to be had
            return first_action(self._game, seat, offers)
        view = self._crew.codec.view_from_wire(self._states[seat].view) if self._sees else View()
        return self._bot(Look(self._game, seat, view, offers))

    def _submit(self, request_id: str, seat: int, action: Action) -> pb.SubmitActionRequest:
        request = pb.SubmitActionRequest(
            request_id=request_id,
            table_id=self.journal.table,
            seat=seat,
            action=self._crew.codec.action_to_wire(action),
        )
        if self._newest.HasField("decision"):
            request.hand = self._newest.decision.hand
            request.decision = self._newest.decision.number
        return request

    def _send(self, asked: _Asked) -> None:
        if asked is self._asked:  # not given up meanwhile
            line = self.lines[max(asked.seat, 0)]
            line.ask(asked.request, lambda answer: self._told(asked, answer))

    # --- what came of it ----------------------------------------------------------------------

    def _told(self, asked: _Asked, answer: Answer | KartejoError) -> None:
        if asked is not self._asked:
            return
        if isinstance(answer, KartejoError):
            self._failed(asked, answer)
            return
        self._asked = None
        self._refusals = 0
        tally = self._crew.tally
        tally.latencies.record(time.monotonic() - asked.intended)
        tally.actions += 1
        count = len(answer.events)
        tally.events += count
        state = answer.state
        self.journal.acknowledge(
            Acknowledged(asked.number, asked.seat, state.version, count, fingerprint(answer.events))
        )
        self.heard(max(asked.seat, 0), state)

    def _failed(self, asked: _Asked, error: KartejoError) -> None:
        now = time.monotonic()
        self._crew.tally.errors[error.reason] += 1
        if isinstance(error, (Unavailable, Exhausted)):
            if now > asked.until:
                self._give_up(error.reason)
                return
            self._crew.tally.retries += 1
            pause = min(max(SHORTEST_PAUSE, error.retry_ms / 1_000), LONGEST_PAUSE)
            asyncio.get_running_loop().call_later(pause, self._send, asked)
            return
        self._asked = None
        if error.reason == "NOT_ENOUGH_PLAYERS":
            self._poor = list(range(len(self.lines)))
        elif isinstance(error, (Refused, Conflict)) and self._refusals < MOST_REFUSALS:
            self._refusals += 1
        else:
            self._give_up(error.reason)
            return
        # Where the table has moved on, the news of it are on their way.
        pause = SHORTEST_PAUSE if isinstance(error, Conflict) else 0.0
        asyncio.get_running_loop().call_later(pause, self.heard, 0, self._states[0])

    def _give_up(self, why: str) -> None:
        self.stop()
        self._crew.gone(self, why)

    def stop(self) -> None:
        """Act no more; what is under way stays open, with a latency of what it has waited."""
        self.stopped = True
        if self._asked is not None:
            self._crew.tally.latencies.record(time.monotonic() - self._asked.intended)
            self.journal.unknown[self._asked.number] = self._asked.seat
            self._asked = None

    @property
    def waits(self) -> bool:
        """Whether an answer is awaited."""
        return self._asked is not None
