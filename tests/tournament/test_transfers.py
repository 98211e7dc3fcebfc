"""What a tournament moves: to the unit what accounts and tables say on the other side."""

from __future__ import annotations

from collections import Counter

import pytest

from engine import account as accounts
from engine.errors import Refused
from engine.events import ChipsAdded, EpochOpened, HouseOpened, SeatLeft, SeatTaken
from engine.table import MAX_CHIPS
from engine.tournament import events as e
from engine.tournament.events import Why
from engine.tournament.evolve import fold
from engine.tournament.housed import Housed, is_over, with_events
from engine.tournament.state import Tournament
from engine.tournament.transfers import (
    Payment,
    PaymentKind,
    Stake,
    chips_moved,
    payments,
    stakes,
    tables_of,
)
from engine.visibility import SERVER, Private
from tests.tournament.hall import structure

ENTRY, RETURN, PRIZE = PaymentKind.ENTRY, PaymentKind.RETURN, PaymentKind.PRIZE


def registered(*names: str, **fields: object) -> Tournament:
    """A tournament in which these have entered for 100 and 10."""
    wanted = structure(buy_in=100, fee=10, **fields)
    made = [e.EntryMade(number, name, 100, 10) for number, name in enumerate(names)]
    return fold([e.TournamentCreated(wanted), *made])


def test_what_is_paid_in_comes_back_where_an_entry_is_withdrawn() -> None:
    state = registered("ann")
    assert payments(state, [e.EntryMade(1, "bob", 100, 10)]) == [Payment("bob", ENTRY, 110)]
    assert payments(state, [e.EntryWithdrawn(0)]) == [Payment("ann", RETURN, 110)]
    both = [e.EntryWithdrawn(0), e.EntryMade(1, "ann", 100, 10)]
    assert payments(state, both) == [Payment("ann", RETURN, 110), Payment("ann", ENTRY, 110)]


def test_what_was_awarded_is_paid_once_and_named_for_what_it_is() -> None:
    """Awards move nothing; the payment moves all of them."""
    state = registered("ann", "bob")
    awards = [e.MoneyAwarded(0, 60, Why.PRIZE), e.MoneyAwarded(0, 40, Why.PRIZE)]
    assert payments(state, awards) == []
    state = fold(awards, state)
    assert payments(state, [e.EntryPaid(0)]) == [Payment("ann", PRIZE, 100)]
    state = fold([e.MoneyAwarded(1, 70, Why.SETTLEMENT, 10)], state)
    assert payments(state, [e.EntryPaid(1)]) == [Payment("bob", RETURN, 70)]


def test_nothing_is_no_payment() -> None:
    """A free tournament has no part on any account."""
    state = registered("ann")
    assert payments(state, [e.EntryMade(1, "bob", 0, 0), e.TournamentStarted()]) == []


def seated(*names: str, size: int = 3) -> Tournament:
    """Table 0 with these in its first seats, open; table 1 empty."""
    state = registered(*names, stack=500)
    entries = (*range(len(names)), *(-1,) * (size - len(names)))
    return fold([e.TableDrawn(0, entries), e.TableStood(0), e.TableDrawn(1, (-1,) * size)], state)


def test_a_table_that_stands_has_the_chips_of_its_entries() -> None:
    state = registered("ann", "bob", stack=500)
    drawn = [e.TableDrawn(0, (0, -1, 1))]
    assert stakes(state, drawn) == []
    state = fold(drawn, state)
    stood = [e.TableStood(0)]
    assert stakes(state, stood) == [Stake(0, 0, "ann", 500), Stake(0, 2, "bob", 500)]
    assert tables_of(state, stood) == [0]
    empty = fold([e.TableDrawn(1, (-1, -1))], state)
    assert stakes(empty, [e.TableStood(1)]) == []
    assert tables_of(empty, [e.TableStood(1)]) == []


def test_moving_leaves_no_chip_behind_and_makes_none() -> None:
    state = fold([e.MoveOrdered(1, 1, 2)], seated("ann", "bob"))
    moved = [e.EntryMoved(1)]
    assert stakes(state, moved) == [Stake(0, 1, "bob", -500), Stake(1, 2, "bob", 500)]
    assert tables_of(state, moved) == [0, 1]


def test_who_leaves_takes_his_stack_out_and_a_closed_table_all_that_lies_there() -> None:
    state = fold([e.RemovalOrdered(0)], seated("ann", "bob"))
    assert stakes(state, [e.EntryRemoved(0)]) == [Stake(0, 0, "ann", -500)]
    assert tables_of(state, [e.EntryRemoved(0)]) == [0]
    closed = [e.EntryRemoved(0), e.TableBroken(0), e.TableDone(0)]
    by_table: Counter[int] = Counter()
    for stake in stakes(state, closed):
        by_table[stake.table] += stake.chips
    assert by_table == {0: -1000}
    assert tables_of(state, closed) == [0]


def test_a_late_entry_brings_its_stack() -> None:
    state = fold([e.EntryMade(2, "cid", 100, 10)], seated("ann", "bob"))
    placed = [e.EntryPlaced(2, 0, 2)]
    assert stakes(state, placed) == []
    state = fold(placed, state)
    assert stakes(state, [e.EntrySeated(2)]) == [Stake(0, 2, "cid", 500)]
    assert tables_of(state, [e.EntrySeated(2)]) == [0]


def test_an_add_on_is_paid_and_then_given() -> None:
    state = seated("ann", "bob")
    bought = e.AddOnBought(1, 300, 20, 2)
    assert payments(state, [bought]) == [Payment("bob", ENTRY, 22)]
    state = fold([bought], state)
    assert stakes(state, [e.AddOnGiven(1)]) == [Stake(0, 1, "bob", 300)]
    assert tables_of(state, [e.AddOnGiven(1)]) == [0]


def test_what_a_table_says_of_chips() -> None:
    moved = [SeatTaken(0, "a", 50), SeatLeft(1, 20), ChipsAdded(0, 5), e.TournamentStarted()]
    assert chips_moved(moved) == 35


# --- accounts -----------------------------------------------------------------------------------


def test_accounts_know_entries_and_prizes() -> None:
    account = accounts.fold_account(
        accounts.Account(),
        [
            accounts.Credited(100, ""),
            accounts.EntryPaid("t", 60),
            accounts.EntryReturned("t", 60),
            accounts.PrizePaid("t", 7),
        ],
    )
    assert account == accounts.Account(107, 4)
    assert accounts.pay_entry(account, "t", 107) == accounts.EntryPaid("t", 107)
    assert accounts.return_entry(account, "t", 5) == accounts.EntryReturned("t", 5)
    assert accounts.pay_prize(account, "t", 5) == accounts.PrizePaid("t", 5)
    with pytest.raises(Refused) as refused:
        accounts.pay_entry(account, "t", 108)
    assert refused.value.reason == "INSUFFICIENT_CHIPS"
    for pay in (accounts.pay_prize, accounts.return_entry):
        assert pay(account, "t", MAX_CHIPS - 107)
        with pytest.raises(Refused) as full:
            pay(account, "t", MAX_CHIPS - 106)
        assert full.value.reason == "BAD_PARAMETER"


# --- the house around it ------------------------------------------------------------------------


def test_the_house_around_a_tournament_has_its_own_facts() -> None:
    """Whose it is, and the epoch of its lots; they count as events of the stream."""
    opened = EpochOpened(1, b"c" * 32, Private(b"w", SERVER))
    now = with_events(Housed(), [HouseOpened((), False, "host"), opened])
    assert (now.house.host, now.house.epoch, now.state.version) == ("host", 1, 2)
    now = with_events(now, [e.TournamentCreated(structure())])
    assert now.state.version == 3
    assert not is_over(now.state)
    assert is_over(with_events(now, [e.TournamentCancelled("rain")]).state)
    assert is_over(with_events(now, [e.TournamentFinished()]).state)
