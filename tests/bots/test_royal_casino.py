"""Bots at Royal Casino: what they do is accepted, and sense wins from chance."""

from __future__ import annotations

from random import Random

import pytest

from engine.cards import parse_card
from engine.games import GAMES
from engine.games.royal_casino import actions as a
from engine.games.royal_casino import events as e
from engine.visibility import seat_viewer
from service.bots import Look, bot_of
from service.rpc.messages import _offer
from tests.bots.kitchen import Kitchen
from tests.games.royal_casino.tables import GAME, cards, drawn_position, placed

CASINO = GAMES["royal_casino"]
OPTIONS = (
    {},
    {"equal_card_rule": "no_trail_only", "raise_own_build": "true"},
    {"partner_builds": "allowed", "sweeps": "false"},
)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", ["random", "sensible"])
def test_what_a_bot_does_is_always_accepted(name: str, options: dict[str, str]) -> None:
    """Two, three and four seats: no refusal in any deal."""
    for seats in (2, 3, 4):
        table = Kitchen(CASINO, seats, seats, {**options, "players": str(seats)})
        bots = [bot_of(CASINO, name, seed) for seed in range(seats)]
        for _ in range(4):
            table.play(bots)


def test_the_same_seed_plays_the_same_deals() -> None:
    def played() -> list[tuple[int, object]]:
        table = Kitchen(CASINO, 3, 7, {"players": "3"})
        bots = [bot_of(CASINO, "sensible", seed) for seed in range(3)]
        table.play(bots)
        return table.actions

    assert played() == played()


def choice(text: str, seat: int = 0, **options: str) -> object:
    """What the sensible bot plays in a position."""
    state = placed(text, **options).state
    offers = [_offer(each) for each in GAME.legal_actions(state, seat)]
    look = Look(GAME, seat, GAME.view(state, seat_viewer(seat)), offers, options)
    return bot_of(CASINO, "sensible", 1)(look)


def test_it_takes_the_cards_that_score() -> None:
    """Big Casino rather than two plain cards; everything rather than a part."""
    taken = choice("dealer 1\nturn 0\nhand 0 Tc 9h\nhand 1 Qc Qd\nloose Td 4c 5c 7s\n")
    assert taken == a.CaptureCards(*cards("Tc"), cards("Td"), ())
    both = choice("dealer 1\nturn 0\nhand 0 9h Kc\nhand 1 Qc Qd\nloose 9d 4c 5c Jd\n")
    assert isinstance(both, a.CaptureCards)
    assert set(both.loose) == set(cards("9d 4c 5c"))


def test_it_builds_on_what_scores_and_takes_it_afterwards() -> None:
    """The ace of spades cannot be taken now, but with a build of nine it can later."""
    built = choice("dealer 1\nturn 0\nhand 0 8c 9h\nhand 1 Qc Qd\nloose As Kd\n")
    assert built == a.BuildCards(parse_card("8c"), 9, cards("As"), None)
    taken = choice("dealer 1\nturn 0\nhand 0 9h Kc\nhand 1 Qc Qd\nbuild b1 9/0 [8c As]\n")
    assert taken == a.CaptureCards(parse_card("9h"), (), ("b1",))


def test_it_leaves_what_is_worth_least() -> None:
    left = choice("dealer 1\nturn 0\nhand 0 2s Td Kc\nhand 1 Qc Qd 7h\nloose Qh\n")
    assert left == a.TrailCard(parse_card("Kc"))


def test_it_looks_at_no_more_than_its_view() -> None:
    """Others' hands, stock and piles may be any: the choice is the same."""
    for seed in range(25):
        state = drawn_position(Random(seed))
        (seat,) = GAME.to_act(state)
        seen = GAME.view(state, seat_viewer(seat))
        offers = [_offer(each) for each in GAME.legal_actions(state, seat)]
        look = Look(GAME, seat, seen, offers)
        assert bot_of(CASINO, "sensible", 3)(look) == bot_of(CASINO, "sensible", 3)(look)


@pytest.mark.parametrize("deals", [25, pytest.param(60, marks=pytest.mark.long)])
def test_sense_wins_from_chance(deals: int) -> None:
    """For two: the sensible bot scores well more than half of the points."""
    gains = [0, 0]
    for seed in range(deals):
        table = Kitchen(CASINO, 2, seed)
        table.play([bot_of(CASINO, "sensible", seed), bot_of(CASINO, "random", seed)])
        (scored,) = [event for event in table.events if isinstance(event, e.DealScored)]
        for side in (0, 1):
            gains[side] += scored.after[side] - scored.before[side]
    assert gains[0] > 1.7 * gains[1], gains
