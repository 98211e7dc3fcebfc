"""Messages of the service in words and drawings."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rich.console import RenderableType
from rich.text import Text

from engine.events import HouseEvent
from engine.games import GAMES
from engine.script import event_text
from service.cli.console import Output
from service.cli.draw import drawing
from service.codec import Codec
from service.pb import table_service_pb2 as pb

__all__ = ["draw_state", "events_told", "shortened"]


def events_told(codec: Codec, events: Iterable[pb.TableEvent]) -> list[str]:
    """The events of a game as scripts write them; those of the house by their names."""
    told: list[str] = []
    for each in events:
        event = codec.event_from_wire(each.event)
        told.append(type(event).__name__ if isinstance(event, HouseEvent) else event_text(event))
    return told


def shortened(line: str) -> str:
    """An event's line with rows of hidden faces counted instead of listed.

    >>> shortened("DeckShuffled purpose=GAME order=??,??,??")
    'DeckShuffled purpose=GAME order=3 hidden'
    """
    return re.sub(r"\?\?(,\?\?)+", lambda row: f"{row[0].count('??')} hidden", line)


def draw_state(
    codec: Codec, out: Output, game: str, state: pb.TableState, me: int | None = None
) -> RenderableType:
    """A state as whoever sits at ``me`` sees it; of a game that is not installed here, its text."""
    rules = GAMES.get(game)
    if rules is None:
        return Text(state.text)
    return drawing(rules, codec.view_from_wire(state.view), out.faces, me)
