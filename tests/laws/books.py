"""Laws of what the state holds: cards, chips, hands, players, and its text."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given

from engine.cards import PACK
from engine.counting import cards_lying, chips_lying
from engine.events import ChipsAdded, DeckShuffled, SeatLeft, SeatTaken, TableOpened
from engine.house import Table, apply, running_hand
from engine.kernel import View
from engine.notation import lines_of_text, text_of_lines
from engine.occupancy import Seated, seated_after
from engine.table import MAX_CHIPS
from engine.transfers import Tally
from engine.visibility import AUDITOR
from tests.laws.base import LENGTHS, SEEDS, Walks, law

__all__ = ["Books"]


class Books(Walks):
    """Nothing is lost and nothing comes from nowhere."""

    @law(20)
    @given(SEEDS, LENGTHS)
    def test_each_card_lies_in_one_place(self, seed: int, length: int) -> None:
        """After every event: the whole pack, or nothing before a hand's first shuffle."""
        state, shuffled = self.game.initial(), False
        for one in self.accepted(seed, length):
            for event in one.events:
                state = self.game.evolve(state, event)
                if type(event) in self.game.HAND_BEGINS:
                    shuffled = False
                shuffled = shuffled or isinstance(event, DeckShuffled)
                seen = self.game.view(state, AUDITOR)
                cards = self.cards(seen)
                whole = sorted(cards) == list(PACK)
                assert whole or (not cards and not (shuffled and self.game.hand(state))), event

    def cards(self, seen: View) -> list[int]:
        """The faces in all zones of a view."""
        return cards_lying(self.game, seen)

    def chips(self, state: Any) -> int:
        """All chips of the table."""
        return chips_lying(self.game, state, self.game.view(state, AUDITOR))

    @law(20)
    @given(SEEDS, LENGTHS)
    def test_chips_come_and_go_with_their_players_only(self, seed: int, length: int) -> None:
        state, total = self.game.initial(), 0
        for one in self.accepted(seed, length):
            for event in one.events:
                state = self.game.evolve(state, event)
                match event:
                    case SeatTaken(_, _, chips) | ChipsAdded(_, chips):
                        total += chips
                    case SeatLeft(_, chips):
                        total -= chips
                assert self.chips(state) == total <= MAX_CHIPS
                assert all(chips >= 0 for _, chips in self.game.players(state).values())

    @law(20)
    @given(SEEDS, LENGTHS)
    def test_what_was_won_was_lost_by_somebody(self, seed: int, length: int) -> None:
        """Between hands, all chips on stacks: each has what he brought and what others lost."""
        state, tally = self.game.initial(), Tally()
        owned: Counter[str] = Counter()
        seated: Seated = {}
        for one in self.accepted(seed, length):
            for event in one.events:
                tally, made = tally.follow(self.game.moved(event), seated)
                for payer, payee, chips in made:
                    assert chips > 0
                    owned.update({payee: chips})
                    owned.subtract({payer: chips})
                match event:
                    case SeatTaken():
                        owned.update({event.player: event.chips})
                    case ChipsAdded():
                        owned.update({seated[event.seat]: event.amount})
                    case SeatLeft():
                        owned.subtract({seated[event.seat]: event.chips})
                seated = seated_after(seated, event)
                state = self.game.evolve(state, event)
            stacks = Counter(dict(self.game.players(state).values()))
            if sum(stacks.values()) == self.chips(state) and not self.game.hand(state):
                assert not tally.pot
                assert +owned == +stacks

    @law(20)
    @given(SEEDS, LENGTHS)
    def test_a_position_read_back_is_the_state(self, seed: int, length: int) -> None:
        """parse(format(state)) == state, from the options of the table alone."""
        opened = self.game.initial()
        for one in self.accepted(seed, length):
            if isinstance(one.events[0], TableOpened):
                opened = one.after.state
            text = text_of_lines(self.game.lines(self.game.view(one.after.state, AUDITOR)))
            placed = self.game.place(opened, lines_of_text(self.game.NUMBERED, text))
            assert placed == one.after.state
            assert text_of_lines(self.game.lines(self.game.view(placed, AUDITOR))) == text

    @law(20)
    @given(SEEDS, LENGTHS)
    def test_hands_and_sittings_follow_from_the_events(self, seed: int, length: int) -> None:
        table, begun, ended = Table.empty(self.game), 0, 0
        sitting: dict[int, str] = {}
        for one in self.accepted(seed, length):
            for event in one.events:
                table = apply(table, event)
                if type(event) in self.game.HAND_BEGINS:
                    begun += 1
                    dealt = self.game.dealt_in(event)
                    assert dealt is None or set(dealt) <= set(sitting)
                ended += type(event) in self.game.HAND_ENDS
                if isinstance(event, SeatTaken):
                    sitting[event.seat] = event.player
                elif isinstance(event, SeatLeft):
                    del sitting[event.seat]
            state = table.state
            assert running_hand(table) == (begun if begun > ended else 0)
            assert not (self.game.hand(state) and self.game.epoch_is_over(state))
            asked = bool(self.game.to_act(state))
            assert self.game.hand(state) or self.game.ASKS_BETWEEN_HANDS or not asked
            players = self.game.players(state)
            assert {seat: name for seat, (name, _) in players.items()} == sitting
