"""Forgeries with every hash made to fit: found by deciding again, by opening, or by the key."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from engine.account import BoughtIn, Credited
from engine.events import DeckShuffled, EpochClosed, EpochOpened, Event, HouseEvent, SeatTaken
from engine.fields import FieldKind, describe
from engine.games import GAMES
from engine.visibility import Private
from service.vault.positions import root_of_places
from service.verify import Finding, verify
from tests.transparency.growing import KEY
from tests.verify.conftest import Made
from tests.verify.forging import FORGER, Forgery


def only(forgery: Forgery, number: int) -> Finding:
    """The first finding, which is about the commit of that number."""
    report = verify(forgery.lines())
    assert report.findings
    found = report.findings[0]
    assert found.line == number + 2, found
    return found


def test_what_is_made_to_fit_without_a_change_verifies_but_for_the_key(made: Made) -> None:
    lines = Forgery(made.store).lines()
    assert verify(lines, FORGER.verifier.told()).ok
    real = json.loads(made.store[0])["key"]
    found = verify(lines, real).findings
    assert found[0].line == 1
    assert "another key" in found[0].what


def number_in(event: Event) -> str | None:
    """A field of a game's event that holds a number other than 0."""
    if isinstance(event, (HouseEvent, SeatTaken)):
        return None
    for info in describe(type(event)):
        plain = info.kind is FieldKind.INT and not info.private
        if plain and info.name != "seat" and getattr(event, info.name):
            return info.name
    return None


@pytest.mark.parametrize("game", GAMES)
def test_another_number_in_any_event_is_found(made: Made, game: str) -> None:
    """Chips paid, prices, scores: every event of a table that tells a number."""
    plain = Forgery(made.tables[game])
    tried: set[str] = set()
    for number, commit in enumerate(plain.commits):
        if not commit.epoch or plain.sealer(commit) is None:
            continue
        for place, event in enumerate(plain.events(commit)):
            name = number_in(event)
            if name is None or type(event).__name__ in tried:
                continue
            tried.add(type(event).__name__)
            forgery = Forgery(made.tables[game])
            events = forgery.events(commit)
            events[place] = replace(event, **{name: getattr(event, name) + 1})  # type: ignore[type-var]
            forgery.replace(number, events)
            only(forgery, number)
    assert tried


@pytest.mark.parametrize("committed", [False, True], ids=("root kept", "root forged"))
@pytest.mark.parametrize("game", GAMES)
def test_another_order_of_the_cards_is_found(made: Made, game: str, committed: bool) -> None:
    """Two cards exchanged in a shuffle, sealed as the service would have sealed it."""
    forgery = Forgery(made.tables[game])
    number, place = forgery.find(lambda event: isinstance(event, DeckShuffled))
    events = forgery.events(forgery.commits[number])
    shuffle: Any = events[place]
    order = list(shuffle.order.value)
    order[0], order[-1] = order[-1], order[0]
    secret = Private(tuple(order), shuffle.order.audience)
    events[place] = replace(shuffle, order=secret)
    told: Any = events[place + 1]
    if committed:
        keys, entropy = forgery.keys(forgery.commits[number]), forgery.entropy(number)
        root = root_of_places(keys, told.shuffle, told.purpose, entropy, order)
        events[place + 1] = replace(told, root=root)
    forgery.replace(number, events)
    found = only(forgery, number)
    if committed:
        assert "not what the rules make of it" in found.what or "do not fit" in found.what
    else:
        assert "commitment to a shuffle" in found.what


@pytest.mark.parametrize("game", GAMES)
def test_another_action_is_found(made: Made, game: str) -> None:
    """The next action at a table put in the place of one."""
    forgery = Forgery(made.tables[game])
    opened = [n for n, c in enumerate(forgery.commits) if c.epoch and forgery.sealer(c)]
    actions = [(n, forgery.action(forgery.commits[n])) for n in opened]
    number, other = next(
        (n, later)
        for (n, action), (_, later) in pairwise(actions[3:])
        if type(action) is not type(later)
    )
    forgery.replace(number, forgery.events(forgery.commits[number]), other)
    only(forgery, number)


def test_a_secret_that_was_not_committed_to_is_found(made: Made) -> None:
    forgery = Forgery(made.short)
    number, place = forgery.find(lambda event: isinstance(event, EpochClosed))
    events = forgery.events(forgery.commits[number])
    told: Any = events[place]
    secret = Private(bytes(32), told.secret.audience)
    events[place] = replace(told, secret=secret)
    forgery.replace(number, events)
    assert "not the one committed to" in only(forgery, number).what


@pytest.mark.parametrize("game", GAMES)
def test_a_secret_that_is_told_too_early_is_found(made: Made, game: str) -> None:
    """Behind the shuffle, while all of its cards are in play."""
    forgery = Forgery(made.tables[game])
    number, _ = forgery.find(lambda event: isinstance(event, DeckShuffled))
    epoch = forgery.commits[number].epoch
    last, place = forgery.find(lambda e: isinstance(e, EpochClosed) and e.epoch == epoch)
    told: Any = forgery.events(forgery.commits[last])[place]
    assert number < last
    forgery.insert(number, told)
    found = verify(forgery.lines()).findings
    assert "is told while its cards matter" in found[0].what
    assert found[0].line == number + 2


def test_an_epoch_out_of_turn_is_found(made: Made) -> None:
    forgery = Forgery(made.short)
    number, place = forgery.find(lambda event: isinstance(event, EpochOpened))
    events = forgery.events(forgery.commits[number])
    opened: Any = events[place]
    events[place] = replace(opened, epoch=2)
    forgery.replace(number, events)
    assert "out of turn" in only(forgery, number).what


def test_somebody_else_at_a_seat_is_found(made: Made) -> None:
    forgery = Forgery(made.tables["royal_casino"])
    seats = [n for n, commit in enumerate(forgery.commits) if commit.seat == 1]
    number = seats[2]
    other = next(commit.actor for commit in forgery.commits if commit.seat == 0)
    forgery.commits[number] = forgery.commits[number]._replace(actor=other)
    assert "somebody else acts" in only(forgery, number).what


def test_more_chips_from_an_account_than_came_to_the_seat_are_found(made: Made) -> None:
    forgery = Forgery(made.store)
    number, place = forgery.find(lambda event: isinstance(event, BoughtIn))
    events = forgery.events(forgery.commits[number])
    bought: Any = events[place]
    events[place] = replace(bought, amount=bought.amount - 1)
    forgery.replace(number, events)
    report = verify(forgery.lines())
    assert "do not say the same" in report.findings[0].what
    assert abs(report.findings[0].line - (number + 2)) <= 1


def test_an_account_that_runs_dry_is_found(made: Made) -> None:
    forgery = Forgery(made.store)
    number, place = forgery.find(lambda event: isinstance(event, Credited))
    events = forgery.events(forgery.commits[number])
    events[place] = Credited(1, "a gift")
    forgery.replace(number, events)
    report = verify(forgery.lines())
    assert "overdrawn" in report.findings[0].what


def test_a_commit_forged_into_a_table_is_found(made: Made) -> None:
    """The last commit of a table once more, as a further one of it."""
    forgery = Forgery(made.short)
    table = [n for n, commit in enumerate(forgery.commits) if commit.kind == 1]
    last = forgery.commits[table[-2]]
    again = last._replace(version=forgery.commits[table[-1]].version + last.count)
    forgery.commits.insert(table[-1] + 1, again)
    report = verify(forgery.lines())
    assert report.findings[0].line == table[-1] + 3


@pytest.mark.parametrize("whole", [True, False], ids=("store", "table"))
def test_history_rewritten_by_whoever_has_the_key_is_not_what_he_signed_before(
    made: Made, whole: bool
) -> None:
    """A gift grew, or a player's request came earlier: nothing but the log tells."""
    forgery = Forgery(made.store if whole else made.short)
    number = 5
    forgery.commits[number] = forgery.commits[number]._replace(received_at=1)
    lines = forgery.lines()
    assert verify(lines, FORGER.verifier.told()).ok
    findings = verify(forgery.lines(KEY), KEY.verifier.told()).findings
    assert findings
    assert ("checkpoint" if whole else "proof") in findings[0].what
