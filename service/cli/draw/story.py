"""What happened, in words: a story for each game that has one, scripts' lines for any other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from rich.text import Text

from engine.events import (
    ChipsAdded,
    Event,
    HouseEvent,
    SatIn,
    SatOut,
    SeatLeaving,
    SeatLeft,
    SeatTaken,
    TableClosed,
    TableOpened,
    TurnTimedOut,
)
from engine.script import event_text
from service.cli.draw.cards import Faces
from service.cli.draw.palace_story import palace_story
from service.cli.draw.pontoon_story import pontoon_story
from service.cli.draw.royal_casino_story import royal_casino_story
from service.cli.words import counted, seat_name

__all__ = ["story"]

Sentence = Callable[[Event, Faces, int | None], Text | None]
STORIES: Final[Mapping[str, Sentence]] = {
    "palace_poker": palace_story,
    "pontoon": pontoon_story,
    "royal_casino": royal_casino_story,
}


def story(game: str, events: Iterable[Event], faces: Faces, me: int | None) -> Iterator[Text]:
    """The sentences that some events make for whoever sits at ``me``."""
    told = STORIES.get(game)
    for event in events:
        if isinstance(event, HouseEvent):
            continue
        if told is None:
            yield Text(event_text(event))
            continue
        sentence = told(event, faces, me) or _common(event, me)
        if sentence is not None:
            yield sentence


def _common(event: Event, me: int | None) -> Text | None:
    """An event that every game knows."""

    def does(seat: int, verb: str, others: str) -> str:
        return f"{seat_name(seat, me)} {verb if seat == me else others}"

    match event:
        case TableOpened():
            told = "The table is open."
        case SeatTaken():
            told = f"{does(event.seat, 'sit', 'sits')} down with {counted(event.chips, 'chip')}."
        case ChipsAdded():
            told = f"{does(event.seat, 'add', 'adds')} {counted(event.amount, 'chip')}."
        case SatOut():
            told = f"{does(event.seat, 'sit', 'sits')} out from the next hand on."
        case SatIn():
            told = f"{does(event.seat, 'take', 'takes')} part again from the next hand on."
        case SeatLeaving():
            told = f"{does(event.seat, 'leave', 'leaves')} when the hand is over."
        case SeatLeft():
            told = f"{does(event.seat, 'leave', 'leaves')} with {counted(event.chips, 'chip')}."
        case TurnTimedOut():
            whose = "Your" if event.seat == me else f"{seat_name(event.seat, me)}'s"
            told = f"{whose} time is over."
        case TableClosed():
            told = "The table is closed."
        case _:
            return None
    return Text(told)
