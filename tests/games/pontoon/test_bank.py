"""Who gets the bank, and what is laid aside for it.  pontoon 9.1, 9.5–9.7, 6.13, S.10."""

from __future__ import annotations

import pytest

from engine.actions import AddChips, CloseTable, LeaveSeat, SitIn, SitOut, TakeSeat, TimeOut
from engine.errors import Refused
from engine.games.pontoon import actions as a
from engine.kernel import HOST, Budget, Range
from engine.table import MAX_CHIPS
from tests.games.pontoon.tables import GAME, Play, named, placed

LAST = """
    phase BANKER_TURN
    deal 2
    stacks 0=1000 1=0 2=500 3=500
    banker 0
    bank_hand Kd 9h
    hands 1 1[8c 7c]
    hands 2 1[Qc 5s]
    bets 1=20 2=40
    closed 1.1 2.1
"""


def test_a_buyer_who_is_not_eligible_keeps_his_money() -> None:
    """9.5.2: the escrow counts, and still it is not enough; the banker stays."""
    play = placed("sale 1 50", LAST)  # 2 * 10 * 3 are needed
    events = play.do(0, a.BankerStay())
    assert "BankSaleVoided reason=BUYER_NOT_ELIGIBLE buyer=1 refund=50" in events
    assert play.line("banker") == "0"
    assert play.line("escrow") == "0"
    assert play.line("stacks").split()[1] == "1=50"


def test_with_the_escrow_it_is_just_enough() -> None:
    """And his purchase leaves him a banker who cannot deal (9.5.2)."""
    play = placed("sale 1 60", LAST)
    events = play.do(0, a.BankerStay())
    assert "BankSold seller=0 buyer=1 price=60" in events
    assert play.line("banker") == "1"
    assert play.refused(1, a.StartDeal()) == "BANK_CANNOT_COVER"
    assert set(play.offered(1)) == {"ResignBank"}
    play.do(1, AddChips(60))
    assert set(play.offered(1)) == {"StartDeal", "ResignBank"}


def test_a_void_sale_and_a_banker_who_leaves() -> None:
    """9.5.2, then 9.5.4: the vacancy goes to the left."""
    play = placed("sale 1 30", LAST)
    play.do(0, SitOut())
    events = named(play.do(0, a.BankerStay()))
    first = events.index("DealEnded")
    assert events[first:] == ["DealEnded", "BankSaleVoided", "BankPassed"]
    assert play.line("banker") == "2"
    assert play.line("out") == "0"
    assert play.line("vacated") == "0"


def test_a_pontoon_beats_the_deals_limit_no_more() -> None:
    """9.2, 9.7: the table closes instead of passing the bank; nobody holds it any more."""
    text = "hands 2 1[Ac Ks]\ndeal 5\nsale 1 30"
    play = placed(text, LAST, max_deals="5")
    events = named(play.do(0, a.BankerStay()))
    assert events[-2:] == ["BankSaleVoided", "TableClosed"]
    assert play.line("banker") == ""
    assert play.line("phase") == "CLOSED"


def test_a_pontoon_holder_who_cannot_afford_it_is_passed_over() -> None:
    """A32: then the next pontoon, else the bank stays."""
    text = "stacks 0=1000 1=10 2=500 3=500\nhands 1 1[As Kh]\nhands 2 1[Ac Ks]\nbets 1=5 2=40"
    play = placed(text, LAST)
    assert "BankPassed from=0 to=2 reason=PONTOON" in play.do(0, a.BankerStay())
    play = placed(text.replace("hands 2 1[Ac Ks]", "hands 2 1[Qc 5s]"), LAST)
    assert "BankPassed" not in named(play.do(0, a.BankerStay()))
    assert not play.line("reshuffle"), "the position did not say that one was due"


def test_a_pontoon_holder_who_sits_out_next_is_passed_over() -> None:
    play = placed("hands 2 1[Ac Ks]\nout_next 2", LAST)
    assert "BankPassed" not in named(play.do(0, a.BankerStay()))


def test_the_cards_for_the_cut_run_out_for_nobody_but_the_lowest_seat() -> None:
    """9.1: eight players tie again and again until the pack cannot serve them."""
    ranks = ["2", "3", "4", "5", "6", "7"]
    pairs = " ".join(f"{rank}c {rank}d" for rank in ranks)
    more = " ".join(f"{rank}h {rank}s" for rank in ranks)
    rest = " ".join(f"{rank}{suit}" for rank in "89TJQKA" for suit in "cdhs")
    play = Play.seated({0: 500, 1: 500}, [f"{pairs} {more} {rest}"])
    events = play.do(HOST, a.StartGame())
    assert events[-1] == "BankerChosen seat=0 method=CUT"
    assert len([event for event in events if event.startswith("BankCardCut")]) == 52


def test_chips_of_a_table_never_pass_the_greatest_amount() -> None:
    """C2, 6.14: escrow, stakes and kitty count."""
    play = placed("stacks 0=1000 1=0 2=500 3=500\nsale 1 50", LAST)
    left = MAX_CHIPS - 1000 - 1000 - 50 - 60
    assert play.refused(4, TakeSeat("eve", left + 1)) == "BAD_PARAMETER"
    play.do(4, TakeSeat("eve", left))
    assert play.refused(3, AddChips(1)) == "BAD_PARAMETER"
    assert play.refused(5, TakeSeat("dan", 1)) == "BAD_PARAMETER"
    for amount in (None, 0, -1, -(2**63), 2**63, 2**64):
        assert play.refused(3, AddChips(amount)) == "BAD_PARAMETER"
        assert play.refused(5, TakeSeat("dan", amount)) == "BAD_PARAMETER"
        assert play.refused(0, AddChips(amount)) == "IN_HAND"


def test_stakes_whose_double_passes_64_bits_are_settled_exactly() -> None:
    """1.4: products are exact; table stakes pay what there is."""
    stake = 2**62 + 1
    text = f"stacks 0=1000 1=0\nhands 1 1[Ac Ks]\nhands 2 -\nbets 1={stake}\nclosed 1.1"
    play = placed(text, LAST, cover_mode="table_stakes", max_bet=str(MAX_CHIPS))
    events = play.do(0, a.BankerStay())
    assert f"BankFellShort seat=1 hand=1 owed={2 * stake} paid=1000" in events
    assert play.line("stacks") == f"0=0 1={stake + 1000}"


def test_leaving_a_closed_table_is_all_that_is_left() -> None:
    play = Play.banked({0: 500, 1: 500})
    play.do(HOST, CloseTable())
    for action in (SitOut(), SitIn(), AddChips(1), a.StartDeal(), TakeSeat("x", 1)):
        assert play.refused(0, action) == "TABLE_CLOSED"
    for host in (CloseTable(), TimeOut(), a.StartGame()):
        assert play.refused(HOST, host) == "TABLE_CLOSED"
    assert named(play.do(0, LeaveSeat())) == ["SeatLeft"]
    assert play.refused(0, LeaveSeat()) == "NOT_SEATED"


def test_who_comes_during_an_auction_makes_the_bank_dearer() -> None:
    """9.1: evaluated at each moment; the bidder whose turn it is keeps it and may only pass."""
    text = """
        phase AUCTION
        deal 3
        stacks 0=500 1=50 2=300
        banker 0
        bidders 1 2
        turn 1
    """
    play = placed(text, "", shoot="true")
    assert play.offered(1)["BidForBank"].limits == (Range("amount", 0, 0),)
    play.do(3, TakeSeat("eve", 100))
    assert set(play.offered(1)) == {"PassBankBid"}
    assert play.refused(1, a.BidForBank(0)) == "INSUFFICIENT_CHIPS"
    assert named(play.do(1, a.PassBankBid())) == ["AuctionPassed"]
    assert play.refused(3, a.BidForBank(0)) == "NOT_A_BIDDER", "who came later is none"


def test_price_and_shoot_bet_share_what_is_behind() -> None:
    """10.1: 2x + y; the offer says so exactly."""
    text = (
        "kitty 500\nhands 1 1[2c 3c 4c]\nbought 1.1 20\nbets 1=20 2=40\nstacks 0=2000 1=110 2=400"
    )
    play = placed(text, shoot="true")
    offer = play.offered(1)["BuyCard"]
    assert offer.limits == (Range("amount", 20, 20), Range("shoot_bet", 0, 30, 0))
    assert offer.together == ()
    text = text.replace("bought 1.1 20", "bought 1.1 30").replace("1=110", "1=130")
    offer = placed(text, shoot="true").offered(1)["BuyCard"]
    assert offer.limits == (Range("amount", 20, 30), Range("shoot_bet", 0, 40, 0))
    assert offer.together == (Budget(("amount", "shoot_bet"), (2, 1), 80),)


def test_an_empty_stock_waives_the_minimum_and_stops_drawing() -> None:
    """10.6: all but unreachable, so the state is made by hand."""
    play = placed("hands 1 1[8c 8d]\nhands 2 1[2c 2d]")
    for left in (0, 1):
        play.state = play.state._replace(stock=play.state.stock[:left])
        assert play.refused(1, a.SplitHand()) == "DECK_EXHAUSTED"
    play.state = play.state._replace(stock=())
    assert play.refused(1, a.TwistCard()) == "DECK_EXHAUSTED"
    assert play.refused(1, a.BuyCard(20)) == "DECK_EXHAUSTED"
    assert set(play.offered(1)) == {"Stick"}
    play.do(1, a.Stick())
    assert set(play.offered(2)) == {"Stick"}, "4 is enough"
    events = play.do(HOST, TimeOut())
    assert "HandStuck seat=2 hand=1" in events
    assert play.refused(0, a.BankerDraw()) == "DECK_EXHAUSTED"
    assert "BankerStayed" in " ".join(play.do(HOST, TimeOut()))


def test_a_refused_start_says_what_it_takes() -> None:
    """6.1, 9.1: a table that begins with five tells the four who wait for a deal."""

    def detail(play: Play, actor: int, action: a.StartGame | a.StartDeal) -> dict[str, object]:
        with pytest.raises(Refused) as no:
            GAME.decide(play.state, actor, action, play.shuffler)
        return dict(no.value.detail)

    assert detail(Play.seated({0: 500, 1: 500}, min_players_to_start="5"), HOST, a.StartGame()) == {
        "needed": 5
    }
    between = "phase BETWEEN_DEALS\ndeal 1\nbanker 0\nstacks "
    assert detail(placed(between + "0=500 1=10", ""), 0, a.StartDeal()) == {"needed": 2}
    assert detail(placed(between + "0=30 1=500 2=500", ""), 0, a.StartDeal()) == {"need": 40}
