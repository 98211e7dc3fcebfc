"""Reading hand scripts (hand_script 2): text in, scripts out, every error with its place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from engine.actions import HostAction, OpenTable
from engine.games import GAMES
from engine.kernel import HOST, AnyGame
from engine.notation import split_line
from engine.script.header import HEADER_KEYS, read_header
from engine.script.model import (
    ExpectEvent,
    ExpectLegal,
    ExpectLine,
    ExpectPlays,
    ExpectTypes,
    Header,
    Line,
    Script,
    Step,
)
from engine.script.patterns import BadWord, actions_of, events_of, read_action, read_event
from engine.script.source import Source, Word, sections
from engine.visibility import AUDITOR, MAX_SEATS, OBSERVER, seat_viewer

__all__ = ["parse"]

_OF_A_SEAT: Final = re.compile(r"\s*(view|legal|plays)\s+(\S+?)\s*:")


def parse(text: str, file: str, games: Mapping[str, AnyGame] = GAMES) -> tuple[Script, ...]:
    """The scripts of a file; raises ``ScriptError`` at the first thing that is wrong.

    >>> [script] = parse("game: royal_flush\\nseats: 0=5\\n= stacks 0=5", "small.hand")
    >>> script.header.seats
    ((0, 5),)
    """
    found: list[Script] = []
    header: Header | None = None
    for number, lines in enumerate(sections(text, file), 1):
        heads, rest = _divide(lines)
        if any(source.key()[0] == "game" for source in heads):
            header = read_header(heads, games)
        elif heads:
            why = "without a game: line there are no header lines of its own"
            raise heads[0].error(heads[0].start, why)
        if header is None:
            raise lines[0].error(1, "a script begins with a game: line")
        found.append(Script(lines[0].at(), number, header, _read_lines(rest, header)))
    return tuple(found)


def _divide(lines: list[Source]) -> tuple[list[Source], list[Source]]:
    """Header lines, and the lines after them."""
    heads: list[Source] = []
    rest: list[Source] = []
    for source in lines:
        key, _ = source.key()
        if key not in HEADER_KEYS:
            rest.append(source)
        elif rest:
            raise source.error(source.start, f"{key}: after the first step or check")
        else:
            heads.append(source)
    return heads, rest


def _read_lines(sources: list[Source], header: Header) -> tuple[Line, ...]:
    """Steps and checks; none before there is a table, but those that try to open one (2.8)."""
    found: list[Line] = []
    has_table = header.has_table
    has_step = False
    for source in sources:
        line = _read_line(source, header.game)
        opens = isinstance(line, Step) and isinstance(line.action, OpenTable)
        if not has_table and not opens:
            raise source.error(source.start, "there is no table yet")
        if isinstance(line, Step):
            has_step = True
            has_table = has_table or line.refusal is None
        elif isinstance(line, (ExpectEvent, ExpectTypes)) and not has_step:
            raise source.error(source.start, "there is no step before whose events to check")
        found.append(line)
    return tuple(found)


def _read_line(source: Source, game: AnyGame) -> Line:
    start = source.start
    rest = source.text[start - 1 :]
    if rest.startswith(">>"):
        return _types(source, source.words(start + 2), game)
    if rest.startswith((">", "=")):
        return _check(source, start, AUDITOR, game)
    of_a_seat = _OF_A_SEAT.match(source.text)
    if of_a_seat:
        kind, who = of_a_seat.groups()
        words = source.words(of_a_seat.end() + 1)
        column = of_a_seat.start(2) + 1
        if kind == "view":
            return _view(source, who, column, words, game)
        seat = _seat(source, who, column)
        return (_legal if kind == "legal" else _plays)(source, seat, words, game)
    key, column = source.key()
    if key == "host":
        return _step(source, HOST, column, game)
    if key.isdigit():
        return _step(source, int(key), column, game)
    what = f"unknown key {key!r}" if key else "neither a step nor a check"
    raise source.error(start, what)


def _text(source: Source) -> str:
    return " ".join(source.text.split())


def _seat(source: Source, who: str, column: int) -> int:
    if not re.fullmatch(r"[0-9]{1,2}", who) or int(who) >= MAX_SEATS:
        raise source.error(column, f"no seat is called {who!r}")
    return int(who)


def _at_word(source: Source, words: list[Word], error: BadWord) -> Exception:
    return source.error(words[error.index].column, str(error))


def _step(source: Source, actor: int, column: int, game: AnyGame) -> Step:
    words = source.words(column)
    refusal = None
    mark = next((i for i, word in enumerate(words) if word.text == "!"), None)
    if mark is not None:
        reason = words[mark + 1 :]
        if len(reason) != 1 or not re.fullmatch(r"[A-Z][A-Z0-9_]*", reason[0].text):
            raise source.error(words[mark].column, "expected ! and one reason such as IN_HAND")
        refusal = reason[0].text
        words = words[:mark]
    if not words:
        raise source.error(column, "expected an action")
    pairs = source.pairs(words[1:])
    try:
        action = read_action(game, actor, words[0].text, [(p.name, p.text) for p in pairs])
    except BadWord as error:
        raise _at_word(source, words, error) from None
    return Step(source.at(source.start), _text(source), actor, action, refusal)


def _check(source: Source, column: int, viewer: int, game: AnyGame) -> ExpectEvent | ExpectLine:
    """``> event`` or ``= line`` from a column on."""
    words = source.words(column + 1)
    if not words:
        raise source.error(column, "expected something to check")
    at = source.at(words[0].column)
    if source.text[column - 1] == "=":
        key, value = split_line(game.NUMBERED, " ".join(word.text for word in words))
        return ExpectLine(at, _text(source), viewer, key, value)
    pairs = source.pairs(words[1:])
    try:
        event = read_event(game, words[0].text, [(p.name, p.text) for p in pairs])
    except BadWord as error:
        raise _at_word(source, words, error) from None
    return ExpectEvent(at, _text(source), viewer, event)


def _view(
    source: Source, who: str, column: int, words: list[Word], game: AnyGame
) -> ExpectEvent | ExpectLine:
    viewer = OBSERVER if who == "observer" else seat_viewer(_seat(source, who, column))
    if not words or words[0].text[0] not in ">=" or words[0].text.startswith(">>"):
        at = words[0].column if words else len(source.text)
        raise source.error(at, "expected = line or > event")
    return _check(source, words[0].column, viewer, game)


def _types(source: Source, words: list[Word], game: AnyGame) -> ExpectTypes:
    known = events_of(game)
    for word in words:
        if word.text not in known:
            raise source.error(word.column, f"{game.key} has no event {word.text!r}")
    names = tuple(word.text for word in words)
    return ExpectTypes(source.at(source.start), _text(source), names)


def _without_nothing(words: list[Word]) -> list[Word]:
    """No words where a single one stands for nothing (2.7)."""
    return [] if len(words) == 1 and words[0].text in {"-", "none"} else words


def _legal(source: Source, seat: int, words: list[Word], game: AnyGame) -> ExpectLegal:
    known = actions_of(game)
    words = _without_nothing(words)
    for word in words:
        kind = known.get(word.text)
        if kind is None or issubclass(kind, HostAction):
            raise source.error(word.column, f"no seat has an action {word.text!r}")
    names = frozenset(word.text for word in words)
    return ExpectLegal(source.at(source.start), _text(source), seat, names)


def _plays(source: Source, seat: int, words: list[Word], game: AnyGame) -> ExpectPlays:
    del game
    at, text = source.at(source.start), _text(source)
    words = _without_nothing(words)
    counts = [re.fullmatch(r"([a-z_]+)=([0-9]{1,9})", word.text) for word in words]
    if counts and all(counts):
        pairs = tuple((found[1], int(found[2])) for found in counts if found)
        return ExpectPlays(at, text, seat, counts=pairs)
    return ExpectPlays(at, text, seat, listed=tuple(word.text for word in words))
