"""Royal Casino on a terminal: what is drawn and told, and what is typed."""

from __future__ import annotations

from io import StringIO
from random import Random

import pytest
from rich.console import Console

from engine.games import GAMES
from engine.games.royal_casino import actions as a
from engine.games.royal_casino import events as e
from engine.visibility import OBSERVER, redact, seat_viewer
from service.cli.draw import Faces, drawing
from service.cli.draw.offers import explained
from service.cli.draw.story import story
from service.client.offers import BadChoice, choose, offer_text
from service.rpc.messages import _offer
from tests.games.royal_casino.tables import GAME, cards, drawn_position, placed
from tests.games.royal_casino.test_walks import Life

FACES = Faces(symbols=False)


def drawn(
    text: str, me: int | None = 0, faces: Faces = FACES, width: int = 112, **options: str
) -> str:
    state = placed(text, **options).state
    seen = GAME.view(state, OBSERVER if me is None else seat_viewer(me))
    console = Console(file=StringIO(), width=width, color_system=None, highlight=False)
    console.print(drawing(GAME, seen, faces, me))
    file = console.file
    assert isinstance(file, StringIO)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines())


def test_a_table_as_its_player_sees_it() -> None:
    """Partners score together; a lock, a sweep and who is away are said."""
    told = drawn(
        """
        scores 18 3
        sweeps 1 0
        stacks 0=0 1=0 2=5 3=0
        out 3
        pot 40
        dealer 2
        turn 1
        hand 0 As 2c
        hand 1 9c Qd
        hand 2 3c 3d
        hand 3 9d 8d
        loose 5h
        build b1 9/1 [2d 7c] [4c 5c]
        """,
        players="4",
    )
    title, left, partner = told.splitlines()[:3]
    assert title == "Deal 1 · Seat 1 is to act · pot 40"
    assert left == "> Seat 1                          ## ##   pile 11 · 3 points"
    assert partner.startswith(
        "  Seat 2 (your partner, dealer)   ## ##   pile 12 · 1 sweep · 18 points · wins only"
    )
    assert partner.endswith("wins only by most cards · 5 chips")
    assert "sits out" in told
    assert "       b1 9 [2d 7c][4c 5c] of Seat 1" in told
    assert told.rstrip().splitlines()[-1].startswith("  You")


@pytest.mark.parametrize("width", [30, 40, 80])
def test_a_narrow_window_cuts_no_card(width: int) -> None:
    text = TABLE.replace("hand 0 Ac 6d 7s", "hand 0 Ac 6d Th 7s").replace("Qd 6h", "Qd 6h Js")
    told = drawn("scores 18 19\nstacks 0=1000 1=2000" + text, width=width)
    assert "…" not in told
    assert "6d 7s 10h Ac" in told
    if width >= 40:
        words = told.split()
        for word in ("Seat", "(dealer)", "You", "most", "cards", "diamonds", "1000", "chips"):
            assert word in words


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("phase LOBBY\nstacks none", "  nobody sits here yet"),
        ("phase BETWEEN_DEALS\ndealer 0", "between deals"),
        ("phase GAME_OVER\ndealer 0\nresult won 1 TARGET", "the game is over · won by Seat 1"),
        (
            "phase GAME_OVER\ndealer 0\nresult drawn 0,1 DEAL_CAP",
            "the game is over · shared by you and Seat 1",
        ),
    ],
)
def test_a_table_without_a_deal(text: str, line: str) -> None:
    assert line in drawn(text).splitlines()


def test_every_event_is_told() -> None:
    """To each seat and to an observer, and nobody is told a card that he was not shown."""
    kinds = set()
    for seed in range(40):
        life = Life(seed)
        kinds.update(map(type, life.events))
        for me in (None, 0, 1):
            viewer = OBSERVER if me is None else seat_viewer(me)
            seen = [redact(event, viewer) for event in life.events]
            told = [line.plain for line in story("royal_casino", seen, FACES, me)]
            assert told
            assert all(line and "##" not in line for line in told)
    assert kinds >= {e.BuildRaised, e.BuildExtended, e.SweepMade, e.ResidueAwarded, e.PotPaid}


def test_every_offer_is_explained() -> None:
    for seed in range(60):
        state = drawn_position(Random(seed))
        (seat,) = GAME.to_act(state)
        seen = GAME.view(state, seat_viewer(seat))
        for offer in GAME.legal_actions(state, seat):
            assert explained(seen, seat, _offer(offer), FACES).plain


TABLE = """
    dealer 1
    turn 0
    hand 0 Ac 6d 7s
    hand 1 9c Qd 6h
    loose 5h Ad
    build b1 6/1 [2c 4c]
"""


@pytest.mark.parametrize(
    ("typed", "action"),
    [
        ("trail_card card=6d", a.TrailCard(*cards("6d"))),
        ("1 6d", a.TrailCard(*cards("6d"))),
        (
            "capture_cards card=6d loose=5h,Ad builds=b1",
            a.CaptureCards(*cards("6d"), cards("5h Ad"), ("b1",)),
        ),
        ("capture_cards card=6d loose=Ad,5h", a.CaptureCards(*cards("6d"), cards("Ad 5h"), ())),
        ("capture_cards card=6d builds=b1", a.CaptureCards(*cards("6d"), (), ("b1",))),
        ("build_cards card=Ac value=7 base=b1", a.BuildCards(*cards("Ac"), 7, (), "b1")),
        ("build_cards card=6d value=7 loose=Ad", a.BuildCards(*cards("6d"), 7, cards("Ad"), None)),
        ("capture_cards 6d 5h,Ad", a.CaptureCards(*cards("6d"), cards("5h Ad"), ())),
        ("capture_cards 6d b1", a.CaptureCards(*cards("6d"), (), ("b1",))),
        ("capture_cards 6d 5h,Ad b1", a.CaptureCards(*cards("6d"), cards("5h Ad"), ("b1",))),
        ("2 6d 5h,Ad b1", a.CaptureCards(*cards("6d"), cards("5h Ad"), ("b1",))),
        ("capture_cards Ac", a.CaptureCards(*cards("Ac"), cards("Ad"), ())),
        ("build_cards 6d 7 Ad", a.BuildCards(*cards("6d"), 7, cards("Ad"), None)),
        ("build_cards Ac 7 5h,Ad", a.BuildCards(*cards("Ac"), 7, cards("5h Ad"), None)),
        ("build_cards Ac 7 b1", a.BuildCards(*cards("Ac"), 7, (), "b1")),
        ("build_cards Ac 6 5h", a.BuildCards(*cards("Ac"), 6, cards("5h"), None)),
        ("build_cards Ac 6 5h b1", a.BuildCards(*cards("Ac"), 6, cards("5h"), "b1")),
    ],
)
def test_what_is_typed_is_played(typed: str, action: object) -> None:
    """By the number of an offer or by name, whatever offers have that name."""
    state = placed(TABLE).state
    offers = [_offer(offer) for offer in GAME.legal_actions(state, 0)]
    chosen = choose(GAMES["royal_casino"], 0, offers, typed)
    assert chosen == action
    GAME.decide(state, 0, chosen, None)  # type: ignore[arg-type]  # nothing is shuffled


def test_what_is_missing_is_asked_for() -> None:
    state = placed(TABLE.replace("loose 5h Ad", "loose 5h Ad 2d 3h Ks")).state
    offers = [_offer(offer) for offer in GAME.legal_actions(state, 0)]
    with pytest.raises(BadChoice, match="say loose="):
        choose(GAMES["royal_casino"], 0, offers, "capture_cards card=6d")


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("capture_cards", "several of the offers"),
        ("capture_cards 6d", "several of the offers"),
        ("build_cards", "several of the offers"),
        ("build_cards Ac", "several of the offers"),
        ("build_cards Ac 7", "several of the offers"),
        ("build_cards value=7", "several of the offers"),
        ("build_cards 7s", "none of the offers"),
        ("capture_cards 6d Ad b1 5h", "not understood: 5h"),
    ],
)
def test_what_may_be_several_offers_is_not_played(typed: str, why: str) -> None:
    """A name that three builds have is none of them."""
    state = placed(TABLE).state
    offers = [_offer(offer) for offer in GAME.legal_actions(state, 0)]
    with pytest.raises(BadChoice, match=why):
        choose(GAMES["royal_casino"], 0, offers, typed)


def test_what_no_offer_has_is_for_the_rules() -> None:
    state = placed(TABLE).state
    offers = [_offer(offer) for offer in GAME.legal_actions(state, 0)]
    chosen = choose(GAMES["royal_casino"], 0, offers, "build_cards 6d 7 5h")
    assert chosen == a.BuildCards(*cards("6d"), 7, cards("5h"), None)


def test_offers_name_no_lists_that_are_empty() -> None:
    state = placed(TABLE).state
    told = [offer_text(_offer(offer)) for offer in GAME.legal_actions(state, 0)]
    assert "capture_cards card=1 of Ac loose=any of [Ad] with one of Ad" in told
    assert "build_cards card=1 of Ac value=7 base=b1" in told
    assert not any("none" in each for each in told)


def test_who_deals_first_is_told_within_the_sentence() -> None:
    (mine, theirs) = (
        next(iter(story("royal_casino", [e.GameStarted(0)], FACES, me))).plain for me in (0, 1)
    )
    assert mine == "A game begins; you deal first."
    assert theirs == "A game begins; Seat 0 deals first."
