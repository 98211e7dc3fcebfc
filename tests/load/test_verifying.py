"""The verifier, fed with broken promises: it must find each, and name the place."""

from __future__ import annotations

import pytest

from engine.events import ChipsAdded, SeatLeft, SeatTaken, TableOpened
from engine.games import GAMES
from service.load.journal import UNTOLD, Acknowledged, Journal, Seen, Sequence
from service.load.verifying import Books, commands_differ, differences

STORED = [Seen(3, 3, 30), Seen(4, 1, 40), Seen(6, 2, 60), Seen(7, 1, 70)]


def told(*answers: Acknowledged, watched: list[Seen] | None = None) -> Journal:
    journal = Journal("pontoon", "t")
    for answer in answers:
        journal.acknowledge(answer)
    if watched is not None:
        journal.watchers.append(Sequence(watched))
    return journal


def answer(number: int, seen: Seen) -> Acknowledged:
    return Acknowledged(number, 0, seen.version, seen.count, seen.mark)


ANSWERS = [answer(number, seen) for number, seen in enumerate(STORED, 1)]


def test_what_was_told_as_it_is_stored_has_no_difference():
    journal = told(*ANSWERS, watched=STORED)
    assert list(differences(journal, STORED)) == []
    assert len(journal) == 4


def test_an_answer_without_events_is_held_to_its_version():
    opened = Acknowledged(1, -1, 3, 3, UNTOLD)
    assert list(differences(told(opened, *ANSWERS[1:]), STORED)) == []
    wrong = Acknowledged(1, -1, 3, 2, UNTOLD)
    assert list(differences(told(wrong, *ANSWERS[1:]), STORED)) != []


def test_a_lost_acknowledgement_is_found():
    """It was told that it is stored, and nothing is."""
    found = list(differences(told(*ANSWERS), STORED[:-1]))
    assert found == ["version 7 was acknowledged and is not stored"]


def test_a_lost_acknowledgement_is_found_where_another_action_took_its_place():
    stored = [*STORED[:-1], Seen(7, 1, 71)]
    found = list(differences(told(*ANSWERS), stored))
    assert found == ["version 7 is stored with other events than were acknowledged"]


def test_a_version_in_the_middle_of_a_commit_is_not_stored():
    wrong = Acknowledged(3, 0, 5, 1, 50)
    found = list(differences(told(*ANSWERS[:2], wrong, ANSWERS[3]), STORED))
    assert found[0] == "version 5 was acknowledged and is not stored"


def test_two_answers_for_one_commit_are_found():
    found = list(differences(told(*ANSWERS, answer(5, STORED[1])), STORED))
    assert found == ["version 4 was acknowledged twice, to different requests"]


def test_an_action_that_is_stored_twice_is_found():
    """A repeated request took effect again: a commit that nobody was told of."""
    stored = [*STORED, Seen(8, 1, 70)]
    (found,) = differences(told(*ANSWERS), stored)
    assert found == (
        "1 commits were acknowledged to nobody, 0 requests are open: such as version 8"
    )


def test_an_open_request_may_be_stored_or_not():
    journal = told(*ANSWERS)
    journal.unknown[5] = 0
    assert list(differences(journal, STORED)) == []
    assert list(differences(journal, [*STORED, Seen(8, 1, 80)])) == []
    assert list(differences(journal, [*STORED, Seen(8, 1, 80), Seen(9, 1, 90)])) != []


def test_what_the_service_does_by_itself_is_told_to_nobody():
    assert list(differences(told(*ANSWERS), [*STORED, Seen(8, 1, 80)], own={8})) == []


@pytest.mark.parametrize("lost", [0, 1, 2])
def test_a_gap_in_the_versions_is_found(lost):
    stored = [*STORED[:lost], *STORED[lost + 1 :]]
    kept = [*ANSWERS[:lost], *ANSWERS[lost + 1 :]]
    (found,) = differences(told(*kept), stored)
    version = STORED[lost].version - STORED[lost].count + 1
    assert found.startswith(f"version {version} is missing")


@pytest.mark.parametrize(
    ("watched", "words"),
    [
        ([*STORED[:1], *STORED[2:]], "got version 6 after 3; stored is version 4"),
        ([*STORED[:2], *STORED[1:]], "got version 4 after 4; stored is version 6"),
        ([STORED[0], STORED[2], STORED[1], STORED[3]], "got version 6 after 3; stored is"),
        ([*STORED[:3]], "never got version 7"),
        ([], "never got version 3"),
        ([*STORED, Seen(8, 1, 80)], "got version 8 after 7; nothing is stored there"),
        ([*STORED[:3], Seen(7, 1, 71)], "got version 7 after 6; stored is version 7 with other"),
    ],
    ids=["skipped", "doubled", "exchanged", "last missing", "deaf", "invented", "other events"],
)
def test_a_watcher_who_saw_something_else_is_found(watched, words):
    journal = told(*ANSWERS, watched=STORED)
    journal.watchers.append(Sequence(watched))
    (found,) = differences(journal, STORED)
    assert found.startswith("watcher 1 ")
    assert words in found


def test_a_watcher_may_miss_what_was_stored_after_all_had_stopped():
    journal = told(*ANSWERS, watched=STORED)
    assert list(differences(journal, [*STORED, Seen(8, 1, 80)], own={8})) == []


# --- the commit table -----------------------------------------------------------------------------

COMMANDS = {number: bytes([number]) for number in range(1, 6)}


def test_each_command_stands_once_where_it_was_told():
    stored = {COMMANDS[each.request]: [each.version] for each in ANSWERS}
    assert list(commands_differ(told(*ANSWERS), stored, COMMANDS)) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({4: []}, "request 4 was acknowledged at version 7; its command is stored at nowhere"),
        ({4: [6]}, "request 4 was acknowledged at version 7; its command is stored at 6"),
        ({4: [7, 8]}, "request 4 was acknowledged at version 7; its command is stored at 7, 8"),
        ({5: [8]}, "version 8 was asked for by nobody"),
    ],
    ids=["lost", "elsewhere", "twice", "unasked"],
)
def test_a_command_that_stands_otherwise_is_found(change, words):
    stored = {COMMANDS[each.request]: [each.version] for each in ANSWERS}
    stored |= {COMMANDS[number]: versions for number, versions in change.items()}
    assert list(commands_differ(told(*ANSWERS), stored, COMMANDS)) == [words]


def test_the_command_of_an_open_request_may_stand_there():
    journal = told(*ANSWERS)
    journal.unknown[5] = 0
    stored = {
        COMMANDS[number]: [version]
        for number, version in zip(range(1, 6), (3, 4, 6, 7, 8), strict=True)
    }
    assert list(commands_differ(journal, stored, COMMANDS)) == []


# --- chips ----------------------------------------------------------------------------------------


def test_chips_that_are_not_there_are_found():
    books = Books(GAMES["royal_flush"])
    opened = TableOpened("royal_flush", (), ())
    assert list(books.take(1, [opened, SeatTaken(0, "ann", 100)])) == []
    assert list(books.take(2, [ChipsAdded(0, 5)])) == []
    (found,) = books.take(3, [SeatLeft(0, 100)])
    assert found == "version 3: 0 chips lie there, 5 were brought"
