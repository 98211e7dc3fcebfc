"""Holding the record of a table against what somebody saw of it while it was played."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import aclosing
from typing import Any, NamedTuple

from engine.events import Event, HouseEvent
from engine.kernel import AnyGame
from engine.notation import text_of_lines
from engine.visibility import OBSERVER, seat_viewer
from service.client import Client
from service.client.records import hands as hands_of
from service.client.records import steps
from service.client.sitting import follow
from service.pb import common_pb2

__all__ = ["Seen", "differences", "of_game"]


class Seen(NamedTuple):
    """One commit as somebody got it: events, the position after them, how long it took.

    ``text`` is empty where no position came with it: news that were caught up with have none.
    """

    events: tuple[Event, ...]
    version: int
    text: str
    seconds: float = 0.0


def of_game(events: Sequence[Event]) -> tuple[Event, ...]:
    """The events without those of the house."""
    return tuple(event for event in events if not isinstance(event, HouseEvent))


async def differences(
    client: Client, game: AnyGame, table: str, seen: Sequence[Sequence[Seen]], seat: int | None
) -> list[str]:
    """Where the record differs from what ``seat`` (None: an observer) saw, in words."""
    recorded = [hand.hand for hand in await hands_of(client, table)]
    if recorded != list(range(1, len(seen) + 1)):
        return [f"{len(seen)} hands were played, these are recorded: {recorded}"]
    faults: list[str] = []
    for number, answers in enumerate(seen, 1):
        replayed: list[Seen] = []
        async for step in steps(client, table, number, common_pb2.Viewer()):
            events = [client.codec.event_from_wire(each.event) for each in step.events]
            replayed.append(Seen(of_game(events), step.state.version, step.state.text))
        faults += _differences(number, answers, replayed)
    every = [each for hand in seen for each in hand]
    viewer = OBSERVER | (0 if seat is None else seat_viewer(seat))
    faults += await _fold_differences(client, game, table, every, viewer)
    return faults


def _differences(number: int, seen: Sequence[Seen], replayed: Sequence[Seen]) -> Iterator[str]:
    if len(seen) != len(replayed):
        yield f"hand {number}: {len(seen)} actions were answered, {len(replayed)} are recorded"
    for index, (saw, told) in enumerate(zip(seen, replayed, strict=False), 1):
        if saw.version != told.version:
            yield f"hand {number}, step {index}: version {told.version} instead of {saw.version}"
        if saw.events != told.events:
            yield f"hand {number}, step {index}: other events than were seen"
        if saw.text and saw.text != told.text:
            yield f"hand {number}, step {index}: another position than was seen"


async def _fold_differences(
    client: Client, game: AnyGame, table: str, seen: Sequence[Seen], viewer: int
) -> list[str]:
    """Fold everything the table sent, from nothing, and look at each answered version."""
    state: Any = game.initial()
    expected = {each.version: each.text for each in seen}
    faults: list[str] = []
    version = 0
    async with aclosing(follow(client, table)) as stream:
        async for news in stream:
            for each in news.events:
                if each.version != version + 1:
                    faults.append(f"version {each.version} follows {version}")
                version = each.version
                event = client.codec.event_from_wire(each.event)
                if not isinstance(event, HouseEvent):
                    state = game.evolve(state, event)
            text = expected.pop(news.version, None)
            if text and text_of_lines(game.lines(game.view(state, viewer))) != text:
                faults.append(f"version {news.version}: folding the events gives another table")
            if news.live:
                break
    faults += [f"version {missing} was never sent" for missing in expected]
    return faults
