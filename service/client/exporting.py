"""A recorded hand as a hand script (hand_script 2.4), from what ReplayService tells.

The replay names the action of each step, not its parameters: those follow from what it made.
Every action that was on offer is tried; the one whose decision gives the recorded events did it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import chain, combinations, product
from typing import Any, Final

from engine.actions import (
    Action,
    AddChips,
    CloseTable,
    LeaveSeat,
    OpenTable,
    SitIn,
    SitOut,
    TableAction,
    TakeSeat,
    TimeOut,
)
from engine.errors import Refused
from engine.events import ChipsAdded, DeckShuffled, Event, HouseEvent, SeatTaken
from engine.fields import FieldKind, describe
from engine.games import GAMES
from engine.kernel import HOST, AnyGame, Cards, Limit, Range, Words
from engine.notation import lines_of_text
from engine.script import Recorded, ScriptedShuffler, action_name, export
from engine.visibility import EVERYONE, Private
from service.client.connection import Client
from service.client.records import get_table, hands, state_at, steps
from service.pb import common_pb2

__all__ = ["export_hand"]

MOST_TRIES: Final = 100_000
WIDE: Final = 1_000


async def export_hand(client: Client, table_id: str, hand: int, viewer: common_pb2.Viewer) -> str:
    """The script of a hand as ``viewer`` knows it.

    Raises ``ValueError`` where he does not know enough, such as the order of the shuffles.
    """
    table = (await get_table(client, table_id)).table
    game = GAMES.get(table.game)
    if game is None:
        raise ValueError(f"the game {table.game} is not installed here")
    first = next((h for h in await hands(client, table_id) if h.hand == hand), None)
    if first is None:
        raise ValueError(f"no hand {hand} was played at this table")
    options = {option.name: option.value for option in table.options}
    _, opened = game.decide(game.initial(), HOST, OpenTable(options), ScriptedShuffler())
    position = (await state_at(client, table_id, first.first_version, viewer)).text
    before = game.place(opened, lines_of_text(game.NUMBERED, position))
    told: list[tuple[int, str, list[Event]]] = []
    async for step in steps(client, table_id, hand, viewer):
        events = [client.codec.event_from_wire(each.event) for each in step.events]
        told.append((step.seat, step.action, events))
    record = _with_actions(game, before, _with_shuffles(told))
    title = f"hand {hand} of table {table_id}"
    return export(game, record, before=before, options=tuple(options.items()), title=title)


Told = Sequence[tuple[int, str, Sequence[Event]]]


def _with_shuffles(told: Told) -> list[tuple[int, str, tuple[Event, ...]]]:
    """The hand's own events, a hidden shuffle completed where the game shows the deck later."""
    of_game = [
        (seat, name, tuple(event for event in events if not isinstance(event, HouseEvent)))
        for seat, name, events in told
    ]
    every = [event for _, _, events in of_game for event in events]
    shuffles = [event for event in every if isinstance(event, DeckShuffled)]
    shown = [deck for event in every if (deck := _deck_shown(event))]
    if len(shuffles) != 1 or shuffles[0].order.shown or len(shown) != 1:
        return of_game
    known = replace(shuffles[0], order=Private(shown[0], EVERYONE))
    return [
        (seat, name, tuple(known if event is shuffles[0] else event for event in events))
        for seat, name, events in of_game
    ]


def _deck_shown(event: Event) -> tuple[int, ...]:
    """The order of a whole pack that an event makes public, such as ``DeckRevealed``."""
    for info in describe(type(event)):
        value = getattr(event, info.name)
        if (
            info.kind is FieldKind.CARDS
            and not info.private
            and len(value) == len(set(value)) == 52
        ):
            deck: tuple[int, ...] = value
            return deck
    return ()


def _with_actions(
    game: AnyGame, before: Any, told: Sequence[tuple[int, str, tuple[Event, ...]]]
) -> list[Recorded]:
    state = before
    record: list[Recorded] = []
    for seat, name, events in told:
        if not events:
            continue  # a step of the house alone
        action, state = _find(game, state, seat, name, events)
        record.append(Recorded(seat, action, events))
    return record


def _find(
    game: AnyGame, state: Any, actor: int, name: str, events: tuple[Event, ...]
) -> tuple[Action, Any]:
    """The action that makes these events, and the state after it."""
    decks = [event.order.value for event in events if isinstance(event, DeckShuffled)]
    if any(isinstance(event, DeckShuffled) and not event.order.shown for event in events):
        raise ValueError("the order of a shuffle is not known to this viewer")
    wanted = [_bare(event) for event in events]
    for tries, action in enumerate(_candidates(game, state, actor, events)):
        if tries > MOST_TRIES:
            break
        if name and action_name(type(action)) != name:
            continue
        try:
            made, after = game.decide(state, actor, action, ScriptedShuffler(decks))
        except Refused:
            continue
        if [_bare(event) for event in made] == wanted:
            return action, after
    raise ValueError(f"{name or 'a step'}: what it did is not known to this viewer")


def _bare(event: Event) -> tuple[object, ...]:
    """An event without its audiences, which a viewer is not told."""
    values = [getattr(event, info.name) for info in describe(type(event))]
    return (type(event), *(v.value if isinstance(v, Private) else v for v in values))


def _candidates(game: AnyGame, state: Any, actor: int, events: Sequence[Event]) -> Iterator[Action]:
    if actor == HOST:
        yield from (game.START(), TimeOut(), CloseTable())
        return
    for event in events:
        if isinstance(event, SeatTaken):
            yield TakeSeat(event.player, event.chips)
        elif isinstance(event, ChipsAdded):
            yield AddChips(event.amount)
    yield from (LeaveSeat(), SitOut(), SitIn())
    numbers = {number for event in events for number in _numbers(event)}
    for kind in game.ACTIONS:
        if issubclass(kind, TableAction):  # on offer to nobody, open to everybody
            fields = [info.name for info in describe(kind)]
            for told in product(sorted(numbers), repeat=len(fields)):
                yield kind(**dict(zip(fields, told, strict=True)))
    for offer in game.legal_actions(state, actor):
        fields = [limit.field for limit in offer.limits]
        for values in product(*(_values(limit, numbers) for limit in offer.limits)):
            yield offer.action(**dict(zip(fields, values, strict=True)))


def _numbers(event: Event) -> Iterator[int]:
    for info in describe(type(event)):
        number = getattr(event, info.name)
        if info.kind is FieldKind.INT and not info.private and number is not None:
            yield number


def _values(limit: Limit, numbers: AbstractSet[int]) -> Iterable[object]:
    """What a parameter may have been; of a wide range, its ends and what the events speak of."""
    match limit:
        case Range() if limit.high - limit.low < WIDE:
            return range(limit.low, limit.high + 1)
        case Range():
            told = {number for number in numbers if limit.low <= number <= limit.high}
            return sorted(told | {limit.low, limit.high})
        case Words():
            return limit.words
        case Cards():
            sizes = range(limit.low, limit.high + 1)
            return chain.from_iterable(combinations(limit.cards, size) for size in sizes)
