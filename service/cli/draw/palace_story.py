"""The story of a hand of Palace Poker in words, an event a sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from rich.text import Text

from engine.cards import HIDDEN, RANKS
from engine.events import DeckShuffled, Event
from engine.games.palace_poker import events as e
from engine.ranking import Category
from service.cli.draw.cards import Faces
from service.cli.draw.teller import Teller
from service.cli.words import listed, ordinal

__all__ = ["palace_story", "value_told"]

_NAMES: Final = {
    2: "two",
    3: "three",
    4: "four",
    5: "five",
    6: "six",
    7: "seven",
    8: "eight",
    9: "nine",
    10: "ten",
    11: "jack",
    12: "queen",
    13: "king",
    14: "ace",
}
_SHUFFLES: Final = {
    "DEALER_DRAW": "The pack is shuffled to draw for the deal.",
    "BANNER": "The pack is shuffled for the banners.",
    "BANNER_RESHUFFLE": "The rejected banners are shuffled again.",
    "PALACE": "The cards are shuffled for the palaces.",
    "DRAW_RESHUFFLE": "The discards are shuffled and become the draw pile.",
}
_ENDS: Final = {
    e.End.LAST_STANDING: "The hand is over: one player is left.",
    e.End.SAME_SUIT_SHARE: "The hand is over: all who are left have the same banner suit.",
    e.End.SPLIT_FINAL_TIE: "The hand is over: a total tie of the last two.",
    e.End.SHOWDOWN: "The hand is over: a showdown.",
}


def _rank(rank: int, *, plural: bool = False) -> str:
    name = _NAMES[rank]
    return name if not plural else f"{name}es" if name == "six" else f"{name}s"


def value_told(value: tuple[int, ...]) -> str:
    """A hand's value as people say it.

    >>> value_told((6, 14, 13, 0, 0, 0)), value_told((1, 6, 0, 0, 0, 0))
    ('a full house, aces over kings', 'a pair of sixes')
    """
    category, first, second = value[:3]
    if not first:
        return "a hand that is not shown"
    match Category(category):
        case Category.HIGH_CARD:
            return f"{_rank(first)} high"
        case Category.PAIR:
            return f"a pair of {_rank(first, plural=True)}"
        case Category.TWO_PAIR:
            return f"two pair, {_rank(first, plural=True)} and {_rank(second, plural=True)}"
        case Category.THREE_OF_A_KIND:
            return f"three {_rank(first, plural=True)}"
        case Category.STRAIGHT:
            return f"a straight to the {_rank(first)}"
        case Category.FLUSH:
            return f"a flush, {_rank(first)} high"
        case Category.FULL_HOUSE:
            pair = _rank(second, plural=True)
            return f"a full house, {_rank(first, plural=True)} over {pair}"
        case Category.FOUR_OF_A_KIND:
            return f"four {_rank(first, plural=True)}"
        case Category.STRAIGHT_FLUSH if first == len(RANKS) + 1:
            return "a royal flush"
        case _:
            return f"a straight flush to the {_rank(first)}"


def _auto(auto: bool) -> str:
    return " (the house acted)" if auto else ""


def _short(short: bool) -> str:
    return ", all there was" if short else ""


def _hand_started(t: Teller, x: e.HandStarted) -> Text:
    seats = [t.name(seat) for seat, _ in x.seats]
    return t.line(f"--- Hand {x.hand}: {listed(seats)} ---")


def _antes(t: Teller, x: e.AntePosted) -> Text | None:
    if not x.amount and not x.short:
        return None
    return t.line(t.does(x.seat, "pay"), f" {x.amount} of ante{_short(x.short)}.")


def _banner(t: Teller, x: e.BannerDealt) -> Text:
    whose = "Your banner" if x.seat == t.me else f"The banner of {t.whom(x.seat)}"
    return t.line(f"{whose} is ", t.cards((x.card,)), ".")


def _palace_card(t: Teller, x: e.PalaceCardDealt) -> Text | None:
    if x.card.value == HIDDEN:
        return None  # that everybody gets three is no news
    owner = "your palace" if x.seat == t.me else f"the palace of {t.whom(x.seat)}"
    return t.line(t.cards((x.card.value,)), f" goes to {owner}.")


def _turn(t: Teller, x: e.TurnStarted) -> Text | None:
    if not x.forced:
        return None  # the drawing says whose turn it is
    return t.line(t.does(x.seat, "have", "has"), " to bet or to fold.")


def _discarded(t: Teller, x: e.SoldiersDiscarded) -> Text:
    return t.line(t.does(x.seat, "discard"), " ", t.cards(x.cards), ".")


def _mustered(t: Teller, x: e.MusterCompleted) -> Text | None:
    if not x.soldiers:
        return t.line(t.does(x.seat, "keep"), f" no soldiers.{_auto(x.auto)}")
    return t.line(t.does(x.seat, "keep"), " ", t.cards(x.soldiers), f".{_auto(x.auto)}")


def _declared(t: Teller, x: e.BattleDeclared) -> Text:
    extra = f", {x.excess} beyond the price" if x.excess else ""
    return t.line(
        t.does(x.attacker, "attack"),
        f" {t.whom(x.defender)} for {x.paid}{extra}{_short(x.short)}; {x.to_call} to call.",
    )


def _called(t: Teller, x: e.BattleCalled) -> Text:
    return t.line(t.does(x.seat, "call"), f" with {x.paid}{_short(x.short)}.{_auto(x.auto)}")


def _raised(t: Teller, x: e.BattleRaised) -> Text:
    verb = "raise" if x.seat == t.me else "raises"
    return t.line(t.does(x.seat, "call"), f" {x.called} and {verb} by {x.raised}.")


def _revealed(t: Teller, x: e.PalaceRevealed) -> Text:
    to = "everybody" if x.to == ("all",) else listed([t.whom(int(seat)) for seat in x.to])
    if HIDDEN in x.cards.value:
        return t.line(t.does(x.owner, "show"), f" {to} the palace.")
    return t.line(t.does(x.owner, "show"), f" {to} ", t.cards(x.cards.value), ".")


def _has(t: Teller, seat: int, value: tuple[int, ...], name: str) -> str:
    return f"{name} {'have' if seat == t.me else 'has'} {value_told(value)}"


def _resolved(t: Teller, x: e.BattleResolved) -> Text:
    known = [
        (seat, value.value)
        for seat, value in ((x.attacker, x.attacker_value), (x.defender, x.defender_value))
        if value.value[1]
    ]
    told = [
        _has(t, seat, value, t.name(seat) if not n else t.whom(seat))
        for n, (seat, value) in enumerate(known)
    ]
    sides = f"{listed(told)}. " if told else ""
    if x.winner is None:
        return t.line(f"{sides}A total tie: both are out.")
    by = " by more cards of the own suit" if x.decided_by is e.DecidedBy.OWN_SUIT_COUNT else ""
    return t.line(f"{sides}{t.does(x.winner, 'win')} the battle{by}.")


def _eliminated(t: Teller, x: e.PlayerEliminated) -> Text:
    return t.line(t.does(x.seat, "are", "is"), f" out of the hand, {ordinal(x.exit)} to go.")


def _captured(t: Teller, x: e.CardsCaptured) -> Text:
    return t.line(t.does(x.winner, "capture"), " ", t.cards(x.cards), f" from {t.whom(x.loser)}.")


def _shown(t: Teller, x: e.HandShown) -> Text:
    return t.line(t.does(x.seat, "show"), " ", t.cards(x.palace), f": {value_told(x.value)}.")


def _awarded(t: Teller, x: e.PotAwarded) -> Text:
    shares = listed([f"{t.whom(seat)} {chips}" for seat, chips in x.shares])
    layer = "The pot" if x.cap is None else f"The layer up to {x.cap}"
    return t.line(f"{layer}, {x.amount}, goes to: {shares}.")


_SENTENCES: Final[Mapping[type[Event], Callable[[Teller, Any], Text | None]]] = {
    DeckShuffled: lambda t, x: t.line(_SHUFFLES.get(x.purpose, "The cards are shuffled.")),
    e.HandStarted: _hand_started,
    e.DealerCardDrawn: lambda t, x: t.line(
        t.does(x.seat, "draw"), " ", t.cards((x.card,)), " for the deal."
    ),
    e.DealerChosen: lambda t, x: t.line(t.does(x.seat, "deal"), "."),
    e.AntePosted: _antes,
    e.BannerRejected: lambda t, x: t.line(
        t.cards((x.card,)), f" is no banner for {t.whom(x.seat)}: the suit is taken."
    ),
    e.BannerDealt: _banner,
    e.PalaceCardDealt: _palace_card,
    e.TurnStarted: _turn,
    e.Stayed: lambda t, x: t.line(t.does(x.seat, "stay"), f".{_auto(x.auto)}"),
    e.Folded: lambda t, x: t.line(t.does(x.seat, "fold"), f".{_auto(x.auto)}"),
    e.SoldierBought: lambda t, x: t.line(
        t.does(x.seat, "buy"), " ", t.cards((x.card,)), f" for {x.paid}."
    ),
    e.SoldiersDiscarded: _discarded,
    e.MusterCompleted: _mustered,
    e.BattleDeclared: _declared,
    e.BattleCalled: _called,
    e.BattleRaised: _raised,
    e.BattleFolded: lambda t, x: t.line(
        t.does(x.seat, "give up", "gives up"), f" the battle.{_auto(x.auto)}"
    ),
    e.UncalledReturned: lambda t, x: t.line(
        t.does(x.seat, "get", "gets"), f" back {x.amount} that nobody called."
    ),
    e.PalaceRevealed: _revealed,
    e.BattleResolved: _resolved,
    e.PlayerEliminated: _eliminated,
    e.CardsCaptured: _captured,
    e.HandShown: _shown,
    e.PotAwarded: _awarded,
    e.HandEnded: lambda t, x: t.line(_ENDS[x.end]),
}


def palace_story(event: Event, faces: Faces, me: int | None) -> Text | None:
    """What an event says to whoever sits at ``me``; None if nothing."""
    sentence = _SENTENCES.get(type(event))
    return None if sentence is None else sentence(Teller(faces, me), event)
