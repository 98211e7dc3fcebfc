"""Palace Poker as people see it, and its story in words."""

from __future__ import annotations

import asyncio
import re
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console, RenderableType

from engine.cards import parse_card
from engine.errors import Refused
from engine.events import Event
from engine.games import GAMES
from engine.games.palace_poker import actions as a
from engine.games.palace_poker.events import EVENTS, PalaceRevealed
from engine.kernel import HOST, View
from engine.notation import lines_of_text
from engine.script import LocalStage, parse
from engine.script.model import Step
from engine.script.runner import opening_of
from engine.visibility import AUDITOR, OBSERVER, redact, seat_viewer
from service.bots import bot_of
from service.cli.draw import Faces, drawing
from service.cli.draw.offers import explained
from service.cli.draw.palace_story import _SENTENCES
from service.cli.draw.story import story
from service.cli.reasons import _WORDS, plain
from service.client.offers import BadChoice, choose, offer_text
from tests.bots.kitchen import PALACE, Kitchen

ROOT = Path(__file__).parents[2]
HANDS = ROOT / "tests" / "hands" / "palace_poker"
SYMBOLS = Faces()
BATTLE = """
phase BATTLE
hand 4
stacks 0=200 1=150 2=300 3=80 4=10
out 4
dealer 3
paid 0=25 1=5 2=15 3=5
exits 3=1
banner 0 Kh
banner 1 2c
banner 2 9d
palace 0 Kd Kc 4s
palace 1 3c 7c 8s
palace 2 5h 6s Td
soldiers 0 Qh
turn 0
actor 2
battle defender=2 to_call=10 raises=0 unmatched=0
"""


def rendered(what: RenderableType, width: int = 100) -> str:
    file = StringIO()
    Console(file=file, width=width, soft_wrap=True).print(what)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines())


def drawn(view: View, me: int | None = None, width: int = 100, faces: Faces = SYMBOLS) -> str:
    return rendered(drawing(PALACE, view, faces, me), width)


def placed(text: str, seats: int = 5) -> Kitchen:
    table = Kitchen(PALACE, seats, 1, {"max_seats": str(seats)})
    table.state = PALACE.place(table.state, lines_of_text(PALACE.NUMBERED, text))
    return table


def test_the_table_as_the_attacker_sees_it() -> None:
    """Seats clockwise, his own below; banners open, his palace open to him alone."""
    view = PALACE.view(placed(BATTLE).state, seat_viewer(0))
    assert drawn(view, 0).splitlines() == [
        "Hand 4 · Seat 2 is to act",
        "  Seat 2                 Seat 3 (dealer)        Seat 4".replace("  Seat 2", "▸ Seat 2"),
        "  [9♦] ▒▒ ▒▒ ▒▒",
        "",
        "  300 chips, 15 in pot   80 chips, 5 in pot     10 chips",
        "  price 10               1st to go              sits out",
        "  pot 50 · draw pile 39 · discards 0 · You attack Seat 2, 10 to call",
        "  Seat 1                 You",
        "  [2♣] ▒▒ ▒▒ ▒▒          [K♥] K♦ K♣ 4♠",
        "                         Q♥",
        "  150 chips, 5 in pot    200 chips, 25 in pot",
        "  price 10               price 20",
    ]


def test_a_quiet_mark_is_shown() -> None:
    view = PALACE.view(placed(TURN).state, seat_viewer(0))
    assert "price 10 · quiet" in drawn(view, 0)


def test_no_drawing_shows_what_its_view_hides() -> None:
    state = placed(BATTLE).state
    assert drawn(PALACE.view(state, OBSERVER)).count("▒▒") == 9
    assert drawn(PALACE.view(state, seat_viewer(2)), 2).count("▒▒") == 6
    assert "▒▒" not in drawn(PALACE.view(state, AUDITOR))


def test_a_narrow_output_lists_the_seats() -> None:
    told = drawn(PALACE.view(placed(BATTLE).state, seat_viewer(0)), 0, width=50)
    names = re.findall(r"(?m)^[ ▸] (You|Seat \d)", told)
    assert names == ["You", "Seat 1", "Seat 2", "Seat 3", "Seat 4"]
    assert all(len(line) <= 50 or "pot 50" in line for line in told.splitlines())


@pytest.mark.parametrize("seats", range(1, 11))
@pytest.mark.parametrize("me", [None, 0])
def test_everybody_sits_clockwise_around(seats: int, me: int | None) -> None:
    """Read from the bottom right to the left, then along the top, seats ascend from me on."""
    table = Kitchen(PALACE, seats, 1)
    told = drawn(PALACE.view(table.state, OBSERVER), me, width=200).splitlines()
    rows = [re.findall(r"You|Seat \d", line) for line in told]
    found = [row for row in rows if row]
    bottom, top = found[-1], found[0] if len(found) > 1 else []
    order = [*reversed(bottom), *top]
    first = "You" if me == 0 else "Seat 0"
    start = order.index(first)
    expected = [first, *(f"Seat {seat}" for seat in range(1, seats))]
    assert order[start:] + order[:start] == expected


def test_letters_where_there_are_no_symbols() -> None:
    view = PALACE.view(placed(BATTLE).state, seat_viewer(0))
    told = drawn(view, 0, faces=Faces(symbols=False)).replace("·", "")  # an output replaces it
    assert told.isascii()
    assert "[Kh] Kd Kc 4s" in told


def test_an_empty_table() -> None:
    table = Kitchen(PALACE, 0, 1)
    assert drawn(PALACE.view(table.state, OBSERVER)) == "between hands\n  nobody sits here yet"


# --- the story --------------------------------------------------------------------------------


def sentences(events: list[Event] | tuple[Event, ...], me: int | None) -> list[str]:
    viewer = OBSERVER if me is None else seat_viewer(me)
    seen = [redact(event, viewer) for event in events]
    return [line.plain for line in story("palace_poker", seen, SYMBOLS, me)]


def events_of_script(name: str) -> list[Event]:
    """What happens in the first script of a file."""
    path = HANDS / f"{name}.hand"
    script = next(iter(parse(path.read_text(encoding="utf-8"), str(path), GAMES)))

    async def played() -> list[Event]:
        stage = LocalStage(script.header.game)
        await stage.open(opening_of(script.header))
        events: list[Event] = []
        for line in script.lines:
            if isinstance(line, Step) and line.refusal is None:
                events += await stage.act(line.actor, line.action)
        return events

    return asyncio.run(played())


def test_the_complete_hand_in_words() -> None:
    """e20, as the player of seat 3 hears it."""
    told = sentences(events_of_script("e20_complete_hand"), 3)
    for line in (
        "--- Hand 1: Seat 0, Seat 1, Seat 2 and You ---",
        "You pay 5 of ante.",
        "5♥ is no banner for you: the suit is taken.",
        "Your banner is J♣.",
        "A♣ goes to your palace.",
        "Seat 2 buys K♣ for 10.",
        "You attack Seat 2 for 10; 20 to call.",
        "Seat 2 calls 20 and raises by 20.",
        "Seat 2 shows you K♦ Q♦ 2♠.",
        "You have a pair of aces and Seat 2 has king high. You win the battle.",
        "You capture K♣ 9♥ from Seat 2.",
        "Seat 0 shows Seat 1 the palace.",
        "Seat 0 wins the battle.",
        "You have to bet or to fold.",
        "The pot, 300, goes to: you 300.",
        "The hand is over: one player is left.",
    ):
        assert line in told, line


def test_an_observer_hears_no_hidden_card() -> None:
    told = "\n".join(sentences(events_of_script("e20_complete_hand"), None))
    assert "▒" not in told
    assert "palace." in told
    assert "goes to the palace" not in told


def test_every_event_of_the_game_has_its_sentence() -> None:
    assert set(EVENTS) <= set(_SENTENCES)


@pytest.mark.parametrize("name", ["random", "sensible"])
def test_any_hand_can_be_told_to_anybody(name: str) -> None:
    """Hands of bots with all ways to end, to every seat and to an observer: nothing is amiss."""
    for reveal in ("combatants", "all"):
        table = Kitchen(PALACE, 5, 3, {"battle_reveal": reveal, "max_seats": "5"})
        bots = [bot_of(PALACE, name, seed) for seed in range(5)]
        for _ in range(25):
            table.play(bots)
        for me in (None, 0, 3):
            for sentence in sentences(table.events, me):
                assert sentence
                assert "None" not in sentence
                assert " You " not in sentence.partition(".")[0] or sentence.startswith("---")
    assert any(isinstance(event, PalaceRevealed) for event in table.events)


# --- what may be typed ------------------------------------------------------------------------


def offers_at(text: str, seat: int, **options: str) -> Any:
    table = placed(text)
    table.state = table.state._replace(options=table.state.options._replace(no_limit=bool(options)))
    return table.look(seat)


TURN = BATTLE.replace("phase BATTLE", "phase TURN").replace("actor 2\n", "")
TURN = TURN[: TURN.index("battle ")] + "quiet 1\n"


@pytest.mark.parametrize(
    ("typed", "action"),
    [
        ("stay", a.Stay()),
        ("discard Qh", a.Discard((parse_card("Qh"),))),
        ("bet 2", a.Bet(2)),
        ("bet 1 90", a.Bet(1, 90)),
        ("bet target=1 amount=90", a.Bet(1, 90)),
        ("bet amount=90 target=2", a.Bet(2, 90)),
        ("5 60", a.Bet(2, 60)),
        ("5", a.Bet(2)),
        ("fold", a.Fold()),
    ],
)
def test_attacks_are_typed_by_seat_and_amount(typed: str, action: object) -> None:
    look = offers_at(TURN, 0, betting="no_limit")
    assert choose(PALACE, 0, look.offers, typed) == action


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("bet", "say target=1|2"),
        ("bet 3", "say target=1|2"),
        ("bet amount=30", "say target=1|2"),
        ("discard", "say cards=1 of Qh"),
        ("bet 1 2 3", "not understood: 3"),
    ],
)
def test_what_an_attack_lacks(typed: str, why: str) -> None:
    look = offers_at(TURN.replace("soldiers 0 Qh", "soldiers 0 Qh Jh"), 0, betting="no_limit")
    with pytest.raises(BadChoice) as caught:
        choose(PALACE, 0, look.offers, typed)
    assert str(caught.value) == why.replace("1 of Qh", "1 to 2 of Qh,Jh")


LAST_TWO = (
    TURN.replace("exits 3=1", "exits 2=2 3=1")
    .replace("banner 2 9d\n", "")
    .replace("palace 2 5h 6s Td\n", "")
)


@pytest.mark.parametrize(
    ("typed", "action"),
    [
        ("bet", a.Bet(1)),
        ("bet 1", a.Bet(1)),
        ("bet 1 90", a.Bet(1, 90)),
        ("bet 1 999", a.Bet(1, 999)),
        ("bet target=1 90", a.Bet(1, 90)),
        ("bet 90 target=1", a.Bet(1, 90)),
        ("bet amount=90", a.Bet(1, 90)),
        ("bet amount=90 1", a.Bet(1, 90)),
        ("4 90", a.Bet(1, 90)),
        ("4", a.Bet(1)),
    ],
)
def test_attacks_are_typed_alike_when_one_opponent_is_left(typed: str, action: object) -> None:
    """The seat first, then the amount, as among many."""
    look = offers_at(LAST_TWO, 0, betting="no_limit")
    assert choose(PALACE, 0, look.offers, typed) == action


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("bet 2", "say target=1"),
        ("bet 90", "say target=1"),
        ("bet 2 90", "say target=1"),
        ("bet 1 2 3", "not understood: 3"),
    ],
)
def test_a_seat_that_has_gone_is_never_taken_for_an_amount(typed: str, why: str) -> None:
    look = offers_at(LAST_TWO, 0, betting="no_limit")
    with pytest.raises(BadChoice) as caught:
        choose(PALACE, 0, look.offers, typed)
    assert str(caught.value) == why


def test_in_a_limit_game_the_amount_may_be_typed_too() -> None:
    look = offers_at(LAST_TWO, 0)
    assert choose(PALACE, 0, look.offers, "bet 1") == a.Bet(1, 20)
    assert choose(PALACE, 0, look.offers, "bet 1 20") == a.Bet(1, 20)


def test_offers_say_what_they_cost() -> None:
    look = offers_at(TURN, 0, betting="no_limit")
    told = {
        offer_text(offer): explained(look.view, 0, offer, SYMBOLS).plain for offer in look.offers
    }
    assert told["bet target=1 amount=20..160"] == "attack Seat 1 [2♣] for 20, up to 160; 10 to call"
    assert told["buy"] == "10 chips for the top card of the draw pile"
    battle = offers_at(BATTLE, 2)
    told = {
        offer_text(offer): explained(battle.view, 2, offer, SYMBOLS).plain
        for offer in battle.offers
    }
    assert told == {
        "call": "pay 10: the hands decide",
        "raise amount=10": "call 10 and raise by 10",
        "fold": "give up the battle",
    }


def test_refusals_in_plain_language() -> None:
    """Every reason of the specification has words of its own."""
    text = "\n".join(
        path.read_text(encoding="utf-8")
        for path in (*HANDS.glob("*.hand"), *(ROOT / "engine/games/palace_poker").glob("*.py"))
    )
    reasons = set(re.findall(r'Refused\(\s*"([A-Z_]+)"', text)) | set(
        re.findall(r"(?m)! ([A-Z_]+)$", text)
    )
    assert len(reasons) > 20
    assert reasons <= set(_WORDS)
    told = plain(Refused("SAME_BANNER_SUIT"))
    assert told == "their banner has your suit: no battle between you (SAME_BANNER_SUIT)"
    assert plain(Refused("PILE_OUT_OF_ORDER", pile=3)) == (
        "the rules refuse this: PILE_OUT_OF_ORDER, pile=3"
    )


def test_the_kitchen_starts_hands() -> None:
    table = placed(TURN)
    with pytest.raises(Refused):
        table.do(HOST, a.StartHand())
