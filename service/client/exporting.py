"""A recorded hand as a hand script (hand_script 2.4), from what ReplayService tells.

The replay names the action of each step, not its parameters: those follow from what it made.
Every action that was on offer is tried; the one whose decision gives the recorded events did it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import chain, combinations, islice, product
from typing import Any, Final, NamedTuple, cast

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
from engine.fields import FieldInfo, FieldKind, describe
from engine.games import GAMES
from engine.kernel import HOST, AnyGame, Cards, Groups, Limit, Names, OneCard, Range, Words
from engine.notation import lines_of_text
from engine.script import Recorded, ScriptedShuffler, action_name, export
from engine.visibility import EVERYONE, Private, private_fields
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
        action, made, state = _find(game, state, seat, name, events)
        record.append(Recorded(seat, action, tuple(map(_fuller, events, made))))
    return record


def _find(
    game: AnyGame, state: Any, actor: int, name: str, events: tuple[Event, ...]
) -> tuple[Action, tuple[Event, ...], Any]:
    """The action that makes these events, what it makes in full, and the state after it."""
    decks = [event.order.value for event in events if isinstance(event, DeckShuffled)]
    if any(isinstance(event, DeckShuffled) and not event.order.shown for event in events):
        raise ValueError("the order of a shuffle is not known to this viewer")
    candidates = _candidates(game, state, actor, name, events)
    for action in islice(candidates, MOST_TRIES):
        try:
            made, after = game.decide(state, actor, action, ScriptedShuffler(decks))
        except Refused:
            continue
        if len(made) == len(events) and all(map(_agrees, events, made)):
            return action, made, after
    raise ValueError(f"{name or 'a step'}: what it did is not known to this viewer")


def _agrees(told: Event, made: Event) -> bool:
    """Whether an event may be the one that a viewer was told: what he was not shown may be any."""
    if type(told) is not type(made):
        return False
    return all(
        _is_same(getattr(told, info.name), getattr(made, info.name))
        for info in describe(type(told))
    )


def _is_same(told: Any, made: Any) -> bool:
    secret: Private[Any] | None = told if isinstance(told, Private) else None
    if secret is None:
        return bool(told == made)
    return bool(secret.value == made.value) if secret.shown else _alike(secret.value, made.value)


def _alike(hidden: Any, value: Any) -> bool:
    """Whether a value may stand behind a hidden one: the length of a list is told."""
    return not isinstance(hidden, tuple) or len(hidden) == len(value)


def _fuller(told: Event, made: Event) -> Event:
    """The event as it was told, or in full where a deck that was shown later tells the rest."""
    hidden = [
        name for name in private_fields(cast("Any", type(told))) if not getattr(told, name).shown
    ]
    values = [getattr(made, name).value for name in hidden]
    known = [all(value) if isinstance(value, tuple) else bool(value) for value in values]
    return made if hidden and all(known) else told


def _candidates(
    game: AnyGame, state: Any, actor: int, name: str, events: Sequence[Event]
) -> Iterator[Action]:
    """The actions of this name, or of any if there is none, that may have made the events."""
    for action in _attempts(game, state, actor, name, events):
        if not name or action_name(type(action)) == name:
            yield action


def _attempts(
    game: AnyGame, state: Any, actor: int, name: str, events: Sequence[Event]
) -> Iterator[Action]:
    if actor == HOST:
        yield from (game.next_start(state, _Lot(seat)) for seat in range(game.seats(state)))
        yield from (TimeOut(), CloseTable())
        return
    for event in events:
        if isinstance(event, SeatTaken):
            yield TakeSeat(event.player, event.chips)
        elif isinstance(event, ChipsAdded):
            yield AddChips(event.amount)
    yield from (LeaveSeat(), SitOut(), SitIn())
    numbers = {number for event in events for number in _numbers(event)}
    cards = {card for event in events for card in _faces(event)}
    for kind in game.ACTIONS:
        if issubclass(kind, TableAction):  # on offer to nobody, open to everybody
            fields = [info.name for info in describe(kind)]
            for told in product(sorted(numbers), repeat=len(fields)):
                yield kind(**dict(zip(fields, told, strict=True)))
    offers = [o for o in game.legal_actions(state, actor) if name in {"", action_name(o.action)}]
    # Two ranges together may hold more than can be tried: first what the events speak of.
    for every in (False, True):
        for offer in offers:
            fields = [limit.field for limit in offer.limits]
            limits = [_narrowed(limit, cards) for limit in offer.limits]
            for values in product(*(_values(limit, numbers, every) for limit in limits)):
                yield offer.action(**dict(zip(fields, values, strict=True)))


class _Lot(NamedTuple):
    """The lot that the host may have drawn."""

    number: int

    def draw(self, purpose: str, count: int) -> int:
        """See ``Lots``."""
        del purpose
        return self.number % count


def _narrowed(limit: Limit, cards: AbstractSet[int]) -> Limit:
    """Groups without those of cards that the events do not speak of: there may be thousands."""
    if not isinstance(limit, Groups):
        return limit
    first = tuple(group for group in limit.first if cards >= set(group))
    if limit.first and not first:
        return Groups(limit.field, (), (), low=1)
    more = tuple(group for group in limit.more if cards >= set(group))
    return limit._replace(first=first, more=more)


def _faces(event: Event) -> Iterator[int]:
    """The cards that an event speaks of, those of its records too."""
    for info in describe(type(event)):
        if not info.private:
            yield from _cards_of(info, getattr(event, info.name))


def _cards_of(info: FieldInfo, value: Any) -> Iterator[int]:
    match info.kind:
        case FieldKind.CARD:
            yield value
        case FieldKind.CARDS:
            yield from value
        case FieldKind.GROUPS:
            yield from chain.from_iterable(value)
        case FieldKind.RECORDS:
            for record in value:
                for inner in describe(type(record)):
                    yield from _cards_of(inner, getattr(record, inner.name))
        case _:
            pass


def _numbers(event: Event) -> Iterator[int]:
    for info in describe(type(event)):
        number = getattr(event, info.name)
        if info.kind is FieldKind.INT and not info.private and number is not None:
            yield number


def _values(limit: Limit, numbers: AbstractSet[int], every: bool) -> Iterable[object]:
    """What a parameter may have been; of a range that is wide, or where not ``every`` number is
    asked for, its ends and what the events speak of."""
    match limit:
        case Range() if every and limit.high - limit.low < WIDE:
            return range(limit.low, limit.high + 1)
        case Range():
            told = {number for number in numbers if limit.low <= number <= limit.high}
            return sorted(told | {limit.low, limit.high})
        case Words():
            return limit.words
        case OneCard():
            return limit.cards
        case Groups():
            return limit.unions()
        case Names():
            free = [word for word in limit.words if word not in limit.must]
            least = max(0, limit.low - len(limit.must))
            sizes = range(least, len(free) + 1)
            some = chain.from_iterable(combinations(free, size) for size in sizes)
            return ((*limit.must, *words) for words in some)
        case Cards():
            sizes = range(limit.low, limit.high + 1)
            return chain.from_iterable(combinations(limit.cards, size) for size in sizes)
