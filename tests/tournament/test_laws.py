"""Laws of whole tournaments, played by chance from the registration to the payout."""

from __future__ import annotations

from random import Random

import hypothesis
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.tournament import events as e
from engine.tournament.decider import fold
from engine.tournament.orders import orders
from engine.tournament.state import EntryStatus, Phase, Tournament
from tests.tournament.books import check_books
from tests.tournament.hall import Hall, bets, structure
from tests.tournament.parlour import Parlour

SEEDS = st.integers(0, 2**32 - 1)


def law(examples: int) -> settings:
    """The same tournaments every time; a seed is not made simpler by being made smaller."""
    return settings(
        max_examples=examples,
        phases=(hypothesis.Phase.explicit, hypothesis.Phase.generate),
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=[HealthCheck.too_slow],
    )


def check_end(hall: Hall) -> None:
    """Everybody has a place, everything is paid, nothing is left anywhere."""
    state = hall.state
    assert fold(hall.events) == state
    assert list(orders(state)) == []
    assert state.issued == state.removed or state.phase is Phase.CANCELLED
    assert (state.money.pool, state.money.owed, state.money.waiting) == (0, 0, 0)
    if state.phase is Phase.FINISHED:
        check_places(state)
        check_prizes(hall)


def check_places(state: Tournament) -> None:
    """From the first to the last; who share a place take as many."""
    places = sorted(
        place for place in map(state.place, range(len(state.entries))) if place is not None
    )
    assert len(places) == state.field
    assert all(place == places.index(place) + 1 for place in set(places))


def check_prizes(hall: Hall) -> None:
    """Each group of equals has what its places win; the first one has what is forfeited too."""
    state = hall.state
    out = [event.entry for event in hall.events if isinstance(event, e.EntryOut)]
    assert len(out) == state.field
    assert [state.place(entry) for entry in out] == sorted(
        (state.place(entry) for entry in out), key=lambda place: -(place or 0)
    )
    structure = state.structure
    collected = state.money.taken + state.money.added - state.money.fees
    refunded = sum(
        event.amount
        for event in hall.events
        if isinstance(event, e.MoneyAwarded) and event.why is e.Why.REFUND
    )
    assert sum(state.prizes) == collected - refunded
    assert sum(entry.won for entry in state.entries) == sum(state.prizes)
    forfeited = 0
    for place in range(state.field, 0, -1):
        group = [n for n in range(len(state.entries)) if state.place(n) == place]
        if not group:
            continue
        wins = sum(state.prizes[place - 1 : place - 1 + len(group)])
        won = sum(state.entries[n].won for n in group)
        forfeited += wins - won
        assert won <= wins or place == 1
        if not any(state.entries[n].disqualified for n in group):
            assert won == wins or place == 1
    assert forfeited == 0
    assert structure.guarantee <= sum(state.prizes) or not state.prizes


@given(SEEDS, st.integers(2, 24))
@law(30)
def test_a_tournament_runs_to_its_payout_whatever_happens(seed, players):
    """With entries late and again, pauses, exclusions, cancellations, add-ons."""
    check_end(Parlour(seed, players, trouble=0.1).run())


@given(SEEDS, st.integers(25, 80))
@law(3)
def test_a_larger_one_too(seed, players):
    """Over several tables."""
    check_end(Parlour(seed, players, trouble=0.02).run())


@pytest.mark.long
@given(SEEDS, st.integers(2, 150), st.sampled_from([0.0, 0.01, 0.1, 0.3]))
@law(60)
def test_many_more_of_them(seed, players, trouble):
    """The same with more of everything."""
    check_end(Parlour(seed, players, trouble=trouble).run())


@pytest.mark.parametrize("players", [2, 3, 9, 300])
def test_without_trouble_somebody_has_all_chips(players):
    """Nothing but hands, levels and seats; the books are checked at the end of the large one."""
    made = structure(buy_in=10, levels=(*(bets(20 * n, hands=5) for n in range(1, 9)), bets(400)))
    check = check_books if players < 100 else lambda state: None
    hall = Parlour(players, players, made, check=check).run()
    check_books(hall.state)
    check_end(hall)
    assert hall.state.phase is Phase.FINISHED
    assert hall.state.out == players
    assert all(entry.status is EntryStatus.OUT for entry in hall.state.entries)


@pytest.mark.parametrize("seed", [75, 80, 82, 141])
def test_nobody_is_moved_with_nothing(seed):
    """Tables break while a round is played hand for hand: who has lost all in it waits for its end.

    Tournaments in which such a player was to be moved to another table, where he cannot sit down.
    """
    random = Random(seed)
    made = structure(
        table_size=random.randint(2, 5),
        stack=100,
        levels=(bets(20),),
        buy_in=100,
        settings=(("hand_for_hand", str(random.choice((1, 2, 4, 8)))),),
    )
    check_end(Parlour(seed, random.randint(8, 40), made).run())
