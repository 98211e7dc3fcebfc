"""Damage of any kind is found, and the record named where it lies."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import Any, Final
from uuid import UUID, uuid4

import pytest

from service.store.commit import Commit, StreamKind, chained, genesis
from tests.audit.looking import found_in, looked_at

WIDTHS: Final = {
    **dict.fromkeys(("kind", "actor_kind", "seat"), 16),
    **dict.fromkeys(("version", "count", "hand", "epoch", "rules"), 32),
    **dict.fromkeys(("received_at", "recorded_at", "position"), 64),
}


def flipped(value: Any, name: str, rng: Random) -> Any:
    """A column's value with one of its bits the other way."""
    if isinstance(value, UUID):
        return UUID(int=value.int ^ 1 << rng.randrange(128))
    if isinstance(value, bytes):
        bit = rng.randrange(8 * len(value))
        changed = bytearray(value)
        changed[bit // 8] ^= 1 << bit % 8
        return bytes(changed)
    width = WIDTHS[name]
    number = (value ^ 1 << rng.randrange(width)) & (1 << width) - 1
    return number - (1 << width) if number >> width - 1 else number


def columns(commit: Commit) -> list[str]:
    """Those that hold a bit."""
    return [name for name in Commit._fields if getattr(commit, name) not in {None, b""}]


def test_nothing_is_wrong_with_what_was_played(small_log: Sequence[Commit]) -> None:
    result = looked_at(small_log)
    assert not result.findings
    assert result.count.decided == result.count.commits == len(small_log)
    assert 900 < result.count.events < 1_500


@pytest.mark.parametrize("flips", [250, pytest.param(1_000, marks=pytest.mark.long)])
def test_every_flipped_bit_is_found_and_located(small_log: Sequence[Commit], flips: int) -> None:
    """In columns of every kind and anywhere in the bodies."""
    rng = Random(7)
    met: set[str] = set()
    for number in range(flips):
        place = rng.randrange(len(small_log))
        commit = small_log[place]
        # Half of them in bodies, where most of the bytes are.
        name = "body" if number % 2 else rng.choice(columns(commit))
        met.add(name)
        wrong = commit._replace(**{name: flipped(getattr(commit, name), name, rng)})
        changed = [*small_log[:place], wrong, *small_log[place + 1 :]]
        findings = found_in(changed, only={commit.stream, wrong.stream}, head=len(small_log))
        where = (number, name, commit.position)
        assert {each.position for each in findings} & {commit.position, wrong.position}, where
        if name not in {"stream", "version", "count", "position"}:
            first = findings[0]
            # What is wrong with a part of a group shows at its first commit too.
            begun = min(one.position for one in small_log if one.group == commit.group)
            assert first.position in {commit.position, begun}, where
            assert commit.position in {each.position for each in findings}, where
    assert met == set(Commit._fields)


def test_a_deleted_record_is_found(small_log: Sequence[Commit]) -> None:
    """By the gap that it leaves; where positions are renumbered, by the versions."""
    for place in range(0, len(small_log) - 1, 25):
        gone = small_log[place]
        rest = [*small_log[:place], *small_log[place + 1 :]]
        findings = found_in(rest, only={gone.stream}, head=len(small_log))
        (gap,) = [each for each in findings if each.check == "position"]
        assert (gap.position, gap.expected) == (gone.position, f"position {gone.position}")
        closed = [each.placed(number) for number, each in enumerate(rest, 1)]
        later = [
            each for each in closed if each.stream == gone.stream and each.version > gone.version
        ]
        findings = found_in(closed, only={gone.stream})
        if later:
            assert later[0].position in {each.position for each in findings}
            assert "version" in {each.check for each in findings}
        elif gone.group != closed[place - 1].group:
            assert not findings, "the end of a stream: only a checkpoint can tell"


def test_an_inserted_record_is_found(small_log: Sequence[Commit]) -> None:
    """A copy at the end of its stream, or somewhere in between."""
    for place in range(0, len(small_log), 40):
        one = small_log[place]
        more = one._replace(command=uuid4().bytes).placed(len(small_log) + 1)
        findings = found_in([*small_log, more], only={one.stream})
        assert more.position in {each.position for each in findings}


def test_swapped_records_are_found(small_log: Sequence[Commit]) -> None:
    """Two neighbours of a stream change places, in its versions or in the log."""
    streams: dict[UUID, list[int]] = {}
    for place, commit in enumerate(small_log):
        streams.setdefault(commit.stream, []).append(place)
    for places in streams.values():
        for one, two in list(pairwise(places))[::6]:
            a, b = small_log[one], small_log[two]
            changed = list(small_log)
            changed[one] = a._replace(version=b.version, count=b.count)
            changed[two] = b._replace(version=a.version, count=a.count)
            findings = found_in(changed, only={a.stream})
            assert {each.position for each in findings} & {a.position, b.position}
            changed[one], changed[two] = a.placed(b.position), b.placed(a.position)
            findings = found_in(changed, only={a.stream})
            # A chain does not know positions: that is what checkpoints are for, and groups.
            assert not findings or {a.position, b.position} & {e.position for e in findings}


def test_a_truncated_log_is_found_by_the_last_position(small_log: Sequence[Commit]) -> None:
    findings = found_in(small_log[:-5], head=len(small_log))
    assert findings[0].position == len(small_log) - 4
    assert findings[0].expected == f"a log that ends at position {len(small_log)}"


def test_a_fork_is_found_where_it_begins(small_log: Sequence[Commit]) -> None:
    """Somebody else's history from some version on, in the place of what was."""
    stream = max(one.stream for one in small_log if one.kind == StreamKind.TABLE)
    mine = [one for one in small_log if one.stream == stream]
    fork = mine[len(mine) // 2]
    # It follows on nothing that was: its own hash is right for another beginning.
    (other,) = chained([(genesis(stream), fork)])
    changed = [other if one is fork else one for one in small_log]
    findings = found_in(changed, only={stream})
    assert (findings[0].position, findings[0].check) == (fork.position, "hash")
