"""Steps and fold; what a game's classes must be."""

from __future__ import annotations

import pytest

from engine.actions import OpenTable, SeatAction, TableAction, TakeSeat
from engine.events import COMMON_EVENTS, HOUSE_EVENTS, HouseEvent, TableOpened
from engine.games import royal_flush
from engine.kernel import HOST, AnyGame, Steps, fold
from engine.records import quick_copies
from engine.table import MAX_CHIPS, is_amount, require_amount, require_room
from tests.parlour import Parlour

GAMES: list[AnyGame] = [royal_flush.RoyalFlush(), Parlour()]


class NoShuffle:
    def shuffle(self, purpose: str, pile: tuple[int, ...]) -> tuple[int, ...]:
        raise AssertionError("nothing is shuffled here")


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_steps_believe_what_they_emit(game: AnyGame) -> None:
    (opened,), _ = game.decide(game.initial(), HOST, OpenTable(), NoShuffle())
    assert isinstance(opened, TableOpened)
    steps = Steps(game, game.initial())
    steps.emit(opened)
    assert steps.state == game.evolve(game.initial(), opened)
    assert steps.result() == ((opened,), steps.state)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_fold_begins_with_nothing_or_where_it_is_told(game: AnyGame) -> None:
    opened, state = game.decide(game.initial(), HOST, OpenTable(), NoShuffle())
    seated, after = game.decide(state, 0, TakeSeat("ann", 5), NoShuffle())
    assert fold(game, (*opened, *seated)) == fold(game, seated, state) == after
    assert fold(game, ()) == game.initial()


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_an_event_of_another_game_is_not_believed(game: AnyGame) -> None:
    class Stranger(HouseEvent):
        pass

    with pytest.raises(AssertionError, match="Stranger"):
        game.evolve(game.initial(), Stranger())


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_a_game_numbers_fewer_events_than_it_has_room_for(game: AnyGame) -> None:
    """Event types are NUMBER + 1 … NUMBER + 99, stored for ever (design: the house)."""
    assert game.NUMBER % 100 == 0
    assert game.NUMBER > 0
    assert 0 < len(game.EVENTS) < 100
    assert len(COMMON_EVENTS) + len(HOUSE_EVENTS) < 100
    names = [kind.__name__ for kind in (*game.EVENTS, *COMMON_EVENTS, *HOUSE_EVENTS)]
    assert len(set(names)) == len(names)


def test_table_actions_are_actions_of_a_seat() -> None:
    assert issubclass(TableAction, SeatAction)


@pytest.mark.parametrize("value", [None, "5", 5.0, True, -1, MAX_CHIPS + 1])
def test_amounts_are_integers_in_range(value: object) -> None:
    """C2."""
    assert not is_amount(value)
    with pytest.raises(Exception, match="BAD_PARAMETER"):
        require_amount("chips", value)


def test_the_sum_of_a_table_stays_below_its_bound() -> None:
    """C2: rejected, never clamped."""
    require_room("chips", MAX_CHIPS - 5, 5)
    require_room("chips", 0, MAX_CHIPS)
    with pytest.raises(Exception, match="BAD_PARAMETER"):
        require_room("chips", MAX_CHIPS - 5, 6)


def test_quick_copies_are_copies() -> None:
    state = royal_flush.RoyalFlush().initial()
    other = state._replace(round=3)
    assert type(other) is type(state)
    assert (other.round, state.round) == (3, 0)
    assert other._replace(round=0) == state
    with pytest.raises(KeyError, match="rounds"):
        state._replace(rounds=3)  # type: ignore[call-arg]
    assert quick_copies.__doc__
