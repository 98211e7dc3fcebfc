"""Dealing, searching, gathering, winning.  royal_flush 5.3, 6.5–6.8, 7."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from engine.actions import TakeSeat
from engine.cards import PACK, from_set, rank_of
from engine.games.royal_flush import actions as a
from engine.games.royal_flush import events as e
from engine.games.royal_flush.layout import deal, gather, sizes
from engine.games.royal_flush.options import read_options
from engine.games.royal_flush.target import Family, hands
from engine.kernel import HOST
from engine.visibility import OBSERVER
from tests.games.royal_flush.by_hand import play_by_hand
from tests.games.royal_flush.tables import GAME, Play, cards, named, placed
from tests.games.royal_flush.test_against_core import STYLES, TARGETS, Target, options

ROUNDS = (5, 4, 3, 2, 1)


def family_of(target: Target) -> list[frozenset[int]]:
    """The hands of a target, each a set of ids."""
    none = {"none": None}
    if target.named != "none":
        return [frozenset(cards(target.named.replace(",", " ")))]
    family = Family(
        target.mode,
        none.get(target.suit, target.suit),
        none.get(target.rank, target.rank),
        none.get(target.pair, target.pair),
    )
    return [frozenset(from_set(hand)) for hand in hands(family)]


@pytest.mark.parametrize("style", STYLES, ids="-".join)
def test_every_event_is_that_of_a_game_played_with_cards(style: tuple[str, str, str]) -> None:
    """6.4–6.8, 7.1–7.11, all events of whole games, for a part of the targets."""
    rng = Random("by hand" + "-".join(style))
    few = [t for t in TARGETS if t.mode in {"royal_flush", "named_cards"}]
    few += [t for t in rng.sample(TARGETS, 40) if t.mode != "full_house" or t.rank != "none"]
    for target in few:
        deck = tuple(rng.sample(PACK, 52))
        play = Play.started(deck, **options(style, target))
        play.do(0, a.AutoPlay("game"))
        started = named(play.events).index("DeckShuffled")
        assert play.events[started + 1 :] == play_by_hand(deck, style, family_of(target))


@pytest.mark.parametrize("style", STYLES, ids="-".join)
def test_a_game_is_twenty_four_steps_and_auto_play_makes_no_events_of_its_own(
    style: tuple[str, str, str],
) -> None:
    """5.3, 6.8: step by step, by scopes, at once: the same events."""
    rng = Random("steps" + "-".join(style))
    for target in (TARGETS[0], Target("named_cards", named="Ah,2c"), Target("four_of_a_kind")):
        deck = tuple(rng.sample(PACK, 52))
        by_steps, by_scopes, at_once, single = (
            Play.started(deck, **options(style, target)) for _ in range(4)
        )
        steps = 0
        for n in ROUNDS:
            by_steps.do(0, a.DealPiles())
            for pile in range(1, n + 1):
                assert by_steps.state.next_pile == pile
                by_steps.do(0, a.SearchPile(pile))
            steps += 1 + n
            if n > 1:
                by_steps.do(0, a.GatherPiles())
                steps += 1
        assert steps == 24
        for _ in ROUNDS:
            by_scopes.do(0, a.AutoPlay("round"))
        at_once.do(0, a.AutoPlay("game"))
        for _ in range(24):
            single.do(0, a.AutoPlay("step"))
        assert by_steps.events == by_scopes.events == at_once.events == single.events
        assert by_steps.state == at_once.state
        assert by_steps.state.phase == "GAME_OVER"


def test_auto_play_of_a_round_stops_behind_the_gathering() -> None:
    """6.8."""
    play = Play.started()
    play.do(0, a.DealPiles())
    play.do(0, a.SearchPile(1))
    assert named(play.do(0, a.AutoPlay("round")))[-1] == "PilesGathered"
    assert (play.state.round, play.state.phase) == (2, "DEAL")


def test_the_first_royal_card_fixes_the_suit() -> None:
    """7.3, 7.6, 6.6: the order of the events of one search."""
    deck = [0] * 52
    first = cards("2c 3d 9s Jh Ah Ts 4c 5c 6c 7c 8c")
    for turn, card in enumerate(first):
        deck[turn * 5] = card  # every fifth card of a round robin lies in pile 1
    rest = iter(card for card in PACK if card not in first)
    play = Play.started([card or next(rest) for card in deck])
    play.do(0, a.DealPiles())
    assert play.do(0, a.SearchPile(1)) == (
        e.PileTurnedUp(1, 1, 11),
        e.CardsDiscarded(1, 1, cards("2c 3d 9s")),
        e.CardFound(1, 1, cards("Jh")[0], 7),
        e.CardClaimed(cards("Jh")[0], 1),
        e.TargetFixed(cards("Th Jh Qh Kh Ah")),
    )


def test_a_family_of_one_hand_is_fixed_at_the_start() -> None:
    """7.6, 6.4: once a game."""
    play = Play.started(target_suit="s")
    assert play.events[-1] == e.TargetFixed(cards("Ts Js Qs Ks As"))
    play.do(0, a.AutoPlay("game"))
    assert Counter(named(play.events))["TargetFixed"] == 1


@pytest.mark.parametrize("mode", ["royal_flush", "straight_flush", "four_of_a_kind", "full_house"])
def test_nothing_needed_is_ever_lost(mode: str) -> None:
    """7.8: cards of possible hands stay, never fewer cards than piles, one hand at least."""
    rng = Random(mode)
    for _ in range(12):
        play = Play.started(rng.sample(PACK, 52), target_mode=mode)
        while play.state.phase != "GAME_OVER":
            play.do(0, a.AutoPlay("step"))
            seen = play.seen()
            assert seen.possible >= 1
            assert set(seen.wanted).isdisjoint(seen.discard)
            assert set(seen.claimed) <= set(seen.wanted)
            if seen.phase == "DEAL":
                assert len(seen.stock) >= 6 - seen.round
        won = isinstance(play.events[-2], e.GameWon)
        assert won == (seen.in_play == play.state.options.size)
        assert not won or "TargetFixed" in named(play.events)


def test_a_pile_without_cards_is_emptied_and_nothing_else() -> None:
    """6.5, 6.6, A12: two cards for four piles."""
    play = placed(
        "phase DEAL\nround 2\nstock Ah 2c\nclaimed Ah",
        target_mode="named_cards",
        named_cards="Ah,2c",
    )
    assert play.do(0, a.DealPiles()) == (e.PilesDealt(2, (1, 1, 0, 0)),)
    play.do(0, a.SearchPile(1))
    play.do(0, a.SearchPile(2))
    assert play.do(0, a.SearchPile(3)) == (e.PileEmptied(2, 3),)
    assert play.do(0, a.SearchPile(4)) == (e.PileEmptied(2, 4),)
    assert play.do(0, a.GatherPiles()) == (e.PilesGathered(2, (1, 2), 2, 50),)


def test_piles_are_dealt_as_even_as_can_be() -> None:
    """6.5, A11."""
    assert [sizes(m, 5) for m in (52, 5, 4)] == [(11, 11, 10, 10, 10), (1,) * 5, (1, 1, 1, 1, 0)]
    for stock in range(1, 53):
        for piles in range(1, 6):
            counts = sizes(stock, piles)
            assert sum(counts) == stock
            assert sorted(counts, reverse=True) == list(counts)
            assert counts[0] - counts[-1] <= 1


@pytest.mark.parametrize(
    ("deal_style", "search_style", "first"),
    [
        ("round_robin", "turn_pile", (0, 3, 6)),
        ("round_robin", "card_by_card", (6, 3, 0)),
        ("pile_by_pile", "turn_pile", (0, 1, 2)),
        ("pile_by_pile", "card_by_card", (2, 1, 0)),
        ("packet", "turn_pile", (2, 1, 0)),
        ("packet", "card_by_card", (0, 1, 2)),
    ],
)
def test_search_orders(deal_style: str, search_style: str, first: tuple[int, ...]) -> None:
    """7.1: the table, on a stock of seven cards for three piles."""
    given, _ = read_options(
        {
            "deal_style": deal_style,
            "search_style": search_style,
            "gather_style": "as_they_lie",
        }
    )
    piles = deal(tuple(range(7)), sizes(7, 3), given)
    assert piles[0] == first
    assert sorted(place for pile in piles for place in pile) == list(range(7))


def test_the_figure_of_the_gathering() -> None:
    """7.9: a1 a2 a3 / b1 / c1 c2, and an empty pile between them (A6)."""
    piles = ((1, 2, 3), (), (11,), (21, 22))
    assert gather(piles, "turn_packet") == ((3, 2, 1, 11, 22, 21), (1, 3, 4))
    assert gather(piles, "turn_piles") == ((22, 21, 11, 3, 2, 1), (4, 3, 1))
    assert gather(piles, "as_they_lie") == ((21, 22, 11, 1, 2, 3), (4, 3, 1))


LAST = "phase SEARCH\nround 5\nnext 1\nclaimed Th\npile 1 "


@pytest.mark.parametrize(
    ("pile", "verdict"),
    [
        ("Th Ah Jh Kh Qh", e.GameWon(cards("Th Ah Jh Kh Qh"))),  # any order (A14)
        ("2c 3c Th Ah Jh Kh Qh", e.GameWon(cards("Th Ah Jh Kh Qh"))),  # above: discarded (A15)
        ("Th Ah 2c Jh Kh Qh", e.GameLost(cards("Th Ah 2c Jh Kh Qh"), 1)),  # below: lost
        ("Th Ah Jh Kh Qh As Ks", e.GameLost(cards("Th Ah Jh Kh Qh As Ks"), 2)),
    ],
)
def test_only_the_hand_may_be_left(pile: str, verdict: object) -> None:
    """7.11."""
    play = placed(LAST + pile)
    made = play.do(0, a.SearchPile(1))
    assert made[-2] == verdict
    assert isinstance(made[-1], e.DeckRevealed)
    assert play.state.phase == "GAME_OVER"


def test_a_disagreement_about_the_win_is_an_internal_fault() -> None:
    """7.11: size and cards are both looked at."""
    play = placed(LAST + "Th Ah Jh Kh Qh")
    options = play.state.options._replace(size=4)
    play.state = play.state._replace(options=options)
    with pytest.raises(AssertionError, match=r"7\.8"):
        play.do(0, a.SearchPile(1))


def test_the_win_is_certain_while_only_the_hand_is_in_play() -> None:
    """7.12, A16: the rounds go on."""
    play = placed("phase DEAL\nround 3\nclaimed Th\nstock Th Ah Jh Kh Qh")
    assert play.seen().win_certain
    made = play.do(0, a.AutoPlay("game"))
    assert isinstance(made[-2], e.GameWon)
    assert not play.seen().win_certain
    again = placed("phase DEAL\nround 3\nclaimed Th\nstock Th Ah Jh Kh Qh")
    again.do(0, a.AbandonGame())
    assert again.fields()["tally"] == "0 0 1"  # 6.9: abandoned, though it was certain


def test_a_full_house_is_fixed_by_its_fifth_claim_at_the_latest() -> None:
    """7.6: whichever cards are claimed."""
    for hand in (cards("Kc Kd Kh 2c 2d"), cards("2c 2d 2h Ks Kc")):
        family = [frozenset(from_set(h)) for h in hands(Family("full_house"))]
        for four in combinations(hand, 4):
            assert len([h for h in family if set(four) <= h]) > 1
        assert [h for h in family if set(hand) <= h] == [frozenset(hand)]


def test_four_of_a_kind_is_fixed_by_its_first_card() -> None:
    """7.2, A17."""
    play = Play.started(target_mode="four_of_a_kind")
    play.do(0, a.DealPiles())
    made = play.do(0, a.SearchPile(1))
    fixed = made[-1]
    assert isinstance(fixed, e.TargetFixed)
    assert {rank_of(card) for card in fixed.cards} == {0}


def test_a_second_shuffle_is_asked_for_only_by_the_next_game() -> None:
    """7.10: the pack is never shuffled or cut within a game."""
    play = Play.started()
    play.do(0, a.AutoPlay("game"))
    assert Counter(named(play.events))["DeckShuffled"] == 1
    play.do(HOST, a.StartGame())
    assert Counter(named(play.events))["DeckShuffled"] == 2
    assert play.refused(0, TakeSeat("bob", 1)) == "WRONG_PHASE"


def test_each_step_answers_one_decision() -> None:
    """Decision 0006: one of the counted events for each of the 24 steps."""
    play = Play.started()
    made = play.do(0, a.AutoPlay("game"))
    assert sum(type(event) in GAME.DECIDES for event in made) == 24


def test_between_the_shuffle_and_the_first_event_nothing_is_certain() -> None:
    """Decision 0006: every state between two events can be seen."""
    play = Play.started(target_mode="named_cards", named_cards="Ah")
    play.do(0, a.AutoPlay("game"))
    state = GAME.initial()
    for event in play.events:
        state = GAME.evolve(state, event)
        seen = GAME.view(state, OBSERVER)
        running = seen.phase in {"DEAL", "SEARCH", "GATHER"}
        assert seen.win_certain == (running and seen.in_play == 1)
