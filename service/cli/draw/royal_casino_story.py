"""The story of a deal of Royal Casino in words, an event a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from rich.text import Text

from engine.cards import HIDDEN, Card
from engine.events import DeckShuffled, Event, SatIn, SatOut, SeatLeaving
from engine.games.royal_casino import events as e
from engine.games.royal_casino.events import Item, Reason
from service.cli.draw.cards import Faces
from service.cli.draw.royal_casino import LOCKS
from service.cli.words import counted, listed, seat_name

__all__ = ["royal_casino_story"]

_ITEMS: Final = {
    Item.MOST_CARDS: "most cards",
    Item.MOST_SPADES: "most spades",
    Item.BIG_CASINO: "the ten of diamonds",
    Item.LITTLE_CASINO: "the two of spades",
    Item.ACE_S: "the ace of spades",
    Item.ACE_C: "the ace of clubs",
    Item.ACE_H: "the ace of hearts",
    Item.ACE_D: "the ace of diamonds",
    Item.SWEEPS: "sweeps",
}
_REASONS: Final = {
    Reason.TARGET: "with the higher score",
    Reason.AUTOMATIC: "by the item that was asked for",
    Reason.OVERTIME: "in overtime",
    Reason.FORFEIT: "because nobody else is left",
    Reason.DEAL_CAP: "after the last deal",
    Reason.ABANDONED: "since everybody has gone",
}


class _Teller:
    """Tells events to whoever sits at ``me``."""

    def __init__(self, faces: Faces, me: int | None) -> None:
        self._faces = faces
        self.me = me

    def whom(self, seat: int) -> str:
        """Somebody within a sentence."""
        return seat_name(seat, self.me, object=True)

    def does(self, seat: int, verb: str, others: str = "") -> str:
        """Name and verb: You take, Seat 2 takes."""
        told = verb if seat == self.me else others or f"{verb}s"
        return f"{seat_name(seat, self.me)} {told}"

    def cards(self, cards: Iterable[Card]) -> Text:
        return self._faces.cards(cards)

    def groups(self, groups: Iterable[tuple[Card, ...]]) -> Text:
        """Groups with a plus between the cards of each."""
        told = [Text("+").join(self._faces.card(card) for card in group) for group in groups]
        return Text(", ").join(told)

    def line(self, *parts: str | Text) -> Text:
        """A sentence of words and cards."""
        told = Text()
        for part in parts:
            told = told.append_text(part) if isinstance(part, Text) else told.append(part)
        return told


def _auto(auto: bool) -> str:
    return " (the house played)" if auto else ""


def _deal_started(t: _Teller, x: e.DealStarted) -> Text:
    told = f"--- Deal {x.deal_no}: {t.does(x.dealer, 'deal')} ---"
    for side, lock in enumerate(x.locks):
        if lock is not None:
            told += f"\nSide {side} {LOCKS[lock]}."
    return t.line(told)


def _hand_dealt(t: _Teller, x: e.HandDealt) -> Text | None:
    if HIDDEN in x.cards.value:
        return None  # that everybody gets four is no news
    owner = "You get" if x.seat == t.me else f"{seat_name(x.seat, t.me)} gets"
    return t.line(f"{owner} ", t.cards(x.cards.value), ".")


def _captured(t: _Teller, x: e.CardsCaptured) -> Text:
    taken: list[Text] = [t.groups((group,)) for group in x.groups]
    taken += [
        t.line(f"the build of {build.value} (", t.cards(build.cards), ")") for build in x.builds
    ]
    told = Text(", ").join(taken)
    return t.line(
        t.does(x.seat, "take"), " ", told, " with ", t.cards((x.card,)), f".{_auto(x.auto)}"
    )


def _created(t: _Teller, x: e.BuildCreated) -> Text:
    return t.line(
        t.does(x.seat, "build"),
        f" {x.value} ({x.id}) with ",
        t.cards((x.card,)),
        ": ",
        t.groups(x.groups),
        ".",
    )


def _extended(t: _Teller, x: e.BuildExtended) -> Text:
    return t.line(
        t.does(x.seat, "add"),
        " ",
        t.groups(x.added_groups),
        f" to the build of {x.value} ({x.id}).",
    )


def _raised(t: _Teller, x: e.BuildRaised) -> Text:
    more = t.line(" and adds " if x.seat != t.me else " and add ", t.groups(x.added_groups))
    return t.line(
        t.does(x.seat, "raise"),
        f" {x.id} from {x.old_value} to {x.value} with ",
        t.cards((x.card,)),
        more if x.added_groups else "",
        ".",
    )


def _scored(t: _Teller, x: e.DealScored) -> Text:
    """A line for each side that holds something."""
    told = list(_scores(x))
    for side, (before, after) in enumerate(zip(x.before, x.after, strict=True)):
        told.append(f"Side {side}: {before} and {after - before} make {after}.")
    return t.line("The cards are counted.\n" + "\n".join(told))


def _scores(x: e.DealScored) -> Iterator[str]:
    for side in range(len(x.after)):
        items = [f"{_ITEMS[item]} {points}" for item, holder, points in x.items if holder == side]
        if items:
            yield f"  side {side}: {', '.join(items)}"


def _side(t: _Teller, x: e.GameWon) -> str:
    verb = "wins" if len(x.seats) == 1 and t.me not in x.seats else "win"
    names = listed([t.whom(seat) for seat in x.seats])
    return f"{names[0].upper()}{names[1:]} {verb}"


def _ending(x: e.GameWon | e.GameDrawn) -> str:
    return f"{_REASONS[x.reason]}, {' to '.join(map(str, x.scores))}"


_SENTENCES: Final[Mapping[type[Event], Callable[[_Teller, Any], Text | None]]] = {
    DeckShuffled: lambda t, _: t.line("The cards are shuffled."),
    e.GameStarted: lambda t, x: t.line(
        f"A game begins; {t.whom(x.first_dealer)} deal{'s' * (x.first_dealer != t.me)} first."
    ),
    e.StakePosted: lambda t, x: t.line(
        t.does(x.seat, "pay"), f" {counted(x.amount, 'chip')} into the pot."
    ),
    e.DealStarted: _deal_started,
    e.HandDealt: _hand_dealt,
    e.TableDealt: lambda t, x: t.line("On the table: ", t.cards(x.cards), "."),
    e.CardTrailed: lambda t, x: t.line(
        t.does(x.seat, "leave"), " ", t.cards((x.card,)), f" on the table.{_auto(x.auto)}"
    ),
    e.CardsCaptured: _captured,
    e.BuildCreated: _created,
    e.BuildExtended: _extended,
    e.BuildRaised: _raised,
    e.SweepMade: lambda t, _: t.line("A sweep: the table is empty."),
    e.ResidueAwarded: lambda t, x: t.line(
        "What is left, ",
        t.cards(x.cards),
        f", goes to {t.whom(x.seat)}, who took last."
        if x.seat != t.me
        else ", goes to you: you took last.",
    ),
    e.DealStopped: lambda t, _: t.line("The deal is stopped."),
    e.DealScored: _scored,
    e.OvertimeStarted: lambda t, _: t.line("A tie: they play on until one side is ahead."),
    e.DealEnded: lambda t, x: t.line(t.does(x.next_dealer, "deal"), " next."),
    e.SideForfeited: lambda t, x: t.line(f"Side {x.side} has left the game."),
    e.GameWon: lambda t, x: t.line(f"{_side(t, x)} {_ending(x)}."),
    e.GameDrawn: lambda t, x: t.line(
        f"The pot is shared by sides {listed(list(map(str, x.sides)))} {_ending(x)}."
    ),
    e.PotPaid: lambda t, x: t.line(
        t.does(x.seat, "get"), f" {counted(x.amount, 'chip')} from the pot."
    ),
    SatOut: lambda t, x: t.line(t.does(x.seat, "sit"), " out: the house plays meanwhile."),
    SatIn: lambda t, x: t.line(t.does(x.seat, "are", "is"), " back."),
    SeatLeaving: lambda t, x: t.line(t.does(x.seat, "leave"), " the game; the house plays on."),
}


def royal_casino_story(event: Event, faces: Faces, me: int | None) -> Text | None:
    """The sentence of an event for whoever sits at ``me``; None: nothing to tell."""
    sentence = _SENTENCES.get(type(event))
    return None if sentence is None else sentence(_Teller(faces, me), event)
