"""Who may do what when: reasons and their order.  royal_flush 5, 6.1–6.4, 6.9, 10."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from engine import actions as ca
from engine.events import ChipsAdded, SeatLeft, SeatTaken, TableClosed, TurnTimedOut
from engine.games.royal_flush import actions as a
from engine.games.royal_flush import events as e
from engine.kernel import HOST, Offer, Range, Words
from engine.table import MAX_CHIPS
from tests.games.royal_flush.tables import GAME, Play, named


def nothing() -> Play:
    return Play()


def lobby() -> Play:
    return Play.seated()


def deal() -> Play:
    return Play.started()


def search() -> Play:
    play = deal()
    play.do(0, a.DealPiles())
    play.do(0, a.SearchPile(1))
    return play


def gather() -> Play:
    play = search()
    for pile in (2, 3, 4, 5):
        play.do(0, a.SearchPile(pile))
    return play


def game_over() -> Play:
    play = deal()
    play.do(0, a.AutoPlay("game"))
    return play


def closed() -> Play:
    play = lobby()
    play.do(HOST, ca.CloseTable())
    return play


PHASES = {
    "NONE": nothing,
    "LOBBY": lobby,
    "DEAL": deal,
    "SEARCH": search,
    "GATHER": gather,
    "GAME_OVER": game_over,
    "CLOSED": closed,
}
RUNNING = ("DEAL", "SEARCH", "GATHER")


class Rule(NamedTuple):
    """An action, who does it, the phases that take it, the reason of the others."""

    actor: int
    action: ca.Action
    phases: tuple[str, ...]
    reason: str = "WRONG_PHASE"


RULES = [
    Rule(HOST, ca.OpenTable(), ("NONE",)),
    Rule(HOST, a.StartGame(), ("LOBBY", "GAME_OVER")),
    Rule(HOST, ca.TimeOut(), RUNNING),
    Rule(HOST, ca.CloseTable(), ("LOBBY", "GAME_OVER")),
    Rule(0, a.DealPiles(), ("DEAL",)),
    Rule(0, a.SearchPile(2), ("SEARCH",)),
    Rule(0, a.GatherPiles(), ("GATHER",)),
    Rule(0, a.AutoPlay("step"), RUNNING),
    Rule(0, a.AutoPlay("round"), RUNNING),
    Rule(0, a.AutoPlay("game"), RUNNING),
    Rule(0, a.AbandonGame(), RUNNING),
    Rule(0, ca.SitOut(), ()),
    Rule(0, ca.SitIn(), ()),
]


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: repr(rule.action))
def test_each_action_has_its_phases(phase: str, rule: Rule) -> None:
    """5.1, 6: WRONG_PHASE, and TABLE_CLOSED instead once the table is closed (6.1)."""
    play = PHASES[phase]()
    assert play.state.phase == phase
    if phase in rule.phases:
        assert play.do(rule.actor, rule.action)
    else:
        expected = "TABLE_CLOSED" if phase == "CLOSED" else rule.reason
        assert play.refused(rule.actor, rule.action) == expected


@pytest.mark.parametrize("phase", PHASES)
def test_taking_the_seat(phase: str) -> None:
    """6.3: parameter, phase, seat, taken, in that order."""
    play = PHASES[phase]()
    for chips in (None, -1, MAX_CHIPS + 1, True):
        assert play.refused(3, ca.TakeSeat("bob", chips)) == "BAD_PARAMETER"
    if phase == "CLOSED":
        assert play.refused(3, ca.TakeSeat("bob", 1)) == "TABLE_CLOSED"
    elif phase not in {"LOBBY", "GAME_OVER"}:
        assert play.refused(3, ca.TakeSeat("bob", 1)) == "WRONG_PHASE"
        assert play.refused(0, ca.TakeSeat("bob", 1)) == "WRONG_PHASE"
    else:
        for seat in (1, 29, -1):
            assert play.refused(seat, ca.TakeSeat("bob", 1)) == "SEAT_OUT_OF_RANGE"
        assert play.refused(0, ca.TakeSeat("ann", 1)) == "SEAT_TAKEN"
        play.do(0, ca.LeaveSeat())
        assert play.do(0, ca.TakeSeat("bob", MAX_CHIPS)) == (SeatTaken(0, "bob", MAX_CHIPS),)


@pytest.mark.parametrize("phase", PHASES)
def test_adding_chips(phase: str) -> None:
    """6.3: parameter, closed, seated, in hand, overflow, in that order."""
    play = PHASES[phase]()
    for amount in (None, 0, -5, MAX_CHIPS + 1, True):
        assert play.refused(3, ca.AddChips(amount)) == "BAD_PARAMETER"
    other = "TABLE_CLOSED" if phase == "CLOSED" else "NOT_SEATED"
    assert play.refused(3, ca.AddChips(1)) == other
    if phase in RUNNING:
        assert play.refused(0, ca.AddChips(MAX_CHIPS)) == "IN_HAND"
    elif phase in {"LOBBY", "GAME_OVER"}:
        assert play.refused(0, ca.AddChips(MAX_CHIPS - 99)) == "BAD_PARAMETER"
        assert play.do(0, ca.AddChips(MAX_CHIPS - 100)) == (ChipsAdded(0, MAX_CHIPS - 100),)
        assert play.refused(0, ca.AddChips(1)) == "BAD_PARAMETER"
        assert GAME.players(play.state) == {0: ("ann", MAX_CHIPS)}
        play.do(0, ca.LeaveSeat())
        assert play.refused(0, ca.AddChips(1)) == "NOT_SEATED"
    else:
        assert play.refused(0, ca.AddChips(1)) == other


def test_checks_of_a_move_come_in_the_order_parameter_phase_member_pile() -> None:
    """6.1, 6.6."""
    for pile in (None, 0, 6, -1, True):
        for play in (nothing(), deal(), search(), closed()):
            assert play.refused(7, a.SearchPile(pile)) == "BAD_PARAMETER"
    for scope in (None, "", "turn", "GAME"):
        assert closed().refused(7, a.AutoPlay(scope)) == "BAD_PARAMETER"
    assert deal().refused(7, a.SearchPile(1)) == "WRONG_PHASE"
    assert closed().refused(7, a.SearchPile(1)) == "TABLE_CLOSED"
    for actor in (1, HOST, 29):
        assert search().refused(actor, a.SearchPile(5)) == "NOT_SEATED"
        assert search().refused(actor, a.AutoPlay("step")) == "NOT_SEATED"
        assert search().refused(actor, a.AbandonGame()) == "NOT_SEATED"
        assert deal().refused(actor, a.DealPiles()) == "NOT_SEATED"
        assert gather().refused(actor, a.GatherPiles()) == "NOT_SEATED"
    assert search().refused(0, a.SearchPile(1)) == "PILE_ALREADY_SEARCHED"
    assert search().refused(0, a.SearchPile(3)) == "PILE_OUT_OF_ORDER"


def test_a_pile_that_the_round_does_not_have() -> None:
    """6.6: before the questions of order."""
    play = deal()
    play.do(0, a.AutoPlay("round"))
    play.do(0, a.DealPiles())
    assert play.refused(0, a.SearchPile(5)) == "NO_SUCH_PILE"
    assert play.refused(0, a.SearchPile(4)) == "PILE_OUT_OF_ORDER"


def test_a_game_needs_its_player() -> None:
    """6.4."""
    play = Play.opened()
    assert play.refused(HOST, a.StartGame()) == "SEATS_NOT_FULL"
    assert not GAME.can_start(play.state)


def test_sitting_out_is_not_offered_to_anybody() -> None:
    """6.3: the phase answers, before membership."""
    for actor in (0, 5, HOST):
        assert lobby().refused(actor, ca.SitOut()) == "WRONG_PHASE"
        assert Play.opened().refused(actor, ca.SitIn()) == "WRONG_PHASE"
        assert closed().refused(actor, ca.SitIn()) == "TABLE_CLOSED"


@pytest.mark.parametrize("phase", PHASES)
def test_leaving(phase: str) -> None:
    """10.2."""
    play = PHASES[phase]()
    other = "TABLE_CLOSED" if phase == "CLOSED" else "NOT_SEATED"
    assert play.refused(1, ca.LeaveSeat()) == other
    if phase in {"NONE", "CLOSED"}:
        assert play.refused(0, ca.LeaveSeat()) == other
        return
    made = play.do(0, ca.LeaveSeat())
    if phase in RUNNING:
        assert made[0] == e.GameAbandoned(1, e.Why.LEFT)
        assert named(made) == ["GameAbandoned", "DeckRevealed", "SeatLeft"]
        assert play.state.phase == "GAME_OVER"
        assert play.fields()["tally"] == "0 0 1"
    else:
        assert made == (SeatLeft(0, 100),)
        assert play.state.phase == phase
    assert made[-1] == SeatLeft(0, 100)
    assert play.refused(0, ca.LeaveSeat()) == "NOT_SEATED"
    assert play.refused(HOST, a.StartGame()) == "SEATS_NOT_FULL"


@pytest.mark.parametrize("phase", RUNNING)
def test_abandoning(phase: str) -> None:
    """6.9."""
    play = PHASES[phase]()
    first, second = play.do(0, a.AbandonGame())
    assert first == e.GameAbandoned(1, e.Why.PLAYER)
    assert second == e.DeckRevealed(play.state.deck)
    assert play.state.phase == "GAME_OVER"
    assert play.fields()["result"] == "abandoned"


@pytest.mark.parametrize("phase", RUNNING)
def test_time_out(phase: str) -> None:
    """10.1, both options."""
    played, given_up = PHASES[phase](), Play.started(on_timeout="abandon")
    made = played.do(HOST, ca.TimeOut())
    other = PHASES[phase]()
    assert made == (TurnTimedOut(0), *other.do(0, a.AutoPlay("game")))
    assert given_up.do(HOST, ca.TimeOut())[:2] == (
        TurnTimedOut(0),
        e.GameAbandoned(1, e.Why.TIME_OUT),
    )
    assert given_up.state.phase == "GAME_OVER"


def test_closing_pays_the_player_out() -> None:
    """6.3."""
    assert lobby().do(HOST, ca.CloseTable()) == (SeatLeft(0, 100), TableClosed("HOST"))
    assert Play.opened().do(HOST, ca.CloseTable()) == (TableClosed("HOST"),)


@pytest.mark.parametrize(
    ("make", "first"),
    [
        (deal, Offer(a.DealPiles)),
        (search, Offer(a.SearchPile, (Range("pile", 2, 2),))),
        (gather, Offer(a.GatherPiles)),
    ],
)
def test_offers(make: Callable[[], Play], first: Offer) -> None:
    """6.11."""
    rest = (Offer(a.AutoPlay, (Words("scope", ("step", "round", "game")),)), Offer(a.AbandonGame))
    assert GAME.legal_actions(make().state, 0) == (first, *rest)
    assert GAME.legal_actions(make().state, 1) == ()


@pytest.mark.parametrize("make", [nothing, lobby, game_over, closed])
def test_nothing_is_offered_between_games(make: Callable[[], Play]) -> None:
    """6.11."""
    assert GAME.legal_actions(make().state, 0) == ()
    assert GAME.to_act(make().state) == ()


def test_the_next_game_starts_afresh_and_keeps_the_tally() -> None:
    """9.2, 9.3, 4.1."""
    play = game_over()
    before = play.fields()
    assert before["game"] == "1"
    assert before["claimed"]
    made = play.do(HOST, a.StartGame())
    assert made[0] == e.GameStarted(2)
    after = play.fields()
    assert {"claimed", "discard", "result"}.isdisjoint(after)
    assert (after["game"], after["round"], after["phase"]) == ("2", "1", "DEAL")
    assert after["tally"] == before["tally"]


def test_an_action_of_another_game_is_a_mistake_of_the_caller() -> None:
    class Stranger(ca.SeatAction):
        pass

    play: Any = lobby()
    with pytest.raises(TypeError, match="Stranger"):
        play.do(0, Stranger())


def test_a_new_player_finds_the_finished_game_and_its_tally() -> None:
    """4.1, 9.1: they stand until the next start, whoever sits down."""
    play = game_over()
    before = play.fields()
    play.do(0, ca.LeaveSeat())
    play.do(0, ca.TakeSeat("bob", 100))
    assert play.fields() == {**before, "players": "0=bob"}
