"""Contributions of seats to an epoch, and an epoch that is void: pure facts of the house."""

from __future__ import annotations

import pytest

from engine import events as c
from engine.actions import ContributeEntropy
from engine.entropy import MAX_ENTROPY, contribute, contributions, takes_entropy
from engine.errors import Refused
from engine.house import Table, apply, apply_all, running_hand, secret_epochs
from engine.kernel import HOST
from engine.notation import text_of_lines
from engine.visibility import AUDITOR, SERVER, Private
from tests.engine.test_house import Room
from tests.parlour import actions


def opened(epoch: int) -> c.EpochOpened:
    return c.EpochOpened(epoch, b"com%d" % epoch, Private(b"wrapped%d" % epoch, SERVER))


@pytest.fixture
def table() -> Table:
    """Three seats, and epoch 1 open."""
    return apply(Room().table, opened(1))


def reason(table: Table, seat: int, action: ContributeEntropy) -> str:
    with pytest.raises(Refused) as refused:
        contribute(table, seat, action)
    return refused.value.reason


def test_values_are_kept_in_the_order_of_their_record(table: Table) -> None:
    """Whatever the seats: it is the order that the shuffles derive from."""
    for seat, value in ((2, b"c"), (0, b"a")):
        table = apply_all(table, contribute(table, seat, ContributeEntropy(1, value)), seat)
    assert contributions(table.house) == (b"c", b"a")
    assert reason(table, 2, ContributeEntropy(1, b"c")) == "ALREADY_CONTRIBUTED"
    assert not table.house.answered


@pytest.mark.parametrize("length", [1, MAX_ENTROPY])
def test_every_length_that_is_allowed_is_taken(table: Table, length: int) -> None:
    (fact,) = contribute(table, 1, ContributeEntropy(1, bytes(length)))
    assert fact == c.EntropyContributed(1, bytes(length))


@pytest.mark.parametrize(
    ("seat", "epoch", "value", "told"),
    [
        (9, 1, b"x", "NOT_SEATED"),
        (-1, 1, b"x", "NOT_SEATED"),
        (1, None, b"x", "BAD_PARAMETER"),
        (1, 1, b"", "BAD_PARAMETER"),
        (1, 1, bytes(MAX_ENTROPY + 1), "BAD_PARAMETER"),
        (1, 0, b"x", "ENTROPY_CLOSED"),
        (1, 2, b"x", "ENTROPY_CLOSED"),
    ],
)
def test_others_are_refused(
    table: Table, seat: int, epoch: int | None, value: bytes, told: str
) -> None:
    assert reason(table, seat, ContributeEntropy(epoch, value)) == told


@pytest.mark.parametrize(
    "drawn", [c.LotDrawn("FIRST_DEALER", (1, 0)), c.DeckShuffled("DEAL", Private((1,), SERVER))]
)
def test_the_first_draw_closes_it_and_the_next_epoch_opens_it(table: Table, drawn: c.Event) -> None:
    """A lot is a draw as well as a shuffle; contributions are of one epoch only."""
    table = apply_all(table, contribute(table, 0, ContributeEntropy(1, b"a")))
    table = apply(table, drawn)
    assert not takes_entropy(table.house)
    assert reason(table, 1, ContributeEntropy(1, b"b")) == "ENTROPY_CLOSED"
    table = apply(table, opened(2))
    assert takes_entropy(table.house)
    assert contributions(table.house) == ()
    assert secret_epochs(table.house) == {1, 2}


def test_without_an_epoch_nothing_is_taken() -> None:
    assert reason(Room().table, 1, ContributeEntropy(0, b"x")) == "ENTROPY_CLOSED"
    assert secret_epochs(Room().table.house) == frozenset()


def position(table: Table) -> str:
    game = table.game
    return text_of_lines(game.lines(game.view(table.state, AUDITOR)))


def test_a_void_epoch_puts_the_game_where_it_stood_and_leaves_no_trace_of_the_hand() -> None:
    """Its decision has another number, its number is not used again, nobody missed a turn."""
    room = Room()
    room.table = apply(room.table, opened(1))
    before = position(room.table)
    room.do(HOST, actions.StartHand())
    room.table = apply(room.table, c.TurnTimedOut(1))
    house = room.table.house
    assert (running_hand(room.table), house.timed_out) == (1, frozenset({1}))
    void = apply_all(room.table, [c.EpochVoided(1, "KEY_LOST", before), opened(2)])
    assert position(void) == before
    assert running_hand(void) == 0
    assert (void.house.hands, void.house.epoch, void.house.kept) == (1, 2, ())
    assert (void.house.timed_out, void.house.missed, void.house.shuffles) == (frozenset(), (), 0)
    assert void.house.between == house.between + 1


def test_a_kept_epoch_that_is_void_changes_nothing_else() -> None:
    table = apply_all(Room().table, [opened(1), opened(2)])
    assert secret_epochs(table.house) == {1, 2}
    void = apply(table, c.EpochVoided(1, "KEY_LOST", ""))
    assert void.state == table.state
    assert void.house == table.house._replace(kept=())
