"""Who plays what, how much is offered, and where what is stored can be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.games import GAMES
from engine.options import parse_options
from service.load.plan import GROUP, LARGEST, Load, Store, groups, house_of, shares
from service.load.think import Think

ALL = tuple(GAMES)


@pytest.mark.parametrize("processes", [1, 2, 3, 7])
def test_every_table_is_somebodys_and_the_mix_is_even(processes):
    parts = shares(Load(ALL, tables=100, processes=processes))
    assert len(parts) == processes
    assert sum(map(len, parts)) == 100
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    every = [game for games in parts for game in games]
    assert {game: every.count(game) for game in ALL} == dict.fromkeys(ALL, 25)


def test_no_process_is_without_a_table():
    assert len(shares(Load(ALL, tables=3, processes=8))) == 3


def test_groups_are_full_but_for_the_last():
    assert list(map(len, groups(["pontoon"] * (2 * GROUP + 1)))) == [GROUP, GROUP, 1]


def test_what_is_offered_follows_from_the_pace():
    assert Load(ALL).offered == 0
    assert not Load(ALL).is_open
    assert Load(ALL, rate=50.0).offered == 50
    assert Load(ALL, tables=10, think=Think.parse("constant:200")).offered == 50
    assert Load(ALL, think=Think.parse("constant:200")).is_open


@pytest.mark.parametrize("game", ALL)
@pytest.mark.parametrize("seats", [2, 3, 6])
def test_every_game_knows_the_options_it_is_given(game, seats):
    count = min(seats, LARGEST[game])
    options, _ = house_of(game, count)
    assert parse_options(GAMES[game].OPTIONS, options)


def test_an_embedded_server_is_looked_for_when_it_is_needed(pg, tmp_path):
    """It moves with every start of the service; a URL stays what it is."""
    assert Store().find() is None
    assert Store(home=tmp_path / "nothing").find() is None
    assert Store("postgresql://there/x", Path("/nowhere")).find() == "postgresql://there/x"
    assert Store(home=pg.home).find() == pg.service_conninfo
