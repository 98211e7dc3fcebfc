"""From the start of a hand to its first turn.  palace_poker 5.2–5.6, 6.2, 9.2."""

from __future__ import annotations

from engine.actions import AddChips, CloseTable, LeaveSeat, SitIn, SitOut, TakeSeat
from engine.cards import PACK, card_name, suit_of
from engine.events import DeckShuffled
from engine.games.palace_poker import events as e
from engine.games.palace_poker.actions import Fold, StartHand
from engine.kernel import HOST
from tests.games.palace_poker.tables import Play, named

TEN = dict.fromkeys(range(10), 1000)


def drawn(play: Play) -> list[tuple[int, str, int]]:
    """Seat, card and number of the draws for the deal."""
    return [
        (event.seat, card_name(event.card), event.draw)
        for event in play.events
        if isinstance(event, e.DealerCardDrawn)
    ]


def test_the_pack_is_shuffled_again_when_it_cannot_serve_all_that_are_tied() -> None:
    """5.3.3: seven times seven cards are drawn, three are left for seven."""
    suits = "cdhs"
    fours = [f"{rank}{suit}" for rank in "23456789TJQKA" for suit in suits]
    # Four of a rank in each round tie for the highest: seats 0…3, until the thirteenth.
    first = " ".join(fours)
    second = "2c 3c 4c 5c"
    play = Play.started(dict.fromkeys(range(4), 50), [first, second, "", ""])
    draws = drawn(play)
    assert len(draws) == 52 + 4
    assert draws[51] == (3, "As", 13)
    assert draws[52:] == [(0, "2c", 14), (1, "3c", 14), (2, "4c", 14), (3, "5c", 14)]
    purposes = [event.purpose for event in play.events if isinstance(event, DeckShuffled)]
    assert purposes == ["DEALER_DRAW", "DEALER_DRAW", "BANNER", "PALACE"]
    assert play.seen().dealer == 3


def test_too_few_cards_for_the_tied_but_some_left() -> None:
    """5.3.3: the cards left over are not used first."""
    ranks = "23456789TJQKA"
    pool = {rank: [rank + suit for suit in "cdhs"] for rank in ranks}
    # Three seats tie in thirteen draws; then no rank has three cards left, and one is highest.
    rows = [pool[rank].pop() for rank in ranks for _ in range(3)]
    rows += [pool["2"].pop(), pool["A"].pop(), pool["3"].pop()]
    play = Play.started(dict.fromkeys(range(3), 50), [" ".join(rows), "", ""])
    assert drawn(play)[-1] == (2, "3c", 14)
    assert play.seen().dealer == 1
    # Three seats, of which two tie in the first draw and in 24 more: 51 cards, one is left.
    pairs = [rank + suit for rank in "3456789TJQKA" for suit in "cdhs"]
    first = ["2c", pairs[0], pairs[1], *pairs[2:], "2d", "2h", "2s"]
    play = Play.started(dict.fromkeys(range(3), 50), [" ".join(first), "Kc Ac", "", ""])
    assert len(drawn(play)) == 1 + 48 + 2 + 2
    assert drawn(play)[-2:] == [(1, "Kc", 26), (2, "Ac", 26)]
    assert play.seen().dealer == 2


def test_banner_groups_and_the_whole_deal_of_ten() -> None:
    """5.5.1, 5.6: players 1–4, 5–8, 9–10; three rounds of palace cards; 12 cards to draw."""
    play = Play.started(TEN, ["", "", ""], dealer="9")
    hand = play.state.hand
    assert hand
    suits = [suit_of(hand.banners[seat]) for seat in hand.order]
    assert len(set(suits[:4])) == len(set(suits[4:8])) == 4
    assert suits[8] != suits[9]
    assert hand.order == tuple(range(10))
    assert len(hand.draw) == 12
    assert all(len(palace) == 3 for palace in hand.palaces)
    everything = [*hand.banners, *hand.draw, *(card for palace in hand.palaces for card in palace)]
    assert sorted(everything) == list(PACK)
    dealt = [event.seat for event in play.events if isinstance(event, e.PalaceCardDealt)]
    assert dealt == [*hand.order] * 3


def test_who_is_dealt_in() -> None:
    """5.2: chips, not out, not leaving; two of them at least."""
    play = Play.seated({0: 10, 2: 10, 4: 10, 6: 10}, ["", ""], dealer="6")
    play.do(2, SitOut())
    play.do(HOST, StartHand())
    assert play.seen().order == (0, 4, 6)
    assert play.refused(HOST, StartHand()) == "WRONG_PHASE"
    assert play.refused(HOST, CloseTable()) == "WRONG_PHASE"


def test_not_enough_players() -> None:
    """6.2."""
    play = Play.seated({0: 10})
    assert play.refused(HOST, StartHand()) == "NOT_ENOUGH_PLAYERS"
    play.do(1, TakeSeat("p1", 10))
    play.do(1, SitOut())
    assert play.refused(HOST, StartHand()) == "NOT_ENOUGH_PLAYERS"
    play.do(1, SitIn())
    play.shuffler = Play(decks=["", "", ""]).shuffler
    assert named(play.do(HOST, StartHand()))[0] == "HandStarted"


def test_antes_of_those_who_have_less() -> None:
    """5.4: capped only if less than the ante is paid; an ante of 0 is posted too."""
    play = Play.started({0: 4, 1: 5, 2: 6}, ["", ""], dealer="2")
    posted = [event for event in play.events if isinstance(event, e.AntePosted)]
    assert [(p.seat, p.amount, p.short) for p in posted] == [
        (0, 4, True),
        (1, 5, False),
        (2, 5, False),
    ]
    assert play.seen().capped == (0,)
    assert play.line("paid") == "0=4* 1=5 2=5"
    free = Play.started({0: 4, 1: 5}, ["", ""], dealer="1", ante="0")
    posted = [event for event in free.events if isinstance(event, e.AntePosted)]
    assert [(p.amount, p.short) for p in posted] == [(0, False), (0, False)]
    assert free.seen().pot == 0


def test_the_deal_passes_to_the_left_over_seats_that_are_not_dealt_in() -> None:
    """9.2: counted from the seat that dealt, occupied or not."""
    decks = [""] * 12
    play = Play.started({0: 50, 3: 50, 5: 50}, decks, dealer="3")
    assert play.seen().dealer == 3
    for seat in (5, 0):
        play.do(seat, Fold())
    play.do(3, LeaveSeat())
    play.do(HOST, StartHand())
    assert play.seen().dealer == 5
    play.do(0, Fold())
    play.do(HOST, StartHand())
    assert play.seen().dealer == 0


def test_the_first_dealer_of_a_table_with_a_start_fact() -> None:
    """9.2: as if the seat before had dealt."""
    assert Play.started({0: 50, 3: 50}, ["", ""], dealer="0").seen().dealer == 0
    assert Play.started({0: 50, 3: 50}, ["", ""], dealer="1").seen().dealer == 3


def test_seats_without_chips_wait_until_they_add_some() -> None:
    """9.1."""
    play = Play.started({0: 5, 1: 50, 2: 50}, ["", "", "", ""], dealer="2")
    for seat in (0, 1):
        play.do(seat, Fold())
    play.do(HOST, StartHand())
    assert play.seen().order == (2, 1)
    play.do(0, AddChips(9))
    assert play.seen().stacks[0] == 9
