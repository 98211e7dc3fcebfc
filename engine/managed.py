"""Tables of a tournament: their seats, chips, options and next hands are its manager's alone.

Such a table has the house option ``purse=tournament``.  What its manager asks for is decided here,
through the game's own rules, so that a chip or a seat means there what it means anywhere.  What
players may not do, because it would take them or chips out of the tournament, is refused here too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from engine.actions import (
    Action,
    AddChips,
    ChangeOptions,
    CloseTable,
    DismissTable,
    GiveChips,
    HoldHands,
    LeaveSeat,
    OpenTable,
    ReleaseHands,
    SeatAction,
    SeatPlayers,
    SitOut,
    TableAction,
    TakeSeat,
    UnseatPlayers,
)
from engine.errors import Refused
from engine.events import Event, HandsHeld, HandsReleased, OptionsChanged, SeatLeft, TableOpened
from engine.house import House, Table, apply_all, is_held, running_hand
from engine.kernel import HOST, AnyGame, Shuffler

__all__ = [
    "MAX_REASON",
    "Decide",
    "house_turns",
    "is_managed",
    "manage",
    "require_manager",
]

MAX_REASON: Final = 40
"""Characters of the word that says why hands are held."""

Decide = Callable[[Table, int, Action], Sequence[Event]]
"""What a game makes of an action of a seat at a table."""

_NOT_FOR_PLAYERS: Final[Mapping[type[Action], str]] = {
    TakeSeat: "register with the tournament, which gives the seats",
    LeaveSeat: "the tournament gives the seats; who is away is dealt in",
    SitOut: "everybody is dealt in until he is out",
    AddChips: "the tournament gives the chips",
}


def is_managed(house: House) -> bool:
    """Whether the table belongs to a tournament; its id is ``house.host``."""
    return house.options.purse == "tournament"


def _house_turn(table: Table) -> tuple[int, Action] | None:
    """The seat of the house's own player, and what he does, if it is his turn.

    He is whoever has the tournament's id for a name, and has no choice.
    """
    house = table.house
    if not is_managed(house) or is_held(table):
        return None
    players = table.game.players(table.state)
    for seat in table.game.to_act(table.state):
        if seat in players and players[seat][0] == house.host:
            action = table.game.house_action(table.state, seat)
            return None if action is None else (seat, action)
    return None


def house_turns(table: Table, actor: int, events: Sequence[Event], decide: Decide) -> list[Event]:
    """What the house's own player does right after the events of a commit, in the same one.

    ``table`` is the table before them.
    """
    if not is_managed(table.house):
        return []
    players = table.game.players(table.state).values()
    if all(name != table.house.host for name, _ in players):
        return []
    made: list[Event] = []
    table = apply_all(table, events, actor)
    while (turn := _house_turn(table)) is not None:
        taken = decide(table, *turn)
        table = apply_all(table, taken, turn[0])
        made += taken
    return made


def require_manager(table: Table, action: Action) -> None:
    """Refuse what is for the manager alone, and play while hands are held.

    ``action`` is a player's or a host's, but none of ``MANAGER_ACTIONS``.  Raises ``Refused``:
    ``TOURNAMENT_TABLE`` (what is the tournament's at one of its tables), ``TABLE_HELD`` (an answer
    between two hands of which the next one is held).
    """
    if not is_managed(table.house):
        return
    why = _NOT_FOR_PLAYERS.get(type(action))
    if type(action) in table.game.NOT_IN_TOURNAMENTS:
        why = "the tournament sees to it"
    if why is not None:
        raise Refused("TOURNAMENT_TABLE", tournament=table.house.host, expected=why)
    if is_held(table) and isinstance(action, SeatAction) and not isinstance(action, TableAction):
        raise Refused("TABLE_HELD", held=table.house.held)


def manage(table: Table, action: Action, shuffler: Shuffler) -> tuple[Event, ...]:
    """The facts of one of ``MANAGER_ACTIONS``.

    Raises ``Refused``: ``NO_TOURNAMENT_TABLE``, ``IN_HAND`` (possible between hands only),
    ``INVALID_OPTIONS``, ``NOTHING_CHANGES``, ``NOT_HELD``, ``BAD_PARAMETER``, and what the game
    says of a seat.
    """
    if not is_managed(table.house):
        raise Refused("NO_TOURNAMENT_TABLE")
    if table.game.is_closed(table.state):
        raise Refused("TABLE_CLOSED")
    match action:
        case SeatPlayers(players):
            taken = [(seat, TakeSeat(player, chips)) for seat, player, chips in players]
            return _decided(table, _some(taken), shuffler)
        case UnseatPlayers(seats):
            _require_between_hands(table)
            events = _decided(table, _some([(seat, LeaveSeat()) for seat in seats]), shuffler)
            left = {event.seat for event in events if isinstance(event, SeatLeft)}
            if not set(seats) <= left:  # the game keeps who has part in more than a hand
                raise Refused("IN_HAND", seats=sorted(set(seats) - left))
            return events
        case GiveChips(seat, amount):
            return _decided(table, [(seat, AddChips(amount))], shuffler)
        case ChangeOptions(options):
            changed = _changed(table, options, shuffler)
            if not changed:
                raise Refused("NOTHING_CHANGES")
            return changed
        case DismissTable():
            _require_between_hands(table)
            return _dismiss(table, shuffler)
        case HoldHands(reason):
            if not 1 <= len(reason) <= MAX_REASON:
                expected = f"a word of 1 to {MAX_REASON} characters"
                raise Refused("BAD_PARAMETER", field="reason", expected=expected)
            if table.house.held == reason:
                raise Refused("NOTHING_CHANGES", held=reason)
            return (HandsHeld(reason),)
        case ReleaseHands(options):
            if not table.house.held:
                raise Refused("NOT_HELD")
            changed = _changed(table, options, shuffler) if options else ()
            table = apply_all(table, changed)
            first = table.game.before_hand(table.state)
            return (*changed, *_decided(table, first, shuffler), HandsReleased())
        case _:
            raise TypeError(f"{type(action).__name__} is nothing that a manager does")


def _require_between_hands(table: Table) -> None:
    hand = running_hand(table)
    if hand:
        raise Refused("IN_HAND", hand=hand)


def _some(actions: Sequence[tuple[int, Action]]) -> Sequence[tuple[int, Action]]:
    if not actions:
        raise Refused("BAD_PARAMETER", field="seats", expected="one at least")
    return actions


def _decided(
    table: Table, actions: Sequence[tuple[int, Action]], shuffler: Shuffler
) -> tuple[Event, ...]:
    """What the rules make of actions of seats, one after the other."""
    state: Any = table.state
    events: list[Event] = []
    for seat, action in actions:
        made, state = table.game.decide(state, seat, action, shuffler)
        events += made
    return tuple(events)


def _dismiss(table: Table, shuffler: Shuffler) -> tuple[Event, ...]:
    """Seat by seat, as long as somebody sits: whoever leaves may end a game for the others."""
    game, state = table.game, table.state
    events: list[Event] = []
    for seat in range(game.seats(state)):
        if seat in game.players(state):
            made, state = game.decide(state, seat, LeaveSeat(), shuffler)
            events += made
    made, _ = game.decide(state, HOST, CloseTable(), shuffler)
    return (*events, *made)


def _changed(table: Table, asked: Mapping[str, str], shuffler: Shuffler) -> tuple[Event, ...]:
    """Other options between two hands; nothing where these are agreed upon."""
    _require_between_hands(table)
    game: AnyGame = table.game
    for name in asked:
        if name not in game.CHANGEABLE:
            may = ", ".join(sorted(game.CHANGEABLE)) or f"none of {game.key}"
            expected = f"an option that may change between hands: {may}"
            raise Refused("INVALID_OPTIONS", option=name, expected=expected)
    # Held to the rules by which a table is opened, with whatever goes together in them.
    wanted = OpenTable({**dict(table.house.agreed), **asked})
    opened, _ = game.decide(game.initial(), HOST, wanted, shuffler)
    (options,) = [event.options for event in opened if isinstance(event, TableOpened)]
    if options == table.house.agreed:
        return ()
    first = game.before_options(table.state, dict(options))
    return (*_decided(table, first, shuffler), OptionsChanged(options))
