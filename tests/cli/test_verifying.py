"""A record that differs from what was seen is told, wherever it differs."""

from __future__ import annotations

from engine.games.palace_poker.events import Folded, Stayed
from service.cli.verifying import Seen, _differences

SEEN = (Seen((Stayed(0, False),), 5, "one"), Seen((Stayed(1, False),), 7, "two"))


def told(*replayed: Seen) -> list[str]:
    return list(_differences(3, SEEN, replayed))


def test_the_same_is_no_difference() -> None:
    assert told(*SEEN) == []
    assert list(_differences(3, [SEEN[0]._replace(text="")], SEEN[:1])) == []


def test_each_difference_is_named() -> None:
    one, two = SEEN
    assert told(one) == ["hand 3: 2 actions were answered, 1 are recorded"]
    assert told(one, two._replace(version=8)) == ["hand 3, step 2: version 8 instead of 7"]
    other = two._replace(events=(Folded(1, False),))
    assert told(one, other) == ["hand 3, step 2: other events than were seen"]
    assert told(one._replace(text="x"), two) == ["hand 3, step 1: another position than was seen"]
