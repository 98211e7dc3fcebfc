"""Layers of the pot, their winners, odd chips.  palace_poker 8."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games.palace_poker.events import End
from engine.games.palace_poker.pot import awards, layers
from engine.games.palace_poker.state import Hand, new_hand


def hand(paid: list[int], capped: list[int], exits: dict[int, int]) -> Hand:
    """A settled hand of seats 0, 1, …; the last seat deals."""
    seats = len(paid)
    everyone = (1 << seats) - 1
    out = sum(1 << seat for seat in exits)
    return new_hand(seats, everyone)._replace(
        order=tuple(range(seats)),
        alive=everyone & ~out,
        capped=sum(1 << seat for seat in capped),
        paid=tuple(paid),
        exits=tuple(exits.get(seat, 0) for seat in range(seats)),
        pot=sum(paid),
    )


def test_without_caps_there_is_one_layer() -> None:
    """8.4."""
    assert layers(hand([5, 30, 0], [], {})) == [(None, 35)]
    assert layers(hand([0, 0], [], {})) == []


def test_equal_caps_make_one_layer_and_empty_ones_are_skipped() -> None:
    """8.4."""
    assert layers(hand([5, 5, 9, 9], [0, 1], {})) == [(5, 20), (None, 8)]
    assert layers(hand([5, 5, 5], [0, 1], {})) == [(5, 15)]
    assert layers(hand([0, 4, 7], [0, 1], {})) == [(4, 8), (None, 3)]


def test_how_much_an_uncapped_player_paid_does_not_matter() -> None:
    """8.5."""
    (first, second) = awards(hand([9, 2, 30], [0], {2: 1}), End.SHOWDOWN, {0: 1, 1: 2})
    assert (first.cap, first.amount, first.shares) == (9, 20, ((1, 20),))
    assert (second.cap, second.amount, second.shares) == (None, 21, ((1, 21),))


def test_a_layer_nobody_left_can_win_goes_to_the_longest_in_the_hand() -> None:
    """8.6: several, if they left together."""
    settled = hand([5, 20, 20, 11], [0], {1: 2, 2: 2, 3: 1})
    first, second = awards(settled, End.LAST_STANDING, {})
    assert first.shares == ((0, 20),)
    assert second.shares == ((1, 18), (2, 18))


def test_the_tied_last_two_split_what_they_are_eligible_for() -> None:
    """8.6, 8.7: odd chips from the dealer's left."""
    settled = hand([5, 20, 8], [0], {0: 2, 1: 2, 2: 1})
    first, second = awards(settled, End.SPLIT_FINAL_TIE, {})
    assert first.shares == ((0, 8), (1, 7))
    assert second.shares == ((1, 18),)


def test_a_layer_smaller_than_its_winners_names_them_all() -> None:
    """8.7."""
    settled = hand([1, 1, 2], [], {})
    settled = settled._replace(paid=(1, 0, 0))
    (only,) = awards(settled, End.SAME_SUIT_SHARE, {})
    assert only.shares == ((0, 1), (1, 0), (2, 0))


def by_single_chips(settled: Hand, end: End, strengths: dict[int, int]) -> dict[int, int]:
    """The rule of 8.4–8.7 by other means: what each chip of the pot may be won by.

    Chip number n that a player paid lies in the lowest layer whose cap is at least n.
    """
    seats = settled.order
    capped = [seat for seat in seats if settled.capped >> seat & 1]
    caps = sorted({settled.paid[seat] for seat in capped})
    piles: dict[float, int] = {}
    for seat in seats:
        for number in range(1, settled.paid[seat] + 1):
            layer = next((cap for cap in caps if number <= cap), float("inf"))
            piles[layer] = piles.get(layer, 0) + 1
    won = dict.fromkeys(seats, 0)
    for layer, chips in piles.items():
        may = [s for s in seats if s not in capped or settled.paid[s] >= layer]
        best = max(settled.exits)
        if end is End.SPLIT_FINAL_TIE:
            winners = [s for s in may if settled.exits[s] == best]
        else:
            winners = [s for s in may if not settled.exits[s]]
        if winners and end is End.SHOWDOWN:
            top = max(strengths[s] for s in winners)
            winners = [s for s in winners if strengths[s] == top]
        if not winners:
            last = max(settled.exits[s] for s in may)
            winners = [s for s in may if settled.exits[s] == last]
        for number in range(chips):
            won[winners[number % len(winners)]] += 1
    return won


@st.composite
def settled_hands(draw: st.DrawFn) -> tuple[Hand, End, dict[int, int]]:
    """Hands as they can end: somebody uncapped paid the most or all are capped."""
    seats = draw(st.integers(2, 10))
    paid = draw(st.lists(st.integers(0, 40), min_size=seats, max_size=seats))
    capped = [s for s in range(seats) if draw(st.booleans())]
    if capped and len(capped) == seats:
        capped = capped[1:]
    end = draw(st.sampled_from(End))
    left = {End.LAST_STANDING: 1, End.SPLIT_FINAL_TIE: 0}.get(end, draw(st.integers(2, seats)))
    leavers = draw(st.permutations(range(seats)))[: seats - left]
    exits = {seat: index for index, seat in enumerate(leavers, 1)}
    if end is End.SPLIT_FINAL_TIE:
        exits[leavers[-1]] = exits[leavers[-2]]
    strengths = {s: draw(st.integers(0, 3)) for s in range(seats)}
    return hand(paid, capped, exits), end, strengths


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(settled_hands())
def test_every_chip_goes_where_the_rule_sends_it(case: tuple[Hand, End, dict[int, int]]) -> None:
    """8.2, 8.4–8.7: nothing is lost, odd chips neither, and each layer has its winners."""
    settled, end, strengths = case
    found = awards(settled, end, strengths)
    assert sum(award.amount for award in found) == settled.pot
    won = dict.fromkeys(settled.order, 0)
    for award in found:
        assert award.amount == sum(chips for _, chips in award.shares) > 0
        assert max(c for _, c in award.shares) - min(c for _, c in award.shares) <= 1
        for seat, chips in award.shares:
            won[seat] += chips
    assert won == by_single_chips(settled, end, strengths)
