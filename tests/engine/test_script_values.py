"""Values of every kind of field as text and back (hand_script 2.1, 2.7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

import pytest

from engine.actions import COMMON_ACTIONS, UNREADABLE, AddChips, OpenTable, SeatAction, TakeSeat
from engine.cards import Card
from engine.events import COMMON_EVENTS, HOUSE_EVENTS, ChipsAdded, Event
from engine.fields import REQUIRED, FieldKind, describe
from engine.games import GAMES
from engine.games.royal_flush import RoyalFlush
from engine.games.royal_flush.actions import AutoPlay, SearchPile
from engine.kernel import HOST
from engine.script import action_text, event_text
from engine.script.patterns import BadWord, read_action, read_event
from engine.script.values import Hidden, field_text, matches, read_value, value_text
from engine.visibility import SERVER, Private, redact


class Way(StrEnum):
    UP = "UP"
    DOWN = "DOWN"


class Build(NamedTuple):
    id: str
    value: int
    owner: int
    cards: tuple[Card, ...]

    NOTATION = "{id} {value}/{owner} {cards}"  # type: ignore[misc]


@dataclass(frozen=True, slots=True)
class Item:
    what: Way
    seat: int | None
    points: int


NO_CARDS: Private[tuple[int, ...]] = Private((), SERVER)
NOTHING = Private(0, SERVER)


@dataclass(frozen=True, slots=True)
class Everything(Event):
    number: int
    flag: bool
    text: str
    data: bytes
    way: Way
    card: Card
    numbers: tuple[int, ...]
    locks: tuple[int | None, ...]
    texts: tuple[str, ...]
    ways: tuple[Way, ...]
    cards: tuple[Card, ...]
    groups: tuple[tuple[Card, ...], ...]
    lists: tuple[tuple[int, ...], ...]
    stacks: tuple[tuple[int, int], ...]
    names: tuple[tuple[str, str], ...]
    entries: Mapping[str, str]
    build: Build
    builds: tuple[Build, ...]
    items: tuple[Item, ...]
    maybe: int | None = None
    maybe_cards: tuple[Card, ...] | None = None
    secret: Private[tuple[Card, ...]] = NO_CARDS
    face: Private[Card] = NOTHING
    sum: Private[int] = NOTHING


INFO = {info.name: info for info in describe(Everything)}

BUILD = Build("b1", 8, 1, (19, 13))

VALUES: list[tuple[str, Any, str]] = [
    ("number", -7, "-7"),
    ("flag", True, "true"),
    ("flag", False, "false"),
    ("text", "ann", "ann"),
    ("data", b"\x01\xff", "01ff"),
    ("way", Way.DOWN, "DOWN"),
    ("card", 22, "Td"),
    ("numbers", (1, 5), "1,5"),
    ("numbers", (), "-"),
    ("locks", (None, 3, None), "-,3,-"),
    ("texts", ("b1", "b2"), "b1,b2"),
    ("ways", (Way.UP, Way.DOWN), "UP,DOWN"),
    ("cards", (22, 1), "Td,2c"),
    ("cards", (22, 0), "Td,??"),
    ("groups", ((1, 5), (20,)), "[2c 6c][8d]"),
    ("groups", (), "-"),
    ("lists", ((1, 2), (3,)), "[1 2][3]"),
    ("stacks", ((0, 105), (3, 80)), "0:105,3:80"),
    ("names", (("a", "b"),), "a:b"),
    ("entries", {"a": "b", "c": "d"}, "a:b,c:d"),
    ("entries", {}, "-"),
    ("build", BUILD, "[b1 8/1 7d Ac]"),
    ("builds", (BUILD, Build("b2", 9, 0, (8,))), "[b1 8/1 7d Ac][b2 9/0 9c]"),
    ("items", (Item(Way.UP, None, 3), Item(Way.DOWN, 1, 0)), "[UP - 3][DOWN 1 0]"),
    ("maybe", None, "none"),
    ("maybe", 0, "0"),
    ("maybe_cards", None, "none"),
    ("maybe_cards", (), "-"),
    ("maybe_cards", (2,), "3c"),
]


@pytest.mark.parametrize(("name", "value", "text"), VALUES)
def test_value_and_text(name: str, value: Any, text: str):
    """What is written reads as the same value and matches it."""
    info = INFO[name]
    assert value_text(info, value) == text
    assert read_value(info, text, faces=True) == value
    assert matches(info, read_value(info, text, faces=True), value)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("flag", "yes", True),
        ("flag", "no", False),
        ("maybe", "-", None),
        ("numbers", "none", ()),
        ("cards", "none", ()),
        ("groups", "none", ()),
        ("locks", "none,3,-", (None, 3, None)),
    ],
)
def test_other_spellings(name: str, text: str, value: Any):
    """2.7: parsers also accept these."""
    assert read_value(INFO[name], text) == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("number", "one"),
        ("number", "1.5"),
        ("number", "١"),
        ("flag", "1"),
        ("data", "0"),
        ("way", "up"),
        ("card", "10c"),
        ("card", "tD"),
        ("numbers", "1,,2"),
        ("cards", "2c 3c"),
        ("groups", "2c"),
        ("groups", "[2c][3c"),
        ("groups", "[[2c]]"),
        ("stacks", "0=5"),
        ("stacks", "0:a"),
        ("build", "[b1 8 7d]"),
        ("build", "[b1 8/1 7d][b2 8/1 7d]"),
        ("items", "[UP - 3 4]"),
        ("items", "[LEFT - 3]"),
    ],
)
def test_no_value(name: str, text: str):
    with pytest.raises(ValueError):
        read_value(INFO[name], text, faces=True)


SECRETS = [
    # field, what it holds, the check, whether it holds when shown, and when hidden
    ("secret", (22, 1), "Td,2c", True, False),
    ("secret", (22, 1), "2c,Td", False, False),
    ("secret", (22, 1), "??", False, True),
    ("secret", (22, 1), "??,??", False, True),
    ("secret", (22, 1), "??,??,??", False, False),
    ("secret", (22, 1), "Td,??", False, False),
    ("secret", (22, 0), "Td,??", True, False),
    ("secret", (), "-", True, False),
    ("face", 22, "Td", True, False),
    ("face", 22, "??", False, True),
    ("sum", 0, "0", True, False),
    ("sum", 0, "??", False, True),
]


@pytest.mark.parametrize(("name", "value", "text", "shown", "hidden"), SECRETS)
def test_private_fields(name: str, value: Any, text: str, shown: bool, hidden: bool):
    """A hidden field reads ?? and nothing else, whatever its hidden form looks like inside."""
    expected = read_value(INFO[name], text, faces=True)
    assert matches(INFO[name], expected, Private(value, SERVER)) is shown
    concealed = Private((0,) * len(value) if isinstance(value, tuple) else 0, SERVER, shown=False)
    assert matches(INFO[name], expected, concealed) is hidden


def test_true_is_not_one():
    """They are equal in Python; a script that says 1 where true stands is wrong."""
    assert not matches(INFO["maybe"], 1, True)
    assert not matches(INFO["flag"], True, 1)


def test_text_of_hidden_fields():
    assert field_text(INFO["secret"], Private((0, 0), SERVER, shown=False)) == "??,??"
    assert field_text(INFO["face"], Private(0, SERVER, shown=False)) == "??"
    assert field_text(INFO["face"], Private(22, SERVER)) == "Td"
    assert isinstance(read_value(INFO["number"], "??", faces=True), Hidden)


# --- fields ---------------------------------------------------------------------------------


def test_every_field_of_every_game_is_described():
    """Scripts and codec read all of them; an annotation neither knows is found here."""
    for game in GAMES.values():
        kinds = (*COMMON_EVENTS, *HOUSE_EVENTS, *COMMON_ACTIONS)
        for kind in (*kinds, *game.EVENTS, *game.ACTIONS, game.VIEW):
            describe(kind)


def test_what_a_description_says():
    assert INFO["secret"].private
    assert INFO["secret"].kind is FieldKind.CARDS
    assert INFO["locks"].gaps
    assert INFO["maybe"].optional
    assert INFO["maybe"].default is None
    assert INFO["number"].default is REQUIRED
    assert INFO["builds"].item is Build
    assert describe(Build)[3].kind is FieldKind.CARDS
    assert describe(Everything) is describe(Everything)


@pytest.mark.parametrize("hint", ["float", "int | str", "tuple[int, str]", "tuple[bytes, ...]"])
def test_a_type_that_nobody_can_write_is_refused(hint: str):
    kind = dataclass(type("Odd", (), {"__annotations__": {"x": hint}, "__module__": __name__}))
    with pytest.raises(TypeError, match=r"Odd\.x|union"):
        describe(kind)


# --- actions and events ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Muster(SeatAction):
    face: Card
    discard: tuple[Card, ...] = ()
    fast: bool = False


class Odd(RoyalFlush):
    ACTIONS = (*RoyalFlush.ACTIONS, Muster)
    EVENTS = (*RoyalFlush.EVENTS, Everything)


@pytest.mark.parametrize(
    ("actor", "words", "action", "text"),
    [
        (0, "take_seat chips=5", TakeSeat("p0", 5), "0: take_seat chips=5"),
        (3, "take_seat", TakeSeat("p3", None), "3: take_seat"),
        (3, "take_seat player=ann", TakeSeat("ann"), "3: take_seat player=ann"),
        (0, "add_chips amount=-4", AddChips(-4), "0: add_chips amount=-4"),
        (0, "add_chips amount=none", AddChips(None), "0: add_chips"),
        (0, "add_chips amount=lots", AddChips(UNREADABLE), f"0: add_chips amount={UNREADABLE}"),
        (0, f"add_chips amount={2**63}", AddChips(UNREADABLE), f"0: add_chips amount={UNREADABLE}"),
        (0, "search_pile pile=0", SearchPile(0), "0: search_pile pile=0"),
        (0, "auto_play scope=all", AutoPlay("all"), "0: auto_play scope=all"),
        (0, "muster face=Td", Muster(22), "0: muster face=Td"),
        (
            0,
            "muster face=1c discard=2c,1c fast=yes",
            Muster(0, (1, 0), True),
            "0: muster face=?? discard=2c,?? fast=true",
        ),
        (HOST, "open_table a=b", OpenTable({"a": "b"}), "host: open_table a=b"),
    ],
)
def test_action_and_text(actor: int, words: str, action: Any, text: str):
    """Errors of the player become None, UNREADABLE or no card, and are refused by the game."""
    name, *given = words.split()
    pairs = [(word.partition("=")[0], word.partition("=")[2]) for word in given]
    assert read_action(Odd(), actor, name, pairs) == action
    assert action_text(actor, action) == text


@pytest.mark.parametrize(("given", "index"), [([], 0), ([("face", "2c"), ("fast", "maybe")], 2)])
def test_a_parameter_that_cannot_be_left_open_is_an_error(given: list[tuple[str, str]], index: int):
    with pytest.raises(BadWord) as caught:
        read_action(Odd(), 0, "muster", given)
    assert caught.value.index == index


def test_event_text_reads_as_a_pattern_of_the_event():
    """Whatever is printed can be checked, hidden fields included."""
    sample = {name: value for name, value, _ in VALUES}
    sample |= {"names": (), "secret": Private((1, 2), SERVER)}
    event = Everything(**sample)
    for seen in (event, redact(event, 1)):
        words = _split(event_text(seen))
        pattern = read_event(Odd(), "Everything", words)
        if seen is event:
            assert len(words) == len(INFO) - 1  # names holds no option
        assert pattern.matches(seen)
    assert not pattern.matches(event)
    assert not pattern.matches(ChipsAdded(0, 1))


def _split(text: str) -> list[tuple[str, str]]:
    from engine.script.source import Source

    source = Source("x", 1, text)
    return [(p.name, p.text) for p in source.pairs(source.words(1)[1:])]
