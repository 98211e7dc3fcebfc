"""Actions and events as scripts write them: names, parameters, fields (hand_script 2).

An action is ``search_pile pile=2``, an event ``CardFound pile=2 card=Td``; the options of
``open_table`` and ``TableOpened`` are parameters and fields of their own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from engine.actions import COMMON_ACTIONS, UNREADABLE, Action, HostAction, OpenTable, TakeSeat
from engine.cards import HIDDEN, PACK, parse_card
from engine.events import COMMON_EVENTS, Event
from engine.fields import REQUIRED, FieldInfo, FieldKind, describe
from engine.kernel import HOST, AnyGame
from engine.options import Kind, Option, parse_value
from engine.script.values import field_text, matches, read_value, value_text

__all__ = [
    "BadWord",
    "EventPattern",
    "Words",
    "action_name",
    "action_text",
    "actions_of",
    "default_player",
    "event_text",
    "event_words",
    "events_of",
    "read_action",
    "read_event",
    "split_options",
]

Words = Sequence[tuple[str, str]]
"""``name=text`` pairs, in the order of the script."""


class BadWord(ValueError):
    """A word that cannot be read: 0 is the action or event itself, 1 its first parameter, …"""

    def __init__(self, index: int, message: str) -> None:
        self.index = index
        super().__init__(message)


def action_name(kind: type[Action]) -> str:
    """The name of an action in scripts and offers.

    >>> action_name(TakeSeat)
    'take_seat'
    """
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


def actions_of(game: AnyGame) -> Mapping[str, type[Action]]:
    """The common actions and the game's own, by name."""
    return {action_name(kind): kind for kind in (*COMMON_ACTIONS, *game.ACTIONS)}


def events_of(game: AnyGame) -> Mapping[str, type[Event]]:
    """The common events and the game's own, by name."""
    return {kind.__name__: kind for kind in (*COMMON_EVENTS, *game.EVENTS)}


def default_player(seat: int) -> str:
    """Who sits down when a script does not say."""
    return f"p{seat}"


def split_options(game: AnyGame, given: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Options and start facts out of one list of parameters; unknown names count as options."""
    facts = {option.name for option in game.START_FACTS}
    options = {name: text for name, text in given.items() if name not in facts}
    return options, {name: text for name, text in given.items() if name in facts}


# --- actions --------------------------------------------------------------------------------


def read_action(game: AnyGame, actor: int, name: str, given: Words) -> Action:
    """The action of a script's step; raises :class:`BadWord`.

    What is no error of the script but of the player stays to be refused: a missing parameter is
    None, a word where an integer belongs ``UNREADABLE``, one where a card belongs no card (0).
    """
    kind = actions_of(game).get(name)
    if kind is None:
        raise BadWord(0, f"{game.key} has no action {name!r}")
    if issubclass(kind, HostAction) != (actor == HOST):
        who = "the host" if issubclass(kind, HostAction) else "a seat"
        raise BadWord(0, f"{name} is an action of {who}")
    texts = _unique(given)
    if kind is OpenTable:
        return OpenTable(*split_options(game, texts))
    infos = {info.word: info for info in describe(kind)}
    for index, (parameter, _) in enumerate(given, 1):
        if parameter not in infos:
            known = ", ".join(infos) or "no parameters"
            raise BadWord(index, f"{name} has no parameter {parameter!r} (it has {known})")
    values: dict[str, Any] = {}
    for index, (parameter, text) in enumerate(given, 1):
        info = infos[parameter]
        values[info.name] = _parameter(info, text, index)
    for info in infos.values():
        if info.name in values or info.default is not REQUIRED:
            continue
        if kind is TakeSeat:
            values[info.name] = default_player(actor)
        elif info.optional:
            values[info.name] = None
        else:
            raise BadWord(0, f"{name} needs the parameter {info.word!r}")
    return kind(**values)


def _unique(given: Words) -> dict[str, str]:
    found: dict[str, str] = {}
    for index, (name, text) in enumerate(given, 1):
        if name in found:
            raise BadWord(index, f"{name!r} is named twice")
        found[name] = text
    return found


def _cards(words: list[str]) -> tuple[int, ...]:
    """Cards by name; words that are none become ids that no card has, each its own (0, 53, …).

    So ``1x,2y`` are two different cards that do not exist, and ``1x,1x`` is one named twice.
    """
    unknown: dict[str, int] = {}
    return tuple(_card(word, unknown) for word in words)


def _card(word: str, unknown: dict[str, int]) -> int:
    try:
        return parse_card(word)
    except ValueError:
        return unknown.setdefault(word, len(PACK) + len(unknown) if unknown else HIDDEN)


def _parameter(info: FieldInfo, text: str, index: int) -> object:
    nothing = text in {"", "-", "none"}
    if info.kind is FieldKind.CARD and not nothing:
        return _card(text, {})
    if info.kind is FieldKind.CARDS and not nothing:
        return _cards(text.split(","))
    try:
        value = read_value(info, text)
        if info.kind is FieldKind.INT and info.optional and value is not None:
            return value if -(2**63) <= value < 2**63 else UNREADABLE
        return value
    except ValueError as error:
        if info.optional:
            return UNREADABLE if info.kind is FieldKind.INT else None
        raise BadWord(index, f"{info.word}: {error}") from None


def action_text(actor: int, action: Action) -> str:
    """A step as a script writes it.

    >>> action_text(2, TakeSeat("p2", 50)), action_text(2, TakeSeat("ann", 50))
    ('2: take_seat chips=50', '2: take_seat player=ann chips=50')
    """
    words = ["host:" if actor == HOST else f"{actor}:", action_name(type(action))]
    if isinstance(action, OpenTable):
        words += [f"{name}={text}" for name, text in {**action.options, **action.start}.items()]
        return " ".join(words)
    for info in describe(type(action)):
        value = getattr(action, info.name)
        if value == info.default and isinstance(value, bool) == isinstance(info.default, bool):
            continue
        if isinstance(action, TakeSeat) and value == default_player(actor):
            continue
        words.append(f"{info.word}={value_text(info, value)}")
    return " ".join(words)


# --- events ---------------------------------------------------------------------------------


class _FieldCheck(NamedTuple):
    info: FieldInfo
    value: object

    def holds(self, event: Event) -> bool:
        return matches(self.info, self.value, getattr(event, self.info.name))


class _OptionCheck(NamedTuple):
    """One option of a field that holds options; a list of cards is a set there."""

    holder: str
    option: Option
    value: object

    def holds(self, event: Event) -> bool:
        text = dict(getattr(event, self.holder)).get(self.option.name)
        return text is not None and _option_value(self.option, text) == self.value


def _option_value(option: Option, text: str) -> object:
    value = parse_value(option, text)
    if option.kind is Kind.CARDS and value is not None:
        return frozenset(cast("tuple[int, ...]", value))
    return value


@dataclass(frozen=True, slots=True)
class EventPattern:
    """An expected event: its class, and what the fields named must hold."""

    kind: type[Event]
    checks: tuple[_FieldCheck | _OptionCheck, ...]

    def matches(self, event: Event) -> bool:
        """Whether an event, redacted or not, is of this kind and holds these values."""
        return type(event) is self.kind and all(check.holds(event) for check in self.checks)


def read_event(game: AnyGame, name: str, given: Words) -> EventPattern:
    """The event a check expects; raises :class:`BadWord`."""
    kind = events_of(game).get(name)
    if kind is None:
        raise BadWord(0, f"{game.key} has no event {name!r}")
    _unique(given)
    checks: list[_FieldCheck | _OptionCheck] = []
    for index, (field, text) in enumerate(given, 1):
        try:
            check = _field_check(kind, field, text) or _option_check(game, kind, field, text)
        except KeyError:
            raise BadWord(index, f"{field}: expected true or false") from None
        except ValueError as error:
            raise BadWord(index, f"{field}: {error}") from None
        if check is None:
            raise BadWord(index, f"{name} has no field {field!r}")
        checks.append(check)
    return EventPattern(kind, tuple(checks))


def _field_check(kind: type[Event], field: str, text: str) -> _FieldCheck | None:
    for info in describe(kind):
        if info.word == field and info.kind is not FieldKind.OPTIONS:
            return _FieldCheck(info, read_value(info, text, faces=True))
    return None


def _option_check(game: AnyGame, kind: type[Event], field: str, text: str) -> _OptionCheck | None:
    """The check of an option in a field that holds options; start facts stand in ``start``."""
    holders = [info.name for info in describe(kind) if info.kind is FieldKind.OPTIONS]
    for catalogue, wanted in ((game.OPTIONS, "options"), (game.START_FACTS, "start")):
        for option in catalogue:
            if option.name == field and wanted in holders:
                return _OptionCheck(wanted, option, _option_value(option, text))
    return None


def event_words(event: Event) -> list[tuple[str, str]]:
    """The fields of an event as names and texts; ``??`` for what is hidden.

    A field that may be left out, and is, says nothing.
    """
    words: list[tuple[str, str]] = []
    for info in describe(type(event)):
        value = getattr(event, info.name)
        if info.kind is FieldKind.OPTIONS:
            words.extend(value)
        elif value is not None or info.default is not None:
            words.append((info.word, field_text(info, value)))
    return words


def event_text(event: Event) -> str:
    """An event with all its fields, as it was sent.

    >>> from engine.games.royal_flush.events import CardFound
    >>> event_text(CardFound(1, 1, 22, 9))
    'CardFound round=1 pile=1 card=Td cards_under=9'
    """
    told = [f"{name}={text}" for name, text in event_words(event)]
    return " ".join([type(event).__name__, *told])
