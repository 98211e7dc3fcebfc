"""Holding what was told against what is stored: the first difference is a broken promise.

Pure: a journal and a stored history go in, differences come out, in words.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any

from engine.counting import chips_lying
from engine.events import ChipsAdded, Event, HouseEvent, OptionsChanged, SeatLeft, SeatTaken
from engine.kernel import AnyGame
from engine.visibility import OBSERVER
from service.load.journal import UNTOLD, Acknowledged, Journal, Seen, Sequence

__all__ = ["Books", "commands_differ", "differences"]


def differences(
    journal: Journal, stored: Iterable[Seen], own: Container[int] = ()
) -> Iterator[str]:
    """Where the stored commits of a table, from its first one, are not what was told of them.

    ``own``: versions of commits that the service made by itself, such as time-outs.
    """
    history: dict[int, Seen] = {}
    version = 0
    for each in stored:
        if each.version - each.count != version:
            yield f"version {version + 1} is missing: {each.version - each.count} is followed on"
        history[each.version] = each
        version = each.version
    told: dict[int, Acknowledged] = {}
    for answer in journal.answers():
        if answer.version in told:
            yield f"version {answer.version} was acknowledged twice, to different requests"
        told[answer.version] = answer
        yield from _answered(answer, history)
    # Nobody else acts at these tables: what nobody was told of is what nobody got an answer to.
    untold = [version for version in history if version not in told and version not in own]
    if len(untold) > len(journal.unknown):
        yield (
            f"{len(untold)} commits were acknowledged to nobody, {len(journal.unknown)} requests "
            f"are open: such as version {untold[0]}"
        )
    expected, heard = list(history.values()), max(told, default=0)
    for number, sequence in enumerate(journal.watchers):
        yield from _watched(number, sequence, expected, heard)


def _answered(answer: Acknowledged, history: Mapping[int, Seen]) -> Iterator[str]:
    kept = history.get(answer.version)
    if kept is None:
        yield f"version {answer.version} was acknowledged and is not stored"
    elif kept.count != answer.count or answer.mark not in {kept.mark, UNTOLD}:
        yield f"version {answer.version} is stored with other events than were acknowledged"


def _watched(number: int, sequence: Sequence, expected: list[Seen], heard: int) -> Iterator[str]:
    """The first place at which a watcher saw something else than was stored, from the beginning.

    He was waited for until he had got ``heard``; what came later he may have missed.
    """
    place = 0
    for place, seen in enumerate(sequence, 1):
        kept = expected[place - 1] if place <= len(expected) else None
        if seen != kept:
            before = expected[place - 2].version if place > 1 else 0
            what = "nothing is stored there"
            if kept is not None:
                other = " with other events" if kept.version == seen.version else ""
                what = f"stored is version {kept.version}{other}"
            yield f"watcher {number} got version {seen.version} after {before}; {what}"
            return
    if place < len(expected) and expected[place].version <= heard:
        yield f"watcher {number} never got version {expected[place].version}"


def commands_differ(
    journal: Journal, stored: Mapping[bytes, list[int]], command_of: Mapping[int, bytes]
) -> Iterator[str]:
    """Where the commands in the commit table are not those that were acknowledged, once each.

    ``stored``: the versions at which a command stands; ``command_of``: the command of a request, if
    it is known who made it.
    """
    known: set[bytes] = set()
    for answer in journal.answers():
        command = command_of.get(answer.request, b"")
        known.add(command)
        found = stored.get(command, [])
        if found != [answer.version]:
            where = ", ".join(map(str, found)) or "nowhere"
            yield (
                f"request {answer.request} was acknowledged at version {answer.version}; "
                f"its command is stored at {where}"
            )
    known |= {command_of.get(request, b"") for request in journal.unknown}
    for command, versions in stored.items():
        if command not in known:
            yield f"version {versions[0]} was asked for by nobody"


class Books:
    """A table's chips, folded from its events: what is there is what was brought."""

    def __init__(self, game: AnyGame) -> None:
        self._game = game
        self.state: Any = game.initial()
        self._brought = 0

    def take(self, version: int, events: Iterable[Event]) -> Iterator[str]:
        """The events of a commit; yields a difference that they leave."""
        for event in events:
            match event:
                case SeatTaken(_, _, chips) | ChipsAdded(_, chips):
                    self._brought += chips
                case SeatLeft(_, chips):
                    self._brought -= chips
                case OptionsChanged(options):
                    self.state = self._game.with_options(self.state, dict(options))
            if not isinstance(event, HouseEvent):
                self.state = self._game.evolve(self.state, event)
        seen = self._game.view(self.state, OBSERVER)
        there = chips_lying(self._game, self.state, seen)
        if there != self._brought:
            yield f"version {version}: {there} chips lie there, {self._brought} were brought"
