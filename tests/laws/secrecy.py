"""Laws of what a viewer may know (C10)."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import given

from engine.cards import PACK
from engine.fields import describe
from engine.house import Table
from engine.kernel import Offer
from engine.visibility import AUDITOR, SERVER, private_fields, redact, seat_viewer
from tests.laws.base import LENGTHS, SEEDS, Walks, cards_in, faces, law, received
from tests.laws.samples import sample, seat_actions
from tests.laws.walks import Attempt, Shuffles, attempt, exchange_cards, replay

__all__ = ["Secrecy"]


class Secrecy(Walks):
    """Nobody sees a card that the rules do not show him."""

    @law(20)
    @given(SEEDS, LENGTHS)
    def test_views_follow_from_the_redacted_events_alone(self, seed: int, length: int) -> None:
        """After every event, between those of one action as well (C10)."""
        tried = self.accepted(seed, length)
        every = self.viewers(tried[-1].after)
        whole = self.game.initial()
        told = dict.fromkeys(Random(seed).sample(every, min(6, len(every))), whole)
        for one in tried:
            for event in one.events:
                whole = self.game.evolve(whole, event)
                for viewer in told:
                    told[viewer] = self.game.evolve(told[viewer], redact(event, viewer))
                    seen = self.game.view(told[viewer], viewer)
                    assert seen == self.game.view(whole, viewer), event

    @law(20)
    @given(SEEDS, LENGTHS)
    def test_private_values_name_their_audience(self, seed: int, length: int) -> None:
        for one in self.accepted(seed, length):
            for event in one.events:
                kind: Any = type(event)
                private = [field.name for field in describe(kind) if field.private]
                assert private == list(private_fields(kind))
                for name in private:
                    value = getattr(event, name)
                    assert value.shown
                    assert value.audience & SERVER
                    hidden = getattr(redact(event, 0), name)
                    assert not hidden.shown
                    rest = value.public or (0,) * len(list(cards_in(value.value)))
                    assert list(cards_in(hidden.value)) == [card for card in rest if card]
                    if value.public:  # in part a secret, and that part is no other card
                        both = zip(value.value, value.public, strict=True)
                        assert all(public in {card, 0} for card, public in both)

    @law(60)
    @given(SEEDS, LENGTHS)
    def test_unseen_cards_change_nothing_that_is_received(self, seed: int, length: int) -> None:
        """Non-interference: cards of the last epoch that a viewer never saw change places."""
        rng = Random(seed)
        tried = self.walk(seed, length)
        if rng.randrange(4):  # in mid-hand more is hidden than between hands
            while len(tried) > 1 and not self.game.to_act(tried[-1].after.state):
                tried.pop()
        viewer = rng.choice([v for v in self.viewers(tried[-1].after) if v != AUDITOR])
        begun = self.epoch_begins(tried)
        seen = {
            card
            for one in tried[begun:]
            for event in one.events
            for card in faces(redact(event, viewer))
        }
        unseen = [card for card in PACK if card not in seen]
        again = self.exchanged(rng, tried, begun, viewer, unseen)
        if not again:
            return
        for old, new in zip(tried, again, strict=True):
            if self.hidden_cards_bind and bool(old.reason) != bool(new.reason):
                return
            assert received(old, viewer) == received(new, viewer)
        self.probe(rng, tried[-1].after, again[-1].after, viewer)

    def exchanged(
        self, rng: Random, tried: list[Attempt], begun: int, viewer: int, unseen: list[int]
    ) -> list[Attempt]:
        """The walk with other unseen cards from an attempt on; empty if it tells other things.

        What a game announces of hidden cards is no secret: only cards that lead to the same
        announcements must be told from these by nothing else.  Fewer and fewer cards change
        places until some do.
        """
        for size in (len(unseen), len(unseen), 12, 6, 4, 3, 2, 2):
            some = rng.sample(unseen, min(size, len(unseen)))
            exchange = dict(zip(some, rng.sample(some, len(some)), strict=True))

            def other(card: int, exchange: dict[int, int] = exchange) -> int:
                return exchange.get(card, card)

            tries = []
            for number, one in enumerate(tried):
                action, orders = one.action, one.orders
                if number >= begun:
                    orders = tuple(tuple(map(other, made)) for made in orders)
                    if one.actor >= 0 and not seat_viewer(one.actor) & viewer:
                        action = exchange_cards(action, other)
                tries.append((one.actor, action, orders))
            again = replay(self.game, tries, stop=lambda new, at: self.tells_else(tried[at], new))
            if len(again) == len(tried):
                return again
        return []

    def tells_else(self, old: Attempt, new: Attempt) -> bool:
        """Whether two attempts announce different things: whom they tell more is no excuse."""
        told = [
            [
                getattr(event, field.name)
                for event in one.events
                if isinstance(event, self.announces)
                for field in describe(type(event))
                if not field.private
            ]
            for one in (old, new)
        ]
        return told[0] != told[1]

    def epoch_begins(self, tried: list[Attempt]) -> int:
        """The attempt that began the last epoch: the first shuffle after one was over."""
        begun = len(tried)
        for number, one in enumerate(tried):
            if one.orders and self.game.epoch_is_over(one.before.state):
                begun = number
        return begun

    def probe(self, rng: Random, old: Table, new: Table, viewer: int) -> None:
        """Nor does it matter what the viewer asks for: both tables say no in the same words."""
        own = [offer for seat in self.seats(old, viewer) for offer in self.offered(old, seat)]
        for seat in (*self.seats(old, viewer), self.game.seats(old.state)):
            for kind in seat_actions(self.game) * 8:
                action = sample(rng, self.game, kind, own)
                answers = [attempt(table, seat, action, Shuffles(1)) for table in (old, new)]
                reasons = [(answer.reason, answer.detail) for answer in answers]
                assert reasons[0] == reasons[1], (seat, action)

    def offered(self, table: Table, seat: int) -> tuple[Offer, ...]:
        """What a seat may do."""
        return self.game.legal_actions(table.state, seat)

    def seats(self, table: Table, viewer: int) -> list[int]:
        """The seats of a viewer."""
        every = range(self.game.seats(table.state))
        return [seat for seat in every if seat_viewer(seat) & viewer]
