"""Tables of tournaments: what their manager does there, and what nobody else may."""

from __future__ import annotations

from typing import Any

import pytest

from engine import actions as ca
from engine import events as c
from engine.errors import Refused
from engine.games import GAMES
from engine.games.palace_poker import actions as a
from engine.games.pontoon import actions as pontoon
from engine.games.pontoon.bank_events import BankerChosen, Method
from engine.house import NEXT_HAND, Table, apply_all, decision, idle_seats, is_held
from engine.kernel import HOST
from engine.managed import MAX_REASON, house_turns, manage, require_manager
from engine.options import parse_value
from tests.engine.test_house import InOrder

PLACED = tuple(ca.Placed(seat, f"p{seat}", 500) for seat in range(3))
MANAGED = (("purse", "tournament"),)


class Managed:
    """A table, moved on by what its manager and its players do."""

    def __init__(
        self, game: str = "palace_poker", house: c.Pairs = MANAGED, **options: str
    ) -> None:
        self.game = GAMES[game]
        self.table = apply_all(Table.empty(self.game), [c.HouseOpened(house, False, "tournament")])
        self.play(HOST, ca.OpenTable(options))

    def take(self, events: tuple[c.Event, ...], seat: int = HOST) -> tuple[c.Event, ...]:
        self.table = apply_all(self.table, events, seat)
        return events

    def manage(self, action: ca.Action) -> tuple[c.Event, ...]:
        return self.take(manage(self.table, action, InOrder()))

    def play(self, seat: int, action: ca.Action) -> tuple[c.Event, ...]:
        require_manager(self.table, action)
        events, _ = self.game.decide(self.table.state, seat, action, InOrder())
        return self.take(events, seat)

    def refused(self, action: ca.Action) -> Refused:
        before = self.table
        with pytest.raises(Refused) as refused:
            self.manage(action)
        assert self.table is before
        return refused.value

    def stacks(self) -> dict[int, int]:
        return {s: chips for s, (_, chips) in self.game.players(self.table.state).items()}


@pytest.fixture
def table() -> Managed:
    made = Managed(small_bet="10")
    made.manage(ca.SeatPlayers(PLACED))
    return made


def test_seats_are_given_by_the_rules_of_the_game(table: Managed) -> None:
    """All of a list, in its order, or none of it."""
    assert table.stacks() == {0: 500, 1: 500, 2: 500}
    twice = ca.SeatPlayers((ca.Placed(5, "new", 10), ca.Placed(6, "p0", 10)))
    assert table.refused(twice).reason == "ALREADY_SEATED"
    taken = ca.SeatPlayers((ca.Placed(0, "new", 10),))
    assert table.refused(taken).reason == "SEAT_TAKEN"
    assert table.refused(ca.SeatPlayers(())).reason == "BAD_PARAMETER"
    events = table.manage(ca.SeatPlayers((ca.Placed(9, "new", 1),)))
    assert events == (c.SeatTaken(9, "new", 1),)


def test_seats_are_taken_back_between_hands_only(table: Managed) -> None:
    table.play(HOST, a.StartHand())
    refused = table.refused(ca.UnseatPlayers((1,)))
    assert (refused.reason, refused.detail) == ("IN_HAND", {"hand": 1})
    while table.table.game.to_act(table.table.state):
        (seat,) = table.table.game.to_act(table.table.state)
        table.play(seat, a.Fold())
    before = table.stacks()
    events = table.manage(ca.UnseatPlayers((1, 0)))
    assert events == (c.SeatLeft(1, before[1]), c.SeatLeft(0, before[0]))
    assert table.refused(ca.UnseatPlayers((1,))).reason == "NOT_SEATED"


def test_who_has_part_in_a_game_of_several_deals_stays() -> None:
    """Royal Casino 10.5: leaving would only be noted; the tournament is told so."""
    table = Managed("royal_casino", players="3")
    table.manage(ca.SeatPlayers(PLACED))
    table.play(HOST, GAMES["royal_casino"].next_start(table.table.state, _First()))
    refused = table.refused(ca.UnseatPlayers((0,)))
    assert (refused.reason, refused.detail) == ("IN_HAND", {"seats": [0]})


class _First:
    def draw(self, purpose: str, count: int) -> int:
        return 0


def test_chips_are_given_to_a_seat(table: Managed) -> None:
    assert table.manage(ca.GiveChips(2, 50)) == (c.ChipsAdded(2, 50),)
    assert table.refused(ca.GiveChips(2, 0)).reason == "BAD_PARAMETER"
    assert table.refused(ca.GiveChips(7, 5)).reason == "NOT_SEATED"


def test_a_level_changes_what_the_game_names(table: Managed) -> None:
    """What is not named stays; what the options are together is held to the rules of opening."""
    (changed,) = table.manage(ca.ChangeOptions({"small_bet": "40", "big_bet": "40", "ante": "20"}))
    assert isinstance(changed, c.OptionsChanged)
    told = dict(changed.options)
    assert (told["small_bet"], told["big_bet"], told["ante"]) == ("40", "40", "20")
    assert told["max_seats"] == "10"
    assert table.table.house.agreed == changed.options
    options = table.table.state.options
    assert (options.small_bet, options.big_bet, options.ante) == (40, 40, 20)
    table.play(HOST, a.StartHand())
    assert sum(table.stacks().values()) == 1500 - 3 * 20
    refused = table.refused(ca.ChangeOptions({"small_bet": "50"}))
    assert (refused.reason, refused.detail) == ("IN_HAND", {"hand": 1})


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"max_seats": "4"}, "max_seats"),
        ({"turn_seconds": "5"}, "turn_seconds"),
        ({"nonsense": "1"}, "nonsense"),
        ({"small_bet": "0"}, "small_bet"),
        ({"small_bet": "many"}, "small_bet"),
        ({"small_bet": "10", "ante": "11"}, "ante"),
        ({"small_bet": "40"}, "big_bet"),
    ],
)
def test_options_that_cannot_be_change_nothing(
    table: Managed, options: dict[str, str], named: str
) -> None:
    refused = table.refused(ca.ChangeOptions(options))
    assert (refused.reason, refused.detail["option"]) == ("INVALID_OPTIONS", named)
    assert refused.detail["expected"]


def test_the_same_level_again_changes_nothing(table: Managed) -> None:
    same = ca.ChangeOptions({"small_bet": "10"})
    assert table.refused(same).reason == table.refused(ca.ChangeOptions({})).reason
    assert table.refused(same).reason == "NOTHING_CHANGES"


@pytest.mark.parametrize("key", GAMES)
def test_options_that_may_change_are_options_of_the_game(key: str) -> None:
    """And a table with options like before is the table before."""
    game = GAMES[key]
    options = {option.name: option for option in game.OPTIONS}
    assert options.keys() >= game.CHANGEABLE
    table = Managed(key)
    agreed = dict(table.table.house.agreed)
    assert list(agreed) == [option.name for option in game.OPTIONS]
    assert game.with_options(table.table.state, agreed) == table.table.state
    for name in game.CHANGEABLE:
        assert parse_value(options[name], agreed[name]) is not None or options[name].nullable


def test_hands_are_let_go_one_by_one(table: Managed) -> None:
    """Also where players begin them: whoever is quick does not begin one more."""
    assert table.table.house.held == NEXT_HAND
    assert table.refused(ca.HoldHands("")).detail["field"] == "reason"
    assert table.refused(ca.HoldHands("x" * (MAX_REASON + 1))).reason == "BAD_PARAMETER"
    assert table.manage(ca.HoldHands("x" * MAX_REASON))
    assert table.manage(ca.HoldHands("BREAK")) == (c.HandsHeld("BREAK"),)
    assert table.refused(ca.HoldHands("BREAK")).reason == "NOTHING_CHANGES"
    assert table.manage(ca.ReleaseHands()) == (c.HandsReleased(),)
    assert not is_held(table.table)
    assert table.refused(ca.ReleaseHands()).reason == "NOT_HELD"
    table.play(HOST, a.StartHand())
    assert not is_held(table.table)
    while table.game.to_act(table.table.state):
        table.play(table.game.to_act(table.table.state)[0], a.Fold())
    assert is_held(table.table)
    assert table.table.house.held == NEXT_HAND


def test_a_hand_that_runs_is_played_out_while_the_next_is_held(table: Managed) -> None:
    table.play(HOST, a.StartHand())
    table.manage(ca.HoldHands("PAUSE"))
    assert decision(table.table) is not None
    (seat,) = table.game.to_act(table.table.state)
    table.play(seat, a.Fold())


def test_nobody_is_asked_anything_between_held_hands() -> None:
    """Pontoon's banker decides how it goes on, between deals too: not while hands are held."""
    game = GAMES["pontoon"]
    table = Managed("pontoon", min_players_to_start="2", max_seats="3")
    table.manage(ca.SeatPlayers(PLACED))
    table.play(HOST, game.next_start(table.table.state, _First()))
    assert decision(table.table) is None
    table.manage(ca.ReleaseHands())
    asked = decision(table.table)
    assert asked is not None
    assert asked.hand == 0
    table.manage(ca.HoldHands("BREAK"))
    assert decision(table.table) is None
    (offer, *_) = game.legal_actions(table.table.state, asked.seats[0])
    before = table.table
    with pytest.raises(Refused) as refused:
        table.play(asked.seats[0], offer.action())
    assert (refused.value.reason, refused.value.detail) == ("TABLE_HELD", {"held": "BREAK"})
    assert table.table is before
    table.manage(ca.ReleaseHands())
    assert decision(table.table) == asked


@pytest.mark.parametrize(
    "action", [ca.TakeSeat("new", 100), ca.LeaveSeat(), ca.AddChips(5), ca.SitOut()]
)
def test_players_take_nothing_out_of_a_tournament(table: Managed, action: ca.Action) -> None:
    before = table.table
    with pytest.raises(Refused) as refused:
        table.play(1, action)
    assert refused.value.reason == "TOURNAMENT_TABLE"
    assert refused.value.detail["tournament"] == "tournament"
    assert table.table is before


@pytest.mark.parametrize("kind", ca.MANAGER_ACTIONS, ids=lambda kind: kind.__name__)
def test_no_other_table_is_managed(kind: Any) -> None:
    table = Managed(house=(("purse", "account"),))
    values: dict[str, Any] = {
        "players": PLACED,
        "seats": (0,),
        "seat": 0,
        "amount": 1,
        "options": {"small_bet": "20"},
        "reason": "BREAK",
    }
    action = kind(**{name: values[name] for name in kind.__dataclass_fields__})
    assert table.refused(action).reason == "NO_TOURNAMENT_TABLE"


@pytest.mark.parametrize("key", ["palace_poker", "pontoon", "royal_casino"])
def test_a_table_is_dismissed_between_hands(key: str) -> None:
    """Whatever a game makes of closing and leaving: nobody is left, and no chip."""
    table = Managed(key, **({"players": "3"} if key == "royal_casino" else {}))
    table.manage(ca.SeatPlayers(PLACED))
    if key != "pontoon":
        table.play(HOST, GAMES[key].next_start(table.table.state, _First()))
    if key == "palace_poker":
        assert table.refused(ca.DismissTable()).reason == "IN_HAND"
        while table.game.to_act(table.table.state):
            table.play(table.game.to_act(table.table.state)[0], a.Fold())
    events = table.manage(ca.DismissTable())
    assert isinstance(events[-1], c.TableClosed)
    assert sum(event.chips for event in events if isinstance(event, c.SeatLeft)) == 1500
    assert table.stacks() == {}
    assert table.game.is_closed(table.table.state)


def test_a_closed_table_is_managed_no_more(table: Managed) -> None:
    table.manage(ca.DismissTable())
    assert table.stacks() == {}
    assert table.refused(ca.SeatPlayers(PLACED)).reason == "TABLE_CLOSED"
    assert table.refused(ca.HoldHands("BREAK")).reason == "TABLE_CLOSED"


def test_the_house_knows_with_what_the_last_hand_began(table: Managed) -> None:
    """Who goes out is ranked by it; it stands until the next hand begins."""
    table.play(HOST, a.StartHand())
    assert table.table.house.began == ((0, 500), (1, 500), (2, 500))
    while table.game.to_act(table.table.state):
        table.play(table.game.to_act(table.table.state)[0], a.Fold())
    assert table.table.house.began == ((0, 500), (1, 500), (2, 500))
    ended = table.stacks()
    table.play(HOST, a.StartHand())
    assert dict(table.table.house.began) == ended != {0: 500, 1: 500, 2: 500}


def test_who_is_away_is_dealt_in(table: Managed) -> None:
    """Rules C12 let a seat sit out; in a tournament everybody pays his antes."""
    house = table.table.house._replace(missed=((1, 3),))
    assert idle_seats(table.table._replace(house=house)) == ()
    free = house._replace(options=house.options._replace(purse="free"))
    assert idle_seats(table.table._replace(house=free)) == (1,)


def _pontoon(**options: str) -> Managed:
    fixed = {"bank_passes": "never", "bank_sale": "off", "first_banker": "nominated"}
    table = Managed("pontoon", **{**fixed, "nominated_seat": "0", **options})
    table.manage(ca.SeatPlayers(PLACED))
    table.play(HOST, pontoon.StartGame())
    return table


def test_another_seat_is_nominated_and_the_banker_resigns() -> None:
    """In one step; the seat that is nominated then has the bank, with a fresh pack."""
    table = _pontoon(min_players_to_start="2", min_players_to_continue="2")
    events = table.manage(ca.ChangeOptions({"nominated_seat": "2"}))
    assert [type(event).__name__ for event in events] == [
        "BankVacated",
        "TablePaused",
        "OptionsChanged",
    ]
    (chosen,) = table.play(HOST, pontoon.StartGame())
    assert chosen == BankerChosen(2, Method.NOMINATED)
    (same,) = table.manage(ca.ChangeOptions({"first_to_bet": "1"}))
    assert isinstance(same, c.OptionsChanged)
    assert table.table.state.banker == 2
    assert table.stacks() == {0: 500, 1: 500, 2: 500}


def test_the_kitty_goes_back_to_the_banker_who_resigns() -> None:
    """Shoot Pontoon S.11."""
    table = _pontoon(min_players_to_start="2", min_players_to_continue="2", shoot="true")
    table.table = table.table._replace(house=table.table.house._replace(held=""))
    table.play(0, pontoon.FormKitty(50))
    assert table.stacks()[0] == 450
    events = table.manage(ca.ChangeOptions({"nominated_seat": "1"}))
    assert type(events[0]).__name__ == "KittyReturned"
    assert table.stacks() == {0: 500, 1: 500, 2: 500}


def test_a_bank_that_passes_by_rule_stays_with_its_banker() -> None:
    """The nominated seat is the first banker's only."""
    table = _pontoon(min_players_to_start="2", min_players_to_continue="2", bank_passes="by_rule")
    (changed,) = table.manage(ca.ChangeOptions({"nominated_seat": "1"}))
    assert isinstance(changed, c.OptionsChanged)
    assert table.table.state.banker == 0


def test_a_seat_that_is_not_there_is_not_nominated() -> None:
    table = _pontoon(min_players_to_start="2", min_players_to_continue="2", max_seats="4")
    assert table.refused(ca.ChangeOptions({"nominated_seat": "4"})).reason == "INVALID_OPTIONS"
    assert table.table.state.banker == 0


def test_the_banker_of_a_tournament_does_not_resign() -> None:
    """He would be nominated anew, with a fresh clock, as often as he likes."""
    table = _pontoon(min_players_to_start="2", min_players_to_continue="2")
    table.manage(ca.ReleaseHands())
    with pytest.raises(Refused) as refused:
        table.play(0, pontoon.ResignBank())
    assert refused.value.reason == "TOURNAMENT_TABLE"
    assert table.table.state.banker == 0


def test_a_dry_kitty_is_formed_when_a_hand_is_allowed() -> None:
    """Shoot Pontoon S.2: of a banker who is away the deal would wait for it for ever."""
    table = _pontoon(min_players_to_start="2", min_players_to_continue="2", shoot="true")
    events = table.manage(ca.ReleaseHands())
    assert [type(event).__name__ for event in events] == ["KittyFormed", "HandsReleased"]
    assert table.stacks() == {0: 490, 1: 500, 2: 500}
    assert table.game.scores(table.table.state) == {0: 500, 1: 500, 2: 500}, "it is still his"
    table.play(0, pontoon.StartDeal())
    plain = _pontoon(min_players_to_start="2", min_players_to_continue="2")
    assert plain.manage(ca.ReleaseHands()) == (c.HandsReleased(),)


def test_a_hand_is_allowed_with_other_options() -> None:
    """In one step; what the table has already changes nothing, what cannot be lets nothing go."""
    table = _pontoon(min_players_to_start="2", min_players_to_continue="2", first_to_bet="1")
    wrong = ca.ReleaseHands({"nominated_seat": "77"})
    assert table.refused(wrong).reason == "INVALID_OPTIONS"
    events = table.manage(ca.ReleaseHands({"first_to_bet": "2"}))
    assert [type(event) for event in events] == [c.OptionsChanged, c.HandsReleased]
    assert dict(table.table.house.agreed)["first_to_bet"] == "2"
    table.manage(ca.HoldHands("BREAK"))
    assert table.manage(ca.ReleaseHands({"first_to_bet": "2"})) == (c.HandsReleased(),)
    again = ca.ReleaseHands({"first_to_bet": "1"})
    assert table.refused(again).reason == "NOT_HELD"


def _with_house_bank() -> Managed:
    table = Managed(
        "pontoon",
        bank_passes="never",
        bank_sale="off",
        first_banker="nominated",
        nominated_seat="3",
        min_players_to_start="2",
        min_players_to_continue="2",
    )
    table.manage(ca.SeatPlayers((*PLACED[:2], ca.Placed(3, "tournament", 10_000))))
    table.play(HOST, pontoon.StartGame())
    return table


def _turns(table: Managed, before: Table, seat: int, events: tuple[c.Event, ...]) -> list[c.Event]:
    def decide(table: Table, seat: int, action: ca.Action) -> tuple[c.Event, ...]:
        made, _ = table.game.decide(table.state, seat, action, InOrder())
        return tuple(made)

    return house_turns(before, seat, events, decide)


def test_the_house_takes_its_turns_with_what_leads_to_them() -> None:
    """All of them; at a table without a player of its own it has none."""
    table = _with_house_bank()
    held = table.table
    released = table.manage(ca.ReleaseHands())
    dealt, ended = _turns(table, held, HOST, released), False
    assert "DealStarted" in {type(event).__name__ for event in dealt}
    table.take(tuple(dealt))
    while not ended:
        (seat,) = table.game.to_act(table.table.state)
        assert seat != 3, "the house never keeps anybody waiting"
        before = table.table
        offers = {one.action for one in table.game.legal_actions(before.state, seat)}
        action: ca.Action = pontoon.PlaceBet(10)
        if pontoon.PlaceBet not in offers:
            action = pontoon.Stick() if pontoon.Stick in offers else pontoon.TwistCard()
        made = table.play(seat, action)
        turns = tuple(_turns(table, before, seat, made))
        names = {type(event).__name__ for event in turns}
        ended = "DealEnded" in names
        assert ended or not turns
        table.take(turns)
    plain = _pontoon(min_players_to_start="2", min_players_to_continue="2")
    held = plain.table
    assert _turns(plain, held, HOST, plain.manage(ca.ReleaseHands())) == []
