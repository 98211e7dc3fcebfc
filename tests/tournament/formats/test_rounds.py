"""Pontoon in rounds: whole tournaments with either bank."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import Refused
from engine.tournament import actions as a
from engine.tournament import events as e
from engine.tournament import orders as o
from engine.tournament.formats.banks import BankPlay, RoundBegan, SatOut
from engine.tournament.formats.rounds import HOUSE_CHIPS
from engine.tournament.state import Phase
from engine.tournament.structure import Structure
from tests.tournament.formats.manager import Manager

BASE = Structure(
    name="Pontoon", format="rounds", game="pontoon", table_size=5, stack=200, buy_in=50,
    max_entrants=500,
)  # fmt: skip


def structure(**given_: Any) -> Structure:
    return BASE._replace(
        settings=tuple((name, str(value).lower()) for name, value in given_.items())
    )


def play_of(manager: Manager) -> BankPlay:
    play = manager.state.play
    assert isinstance(play, BankPlay)
    return play


def deal(manager: Manager, order: o.StartHand) -> a.HandEnded:
    """Everybody wins or loses up to fifty against the bank, as far as it goes."""
    table = manager.state.tables[order.table]
    before = {at: table.seats[at].chips for at in table.taken()}
    after = dict(before)
    banker = int(dict(order.options)["nominated_seat"])
    for at in before:
        if at != banker:
            won = manager.chance.randrange(-5, 6) * 10
            won = max(won, -after[at])
            if banker in after:
                won = min(won, after[banker])
                after[banker] -= won
            after[at] += won
    results = tuple(a.SeatResult(at, before[at], after[at]) for at in before)
    return a.HandEnded(order.table, order.hand, results, dealer=banker)


def check_chips(manager: Manager) -> None:
    """To the unit: what lies at tables came into play, less what left, and what the house lost."""
    state = manager.state
    lies = sum(seat.chips for table in state.tables for seat in table.seats)
    house = sum(banked.lost for banked in play_of(manager).tables)
    if not play_of(manager).rules.house:
        assert house == 0
    assert lies == state.issued - state.removed + house


kinds = st.one_of(
    st.fixed_dictionaries(
        {
            "bank": st.just("house"),
            "deals": st.integers(1, 12),
            "top": st.just(1),
            "best_losers": st.integers(0, 2),
            "eliminate_every": st.integers(0, 4),
            "unshuffled": st.booleans(),
        }
    ),
    st.fixed_dictionaries(
        {"bank": st.just("rotating"), "deals": st.integers(1, 3), "top": st.integers(1, 2)}
    ),
)


@given(kinds, st.integers(2, 40), st.integers(0, 999))
@settings(max_examples=25, deadline=None)
def test_every_tournament_ends(given_: dict[str, Any], players: int, seed: int) -> None:
    manager = Manager(structure(**given_), players, deal, seed)
    manager.start()
    while manager.step():
        check_chips(manager)
    places = manager.finished()
    assert min(places) == 1
    assert sum(entry.won for entry in manager.state.entries) == 50 * players
    began = [event for event in manager.events if isinstance(event, RoundBegan)]
    fields = [len(event.entries) for event in began]
    assert fields == sorted(set(fields), reverse=True), "fewer in each round"
    for earlier, later in pairwise(began):
        assert set(later.entries) < set(earlier.entries)
        gone = set(earlier.entries) - set(later.entries)
        assert min(places[entry] for entry in gone) > max(places[entry] for entry in later.entries)


@given(st.integers(2, 5), st.integers(1, 3), st.integers(0, 99))
@settings(max_examples=12, deadline=None)
def test_a_rotating_bank_is_everybodys_equally_often(players: int, times: int, seed: int) -> None:
    banked: defaultdict[int, Counter[int]] = defaultdict(Counter)

    def noting(manager: Manager, order: o.StartHand) -> a.HandEnded:
        seats = manager.state.tables[order.table].seats
        banker = int(dict(order.options)["nominated_seat"])
        banked[order.table][seats[banker].entry] += 1
        return deal(manager, order)

    kind = structure(bank="rotating", deals=times)._replace(stack=100_000)
    manager = Manager(kind, players * 3, noting, seed)
    manager.start()
    manager.run()
    manager.finished()
    for table, counts in banked.items():
        sat = play_of(manager).tables[table].players
        assert counts == dict.fromkeys(sat, times)


def test_against_the_house_who_bets_first_passes_on() -> None:
    first: list[int] = []

    def noting(manager: Manager, order: o.StartHand) -> a.HandEnded:
        assert dict(order.options)["nominated_seat"] == "4"
        first.append(int(dict(order.options)["first_to_bet"]))
        return deal(manager, order)

    manager = Manager(structure(deals=8)._replace(stack=100_000), 4, noting)
    manager.start()
    (opened,) = manager.orders(o.OpenTable)
    assert opened.house == (4, HOUSE_CHIPS)
    assert [sitting.seat for sitting in opened.seats] == [0, 1, 2, 3]
    manager.run()
    assert first == [0, 1, 2, 3, 0, 1, 2, 3]


def test_the_lowest_stack_goes_out_now_and_then() -> None:
    """Ten deals, one less after every three: four, three, two are left, and two to the end."""
    seen: list[int] = []

    def noting(manager: Manager, order: o.StartHand) -> a.HandEnded:
        seen.append(len(manager.state.tables[order.table].taken()))
        return deal(manager, order)

    kind = structure(deals=10, eliminate_every=3)._replace(stack=100_000)
    manager = Manager(kind, 4, noting, 7)
    manager.start()
    manager.run()
    assert seen == [4, 4, 4, 3, 3, 3, 2, 2, 2, 2]
    seats = [sitting.entry for sitting in manager.opened[0].seats]
    stacks: dict[int, int] = {}
    for event in manager.events:
        if isinstance(event, e.DealPlayed):
            stacks = {seats[at]: chips for at, chips in event.stacks}
        elif isinstance(event, SatOut):
            assert stacks[event.entry] == min(stacks.values()) < max(stacks.values())
    places = manager.finished()
    assert sorted(places)[2:] == [3, 4]


def test_nobody_goes_out_with_the_last_deal() -> None:
    """Six deals, one less after every three: the second time is the end of the round."""
    manager = Manager(structure(deals=6, eliminate_every=3)._replace(stack=100_000), 4, deal, 7)
    manager.start()
    manager.run()
    assert len(manager.made(SatOut)) == 1


def test_two_are_left_to_play_for_it() -> None:
    """After every deal the lowest goes out, but never one of the last two."""
    manager = Manager(structure(deals=9, eliminate_every=1)._replace(stack=100_000), 4, deal, 7)
    manager.start()
    manager.run()
    assert len(manager.made(SatOut)) == 2
    assert len(manager.made(e.DealPlayed)) == 9


def test_who_cannot_bet_plays_no_more() -> None:
    """A stack below the least bet sits out; with ten in the pocket one plays on."""

    def poor(manager: Manager, order: o.StartHand) -> a.HandEnded:
        after = {0: 9, 1: 10, 2: 300} if order.hand == 1 else {1: 10, 2: 300}
        seats = manager.state.tables[order.table].seats
        results = [a.SeatResult(at, seats[at].chips, after[at]) for at in sorted(after)]
        return a.HandEnded(order.table, order.hand, tuple(results), dealer=4)

    manager = Manager(structure(deals=3), 3, poor)
    manager.start()
    seats = [seat.entry for seat in manager.state.tables[0].seats]
    manager.run()
    places = manager.finished()
    assert [places[entry] for entry in seats[:3]] == [3, 2, 1]
    runs = play_of(manager).runs
    assert [runs[entry].stacks for entry in seats[:3]] == [(9,), (10,) * 3, (300,) * 3]


@pytest.mark.parametrize("bank", ["house", "rotating"])
def test_exclusions_and_pauses(bank: str) -> None:
    for seed in range(12):
        manager = Manager(structure(bank=bank, deals=3), 11, deal, seed)
        manager.start()
        excluded: list[int] = []
        while manager.state.phase is Phase.RUNNING:
            what = manager.chance.randrange(25)
            if what == 0 and not manager.state.paused:
                manager.ask(a.PauseTournament())
            elif what == 1 and len(excluded) < 9:
                entry = manager.chance.randrange(11)
                if manager.may(a.Disqualify(f"p{entry}", "why"), "ALREADY_OUT", "LAST_ONE"):
                    excluded.append(entry)
            elif not manager.step():
                manager.ask(a.ResumeTournament())
            check_chips(manager)
        manager.run()
        manager.finished()
        assert all(manager.state.entries[entry].won == 0 for entry in excluded)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"stack": 9}, "stack"),
        ({"stack": 0}, "stack"),
        ({"stack": 10**9 + 1}, "stack"),
        ({"options": (("min_bet", "201"), ("max_bet", "300"))}, "stack"),
        ({"stack": 19, "options": (("shoot", "true"),)}, "stack"),
        ({"stack": 19, "options": (("shoot", "yes"),)}, "stack"),
        ({"options": (("shoot", "maybe"),)}, "options.shoot"),
        ({"options": (("min_bet", "0"),)}, "options.min_bet"),
        ({"options": (("min_bet", "ten"),)}, "options.min_bet"),
        ({"options": (("bank_sale", "off"),)}, "options.bank_sale"),
        ({"min_entrants": 1}, "min_entrants"),
        ({"table_size": 2}, "table_size"),
        ({"table_size": 9}, "table_size"),
        ({"settings": (("top", "3"),)}, "settings.top"),
        ({"settings": (("top", "2"), ("best_losers", "1"))}, "settings.top"),
        ({"settings": (("top", "0"),)}, "settings.top"),
        (
            {"settings": (("bank", "rotating"), ("eliminate_every", "2"))},
            "settings.eliminate_every",
        ),
        ({"settings": (("bank", "rotating"), ("unshuffled", "true"))}, "settings.unshuffled"),
        ({"settings": (("bank", "mine"),)}, "settings.bank"),
    ],
)
def test_structures_that_cannot_work(change: dict[str, Any], field: str) -> None:
    with pytest.raises(Refused) as refused:
        Manager(structure()._replace(**change), 0, deal)
    assert (refused.value.reason, refused.value.detail["field"]) == ("INVALID_STRUCTURE", field)


def test_the_bounds_of_a_structure() -> None:
    Manager(structure(top=2)._replace(stack=10), 0, deal)
    Manager(structure()._replace(stack=20, options=(("shoot", "true"),)), 0, deal)
    Manager(structure(top=1, best_losers=2)._replace(stack=10**9), 0, deal)
    Manager(structure(bank="rotating")._replace(table_size=2), 0, deal)
    Manager(structure()._replace(table_size=8), 0, deal)


@pytest.mark.parametrize(
    ("bank", "after"),
    [("rotating", (201, 200)), ("rotating", (-1, 401)), ("house", (-1, 0)), ("house", (200,))],
)
def test_reports_that_cannot_be(bank: str, after: tuple[int, ...]) -> None:
    manager = Manager(structure(bank=bank), 2, deal)
    manager.start()
    manager.ask(a.TableReady(0))
    results = tuple(a.SeatResult(at, 200, chips) for at, chips in enumerate(after))
    with pytest.raises(Refused) as refused:
        manager.ask(a.HandEnded(0, 1, results))
    assert refused.value.reason == "BAD_REPORT"
