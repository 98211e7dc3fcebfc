"""Tables in process, with bots that get what the service would show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from engine.actions import AddChips, OpenTable, TakeSeat
from engine.games import GAMES
from engine.kernel import HOST, AnyGame
from engine.shuffle import order
from engine.visibility import seat_viewer
from service.bots import Bot, Look
from service.rpc.messages import _offer
from tests.laws.walks import Lot

PALACE = GAMES["palace_poker"]


class Shuffles:
    """Orders that follow from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def shuffle(self, purpose: str, pile: tuple[int, ...]) -> tuple[int, ...]:
        return order(self._random.randbytes(32), pile)


class Kitchen:
    """A table of one game."""

    def __init__(
        self,
        game: AnyGame,
        seats: int,
        seed: int,
        options: Mapping[str, str] | None = None,
        chips: int = 500,
    ) -> None:
        self.game = game
        self.shuffles = Shuffles(seed)
        self.chips = chips
        self.options = options or {}
        self.seats = seats
        self.state = game.initial()
        self.events: list[Any] = []
        self.actions: list[tuple[int, Any]] = []
        self.do(HOST, OpenTable(self.options))
        for seat in range(seats):
            self.do(seat, TakeSeat(f"p{seat}", chips))

    def do(self, actor: int, action: Any) -> None:
        events, self.state = self.game.decide(self.state, actor, action, self.shuffles)
        self.events += events
        self.actions.append((actor, action))

    def look(self, seat: int) -> Look:
        offers = [_offer(each) for each in self.game.legal_actions(self.state, seat)]
        view = self.game.view(self.state, seat_viewer(seat))
        return Look(self.game, seat, view, offers, self.options)

    def play(self, bots: Sequence[Bot]) -> None:
        """One hand; who has nothing left is given chips first."""
        for seat, (_, chips) in self.game.players(self.state).items():
            if not chips:
                self.do(seat, AddChips(self.chips))
        while not self.game.to_act(self.state):
            self.do(HOST, self.game.next_start(self.state, Lot(0)))
        while seats := self.game.to_act(self.state):
            (seat,) = seats
            self.do(seat, bots[seat](self.look(seat)))
