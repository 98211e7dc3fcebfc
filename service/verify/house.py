"""What the house adds to a commit, and who may have asked for it: independent of who wrote it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.actions import Action, CloseTable, ReleaseEmbargo, SitOut, TakeSeat, TimeOut
from engine.embargo import may_be_told
from engine.errors import Refused
from engine.events import (
    DeckShuffled,
    DeckStacked,
    EpochClosed,
    EpochOpened,
    EpochVoided,
    Event,
    HouseOpened,
    PacksShared,
    PositionSet,
    TimeBankUsed,
)
from engine.house import Table, apply_all, idle_seats
from engine.house_options import read_house_options
from engine.kernel import HOST
from engine.managed import is_managed
from engine.occupancy import seated_at
from engine.visibility import EVERYONE, SERVER
from service.verify.findings import Bad
from service.verify.records import Record

__all__ = [
    "require_actor",
    "require_caller",
    "require_no_lab",
    "require_opening",
    "require_time_banks",
    "require_turn",
    "require_void",
]

PLAYER: Final = 1
HOSTS: Final = 2
PROCESS: Final = 4
_NAMED: Final = {1: "a player", 2: "a host", 5: "an auditor"}
"""Who has an id; what the service does by itself has none."""


# --- who ----------------------------------------------------------------------------------------


def require_caller(record: Record) -> None:
    """Callers have an id, the service's own steps have none."""
    named = record.actor_kind in _NAMED
    if named != (record.actor is not None):
        expected = f"an id of {_NAMED[record.actor_kind]}" if named else "no id"
        raise Bad("an actor that cannot be", expected, record.actor)


def require_actor(record: Record, before: Table, after: Table, action: Action | None) -> None:
    """Players act at seats that they hold or take, hosts at none, the service where it is due.

    ``action`` is None where nothing opens it.
    """
    kind, seat = record.actor_kind, record.seat
    if kind == PLAYER and seat >= 0:
        taken = seated_at(before).get(seat) or seated_at(after).get(seat)
        holder = action.player if isinstance(action, TakeSeat) else taken
        if holder is not None and holder != str(record.actor):
            raise Bad(f"somebody else acts at seat {seat}", holder, record.actor)
    elif kind == HOSTS:
        if is_managed(before.house):
            raise Bad("a host acts at the table of a tournament", "its manager alone", record.actor)
        if seat != HOST or isinstance(action, TimeOut):
            raise Bad("a host acts at no seat, and lets nobody's time run out", HOST, seat)
    elif kind != PROCESS or (action is not None and not _is_due(before, action, seat)):
        who = f"an actor of kind {kind} at seat {seat}"
        raise Bad(
            "somebody acts who cannot", "a player, a host, or the service when it is due", who
        )


def _is_due(before: Table, action: Action, seat: int) -> bool:
    """Whether the service takes an action by itself."""
    if seat != HOST:
        return isinstance(action, SitOut) and seat in idle_seats(before)
    if is_managed(before.house) or isinstance(action, TimeOut):
        return True
    asked = isinstance(action, CloseTable | ReleaseEmbargo)
    return before.house.options.auto_start and not asked


# --- what ---------------------------------------------------------------------------------------


def require_opening(record: Record, events: Sequence[Event]) -> None:
    """The house of a table as its first commit tells it: every option, and whose it is."""
    house, *_ = events
    managed = isinstance(house, HouseOpened) and ("purse", "tournament") in house.options
    # Only tables of tournaments deal packs that others deal too.
    names = [type(one).__name__ for one in events if not (managed and isinstance(one, PacksShared))]
    if not isinstance(house, HouseOpened) or names[1:] != ["EpochOpened", "TableOpened"]:
        due = "HouseOpened, EpochOpened, TableOpened"
        raise Bad("a table that does not begin as tables do", due, ", ".join(names))
    try:
        options, texts = read_house_options(dict(house.options))
    except Refused as refused:
        raise Bad("options that no house has", found=refused.reason) from None
    if options.purse == "tournament":
        if record.actor_kind != PROCESS:
            raise Bad("a tournament opens its tables itself", PROCESS, record.actor_kind)
    elif record.actor_kind != HOSTS or house.host != str(record.actor):
        raise Bad("a table is opened by its host", record.actor, house.host)
    if texts != house.options or (house.lab and options.purse != "free"):
        raise Bad("options of the house as nobody would have stored them")


def require_no_lab(events: Sequence[Event]) -> None:
    """What only the first commit of a table has, or tables of the laboratory do."""
    for event in events:
        if isinstance(event, HouseOpened | PacksShared | DeckStacked | PositionSet):
            raise Bad("an event that there cannot be at this table", found=type(event).__name__)


def require_time_banks(
    before: Table, events: Sequence[Event], action: Action, seat: int, reserve_ms: int
) -> None:
    """Whoever answers used no more than he had left; whoever let time run out, all of it."""
    used = [event for event in events if isinstance(event, TimeBankUsed)]
    spent = dict(before.house.bank_used_ms)
    waited = before.game.to_act(before.state)
    if isinstance(action, TimeOut):
        rests = [(each, reserve_ms - spent.get(each, 0)) for each in waited]
        due = [TimeBankUsed(each, rest) for each, rest in rests if rest > 0]
        if used != due:
            raise Bad("time banks at a time-out are not what was left of them", due, used)
    elif used:
        left = reserve_ms - spent.get(seat, 0)
        fits = seat in waited and used[0].seat == seat and 0 < used[0].milliseconds <= left
        if len(used) > 1 or events[0] != used[0] or not fits:
            raise Bad("a time bank that nobody could use", f"at most {left} ms of {seat}", used)


def require_void(record: Record, before: Table, events: Sequence[Event]) -> None:
    """Epochs are voided by the service itself; if it is the one that runs, the next one opens."""
    if record.actor_kind != PROCESS or record.seat != HOST:
        raise Bad("an epoch is voided by the service alone", found=record.actor_kind)
    void = [event for event in events if isinstance(event, EpochVoided)]
    running = any(event.epoch == before.house.epoch for event in void)
    opened = [event for event in events if isinstance(event, EpochOpened)]
    if len(opened) != running or [*void, *opened] != list(events):
        names = ", ".join(type(event).__name__ for event in events)
        raise Bad("more than epochs that are void and the next", found=names)


def require_turn(before: Table, events: Sequence[Event], seat: int) -> None:
    """Epochs end, and others open, in the very commit in which they are due, and in no other."""
    play = [event for event in events if not isinstance(event, EpochClosed | EpochOpened)]
    due = _turn(apply_all(before, play, seat), play)
    ends = events[len(play) :]
    found = [_told(event) for event in ends]
    if due != found:
        raise Bad("epochs do not end and open as they must", ", ".join(due), ", ".join(found))


def _told(event: Event) -> str:
    match event:
        case EpochClosed(epoch, secret):
            return f"EpochClosed {epoch} for {secret.audience:#010x}"
        case EpochOpened(epoch):
            return f"EpochOpened {epoch}"
        case _:
            return type(event).__name__


def _turn(after: Table, play: Sequence[Event]) -> list[str]:
    """What the house adds to the events of the play, ``after`` being the table behind them."""
    game, house = after.game, after.house
    closed = game.is_closed(after.state)
    left = closed and not game.players(after.state)
    audience = EVERYONE if house.options.reveal == "public" else SERVER
    at_once = closed or not game.SECRET_UNTIL
    due: list[str] = []
    if at_once or any(
        isinstance(event, DeckShuffled) and event.purpose in game.SECRET_UNTIL for event in play
    ):
        kept = [epoch for epoch, _, _ in house.kept if may_be_told(house, epoch)]
        due += [f"EpochClosed {epoch} for {audience:#010x}" for epoch in kept]
    waits = bool(house.kept) and not house.options.embargo
    over = closed or (game.epoch_is_over(after.state) and not waits)
    if left or (over and house.shuffles):
        if at_once and may_be_told(house, house.epoch):
            due.append(f"EpochClosed {house.epoch} for {audience:#010x}")
        if not left:
            due.append(f"EpochOpened {house.epoch + 1}")
    return due
