"""``kartejo play pontoon``: a person who holds the bank, against bots."""

from __future__ import annotations

import re

from tests.cli.conftest import Commands

FIRST = ("-o", "first_banker=nominated", "-o", "nominated_seat=0")


def test_a_person_holds_the_bank(kartejo: Commands) -> None:
    """Deals, offers the bank for sale beside the turn, plays the bank; the story of the deal."""
    trade = "leave now\noffer_bank_sale 0 5\noffer_bank_sale 1 50\ndance\n"
    typed = f"\n{trade}start_deal\nbanker_stay\nq\n"
    told = kartejo("play", "pontoon", *FIRST, typed=typed).ok().out
    assert "You hold the bank." in told
    assert "no: leave stands alone; not understood: now" in told
    assert "no: that is no value this action takes (BAD_PARAMETER" in told
    assert "You offer Seat 1 a trade of the bank for 50 (offer 1)." in told
    assert "offer 1: You offer to sell Seat 1 the bank for 50" in told
    assert "no: dance is not on offer" in told
    assert re.search(r"\d  start_deal +a card to everybody", told)
    assert "--- Deal 1: You deal to Seat 1, Seat 2, Seat 3 and Seat 4 ---" in told
    assert "Offer 1 lapses." in told
    assert "The deal is over." in told
    # Where a punter had a pontoon, the bank and the next deal are his.
    assert "After deal 1 · " in told or "The bank goes to Seat" in told


def test_shoot_pontoon_asks_for_a_kitty_first(kartejo: Commands) -> None:
    """The kitty answers nothing: the turn goes on."""
    typed = "\nform_kitty 500\nform_kitty 80\nadd_to_kitty 5\nq\n"
    options = (*FIRST, "-o", "shoot=true")
    told = kartejo("play", "pontoon", *options, typed=typed).ok().out
    assert "no: a kitty begins with an amount that may be bet (KITTY_OUT_OF_RANGE" in told
    assert "You put 80 into the kitty." in told
    assert "You add 5 to the kitty: 85." in told
    assert "start_deal" in told
