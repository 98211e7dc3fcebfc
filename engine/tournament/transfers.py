"""What facts of a tournament move: money from and to accounts, chips from and to its tables.

The other side of each stands in the same group of commits, on the stream of the account or the
table, and says the same: the service makes it so, audits hold it to that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from engine.events import ChipsAdded, Event, SeatLeft, SeatTaken
from engine.tournament import events as e
from engine.tournament.evolve import evolve
from engine.tournament.format import House
from engine.tournament.formats import format_of
from engine.tournament.state import Tournament

__all__ = [
    "Payment",
    "PaymentKind",
    "Stake",
    "chips_moved",
    "house_of",
    "payments",
    "stakes",
    "tables_of",
]


_PAYS: Final = (e.EntryMade, e.AddOnBought, e.EntryWithdrawn, e.EntryPaid)
_STAKES: Final = (
    e.TableStood,
    e.TableDone,
    e.EntrySeated,
    e.EntryRemoved,
    e.EntryMoved,
    e.AddOnGiven,
)
"""Facts that move something: most commits, such as those of hands that end, have none of them."""


class PaymentKind(StrEnum):
    """What a payment is to the account."""

    ENTRY = "ENTRY"
    RETURN = "RETURN"
    PRIZE = "PRIZE"


class Payment(NamedTuple):
    """Money between the tournament and a player's account."""

    player: str
    kind: PaymentKind
    amount: int


class Stake(NamedTuple):
    """Chips to a seat of a table, negative: from it; ``player`` empty: it is the house's own."""

    table: int
    seat: int
    player: str
    chips: int


def payments(before: Tournament, events: Iterable[Event]) -> list[Payment]:
    """What events move between accounts and the tournament, ``before`` being it before them."""
    found: list[Payment] = []
    state = before
    for event in _up_to_last(events, _PAYS):
        match event:
            case e.EntryMade():
                paid = event.buy_in + event.fee
                found.append(Payment(event.player, PaymentKind.ENTRY, paid))
            case e.AddOnBought():
                player = state.entries[event.entry].player
                found.append(Payment(player, PaymentKind.ENTRY, event.cost + event.fee))
            case e.EntryWithdrawn():
                paid = state.structure.buy_in + state.structure.fee
                player = state.entries[event.entry].player
                found.append(Payment(player, PaymentKind.RETURN, paid))
            case e.EntryPaid():
                entry = state.entries[event.entry]
                kind = PaymentKind.PRIZE if entry.won else PaymentKind.RETURN
                found.append(Payment(entry.player, kind, entry.due))
            case _:
                pass
        state = evolve(state, event)
    return [payment for payment in found if payment.amount]


def stakes(before: Tournament, events: Iterable[Event]) -> list[Stake]:
    """What events move between the tournament and seats of its tables.

    Where a table is closed while a hand of it did not count, seats may have other chips than the
    tournament knows of, but all of them together, that of the house's own player too, have as many.
    """
    found: list[Stake] = []
    state = before
    for event in _up_to_last(events, _STAKES):
        match event:
            case e.TableStood(table):
                found += _sitting(state, table, 1)
            case e.TableDone(table):
                found += _sitting(state, table, -1)
            case e.EntrySeated(number):
                entry = state.entries[number]
                found.append(Stake(entry.to_table, entry.to_seat, entry.player, entry.pocket))
            case e.EntryRemoved(number):
                found.append(_from_seat(state, number))
            case e.EntryMoved(number):
                gone = _from_seat(state, number)
                entry = state.entries[number]
                found += gone, Stake(entry.to_table, entry.to_seat, entry.player, -gone.chips)
            case e.AddOnGiven(number):
                entry = state.entries[number]
                found.append(Stake(entry.table, entry.seat, entry.player, entry.pocket))
            case _:
                pass
        state = evolve(state, event)
    return found


def _up_to_last(events: Iterable[Event], kinds: tuple[type[Event], ...]) -> Sequence[Event]:
    """The events as far as anything is moved by them: it is as the state then is."""
    events = tuple(events)
    moving = [at for at, event in enumerate(events, 1) if isinstance(event, kinds)]
    return events[: moving[-1]] if moving else ()


def _sitting(state: Tournament, number: int, sign: int) -> list[Stake]:
    table, house = state.tables[number], house_of(state, number)
    own = [] if house is None else [Stake(number, house.seat, "", sign * house.chips)]
    return own + [
        Stake(
            number,
            at,
            state.entries[table.seats[at].entry].player,
            sign * _chips(state, table.seats[at].chips),
        )
        for at in table.taken()
    ]


def _chips(state: Tournament, counted: int) -> int:
    """Chips that lie at a seat: none where a format counts points or games there."""
    return counted if state.structure.stack else 0


def _from_seat(state: Tournament, number: int) -> Stake:
    entry = state.entries[number]
    chips = state.tables[entry.table].seats[entry.seat].chips
    return Stake(entry.table, entry.seat, entry.player, -_chips(state, chips))


def tables_of(before: Tournament, events: Iterable[Event]) -> list[int]:
    """The tables that take part in the group of these events, in the order in which they stand."""
    found: dict[int, None] = {}
    state = before
    for event in _up_to_last(events, _STAKES):
        match event:
            case e.TableStood(table) if state.tables[table].taken():
                found[table] = None
            case e.TableDone(table):
                found[table] = None
            case e.EntrySeated(number):
                found[state.entries[number].to_table] = None
            case e.EntryMoved(number):
                found[state.entries[number].table] = None
                found[state.entries[number].to_table] = None
            case e.EntryRemoved(number) | e.AddOnGiven(number):
                found[state.entries[number].table] = None
            case _:
                pass
        state = evolve(state, event)
    return [*found]


def house_of(state: Tournament, table: int) -> House | None:
    """A player of the house's own at a table between two hands; his chips are no entry's."""
    return format_of(state.structure).deal(state, table).house


def chips_moved(events: Iterable[Event]) -> int:
    """What events of a table brought to it, less what they took from it."""
    chips = 0
    for event in events:
        match event:
            case SeatTaken() | SeatLeft():
                chips += event.chips if isinstance(event, SeatTaken) else -event.chips
            case ChipsAdded():
                chips += event.amount
            case _:
                pass
    return chips
