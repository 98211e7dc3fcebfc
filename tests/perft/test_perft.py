"""The counts of action sequences in *.toml, made anew and made in another way."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from engine.games import GAMES
from engine.games.palace_poker.actions import Fold
from engine.kernel import Lists, Offer
from engine.script import action_text
from tests.perft.tries import Trier

ROOT = Path(__file__).parents[2]
SOME = 3_000
"""Sequences that are counted in an instant; more are for ``make test-all``."""

FEW = 10
MORE = 1_000
"""Sequences that are also counted by trying everything, at all times and in ``make test-all``."""


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("perft", ROOT / "tools" / "perft.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PERFT = load()
POSITIONS = {f"{each.game}/{each.name}": each for each in PERFT.positions()}
LONG = (pytest.mark.long, pytest.mark.timeout(900))
COUNTS = [
    pytest.param(name, depth, count, id=f"{name}/{depth}", marks=LONG if count > SOME else ())
    for name, position in POSITIONS.items()
    for depth, count in enumerate(position.counts, 1)
]


@pytest.mark.parametrize(("name", "depth", "count"), COUNTS)
def test_as_many_sequences_as_are_written_down(name: str, depth: int, count: int) -> None:
    """All actions that are offered, by the rule of tools/perft.py."""
    assert PERFT.Counter(POSITIONS[name]).count(depth) == count


@pytest.mark.parametrize("name", POSITIONS)
@pytest.mark.parametrize("most", [FEW, pytest.param(MORE, marks=LONG)])
def test_trying_everything_comes_to_the_same(name: str, most: int) -> None:
    """What decide accepts, without a look at the offers."""
    counter = PERFT.Counter(POSITIONS[name])
    trier = Trier(counter.game, counter.decide)
    for depth, count in enumerate(POSITIONS[name].counts, 1):
        if count > (most if depth > 1 else 10 * most):
            break
        assert trier.sequences(counter.start, depth) == count, depth


def in_order(seat: int, action: Any) -> str:
    """An action's text, its cards in an order that does not depend on who lists them."""
    loose = tuple(sorted(getattr(action, "loose", ())))
    return action_text(seat, replace(action, loose=loose) if loose else action)


LISTED = [
    pytest.param(name, marks=LONG if each.counts[0] > SOME else ())
    for name, each in POSITIONS.items()
    if isinstance(GAMES[each.game], Lists)
]


@pytest.mark.parametrize("name", LISTED)
@pytest.mark.parametrize("most", [10 * FEW, pytest.param(MORE, marks=LONG)])
def test_offers_and_lists_come_to_the_same(name: str, most: int) -> None:
    """A game that lists its actions one by one lists those of its offers."""
    counter = PERFT.Counter(POSITIONS[name])
    game, points = counter.game, [counter.start]
    for _ in range(sum(count <= most for count in POSITIONS[name].counts) + 1):
        then: list[Any] = []
        for point in points:
            legal = PERFT.actions(game, point.state)
            seats = range(game.seats(point.state))
            listings = [game.listing(point.state, seat, 10**6) for seat in seats]
            listed = [
                in_order(seat, play.action)
                for seat, listing in enumerate(listings)
                for play in listing.plays
            ]
            assert len(listed) == sum(listing.total for listing in listings)
            assert sorted(listed) == sorted(in_order(*one) for one in legal)
            if len(legal) <= most:
                then += [counter.decide(point, *one)[1] for one in legal]
        points = then[:most]


def test_the_two_counts_can_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    """An offer that is forgotten is missed by the one and not by the other."""
    counter = PERFT.Counter(POSITIONS["palace_poker/forced_battle"])
    offered = type(counter.game).legal_actions

    def forgetful(*of: Any) -> list[Offer]:
        return [offer for offer in offered(*of) if offer.action is not Fold]

    monkeypatch.setattr(type(counter.game), "legal_actions", forgetful)
    assert counter.count(1) == 2
    assert Trier(counter.game, counter.decide).sequences(counter.start, 1) == 3


def test_first_actions_share_the_count() -> None:
    """What --divide shows adds up."""
    position = POSITIONS["palace_poker/opening"]
    divided = dict(PERFT.Counter(position).divide(3))
    assert len(divided) == position.counts[0]
    assert sum(divided.values()) == position.counts[2]
    assert "0: bet target=1 amount=10" in divided


@pytest.mark.parametrize("path", sorted(PERFT.FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_counts_are_written_where_they_stood(path: Path, tmp_path: Path) -> None:
    """And nothing else is touched."""
    copy = tmp_path / path.name
    copy.write_bytes(path.read_bytes())
    PERFT.write(copy, [tuple(0 for _ in each.counts) for each in PERFT.read(path)])
    assert {number for each in PERFT.read(copy) for number in each.counts} == {0}
    PERFT.write(copy, [each.counts for each in PERFT.read(path)])
    assert copy.read_bytes() == path.read_bytes()


def test_every_game_has_its_table() -> None:
    assert {position.game for position in POSITIONS.values()} == set(GAMES)
