"""The header of a script: game, options, seats, start, decks, position (hand_script 2)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from engine.actions import HostAction
from engine.cards import parse_card
from engine.kernel import AnyGame, PositionError
from engine.notation import split_line
from engine.options import Option, parse_value
from engine.script.model import Deck, Given, Header
from engine.script.patterns import split_options
from engine.script.source import Source, Word

__all__ = ["HEADER_KEYS", "read_header"]

HEADER_KEYS: Final = frozenset({"game", "opts", "seats", "start", "deck", "given"})

_SEVERAL: Final = frozenset({"deck", "given"})
_OPENING: Final = ("opts", "seats", "start", "given")


def read_header(lines: Sequence[Source], games: Mapping[str, AnyGame]) -> Header:
    """The header that some header lines make; one of them is a ``game:`` line."""
    found: dict[str, list[Source]] = {}
    for source in lines:
        key, _ = source.key()
        if key in found and key not in _SEVERAL:
            raise source.error(source.start, f"a second {key}: line")
        found.setdefault(key, []).append(source)
    for key in ("seats", "start"):
        if "given" in found and key in found:
            source = found[key][0]
            raise source.error(source.start, f"{key}: and given: exclude each other")
    game = _game(found["game"][0], games)
    options: dict[str, str] = {}
    start: dict[str, str] = {}
    actions: tuple[HostAction, ...] = ()
    for source in found.get("opts", ()):
        options, start = split_options(game, _options(source, game))
    for source in found.get("start", ()):
        facts, actions = _start(source, game)
        more_options, more_start = split_options(game, facts)
        options |= more_options
        start |= more_start
    return Header(
        at=found["game"][0].at(),
        game=game,
        has_table=any(key in found for key in _OPENING),
        options=options,
        start=start,
        seats=_seats(found["seats"][0]) if "seats" in found else (),
        actions=actions,
        decks=tuple(map(_deck, found.get("deck", ()))),
        given=tuple(_given(source, game) for source in found.get("given", ())),
        places={key: sources[0].at(sources[0].start) for key, sources in found.items()},
    )


def _rest(source: Source) -> list[Word]:
    return source.words(source.key()[1])


def _game(source: Source, games: Mapping[str, AnyGame]) -> AnyGame:
    words = _rest(source)
    if len(words) != 1:
        column = words[1].column if words else source.key()[1]
        raise source.error(column, "expected the id of one game")
    game = games.get(words[0].text)
    if game is None:
        known = ", ".join(games)
        raise source.error(words[0].column, f"no game {words[0].text!r} (there are {known})")
    return game


def _options(source: Source, game: AnyGame) -> dict[str, str]:
    known: dict[str, Option] = {o.name: o for o in (*game.OPTIONS, *game.START_FACTS)}
    found: dict[str, str] = {}
    for pair in source.pairs(_rest(source)):
        option = known.get(pair.name)
        if option is None:
            raise source.error(pair.column, f"{game.key} has no option {pair.name!r}")
        try:
            parse_value(option, pair.text)
        except (ValueError, KeyError):
            raise source.error(pair.column, f"{pair.name}: expected {option.expected}") from None
        found[pair.name] = pair.text
    return found


def _start(source: Source, game: AnyGame) -> tuple[Mapping[str, str], tuple[HostAction, ...]]:
    pairs = source.pairs(_rest(source))
    try:
        return game.script_start({pair.name: pair.text for pair in pairs})
    except PositionError as error:
        column = pairs[0].column if pairs else source.start
        raise source.error(column, str(error)) from None


def _seats(source: Source) -> tuple[tuple[int, int], ...]:
    seats: dict[int, int] = {}
    for pair in source.pairs(_rest(source)):
        if not re.fullmatch(r"[0-9]{1,2}", pair.name) or not re.fullmatch(
            r"[0-9]{1,20}", pair.text
        ):
            raise source.error(pair.column, "expected seat=chips, both integers")
        if int(pair.name) in seats:
            raise source.error(pair.column, f"seat {int(pair.name)} is named twice")
        seats[int(pair.name)] = int(pair.text)
    if not seats:
        raise source.error(source.key()[1], "expected seat=chips")
    return tuple(sorted(seats.items()))


def _deck(source: Source) -> Deck:
    cards: list[int] = []
    _, column = source.key()
    bare = Source(source.file, source.line, source.text.replace("|", " "))
    for word in bare.words(column):
        try:
            card = parse_card(word.text)
        except ValueError as error:
            raise source.error(word.column, str(error)) from None
        if card in cards:
            raise source.error(word.column, f"{word.text} is named twice")
        cards.append(card)
    return Deck(source.at(source.start), tuple(cards))


def _given(source: Source, game: AnyGame) -> Given:
    words = _rest(source)
    if not words:
        raise source.error(source.key()[1], "expected a position line")
    key, value = split_line(game.NUMBERED, " ".join(word.text for word in words))
    return Given(source.at(words[0].column), key, value)
