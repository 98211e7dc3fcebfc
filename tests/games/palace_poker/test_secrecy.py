"""The laws of secrecy catch a Palace Poker that tells too much.  palace_poker 4."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine import events as c
from engine.actions import Action
from engine.games.palace_poker import PalacePoker, events
from engine.games.palace_poker.state import State
from engine.games.palace_poker.view import PalacePokerView
from engine.kernel import Shuffler
from engine.visibility import EVERYONE
from tests.laws.laws import Laws

Decided = tuple[tuple[c.Event, ...], State]


class Honest(PalacePoker):
    """What the broken games change."""

    def change(self, event: c.Event) -> c.Event:
        return event

    def decide(self, state: State, actor: int, action: Action, shuffler: Shuffler) -> Decided:
        made, after = super().decide(state, actor, action, shuffler)
        return tuple(map(self.change, made)), after


class ShowsPairsOfTheLoser(Honest):
    """Whether the examiner's value is shown depends on the value."""

    def change(self, event: c.Event) -> c.Event:
        if isinstance(event, events.BattleResolved) and event.defender_value.value[0]:
            shown = event.defender_value._replace(audience=EVERYONE)
            return replace(event, defender_value=shown)
        return event


class RevealsAces(Honest):
    """Palaces with an ace are dealt face up."""

    def change(self, event: c.Event) -> c.Event:
        if isinstance(event, events.PalaceCardDealt) and event.card.value % 13 == 0:
            return replace(event, card=event.card._replace(audience=EVERYONE))
        return event


class KeepsWhatWasDiscarded(Honest):
    """Soldiers that were thrown away can be seen in the pile, among them hidden palaces."""

    def view(self, state: State, viewer: int) -> PalacePokerView:
        seen = super().view(state, viewer)
        return replace(seen, discard=state.hand.discard if state.hand else ())


@pytest.mark.parametrize("broken", [ShowsPairsOfTheLoser, RevealsAces, KeepsWhatWasDiscarded])
def test_the_law_of_non_interference_catches(broken: type[PalacePoker]) -> None:
    """C10: though who wins a battle is told, and follows from hidden cards."""

    class Registered(Laws):
        game = broken()
        announces = (events.BattleResolved,)

    with pytest.raises(AssertionError):
        Laws.test_unseen_cards_change_nothing_that_is_received(Registered())
