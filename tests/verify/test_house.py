"""What the house adds to a game is held to its rules too, whether a commit can be opened or not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.events import (
    DeckShuffled,
    DeckStacked,
    EmbargoReleased,
    EpochClosed,
    EpochOpened,
    Event,
    HouseOpened,
    LotDrawn,
    TimeBankUsed,
)
from engine.games import GAMES
from engine.visibility import SERVER, Private
from service.store.commit import ActorKind, StreamKind
from service.verify import verify
from tests.verify.conftest import Made
from tests.verify.forging import Forgery

NAMED = HouseOpened((("purse", "free"),), True, "nobody")


def seat_of(forgery: Forgery) -> int:
    """A commit of a player in the middle of a hand."""
    number, _ = forgery.find(lambda event: isinstance(event, DeckShuffled))
    return next(n for n in range(number + 1, len(forgery.commits)) if forgery.commits[n].seat >= 0)


def located(forgery: Forgery, number: int) -> str:
    """What is found first, which is about the commit of that number."""
    found = verify(forgery.lines()).findings
    assert found
    assert found[0].line == number + 2, found[0]
    return found[0].what


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    ("columns", "what"),
    [
        ({"rules": 99}, "rules that there were not"),
        ({"rules": 0}, "rules that there were not"),
        ({"hand": 77}, "another hand"),
        ({"epoch": 9}, "another epoch"),
        ({"recorded_at": 77}, "times of a table run backwards"),
        ({"actor_kind": ActorKind.HOST}, "a host acts at no seat"),
        ({"actor_kind": ActorKind.AUDITOR}, "somebody acts who cannot"),
        ({"actor_kind": ActorKind.PROCESS, "actor": None}, "somebody acts who cannot"),
        ({"actor_kind": ActorKind.PROCESS}, "an actor that cannot be"),
    ],
)
def test_no_column_can_be_forged(made: Made, game: str, columns: dict[str, Any], what: str) -> None:
    forgery = Forgery(made.tables[game])
    number = seat_of(forgery)
    forgery.commits[number] = forgery.commits[number]._replace(**columns)
    assert what in located(forgery, number)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    "extra",
    [
        LotDrawn("ONE_MORE", (0,)),
        EmbargoReleased(1),
        DeckStacked(Private((1, 2, 3), SERVER)),
        TimeBankUsed(7, 5),
        NAMED,
    ],
    ids=lambda event: type(event).__name__,
)
def test_nothing_is_added_to_what_follows(made: Made, game: str, extra: Event) -> None:
    """Each lot more is another shuffle: whoever may add some chooses among many orders."""
    forgery = Forgery(made.tables[game])
    number = seat_of(forgery)
    forgery.insert(number, extra)
    located(forgery, number)


def untold(event: Event) -> Event:
    """What stands in the place of a secret that is told."""
    return TimeBankUsed(0, 1) if isinstance(event, EpochClosed) else event


@pytest.mark.parametrize("game", GAMES)
def test_no_hand_hides_in_epochs_that_are_never_told(made: Made, game: str) -> None:
    """Nothing opens any commit of the table any more; that is found where the first one ended."""
    forgery = Forgery(made.tables[game])
    places = [n for n, c in enumerate(forgery.commits) if c.epoch and forgery.sealer(c)]
    events = {n: [untold(event) for event in forgery.events(forgery.commits[n])] for n in places}
    first, _ = forgery.find(lambda event: isinstance(event, EpochClosed))
    for number, changed in events.items():
        forgery.replace(number, changed)
    assert "epochs do not end and open" in located(forgery, first)


@pytest.mark.parametrize("game", GAMES)
def test_what_cannot_be_opened_is_folded(made: Made, game: str) -> None:
    """Of the running epoch cards are hidden; who acts, and in which hand, is not."""
    plain = Forgery(made.tables[game])
    told = max(c.epoch for c in plain.commits if plain.sealer(c))
    running = [n for n, c in enumerate(plain.commits) if c.epoch > told]
    for number in running[:2]:
        forgery = Forgery(made.tables[game])
        commit = forgery.commits[number]
        forgery.commits[number] = commit._replace(hand=commit.hand + 1)
        assert "another hand" in located(forgery, number)
    assert verify(plain.lines()).counts["commits of epochs not told"] == len(running)


def test_no_table_hides_as_a_stream_of_another_kind(made: Made) -> None:
    forgery = Forgery(made.short)
    tables = [n for n, commit in enumerate(forgery.commits) if commit.kind == StreamKind.TABLE]
    for number in tables:
        tournament = forgery.commits[number]._replace(kind=StreamKind.TOURNAMENT)
        forgery.commits[number] = tournament
    assert "an event that no tournament has" in located(forgery, tables[0])


def test_a_look_is_about_the_table_of_its_stream(made: Made) -> None:
    forgery = Forgery(made.short)
    number = next(n for n, c in enumerate(forgery.commits) if c.kind == StreamKind.ACCESS)
    (looked,) = forgery.events(forgery.commits[number])
    other: Any = looked
    forgery.replace(number, [replace(other, table="0191d2a4-5c0e-8d21-9f3b-1c2d3e4f5a6b")])
    assert "an access on another stream" in located(forgery, number)


def test_chips_come_from_hosts_alone(made: Made) -> None:
    forgery = Forgery(made.store)
    number = next(n for n, c in enumerate(forgery.commits) if c.kind == StreamKind.ACCOUNT)
    commit = forgery.commits[number]
    forgery.commits[number] = commit._replace(actor_kind=ActorKind.PLAYER)
    assert "somebody else than a host" in located(forgery, number)


def test_an_opening_says_all_of_the_house(made: Made) -> None:
    forgery = Forgery(made.short)
    number, place = forgery.find(lambda event: isinstance(event, HouseOpened))
    events = forgery.events(forgery.commits[number])
    house: Any = events[place]
    assert isinstance(events[1], EpochOpened)
    for other in (replace(house, options=house.options[1:]), replace(house, host="another")):
        forgery.replace(number, [other, *events[1:]])
        located(forgery, number)
