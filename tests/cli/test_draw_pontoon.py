"""Pontoon as people see it, its story in words, and what may be typed."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from engine.events import Event
from engine.games import GAMES
from engine.games.pontoon import actions as a
from engine.games.pontoon import events as e
from engine.kernel import HOST
from engine.notation import lines_of_text
from engine.visibility import AUDITOR, OBSERVER, redact, seat_viewer
from service.bots import bot_of
from service.cli.draw import Faces, drawing
from service.cli.draw.offers import explained
from service.cli.draw.pontoon_story import _SENTENCES
from service.cli.draw.story import story
from service.cli.reasons import _WORDS
from service.client.offers import BadChoice, aside, asides, choose, offer_text
from tests.bots.kitchen import Kitchen

ROOT = Path(__file__).parents[2]
PONTOON = GAMES["pontoon"]
SYMBOLS = Faces()
PLAYING = """
phase PLAYER_TURNS
deal 4
stacks 0=1000 1=60 2=400 4=90
out 4
leaving 2
banker 0
kitty 100
bank_hand Kd 9h
hands 1 1[8c Kc] 2[8d 3c 5h]
hands 2 1[Ac Ts]
bets 1=20 2=40
bought 1.2 20
shoot 1.2 30
closed 1.1
sale 1 50
stock Qs 6d 2c
"""


def placed(text: str = PLAYING, **options: str) -> Kitchen:
    table = Kitchen(PONTOON, 0, 1, {"min_players_to_start": "2", "shoot": "true", **options})
    table.state = PONTOON.place(table.state, lines_of_text(PONTOON.NUMBERED, text))
    return table


def drawn(table: Kitchen, viewer: int, me: int | None = None, faces: Faces = SYMBOLS) -> list[str]:
    file = StringIO()
    view = PONTOON.view(table.state, viewer)
    Console(file=file, width=100).print(drawing(PONTOON, view, faces, me))
    return [line.rstrip() for line in file.getvalue().splitlines()]


def test_the_table_as_a_punter_sees_it() -> None:
    assert drawn(placed(), seat_viewer(1), 1) == [
        "Deal 4 · You are to play",
        "  Seat 0 (banker)  1000 chips · kitty 100, 70 to shoot for",
        "      ▒▒ ▒▒",
        "  pack 43",
        "▸ You  60 chips",
        "   1. 8♣ K♣  18 · stake 20 · stuck",
        "   2. 8♦ 3♣ 5♥  16 · stake 40 · shoots 30",
        "  Seat 2  400 chips · leaving",
        "      ▒▒ ▒▒ · stake 40",
        "  Seat 4  90 chips · sits out",
        "  You have bought the bank for 50",
    ]


@pytest.mark.parametrize(
    ("cards", "note"),
    [
        ("1[Ac Kc] 2[Ad 5h]", "closed"),  # an ace that the split turned up says nothing
        ("1[Kc Ac] 2[Kd 5h]", "pontoon"),
        ("1[Kc 7c] 2[Kd 5h]", "stuck"),
        ("1[Ac Kc]", "pontoon"),
        ("1[9c Kc]", "stuck"),
    ],
)
def test_a_closed_hand_says_no_more_than_is_known(cards: str, note: str) -> None:
    """To the others; its owner sees what it is."""
    text = "phase PLAYER_TURNS\ndeal 4\nstacks 0=1000 1=200 2=400\nbanker 0\nbank_hand Kh 9h\n"
    text += f"hands 1 {cards}\nhands 2 1[8c Ts]\nbets 1=20 2=40\nclosed 1.1\n"
    table = placed(text, shoot="false")
    (line,) = [each for each in drawn(table, OBSERVER) if each.endswith(f"· {note}")]
    assert "stake 20" in line


def test_a_hand_that_is_over_counts_what_is_best() -> None:
    told = story("pontoon", [e.HandRevealed(2, 1, (13, 7))], SYMBOLS, None)
    assert [line.plain for line in told] == ["Seat 2 shows A♣ 8♣: 19."]


def test_no_drawing_shows_what_its_view_hides() -> None:
    table = placed()
    assert "\n".join(drawn(table, OBSERVER)).count("▒▒") == 2 + 1 + 2 + 2
    assert "▒▒" not in "\n".join(drawn(table, AUDITOR))
    assert drawn(table, seat_viewer(0), 0)[2] == "      K♦ 9♥  19"


def test_a_declared_pontoon_a_bust_and_a_trick() -> None:
    text = PLAYING.replace("closed 1.1", "closed 1.1 2.1").replace("leaving 2\n", "")
    text = text.replace("PLAYER_TURNS", "BANKER_TURN").replace("bank_hand Kd 9h", "bank_hand 2d 3d")
    text = text.replace("hands 1 1[8c Kc] 2[8d 3c 5h]", "hands 1 1[8c Kc] 2[]")
    text = text.replace("bought 1.2 20\nshoot 1.2 30\n", "")
    told = drawn(placed(text), seat_viewer(1), 1)
    assert "      2♦ 3♦  5" in told
    assert "   2. bust" in told
    assert "      A♣ ▒▒ · stake 40 · pontoon" in told


def test_between_deals_offers_and_auctions() -> None:
    text = """
        phase BETWEEN_DEALS
        deal 3
        stacks 0=500 1=300
        banker 0
        reshuffle yes
        offer 1 0 1 50
        offer 2 1 0 30
    """
    told = drawn(placed(text), OBSERVER)
    assert told[0] == "After deal 3 · Seat 0 is to deal"
    assert "  pack 52, to be shuffled before the next deal" in told
    assert "  offer 1: Seat 0 offers to sell Seat 1 the bank for 50" in told
    assert "  offer 2: Seat 1 offers 30 for the bank" in told
    text = """
        phase AUCTION
        deal 3
        stacks 0=500 1=300 2=300
        banker 0
        bidders 1 2
        bid 20 1
        turn 2
    """
    told = drawn(placed(text), OBSERVER, faces=Faces(symbols=False))
    assert told[0] == "After deal 3 · Seat 2 is to bid for the bank"
    assert "  Seat 1 bids 20 for the bank" in told
    assert "> Seat 2  300 chips · bids" in told


def test_before_the_first_banker() -> None:
    assert drawn(Kitchen(PONTOON, 0, 1), OBSERVER) == [
        "waiting for a banker",
        "  nobody sits here yet",
    ]


# --- the story --------------------------------------------------------------------------------


def sentences(events: list[Event], me: int | None) -> list[str]:
    viewer = OBSERVER if me is None else seat_viewer(me)
    seen = [redact(event, viewer) for event in events]
    return [line.plain for line in story("pontoon", seen, SYMBOLS, me)]


def test_every_event_of_the_game_has_its_sentence() -> None:
    assert set(PONTOON.EVENTS) <= set(_SENTENCES)


@pytest.mark.parametrize("name", ["random", "sensible"])
def test_any_deal_can_be_told_to_anybody(name: str) -> None:
    for shoot in ("true", "false"):
        table = Kitchen(PONTOON, 5, 3, {"shoot": shoot, "max_seats": "5"}, 2_000)
        bots = [bot_of(PONTOON, name, seed) for seed in range(5)]
        for _ in range(600):
            acting = PONTOON.to_act(table.state)
            if acting:
                table.do(acting[0], bots[acting[0]](table.look(acting[0])))
            elif PONTOON.can_start(table.state):
                table.do(HOST, PONTOON.START())
        for me in (None, 0, 3):
            told = sentences(table.events, me)
            assert len(told) > 100
            for sentence in told:
                assert sentence
                assert "None" not in sentence
                assert not re.search(r"\bYou \w+s\b", sentence.partition(".")[0]), sentence
            assert me is not None or not any("▒" in each for each in told)


# --- what may be typed ------------------------------------------------------------------------


def test_offers_say_what_they_are() -> None:
    table = placed(PLAYING.replace("1=60", "1=200"))
    look = table.look(1)
    told = {
        offer_text(offer): explained(look.view, 1, offer, SYMBOLS).plain for offer in look.offers
    }
    assert told["buy_card amount=20..20 shoot_bet=0..70".replace("20..20", "20")].endswith(
        "you may shoot up to 70 with it"
    )
    assert told["twist_card shoot_bet=0..70"].startswith("a card face up")
    assert told["stick"] == "no more cards for this hand"


def test_a_table_without_a_kitty_speaks_of_none() -> None:
    text = PLAYING.replace("kitty 100\n", "").replace("shoot 1.2 30\n", "").replace("1=60", "1=200")
    look = placed(text, shoot="false").look(1)
    told = [offer_text(offer) for offer in look.offers]
    assert told == ["buy_card amount=20", "twist_card", "stick"]


def test_a_budget_is_told() -> None:
    text = PLAYING.replace("1=60", "1=130").replace("bought 1.2 20", "bought 1.2 40")
    look = placed(text.replace("sale 1 50\n", "")).look(1)
    (buy,) = [offer for offer in look.offers if offer.action == "buy_card"]
    told = explained(look.view, 1, buy, SYMBOLS).plain
    assert told.endswith(", with 2·amount + shoot_bet at most 50")
    assert choose(PONTOON, 1, look.offers, "buy_card 20") == a.BuyCard(20, None)
    assert choose(PONTOON, 1, look.offers, "buy_card 20 10") == a.BuyCard(20, 10)


def test_trades_are_typed_at_any_time() -> None:
    assert set(asides(PONTOON)) >= {"offer_bank_sale", "accept_bank_offer", "form_kitty"}
    assert asides(GAMES["palace_poker"]) == ()
    assert aside(PONTOON, 0, "offer_bank_sale 1 50") == a.OfferBankSale(1, 50)
    assert aside(PONTOON, 0, "offer_bank_sale price=5 to=2") == a.OfferBankSale(2, 5)
    assert aside(PONTOON, 0, "offer_bank_sale price=5 2") == a.OfferBankSale(2, 5)
    assert aside(PONTOON, 1, "accept_bank_offer 3") == a.AcceptBankOffer(3)


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("offer_bank_sale", "say to, price"),
        ("offer_bank_sale 1", "say price"),
        ("offer_bank_sale 1 2 3", "not understood: 3"),
        ("offer_bank_sale to=1 to=2", "not understood: to=2"),
        ("offer_bank_sale whom=1", "not understood: whom=1"),
    ],
)
def test_what_a_trade_lacks(typed: str, why: str) -> None:
    with pytest.raises(BadChoice) as caught:
        aside(PONTOON, 0, typed)
    assert str(caught.value) == why


def test_refusals_in_plain_language() -> None:
    """Every reason of the specification has words of its own."""
    paths: list[Any] = [*(ROOT / "tests/hands/pontoon").glob("*.hand")]
    paths += (ROOT / "engine/games/pontoon").glob("*.py")
    text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    reasons = set(re.findall(r'Refused\(\s*"([A-Z0-9_]+)"', text))
    reasons |= set(re.findall(r"(?m)! ([A-Z0-9_]+)\b", text))
    assert len(reasons) > 40
    assert reasons <= set(_WORDS)
