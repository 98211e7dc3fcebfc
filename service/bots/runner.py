"""Holds a seat for a bot: sits down, answers every decision of the seat, leaves with the table."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from engine.actions import Action, AddChips, LeaveSeat, TakeSeat
from engine.errors import Conflict, Refused
from engine.games import GAMES
from engine.kernel import AnyGame
from service.bots.bot import Bot, Look
from service.bots.line import Line, PlayLine, UnaryLine
from service.client.connection import request_id
from service.client.offers import first_action
from service.client.records import get_table
from service.client.sitting import add_entropy
from service.pb import table_service_pb2 as pb

__all__ = ["PlayLine", "SeatRunner", "Tally", "UnaryLine"]


NEXT_TO_NOTHING: Final = 20
"""The part of what a bot adds with which some games deal nobody in any more."""


@dataclass(slots=True)
class Tally:
    """What a runner did: actions taken, those that came too late, those the rules refused."""

    actions: int = 0
    stale: int = 0
    refused: int = 0


class SeatRunner:
    """A bot at one seat, over a line whose client has a token for that seat.

    ``chips``: what it sits down with; 0: others seat it and take it away, as tournaments do.
    ``rebuy``: what it adds, between hands, when it has next to no chips left; 0: nothing.
    ``pause``: seconds that it lets pass before each answer.  ``entropy``: between hands it
    adds randomness of its own to the next shuffles.
    """

    def __init__(
        self,
        line: Line,
        seat: int,
        bot: Bot,
        *,
        chips: int,
        rebuy: int = 0,
        pause: float = 0.0,
        entropy: bool = False,
    ) -> None:
        self._line = line
        self._codec = line.client.codec
        self.seat = seat
        self._bot = bot
        self._chips = chips
        self._rebuy = rebuy
        self._pause = pause
        self._entropy = entropy
        self._game: AnyGame
        self._options: dict[str, str] = {}
        self.seated = asyncio.Event()
        self.tally = Tally()

    async def run(self) -> Tally:
        """Play until the seat is given up or the table closed; raises what a call may."""
        async with self._line:
            state = await self._line.news(-1)
            table = (await get_table(self._line.client, self._line.table_id)).table
            self._game = GAMES[table.game]
            self._options = {option.name: option.value for option in table.options}
            while self.seat not in state.seats:
                if self._chips:
                    state = await self._submit(state, TakeSeat("", self._chips))
                else:
                    state = await self._line.news(state.version)
            self.seated.set()
            answered = (0, 0)
            while self.seat in state.seats:
                asked = _asked(state)
                if self.seat in state.decision.seats and asked != answered:
                    answered = asked
                    before = state.version
                    state = await self._answer(state)
                    # What a player does beside his turn, such as feeding a kitty, answers nothing.
                    if state.version > before and asked == _asked(state):
                        answered = (0, 0)
                elif self._is_closed(state):
                    if not self._chips:
                        break
                    state = await self._submit(state, LeaveSeat())
                else:
                    if self._rebuy and not state.decision.hand:
                        await self._buy_in_again(state)
                    if self._entropy and not state.decision.hand:
                        await self._add_entropy(state)
                    state = await self._line.news(state.version)
        return self.tally

    def _is_closed(self, state: pb.TableState) -> bool:
        """Whether the table is closed: a seat that some games leave to its player to give up."""
        return getattr(self._codec.view_from_wire(state.view), "phase", "") == "CLOSED"

    async def _answer(self, state: pb.TableState) -> pb.TableState:
        """Act on a decision; the state after it, or the next one if it was over already."""
        if self._pause:
            await asyncio.sleep(self._pause)
        game = self._game
        view = self._codec.view_from_wire(state.view)
        look = Look(game, self.seat, view, state.offers, self._options)
        try:
            try:
                state = await self._submit(state, self._bot(look))
            except Refused:
                # A bot that misjudges the rules must not hold up the others.
                self.tally.refused += 1
                state = await self._submit(state, first_action(game, self.seat, state.offers))
        except Conflict:
            # Its time was over, or the table has moved: the news of that are on their way.
            self.tally.stale += 1
            return await self._line.news(state.version)
        self.tally.actions += 1
        return state

    async def _buy_in_again(self, state: pb.TableState) -> None:
        table = (await get_table(self._line.client, self._line.table_id)).table
        poor = self._rebuy // NEXT_TO_NOTHING
        if any(seat.seat == self.seat and seat.chips <= poor for seat in table.seats):
            try:
                await self._submit(state, AddChips(self._rebuy))
            except (Refused, Conflict):  # a hand began meanwhile, or the house allows no more
                self.tally.refused += 1

    async def _add_entropy(self, state: pb.TableState) -> None:
        table = (await get_table(self._line.client, self._line.table_id)).table
        action = add_entropy(table, self.seat)
        if action is not None:
            with suppress(Refused, Conflict):  # a hand began meanwhile
                await self._submit(state, action)

    async def _submit(self, state: pb.TableState, action: Action) -> pb.TableState:
        request = pb.SubmitActionRequest(
            request_id=request_id(),
            table_id=self._line.table_id,
            seat=self.seat,
            action=self._codec.action_to_wire(action),
        )
        if state.HasField("decision"):
            request.hand = state.decision.hand
            request.decision = state.decision.number
        return await self._line.submit(request)


def _asked(state: pb.TableState) -> tuple[int, int]:
    """The decision that a state awaits."""
    return state.decision.hand, state.decision.number
