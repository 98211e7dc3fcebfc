"""A recorded hand as a script that reproduces it event for event (hand_script 2.4)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from engine.actions import Action
from engine.cards import card_names
from engine.events import DeckShuffled, Event, HouseEvent, PositionSet
from engine.fields import describe
from engine.kernel import AnyGame, Lines, fold
from engine.options import text_of
from engine.script.patterns import action_text, event_words
from engine.visibility import AUDITOR

__all__ = ["Recorded", "export"]


class Recorded(NamedTuple):
    """An accepted action and its events, in the order of the record."""

    actor: int
    action: Action
    events: tuple[Event, ...]


def export(
    game: AnyGame,
    record: Sequence[Recorded],
    *,
    before: Any = None,
    options: Iterable[tuple[str, str]] = (),
    title: str = "",
) -> str:
    """The text of a script.  Events of the house are no part of it.

    Without ``before`` the record begins with ``open_table``.  With it, ``before`` is the state the
    first action met and ``options`` are those of the table, as texts; the script then starts from
    that position.

    The script repeats every action, checks every event in order, and ends with the whole
    position.  Raises ``ValueError`` when the record cannot be told so: the reader does not know
    a shuffle yet, a lab set the position on the way, or a text has blanks in it.
    """
    events = [event for _, _, events in record for event in _of_game(events)]
    lines = [f"# {title}"] if title else []
    lines.append(f"game: {game.key}")
    state = game.initial() if before is None else before
    if before is not None:
        lines += _position(game, before, dict(options))
    lines += [f"deck: {_cards(event)}" for event in events if isinstance(event, DeckShuffled)]
    lines.append("")
    for actor, action, happened in record:
        lines += _step(actor, action, _of_game(happened))
    after = fold(game, events, state)
    lines += [f"= {_line(key, value)}" for key, value in _lines(game, after)]
    for line in lines:
        if line.count("#") > line.startswith("# "):
            raise ValueError(f"a script cannot hold {line!r}")
    return "\n".join(lines) + "\n"


def _of_game(events: Iterable[Event]) -> list[Event]:
    told = list(events)
    if any(isinstance(event, PositionSet) for event in told):
        raise ValueError("a position was set on the way: export from there on")
    return [event for event in told if not isinstance(event, HouseEvent)]


def _lines(game: AnyGame, state: Any) -> Lines:
    return game.lines(game.view(state, AUDITOR))


def _line(key: str, value: str) -> str:
    return f"{key} {value}".rstrip()


def _position(game: AnyGame, state: Any, options: Mapping[str, str]) -> list[str]:
    """``opts:`` with what is not the default, and ``given:`` lines."""
    defaults = {option.name: text_of(option.default) for option in game.OPTIONS}
    told = [f"{name}={text}" for name, text in options.items() if defaults.get(name) != text]
    given = [f"given: {_line(key, value)}" for key, value in _lines(game, state)]
    return ["opts: " + " ".join(told), *given] if told else given


def _cards(event: DeckShuffled) -> str:
    if not event.order.shown:
        raise ValueError(f"the shuffle {event.purpose} is not known to this reader")
    return card_names(event.order.value)


_SAFE: Final = re.compile(r"\S*")


def _words(words: Iterable[tuple[str, str]]) -> str:
    """``name=text`` words; brackets may hold blanks, nothing else may."""
    told: list[str] = []
    for name, text in words:
        if not _SAFE.fullmatch(re.sub(r"\[[^][]*\]", "", text)):
            raise ValueError(f"a script cannot hold {name}={text!r}")
        told.append(f" {name}={text}")
    return "".join(told)


def _step(actor: int, action: Action, events: Sequence[Event]) -> list[str]:
    lines = [action_text(actor, action)]
    lines.append(">> " + " ".join(type(event).__name__ for event in events))
    for event in events:
        hidden = {
            info.name
            for info in describe(type(event))
            if info.private and not getattr(event, info.name).shown
        }
        shown = [word for word in event_words(event) if word[0] not in hidden]
        lines.append(f"> {type(event).__name__}{_words(shown)}")
    return lines
