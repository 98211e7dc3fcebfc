"""What is visible, and how it is written.  royal_flush 4, 12.0.3–12.0.5."""

from __future__ import annotations

from random import Random

import pytest

from engine import actions as ca
from engine.cards import PACK
from engine.games.royal_flush import actions as a
from engine.games.royal_flush import events as e
from engine.kernel import HOST, fold
from engine.visibility import AUDITOR, OBSERVER, SERVER, Private, redact
from tests.games.royal_flush.tables import GAME, PLAYER, Play, cards

UNKNOWN = (0,) * 52


def in_round_two() -> Play:
    """Round 2, two of four piles searched."""
    play = Play.started(Random(3).sample(PACK, 52))
    play.do(0, a.AutoPlay("round"))
    play.do(0, a.DealPiles())
    play.do(0, a.SearchPile(1))
    play.do(0, a.SearchPile(2))
    return play


def test_player_and_observer_see_the_same() -> None:
    """4.2."""
    play = in_round_two()
    for viewer in (PLAYER, OBSERVER, PLAYER | OBSERVER):
        assert GAME.view(play.state, viewer) == play.seen()
    assert GAME.view(play.state, AUDITOR) != play.seen()
    assert GAME.view(play.state, AUDITOR | OBSERVER) == GAME.view(play.state, AUDITOR)


def test_a_running_game_shows_sizes_and_found_cards_only() -> None:
    """4.3, 4.4, 12.0.5."""
    play = in_round_two()
    seen, whole = play.seen(), GAME.view(play.state, AUDITOR)
    assert seen.stock == ()
    assert [len(pile) for pile in seen.piles] == [len(pile) for pile in whole.piles]
    for pile, real in list(zip(seen.piles, whole.piles, strict=True))[:2]:
        assert pile == real[:1] + (0,) * (len(real) - 1)
    assert not any(seen.piles[2] + seen.piles[3])
    assert seen.discard == whole.discard
    assert seen.claimed == whole.claimed
    assert seen.deck == ()
    play.do(0, a.AutoPlay("round"))
    gathered = play.seen()
    assert gathered.stock == (0,) * len(gathered.stock)  # found cards are hidden again


def test_the_one_private_field_is_the_order() -> None:
    """4.2, 6.10."""
    play = Play.started()
    play.do(0, a.AutoPlay("game"))
    hidden = [event for event in play.events if redact(event, OBSERVER) != event]
    assert [type(event).__name__ for event in hidden] == ["DeckShuffled"]
    told = redact(hidden[0], PLAYER)
    assert told.order == Private(UNKNOWN, SERVER, shown=False)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "end",
    [
        (0, a.AutoPlay("game")),
        (0, a.AbandonGame()),
        (0, ca.LeaveSeat()),
        (HOST, ca.TimeOut()),
    ],
)
def test_faces_appear_with_deck_revealed_and_not_before(end: tuple[int, ca.Action]) -> None:
    """4.5, between the events of one action as well."""
    play = in_round_two()
    before, state = len(play.events), play.state
    play.do(*end)
    unseen = set(play.seen().deck) - set(Play(state).seen().discard)
    for event in play.events[before:]:
        state = GAME.evolve(state, event)
        seen = GAME.view(state, OBSERVER)
        if isinstance(event, e.DeckRevealed):
            assert set(seen.deck) == set(PACK)
            assert 0 not in seen.stock + tuple(card for pile in seen.piles for card in pile)
            break
        assert seen.deck == ()
        assert not any(seen.stock)
        shown = {pile[0] for pile in seen.piles if pile} - {0}
        assert shown <= set(seen.claimed)
        assert all(not any(pile[1:]) for pile in seen.piles)
    assert unseen
    final = play.seen()
    assert (final.deck, final.next_pile) == (play.state.deck, 0)


def test_between_the_two_events_of_giving_up_the_unsearched_piles_stay_hidden() -> None:
    """4.4, 4.5: nobody was ever sent the first card of such a pile."""
    play = in_round_two()
    searched, state = play.seen().piles, play.state
    state = GAME.evolve(state, e.GameAbandoned(2, e.Why.PLAYER))
    seen = GAME.view(state, OBSERVER)
    assert seen.piles == searched
    assert (seen.phase, seen.next_pile) == ("GAME_OVER", 0)


def test_between_the_last_search_and_its_verdict_the_search_is_not_over() -> None:
    """Decision 0006: no next pile, not yet another phase."""
    play = Play.started()
    play.do(0, a.AutoPlay("game"))
    state = GAME.initial()
    for event in play.events:
        if isinstance(event, e.GameWon | e.GameLost):
            seen = GAME.view(state, OBSERVER)
            assert (seen.phase, seen.next_pile, seen.round) == ("SEARCH", 0, 5)
        state = GAME.evolve(state, event)


def test_everything_stays_visible_until_the_next_start() -> None:
    """4.1, 4.5: after closing too."""
    play = in_round_two()
    play.do(0, a.AutoPlay("game"))
    final = play.seen()
    again = Play(play.state)
    play.do(HOST, ca.CloseTable())
    closed = play.seen()
    assert (closed.piles, closed.deck, closed.claimed) == (final.piles, final.deck, final.claimed)
    again.do(HOST, a.StartGame())
    started = again.seen()
    assert (started.stock, started.deck, started.claimed) == (UNKNOWN, (), ())


def test_before_the_first_game_there_is_nothing() -> None:
    """4.1, 12.0.3."""
    assert GAME.lines(Play.opened().seen()) == [("phase", "LOBBY"), ("stacks", "none")]
    assert GAME.lines(Play.seated().seen()) == [
        ("phase", "LOBBY"),
        ("players", "0=ann"),
        ("stacks", "0=100"),
    ]
    plain = Play.opened()
    plain.do(0, ca.TakeSeat("p0", 0))
    assert GAME.lines(plain.seen()) == [("phase", "LOBBY")]


def test_lines_stand_in_the_order_of_the_table() -> None:
    """12.0.3, and the lines that follow from them (12.0.4)."""
    play = in_round_two()
    keys = [key for key, _ in GAME.lines(GAME.view(play.state, AUDITOR))]
    assert keys == [
        "phase",
        "players",
        "stacks",
        "round",
        "next",
        "pile 1",
        "pile 2",
        "pile 3",
        "pile 4",
        "claimed",
        "discard",
        "deck",
    ]
    assert [key for key, _ in GAME.derived(play.seen())] == [
        "game",
        "possible",
        "fixed",
        "wanted",
        "in_play",
        "win_certain",
    ]
    play.do(0, a.AbandonGame())
    assert [key for key, _ in GAME.lines(play.seen())][-3:] == ["deck", "result", "tally"]


def test_derived_lines_between_games_follow_from_what_has_stayed() -> None:
    """12.0.4."""
    play = Play.started(cards("2c 3d 9s Jh"))
    play.do(0, a.AutoPlay("game"))
    after = play.fields()
    assert after["possible"] == "1"
    assert len(after["fixed"].split()) == 5
    assert after["win_certain"] == "no"
    fresh = Play.opened().fields()
    assert (fresh["possible"], fresh["fixed"], fresh["in_play"]) == ("4", "none", "0")


def test_an_observer_who_folds_what_he_was_sent_sees_what_he_is_shown() -> None:
    """C10, at the end of a game and in the middle."""
    play = in_round_two()
    for _ in range(2):
        told = fold(GAME, [redact(event, OBSERVER) for event in play.events])
        assert GAME.view(told, OBSERVER) == play.seen()
        play.do(0, a.AutoPlay("game"))
        play.do(HOST, a.StartGame())


def test_views_of_other_games_are_mistakes() -> None:
    with pytest.raises(TypeError, match="no view of Royal Flush"):
        GAME.lines(object())  # type: ignore[arg-type]
