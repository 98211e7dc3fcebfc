"""One player of a tournament under load: where he sits, what he decides, and what became of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Final, Protocol

import grpc

from engine.actions import Action
from engine.errors import Conflict, Exhausted, KartejoError, Refused, Unavailable
from engine.kernel import AnyGame, View
from service.bots import Bot, Look
from service.client.offers import first_action
from service.codec import Codec
from service.load.journal import Acknowledged, Journal, fingerprint
from service.load.lines import Answer, PlayLine
from service.load.tournaments.tally import FieldTally
from service.load.tournaments.way import Way
from service.pb import common_pb2
from service.pb import table_service_pb2 as pb
from service.pb import tournament_events_pb2 as events_pb
from service.pb import tournament_service_pb2 as tournament_pb

__all__ = ["Crew", "Player"]

SHORTEST_PAUSE: Final = 0.05
LONGEST_PAUSE: Final = 1.0
MOST_REFUSALS: Final = 3
"""Refusals in a row after which a decision is left to its clock."""

MICROSECONDS: Final = 1e6

_OVER: Final = (
    tournament_pb.TOURNAMENT_PHASE_FINISHED,
    tournament_pb.TOURNAMENT_PHASE_CANCELLED,
)

Decision = tuple[str, int, int]
"""A table, its hand, the decision's number there."""


class Crew(Protocol):
    """What a player needs of the process that plays him."""

    codec: Codec
    tally: FieldTally
    patience: float

    def think(self) -> float:
        """Seconds until he answers the decision that he was just told of."""

    def next_request(self) -> tuple[int, str]:
        """A fresh request: its number, and its id."""

    def journal(self, table: str) -> Journal:
        """What this process was told of a table."""

    def choose(self, player: Player, seconds: float) -> None:
        """Have him commit to something, as he may between two deals for so long."""


class _Asked:
    """A request under way."""

    __slots__ = ("decision", "intended", "number", "request", "table", "until")

    def __init__(
        self,
        number: int,
        request: pb.SubmitActionRequest,
        decision: Decision,
        intended: float,
        until: float,
    ) -> None:
        self.number = number
        self.request = request
        self.table = request.table_id
        self.decision = decision
        self.intended = intended
        self.until = until


class Player:
    """A player: at most one request of his is under way at a time.

    ``number``: his own among all of the field.  ``done``: he has his place, or the tournament is
    over, and his table is closed.
    """

    def __init__(
        self,
        crew: Crew,
        number: int,
        channel: grpc.aio.Channel,
        token: str,
        tournament: str,
        game: AnyGame,
        bot: Bot,
        *,
        sees: bool,
    ) -> None:
        self.number = number
        self.done = False
        self.line = PlayLine(channel, token, crew.tally, waits=True)
        self.way = Way(channel, token, tournament, crew.tally, self.moved)
        self._crew = crew
        self._game = game
        self._bot = bot
        self._sees = sees
        self._at = ("", 0)
        self._state = pb.TableState()
        self._asked: _Asked | None = None
        self._thinking: Decision | None = None
        self._due = self._deadline = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._answered: Decision | None = None
        self._refusals = 0
        self._refused: Decision | None = None
        self._may_commit = False

    # --- where he is --------------------------------------------------------------------------

    def moved(self, station: tournament_pb.WatchTournamentResponse) -> None:
        """How he stands now."""
        mine, state = station.mine, station.state
        here = (mine.table_id, mine.seat)
        if here != self._at:
            if self._at[0]:
                self.line.leave(self._at[0])
            self._think_no_more()
            self._at, self._state, self._answered = here, pb.TableState(), None
            if here[0]:
                self.line.watch(here[0], self._news)
        could, self._may_commit = (
            self._may_commit,
            (
                state.phase == tournament_pb.TOURNAMENT_PHASE_RUNNING
                and state.clock.kind == events_pb.TOURNAMENT_CLOCK_KIND_BREAK
            ),
        )
        if self._may_commit and not could:
            self._crew.choose(self, state.clock.left_ms / 1_000)
        out = mine.status == tournament_pb.TOURNAMENT_ENTRY_STATUS_OUT
        self.done = (out or state.phase in _OVER) and not mine.table_id

    def _news(self, news: pb.WatchTableResponse) -> None:
        tally = self._crew.tally
        if news.live and news.events:
            recorded = news.record_time
            at = recorded.seconds + recorded.nanos / 1e9
            tally.news.record(max(0.0, time.time() - at))
            self._look_at_clocks(news)
        if news.HasField("state"):
            self._heard(news.state)

    def _heard(self, state: pb.TableState) -> None:
        if state.table_id != self._at[0] or state.version < self._state.version:
            return
        self._state = state
        decision = self._mine()
        if decision is None:
            self._think_no_more()
        elif self._asked is None and decision != self._answered:
            now = time.monotonic()
            left = state.decision.remaining_ms / 1_000
            # A clock that begins anew, as after a restart, gives its full time again.
            if decision == self._thinking:
                self._deadline = max(self._deadline, now + left)
                return
            self._think_no_more()
            self._thinking = decision
            self._due = now + self._crew.think()
            self._deadline = now + left if left else float("inf")
            delay = self._due - now
            self._timer = asyncio.get_running_loop().call_later(delay, self._act)

    def _mine(self) -> Decision | None:
        """The decision that is his to answer, once he knows what he may do."""
        state, (table, seat) = self._state, self._at
        if seat not in state.decision.seats or not state.offers:
            return None
        return table, state.decision.hand, state.decision.number

    def _think_no_more(self) -> None:
        self._thinking = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look_at_clocks(self, news: pb.WatchTableResponse) -> None:
        """A clock of his that expired: through his fault only if he would have been too late."""
        for each in news.events:
            if each.event.WhichOneof("family") != "common":
                continue
            common = each.event.common
            if common.WhichOneof("event") != "turn_timed_out":
                continue
            if common.turn_timed_out.seat == self._at[1]:
                slow = self._thinking is not None and self._due >= self._deadline
                self._crew.tally.clocks["SLOW" if slow else "OURS"] += 1

    # --- what he does -------------------------------------------------------------------------

    def _act(self) -> None:
        self._timer = None
        decision = self._mine()
        if decision is None or decision != self._thinking:
            self._thinking = None
            return
        if decision != self._refused:
            self._refusals = 0
        number, request_id = self._crew.next_request()
        began = time.perf_counter()
        action = self._choose()
        self._crew.tally.thought += time.perf_counter() - began
        request = pb.SubmitActionRequest(
            request_id=request_id,
            table_id=self._at[0],
            seat=self._at[1],
            action=self._crew.codec.action_to_wire(action),
            hand=self._state.decision.hand,
            decision=self._state.decision.number,
        )
        until = time.monotonic() + self._crew.patience
        self._asked = _Asked(number, request, decision, self._due, until)
        self._send(self._asked)

    def _choose(self) -> Action:
        seat = self._at[1]
        offers: Sequence[common_pb2.Offer] = self._state.offers
        if self._refusals:  # what the bot wanted was not to be had
            return first_action(self._game, seat, offers)
        view = self._crew.codec.view_from_wire(self._state.view) if self._sees else View()
        return self._bot(Look(self._game, seat, view, offers))

    def _send(self, asked: _Asked) -> None:
        if asked is self._asked:  # not given up meanwhile
            self.line.ask(asked.request, lambda answer: self._told(asked, answer))

    # --- what came of it ----------------------------------------------------------------------

    def _told(self, asked: _Asked, answer: Answer | KartejoError) -> None:
        if asked is not self._asked:
            return
        if isinstance(answer, KartejoError):
            self._failed(asked, answer)
            return
        self._asked = self._thinking = None
        tally = self._crew.tally
        tally.latencies.record(time.monotonic() - asked.intended)
        tally.actions += 1
        count = len(answer.events)
        tally.events += count
        state = answer.state
        self._crew.journal(asked.table).acknowledge(
            Acknowledged(
                asked.number, self.number, state.version, count, fingerprint(answer.events)
            )
        )
        # What a player does beside his turn, such as feeding a kitty, answers nothing.
        now = (asked.table, state.decision.hand, state.decision.number)
        self._answered = None if now == asked.decision else asked.decision
        self._heard(max(state, self._state, key=lambda each: each.version))

    def _failed(self, asked: _Asked, error: KartejoError) -> None:
        tally = self._crew.tally
        tally.errors[error.reason] += 1
        loop = asyncio.get_running_loop()
        if isinstance(error, (Unavailable, Exhausted)):
            if time.monotonic() <= asked.until:
                tally.retries += 1
                pause = min(max(SHORTEST_PAUSE, error.retry_ms / 1_000), LONGEST_PAUSE)
                loop.call_later(pause, self._send, asked)
                return
            self.stop()
        self._asked = self._thinking = None
        self._answered = asked.decision
        refused = isinstance(error, (Refused, Conflict))
        self._refused = asked.decision
        if refused and self._refusals < MOST_REFUSALS:
            self._refusals += 1
            # Where the table has moved on, the news of it are on their way.
            loop.call_later(SHORTEST_PAUSE, self._try_again, asked.decision)
        else:
            tally.given_up[error.reason] += 1

    def _try_again(self, decision: Decision) -> None:
        if self._answered == decision:
            self._answered = None
        self._heard(self._state)

    def stop(self) -> None:
        """Act no more; what is under way stays open, with a latency of what it has waited."""
        self._think_no_more()
        if self._asked is not None:
            self._crew.tally.latencies.record(time.monotonic() - self._asked.intended)
            self._crew.journal(self._asked.table).unknown[self._asked.number] = self.number
            self._asked = None

    @property
    def waits(self) -> bool:
        """Whether an answer is awaited."""
        return self._asked is not None
