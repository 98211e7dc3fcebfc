"""The house around a game: what the host adds to a table, folded from the same stream.

The options agreed upon, the epoch of the shuffles, the number of the running decision, time
banks.  A table is a game's state and its house's, and the version they stand at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from engine.events import (
    HOUSE_EVENTS,
    DeckShuffled,
    DeckStacked,
    EmbargoReleased,
    EntropyContributed,
    EpochClosed,
    EpochOpened,
    EpochVoided,
    Event,
    HandsHeld,
    HandsReleased,
    HouseOpened,
    LotDrawn,
    OptionsChanged,
    PacksShared,
    Pairs,
    PositionSet,
    SatIn,
    SeatLeft,
    ShuffleCommitted,
    TableOpened,
    TimeBankUsed,
    TurnTimedOut,
)
from engine.house_options import HouseOptions, stored_house_options
from engine.kernel import AnyGame, Decision
from engine.notation import lines_of_text
from engine.records import quick_copies

__all__ = [
    "NEXT_HAND",
    "House",
    "Table",
    "apply",
    "apply_all",
    "away_seats",
    "decision",
    "evolve_house",
    "hand_between",
    "idle_seats",
    "is_held",
    "running_hand",
    "secret_epochs",
]


@quick_copies
class House(NamedTuple):
    """What the house knows of a table.

    ``epoch`` is 0 while none is open; ``epochs`` counts those ever opened, ``shuffles`` those of
    the open one, ``entropy`` what seats contributed to them, as (seat, value) in recorded order.
    ``kept``: number, commitment and wrapped secret of each epoch that is over and has not been
    told; ``released``: up to which epoch an embargo was lifted.  ``hands`` counts those ever
    begun: a hand is known by that number, whatever the game counts.  ``decision``: number of the
    running decision; ``between``: of the last one between hands, counted through the table's life.
    ``timed_out`` and ``answered``: seats that did so in the running hand.  ``missed``: (seat, hands
    in a row whose turns all timed out).  ``agreed``: the game's options as they stand.  ``held``:
    why no further hand begins; empty: it may, and at a table of a tournament that is said of one at
    a time.  ``began``: those dealt in to the last hand, with what the game counted for them then.
    ``packs``: see ``PacksShared``.
    """

    options: HouseOptions = HouseOptions()
    lab: bool = False
    host: str = ""
    epoch: int = 0
    epochs: int = 0
    commitment: bytes = b""
    wrapped: bytes = b""
    shuffles: int = 0
    entropy: tuple[tuple[int, bytes], ...] = ()
    kept: tuple[tuple[int, bytes, bytes], ...] = ()
    released: int = 0
    hands: int = 0
    decision: int = 0
    between: int = 0
    bank_used_ms: tuple[tuple[int, int], ...] = ()
    timed_out: frozenset[int] = frozenset()
    answered: frozenset[int] = frozenset()
    missed: tuple[tuple[int, int], ...] = ()
    stacked: tuple[tuple[int, ...], ...] = ()
    agreed: Pairs = ()
    held: str = ""
    began: tuple[tuple[int, int], ...] = ()
    packs: str = ""


class Table(NamedTuple):
    """A table at a version: the game, its state, the house's."""

    game: AnyGame
    state: Any
    house: House
    version: int

    @classmethod
    def empty(cls, game: AnyGame) -> Table:
        """Before the first event."""
        return cls(game, game.initial(), House(), 0)


_HOUSE: Final = frozenset(HOUSE_EVENTS) - {PositionSet, EpochVoided, OptionsChanged}
"""Those that change nothing of the game."""

NEXT_HAND: Final = "NEXT_HAND"
"""Why hands are held at a table of a tournament unless it has let the next one go."""

_WATCHED: Final = frozenset({TableOpened, SeatLeft, SatIn, DeckShuffled, TurnTimedOut})

_Note = Callable[[AnyGame, Any, House, Any], tuple[Any, House]]
"""What becomes of a game's state and its house's by an event that means something to the house."""


@cache
def _notes(game: type[AnyGame]) -> Mapping[type[Event], _Note]:
    """By class, for the events that mean something to the house; most of a game's do not."""
    marks = game.HAND_BEGINS | game.HAND_ENDS | _WATCHED
    return {
        **dict.fromkeys(game.DECIDES, _decided),
        **dict.fromkeys(marks, _marked),
        **dict.fromkeys(_HOUSE, _of_the_house),
        PositionSet: _placed,
        EpochVoided: _voided,
        OptionsChanged: _changed,
    }


def apply(table: Table, event: Event) -> Table:
    """The table after one event, whose version is one higher."""
    return _fold(table, (event,), table.house)


def apply_all(table: Table, events: Iterable[Event], seat: int = -1) -> Table:
    """The table after the events of one commit, in which ``seat`` acted (-1: no seat)."""
    events = tuple(events)
    house = table.house
    acted = seat >= 0 and not table.game.DECIDES.isdisjoint(map(type, events))
    if acted and seat not in house.answered:
        house = house._replace(answered=house.answered | {seat})
    return _fold(table, events, house)


def _fold(table: Table, events: tuple[Event, ...], house: House) -> Table:
    game, state, _, version = table
    note_of, evolve = _notes(type(game)).get, game.evolve
    for event in events:
        note = note_of(type(event))
        if note is None:
            state = evolve(state, event)
        else:
            state, house = note(game, state, house, event)
    return Table(game, state, house, version + len(events))


def _of_the_house(_: AnyGame, state: Any, house: House, event: Event) -> tuple[Any, House]:
    return state, evolve_house(house, event)


def _changed(game: AnyGame, state: Any, house: House, event: OptionsChanged) -> tuple[Any, House]:
    agreed = house._replace(agreed=event.options)
    return game.with_options(state, dict(event.options)), agreed


def _decided(game: AnyGame, state: Any, house: House, event: Event) -> tuple[Any, House]:
    return game.evolve(state, event), _counted(game, state, house, event)


def _counted(game: AnyGame, state: Any, house: House, event: Event) -> House:
    if not game.answers(state, event):
        return house
    number = house.decision + 1
    return house._replace(decision=number, between=house.between if game.hand(state) else number)


def _marked(game: AnyGame, state: Any, house: House, event: Event) -> tuple[Any, House]:
    """An event that begins a hand, ends one, or is watched; it may decide as well."""
    kind = type(event)
    if kind in _WATCHED:
        house = _follow(house, event)
    if kind in game.DECIDES:
        house = _counted(game, state, house, event)
    begins = kind in game.HAND_BEGINS
    if begins:
        scores, dealt = game.scores(state), game.dealt_in(event)
        seats = sorted(scores) if dealt is None else sorted(dealt)
        # Time banks are a reserve for one hand: they are full again when the next begins.
        house = house._replace(
            decision=1,
            bank_used_ms=(),
            timed_out=frozenset(),
            answered=frozenset(),
            held=NEXT_HAND if house.options.purse == "tournament" else "",
            began=tuple((seat, scores.get(seat, 0)) for seat in seats),
        )
    if kind in game.HAND_ENDS:
        house = _hand_over(house)
    state = game.evolve(state, event)
    if begins:
        house = house._replace(hands=max(house.hands + 1, game.hand(state)))
    return state, house


def away_seats(house: House) -> tuple[int, ...]:
    """Seats that have missed as many hands as the house waits for (rules C12)."""
    limit = house.options.sit_out_after_timeouts
    return tuple(seat for seat, hands in house.missed if limit and hands >= limit)


def idle_seats(table: Table) -> tuple[int, ...]:
    """Seats that the house lets sit out; in a tournament nobody does."""
    return () if table.house.options.purse == "tournament" else away_seats(table.house)


def is_held(table: Table) -> bool:
    """Whether the table stands between two hands, and the next one may not begin."""
    return bool(table.house.held) and not table.game.hand(table.state)


def evolve_house(house: House, event: Event) -> House:
    """The house after an event that means nothing to what is played in it."""
    match event:
        case HouseOpened():
            options = stored_house_options(event.options)
            held = NEXT_HAND if options.purse == "tournament" else ""
            return house._replace(options=options, lab=event.lab, host=event.host, held=held)
        case EpochOpened():
            return house._replace(
                epoch=event.epoch,
                epochs=event.epoch,
                commitment=event.commitment,
                wrapped=event.wrapped.value,
                shuffles=0,
                entropy=(),
                kept=_kept_too(house),
            )
        case EpochClosed() if event.epoch != house.epoch:
            return _told(house, event.epoch)
        case EpochClosed() | EpochVoided():  # tables: see ``_voided``
            return house._replace(epoch=0, commitment=b"", wrapped=b"", shuffles=0, entropy=())
        case TimeBankUsed():
            used = dict(house.bank_used_ms)
            used[event.seat] = used.get(event.seat, 0) + event.milliseconds
            return house._replace(bank_used_ms=tuple(sorted(used.items())))
        case DeckStacked():
            return house._replace(stacked=(*house.stacked, event.order.value))
        case LotDrawn():
            return house._replace(shuffles=house.shuffles + 1)
        case EntropyContributed():
            return house._replace(entropy=(*house.entropy, (event.seat, event.value)))
        case EmbargoReleased():
            return house._replace(released=event.epoch)
        case ShuffleCommitted():
            return house
        case HandsHeld():
            return house._replace(held=event.reason)
        case HandsReleased():
            return house._replace(held="")
        case PacksShared():
            return house._replace(packs=event.packs)
        case _:
            raise AssertionError(f"{type(event).__name__} is no event of the house")


def _kept_too(house: House) -> tuple[tuple[int, bytes, bytes], ...]:
    """What is kept secret once another epoch opens: the one before it may not be told yet."""
    if not house.epoch:
        return house.kept
    return (*house.kept, (house.epoch, house.commitment, house.wrapped))


def _told(house: House, epoch: int) -> House:
    return house._replace(kept=tuple(row for row in house.kept if row[0] != epoch))


def secret_epochs(house: House) -> frozenset[int]:
    """The epochs whose secret is not told: the open one, and those that are kept."""
    kept = {epoch for epoch, _, _ in house.kept}
    return frozenset(kept | {house.epoch} - {0})


def _hand_over(house: House) -> House:
    """Count, by seat, the hands in a row in which every turn timed out."""
    missed = dict(house.missed)
    for seat in house.timed_out - house.answered:
        missed[seat] = missed.get(seat, 0) + 1
    for seat in house.answered:
        missed.pop(seat, None)
    number = house.between + 1
    return house._replace(missed=tuple(sorted(missed.items())), decision=number, between=number)


def _without(house: House, seat: int) -> tuple[tuple[int, int], ...]:
    return tuple(entry for entry in house.missed if entry[0] != seat)


def _follow(house: House, event: Event) -> House:
    match event:
        case TurnTimedOut():
            return house._replace(timed_out=house.timed_out | {event.seat})
        case SatIn():
            # Who is back now has not missed what is left of the hand.
            return house._replace(
                missed=_without(house, event.seat), timed_out=house.timed_out - {event.seat}
            )
        case SeatLeft():
            # What this player missed or answered is not the next one's.
            return house._replace(
                missed=_without(house, event.seat),
                timed_out=house.timed_out - {event.seat},
                answered=house.answered - {event.seat},
            )
        case DeckShuffled():
            return house._replace(shuffles=house.shuffles + 1, stacked=house.stacked[1:])
        case TableOpened():
            return house._replace(agreed=event.options)
        case _:
            raise AssertionError(f"{type(event).__name__} is not followed by the house")


def _placed(game: AnyGame, state: Any, house: House, event: PositionSet) -> tuple[Any, House]:
    """A table put into a position: what its seats did before counts no more."""
    placed = game.place(state, lines_of_text(game.NUMBERED, event.position.value))
    awaited = bool(game.to_act(placed))
    between = house.between if game.hand(placed) else house.between + 1
    house = house._replace(
        hands=max(house.hands, game.hand(placed)),
        decision=(1 if game.hand(placed) else between) if awaited else 0,
        between=between,
        bank_used_ms=(),
        timed_out=frozenset(),
        answered=frozenset(),
        missed=(),
    )
    return placed, house


def _voided(game: AnyGame, state: Any, house: House, event: EpochVoided) -> tuple[Any, House]:
    """A table whose epoch is void: the hand that ran did not happen, what was missed in it neither.

    Whatever was decided next has another number: an answer to the lost hand fits nothing.
    """
    if event.epoch != house.epoch:
        return state, _told(house, event.epoch)
    if event.position:
        state = game.place(state, lines_of_text(game.NUMBERED, event.position))
    number = house.between + 1
    house = house._replace(
        epoch=0,
        commitment=b"",
        wrapped=b"",
        shuffles=0,
        entropy=(),
        decision=number,
        between=number,
        bank_used_ms=(),
        timed_out=frozenset(),
        answered=frozenset(),
    )
    return state, house


def running_hand(table: Table) -> int:
    """The number of the running hand, from 1 and never twice at a table; 0 between hands."""
    return table.house.hands if table.game.hand(table.state) else 0


def hand_between(before: Table, after: Table) -> int:
    """The hand that a commit belongs to which leads from one table to the other; 0: to none."""
    if after.house.hands > before.house.hands:  # one that nobody answers may be over at once
        return after.house.hands
    return running_hand(after) or running_hand(before)


def decision(table: Table) -> Decision | None:
    """The public decision point the table waits at, if any; none while hands are held."""
    seats = table.game.to_act(table.state)
    if not seats or is_held(table):
        return None
    return Decision(running_hand(table), table.house.decision, seats)
