"""Each law catches a game that breaks it: the laws are worth what these tests show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from engine import events as c
from engine.actions import Action, LeaveSeat
from engine.errors import Refused
from engine.kernel import Offer, Shuffler
from engine.visibility import EVERYONE, Private, seats_only
from tests.laws.laws import Laws
from tests.parlour import Parlour, actions, events
from tests.parlour.state import State
from tests.parlour.view import ParlourView

Decided = tuple[tuple[c.Event, ...], State]


class Honest(Parlour):
    """What the broken games change."""

    def change(self, state: State, event: c.Event) -> c.Event:
        return event

    def decide(self, state: State, actor: int, action: Action, shuffler: Shuffler) -> Decided:
        made, _ = super().decide(state, actor, action, shuffler)
        changed = tuple(self.change(state, event) for event in made)
        for event in changed:
            state = self.evolve(state, event)
        return changed, state


class ShowsFoldedHands(Honest):
    def view(self, state: State, viewer: int) -> ParlourView:
        seen = super().view(state, viewer)
        hands = tuple(tuple(slot.card for slot in hand) for hand in state.hands)
        return replace(seen, hands=hands) if state.folded else seen


class TellsByAudience(Honest):
    """A discard's audience depends on the card."""

    def change(self, state: State, event: c.Event) -> c.Event:
        if isinstance(event, events.CardDiscarded) and event.card.value > 26:
            return replace(event, card=event.card._replace(audience=EVERYONE))
        return event


class TellsByReason(Honest):
    """A refusal tells whether somebody else holds the card."""

    def decide(self, state: State, actor: int, action: Action, shuffler: Shuffler) -> Decided:
        try:
            return super().decide(state, actor, action, shuffler)
        except Refused as no:
            held = {slot.card for hand in state.hands for slot in hand}
            if isinstance(action, actions.Swap) and action.cards and action.cards[0] in held:
                raise Refused(no.reason, held=True) from None
            raise


class ForgetsTheServer(Honest):
    def change(self, state: State, event: c.Event) -> c.Event:
        if isinstance(event, events.CardDealt):
            return replace(event, card=event.card._replace(audience=1 << event.seat))
        return event


class OffersTooMuch(Honest):
    def legal_actions(self, state: State, seat: int) -> tuple[Offer, ...]:
        offered = super().legal_actions(state, seat)
        return (*offered, Offer(LeaveSeat), Offer(LeaveSeat)) if state.peeked else offered


class OffersTooLittle(Honest):
    def legal_actions(self, state: State, seat: int) -> tuple[Offer, ...]:
        return tuple(o for o in super().legal_actions(state, seat) if o.action is not actions.Fold)


class MakesChips(Honest):
    def change(self, state: State, event: c.Event) -> c.Event:
        if isinstance(event, events.PotAwarded):
            return replace(event, amount=event.amount + 1)
        return event


class DealsOneCardTwice(Honest):
    def change(self, state: State, event: c.Event) -> c.Event:
        if isinstance(event, events.HouseCardDealt) and state.order == ():
            return replace(event, card=Private(1, event.card.audience))
        return event


class ForgetsWhoPeeked(Honest):
    def view(self, state: State, viewer: int) -> ParlourView:
        seen = super().view(state, viewer)
        own = [seats_only(seat) for seat in seen.order for _ in range(state.options.hand_size)]
        return replace(seen, known=tuple(own))


class CountsBystanders(Honest):
    DECIDES = Parlour.DECIDES | {c.SatOut}


class CountsNothing(Honest):
    DECIDES = frozenset({events.Folded})


class KeepsState(Honest):
    """A game that remembers outside its state is no function of its arguments."""

    def __init__(self) -> None:
        self.calls = 0

    def decide(self, state: State, actor: int, action: Action, shuffler: Shuffler) -> Decided:
        self.calls += 1
        if isinstance(action, actions.Keep) and self.calls % 2:
            return super().decide(state, actor, actions.Fold(), shuffler)
        return super().decide(state, actor, action, shuffler)


BROKEN: list[tuple[type[Parlour], Callable[[Any], object]]] = [
    (ShowsFoldedHands, Laws.test_views_follow_from_the_redacted_events_alone),
    (ShowsFoldedHands, Laws.test_unseen_cards_change_nothing_that_is_received),
    (TellsByAudience, Laws.test_unseen_cards_change_nothing_that_is_received),
    (TellsByReason, Laws.test_unseen_cards_change_nothing_that_is_received),
    (ForgetsTheServer, Laws.test_private_values_name_their_audience),
    (OffersTooMuch, Laws.test_every_offered_action_is_accepted),
    (OffersTooLittle, Laws.test_every_other_action_is_refused),
    (MakesChips, Laws.test_chips_come_and_go_with_their_players_only),
    (DealsOneCardTwice, Laws.test_each_card_lies_in_one_place),
    (ForgetsWhoPeeked, Laws.test_a_position_read_back_is_the_state),
    (CountsBystanders, Laws.test_decisions_are_numbered_by_those_who_decide),
    (CountsNothing, Laws.test_decisions_are_numbered_by_those_who_decide),
    (KeepsState, Laws.test_the_fold_of_the_events_is_the_state),
]


@pytest.mark.parametrize(("broken", "law"), BROKEN)
def test_a_law_catches_who_breaks_it(broken: type[Parlour], law: Callable[[Any], object]) -> None:
    class Registered(Laws):
        game = broken()

    with pytest.raises(AssertionError):
        law(Registered())
