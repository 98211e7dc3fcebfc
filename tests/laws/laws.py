"""The laws (design: the kernel contract; rules C2, C7, C10, C11), generic over a game.

A game registers with a subclass of :class:`Laws` that names it.  Every law walks a table at random:
a seed makes the walk, and hypothesis shrinks a failure to its shortest beginning (``length``),
whose attempts it prints.
"""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
from random import Random

from hypothesis import given

from engine.actions import HostAction, TableAction, TimeOut
from engine.fields import describe
from engine.house import decision, running_hand
from engine.kernel import HOST, fold
from tests.laws.base import LENGTHS, SEEDS, law, transcript
from tests.laws.books import Books
from tests.laws.samples import concrete, covers, sample, seat_actions
from tests.laws.secrecy import Secrecy
from tests.laws.walks import Lot, Shuffles, attempt, offers

__all__ = ["Laws"]


class Laws(Books, Secrecy):
    """Subclass and name ``game``; pytest finds the rest."""

    @law(20)
    @given(SEEDS, LENGTHS)
    def test_the_fold_of_the_events_is_the_state(self, seed: int, length: int) -> None:
        state = self.game.initial()
        for one in self.accepted(seed, length):
            events, returned = self.game.decide(
                one.before.state, one.actor, one.action, Shuffles(0, one.orders)
            )
            assert events == one.events
            assert events, "an accepted action makes at least one event"
            state = fold(self.game, events, state)
            assert state == returned == one.after.state

    @law(20)
    @given(SEEDS, LENGTHS)
    def test_a_refusal_has_a_reason_and_changes_nothing(self, seed: int, length: int) -> None:
        for one in self.walk(seed, length):
            if one.reason:
                assert re.fullmatch(r"[A-Z]+(_[A-Z]+)*", one.reason)
                state = pickle.dumps(one.before.state)
                again = attempt(one.before, one.actor, one.action, Shuffles(0))
                assert (again.reason, again.detail) == (one.reason, one.detail)
                assert pickle.dumps(one.before.state) == state

    @law(15)
    @given(SEEDS, LENGTHS)
    def test_every_offered_action_is_accepted(self, seed: int, length: int) -> None:
        for one in self.accepted(seed, length):
            state = one.after.state
            for seat in range(self.game.seats(state)):
                offered = self.game.legal_actions(state, seat)
                assert bool(offered) == (seat in self.game.to_act(state))
                assert len(offered) <= 64
                for offer in offered:
                    for action in concrete(offer):
                        assert covers(offer, action)
                        result = attempt(one.after, seat, action, Shuffles(1))
                        assert not result.reason, (action, result.reason, result.detail)

    @law(15)
    @given(SEEDS, LENGTHS)
    def test_every_other_action_is_refused(self, seed: int, length: int) -> None:
        """Table actions aside, which answer no decision; and of the host's, the two with a rule."""
        rng = Random(seed)
        kinds = [kind for kind in seat_actions(self.game) if not issubclass(kind, TableAction)]
        for one in self.accepted(seed, length):
            state, every = one.after.state, offers(one.after)
            start = attempt(one.after, HOST, self.game.next_start(state, Lot(0)), Shuffles(1))
            assert bool(start.reason) != self.game.can_start(state)
            late = attempt(one.after, HOST, TimeOut(), Shuffles(1))
            assert bool(late.reason) != bool(self.game.to_act(state))
            for seat in range(-1, self.game.seats(state) + 1):
                offered = self.game.legal_actions(state, seat)
                action = sample(rng, self.game, rng.choice(kinds), every)
                result = attempt(one.after, seat, action, Shuffles(1))
                legal = any(covers(offer, action) for offer in offered)
                assert legal == (not result.reason), (seat, action, result.reason)

    @law(20)
    @given(SEEDS, LENGTHS)
    def test_decisions_are_numbered_by_those_who_decide(self, seed: int, length: int) -> None:
        """The number moves with every answer, and with nothing a bystander does.

        Unless he changes who decides: then nobody's late answer fits any more.
        """
        for one in self.accepted(seed, length):
            before, after = decision(one.before), decision(one.after)
            assert (after is None) == (not self.game.to_act(one.after.state))
            if after is not None:
                assert after.number >= 1
                assert after.hand == running_hand(one.after)
            if before is None or after is None or before.hand != after.hand:
                continue
            aside = isinstance(one.action, TableAction)
            answer = not aside and (one.actor != HOST or isinstance(one.action, TimeOut))
            if answer or before.seats != after.seats:
                assert after.number > before.number
            elif aside and one.actor not in before.seats:
                assert after == before

    def test_another_process_makes_the_same_of_the_same(self) -> None:
        """Determinism (C11): other hash seed, other process, same text."""
        lives = [self.walk(seed, 60) for seed in range(5)]
        tries = [[(one.actor, one.action, one.orders) for one in life] for life in lives]
        packed = pickle.dumps((type(self.game), tries))
        answer = subprocess.run(
            [sys.executable, "-m", "tests.laws.elsewhere"],
            input=packed,
            capture_output=True,
            check=True,
            env={"PYTHONHASHSEED": "4711", "PYTHONPATH": ":".join(p for p in sys.path if p)},
        )
        assert pickle.loads(answer.stdout) == [transcript(life) for life in lives]

    def test_every_class_of_the_game_can_be_described(self) -> None:
        """Notation and wire read fields from annotations: none may be of an unknown kind."""
        for kind in (*self.game.ACTIONS, *self.game.EVENTS, self.game.VIEW):
            describe(kind)
        assert issubclass(self.game.START, HostAction)
        ends = self.game.HAND_BEGINS | self.game.HAND_ENDS | self.game.DECIDES
        assert ends <= set(self.game.EVENTS)
