"""Pontoon and Shoot Pontoon, a banking game.  Rule specification: pontoon."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from engine.actions import Action, HostAction
from engine.cards import PACK
from engine.events import Event
from engine.games.pontoon import (
    actions,
    banking,
    gains,
    house_bank,
    offers,
    position,
    rules,
    state,
)
from engine.games.pontoon import bank_events as bank
from engine.games.pontoon import events as deal
from engine.games.pontoon import evolve as folding
from engine.games.pontoon import lines as notation
from engine.games.pontoon import view as views
from engine.games.pontoon.options import OPTIONS, believed_options
from engine.games.pontoon.state import Phase, State
from engine.kernel import Game, Lines, Offer, PositionError, Shuffler, Steps, View
from engine.options import Option
from engine.transfers import Move

__all__ = ["Pontoon"]


class Pontoon(Game[State]):
    """The contract of the kernel, kept by the modules beside this one."""

    key: ClassVar[str] = "pontoon"
    NUMBER: ClassVar[int] = 300
    RULES: ClassVar[int] = 2
    TITLE: ClassVar[str] = "Pontoon"
    SUMMARY: ClassVar[str] = (
        "One banker against everybody: come closer to 21 than the bank. Buy, twist, split, stick, "
        "and win the bank with a pontoon; with side bets against a kitty as Shoot Pontoon."
    )
    OPTIONS: ClassVar[tuple[Option, ...]] = OPTIONS
    START_FACTS: ClassVar[tuple[Option, ...]] = ()
    ACTIONS: ClassVar[tuple[type[Action], ...]] = actions.ACTIONS
    EVENTS: ClassVar[tuple[type[Event], ...]] = (*deal.DEAL_EVENTS, *bank.BANK_EVENTS)
    VIEW: ClassVar[type[View]] = views.PontoonView
    NUMBERED: ClassVar[frozenset[str]] = frozenset(
        {"offer", "hands", "bought", "shoot", "free", "stake"}
    )
    START: ClassVar[type[HostAction]] = actions.StartGame
    CARD_ZONES: ClassVar[tuple[str, ...]] = ("bank_hand", "cards", "stock")
    CHIP_ZONES: ClassVar[tuple[str, ...]] = ("staked", "shot", "escrow", "kitty")
    HAND_BEGINS: ClassVar[frozenset[type[Event]]] = frozenset({deal.DealStarted})
    HAND_ENDS: ClassVar[frozenset[type[Event]]] = frozenset({deal.DealEnded})
    MOVES_CHIPS: ClassVar[frozenset[type[Event]]] = gains.MOVES_CHIPS
    SEATS_OPTION: ClassVar[str] = "max_seats"
    CHANGEABLE: ClassVar[frozenset[str]] = frozenset(
        {"min_bet", "max_bet", "nominated_seat", "first_to_bet"}
    )
    NOT_IN_TOURNAMENTS: ClassVar[frozenset[type[Action]]] = frozenset({actions.ResignBank})
    ASKS_BETWEEN_HANDS: ClassVar[bool] = True
    # A shoot bet that comes with a card counts twice: the number of a decision may skip one.
    DECIDES: ClassVar[frozenset[type[Event]]] = frozenset(
        {
            deal.BetPlaced,
            deal.PontoonDeclared,
            deal.HandSplit,
            deal.CardBought,
            deal.CardTwisted,
            deal.HandStuck,
            deal.BankerCardDrawn,
            deal.BankerStayed,
            bank.ShootBetPlaced,
            bank.ShootBetPassed,
            bank.BankerChosen,
            bank.TableResumed,
            bank.BankPassed,
            bank.AuctionOpened,
            bank.AuctionBidPlaced,
            bank.AuctionPassed,
            bank.AuctionClosed,
        }
    )
    SECRET_UNTIL: ClassVar[frozenset[str]] = frozenset({"DEAL"})

    def initial(self) -> State:
        return state.initial()

    def decide(
        self, state: State, actor: int, action: Action, shuffler: Shuffler
    ) -> tuple[tuple[Event, ...], State]:
        return rules.decide(Steps(self, state), actor, action, shuffler)

    def evolve(self, state: State, event: Event) -> State:
        return folding.evolve(state, event)

    def view(self, state: State, viewer: int) -> views.PontoonView:
        return views.view(state, viewer)

    def legal_actions(self, state: State, seat: int) -> tuple[Offer, ...]:
        return offers.legal_actions(state, seat)

    def to_act(self, state: State) -> tuple[int, ...]:
        seat = _to_act(state)
        return () if seat is None else (seat,)

    def answers(self, state: State, event: Event) -> bool:
        """Bidders who go drop out of an auction at any time; the one to bid stays so (S.10)."""
        return not isinstance(event, bank.AuctionPassed) or event.seat == _to_act(state)

    def hand(self, state: State) -> int:
        return state.deals if state.deal else 0

    def dealt_in(self, event: Event) -> tuple[int, ...] | None:
        return (event.banker, *event.punters) if isinstance(event, deal.DealStarted) else None

    def moved(self, event: Event) -> tuple[Move, ...]:
        return gains.moved(event)

    def seats(self, state: State) -> int:
        return len(state.seats)

    def players(self, state: State) -> Mapping[int, tuple[str, int]]:
        return {
            seat: (who.player, state.stacks[seat]) for seat, who in enumerate(state.seats) if who
        }

    def scores(self, state: State) -> Mapping[int, int]:
        """Chips; the kitty is the banker's."""
        return {
            seat: chips + (state.kitty if seat == state.banker else 0)
            for seat, (_, chips) in self.players(state).items()
        }

    def house_action(self, state: State, seat: int) -> Action | None:
        return house_bank.house_action(state, seat)

    def can_start(self, state: State) -> bool:
        return state.phase is Phase.WAITING and not banking.game_obstacle(state)

    def is_closed(self, state: State) -> bool:
        return state.phase is Phase.CLOSED

    def epoch_is_over(self, state: State) -> bool:
        """The pack goes on from deal to deal until a shuffle is due or a banker is to be found."""
        return state.deal is None and (state.reshuffle or state.banker is None)

    def without_pack(self, state: State) -> State:
        """A shuffle is due (9.4)."""
        return state._replace(stock=PACK, reshuffle=True)

    def before_hand(self, state: State) -> tuple[tuple[int, Action], ...]:
        """A kitty that is dry is formed anew with the least there may be (S.2)."""
        if not state.options.shoot or state.kitty or state.banker is None:
            return ()
        return ((state.banker, actions.FormKitty(state.options.min_bet)),)

    def before_options(
        self, state: State, options: Mapping[str, str]
    ) -> tuple[tuple[int, Action], ...]:
        """Where the bank stays with the nominated seat, another banker resigns (9.8)."""
        wanted, banker = believed_options(options), state.banker
        if not wanted.fixed_bank or banker is None or banker == wanted.nominated:
            return ()
        return ((banker, actions.ResignBank()),)

    def with_options(self, state: State, options: Mapping[str, str]) -> State:
        return state._replace(options=believed_options(options))

    def lines(self, view: View) -> Lines:
        return notation.lines(_own(view))

    def derived(self, view: View) -> Lines:
        return notation.derived(_own(view))

    def defaults(self) -> Mapping[str, str]:
        return {}

    def line_matches(self, found: Mapping[str, str], key: str, expected: str) -> bool | None:
        """See ``lines.line_matches``."""
        return notation.line_matches(found, key, expected)

    def place(self, state: State, lines: Sequence[tuple[str, str]]) -> State:
        return position.place(state, lines)

    def script_start(
        self, entries: Mapping[str, str]
    ) -> tuple[Mapping[str, str], tuple[HostAction, ...]]:
        if list(entries) != ["bank"]:
            raise PositionError("start: expected bank=seat in pontoon")
        facts = {"first_banker": "nominated", "nominated_seat": entries["bank"]}
        return facts, (actions.StartGame(),)


_to_act = state.to_act


def _own(view: View) -> views.PontoonView:
    if not isinstance(view, views.PontoonView):
        raise TypeError(f"{type(view).__name__} is no view of Pontoon")
    return view
