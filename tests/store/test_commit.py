"""The stored format: bodies, the hash chain, and vectors that must never move."""

from __future__ import annotations

import doctest
import json
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Corrupt
from service.store import commit as commit_module
from service.store.commit import (
    Commit,
    Slot,
    StoredEvent,
    chained,
    genesis,
    group_of,
    link,
    pack_body,
    salt_of,
    unpack_body,
    verify,
)

VECTORS = json.loads((Path(__file__).parent / "commit_vectors.json").read_text(encoding="utf-8"))

U16 = st.integers(0, 2**16 - 1)
U32 = st.integers(0, 2**32 - 1)
SLOTS = st.lists(st.builds(Slot, U16, U32, st.binary(max_size=40)), max_size=4).map(tuple)
EVENTS = st.lists(
    st.builds(StoredEvent, U16, U16, st.binary(max_size=60), SLOTS), min_size=1, max_size=5
).map(tuple)


def read_commit(told: dict[str, Any]) -> Commit:
    """A commit as the vector file spells it: ids as UUIDs, bytes as hex."""
    values: dict[str, Any] = {}
    for name, value in told.items():
        if name in {"stream", "actor"}:
            values[name] = UUID(value) if value else None
        else:
            values[name] = bytes.fromhex(value) if isinstance(value, str) else value
    return Commit(**values)


def changed(commit: Commit, name: str, value: Any) -> Commit:
    """``commit`` with another value in one field."""
    return commit._replace(**{name: value})


def slow_hash(previous: bytes, commit: Commit) -> bytes:
    """The hash as the format's text says it, field by field."""
    numbers = "kind version count", "actor_kind", "seat received_at recorded_at hand epoch rules"

    def numbered(names: str) -> list[bytes]:
        return [getattr(commit, name).to_bytes(8, "big", signed=True) for name in names.split()]

    fields = [
        commit.stream.bytes,
        *numbered(numbers[0]),
        commit.command,
        commit.group,
        commit.digest,
        *numbered(numbers[1]),
        commit.actor.bytes if commit.actor else b"",
        *numbered(numbers[2]),
        commit.action,
        commit.body,
    ]
    whole = b"kartejo.commit.1" + previous
    for field in fields:
        whole += len(field).to_bytes(4, "big") + field
    return sha256(whole).digest()


@given(EVENTS)
def test_body_survives_the_round_trip(events: tuple[StoredEvent, ...]) -> None:
    assert unpack_body(pack_body(events), len(events)) == events


@given(EVENTS, st.data())
def test_body_that_is_cut_or_goes_on_is_corrupt(
    events: tuple[StoredEvent, ...], data: st.DataObject
) -> None:
    body = pack_body(events)
    cut = data.draw(st.integers(0, len(body) - 1))
    for wrong in (body[:cut], body + b"\0"):
        with pytest.raises(Corrupt):
            unpack_body(wrong, len(events))


@given(st.binary(max_size=80))
def test_any_bytes_are_a_canonical_body_or_corrupt(noise: bytes) -> None:
    try:
        events = unpack_body(noise)
    except Corrupt:
        return
    assert pack_body(events) == noise


def test_body_with_another_count_or_format_is_corrupt() -> None:
    body = pack_body([StoredEvent(1, 1, b"x")])
    for wrong, count in ((body, 2), (b"\2" + body[1:], 1), (b"\1\0\0\0\0", None)):
        with pytest.raises(Corrupt):
            unpack_body(wrong, count)


@pytest.mark.parametrize(
    "events",
    [
        [],
        [StoredEvent(2**16, 1, b"")],
        [StoredEvent(1, -1, b"")],
        [StoredEvent(1, 1, b"", (Slot(1, 2**32, b""),))],
    ],
)
def test_body_refuses_what_does_not_fit(events: list[StoredEvent]) -> None:
    with pytest.raises(ValueError):
        pack_body(events)


@pytest.mark.parametrize("vector", VECTORS["commits"], ids=lambda vector: vector["about"])
def test_golden_vector(vector: dict[str, Any]) -> None:
    """Bytes of the first release; a change here is a broken store."""
    commit = read_commit(vector["commit"])
    previous = bytes.fromhex(vector["previous"])
    assert link(previous, commit) == commit.hash == slow_hash(previous, commit)
    verify(previous, commit)
    events = tuple(
        StoredEvent(
            told["type"],
            told["revision"],
            bytes.fromhex(told["public"]),
            tuple(
                Slot(field, mask, bytes.fromhex(sealed)) for field, mask, sealed in told["slots"]
            ),
        )
        for told in vector["events"]
    )
    salt = bytes.fromhex(vector["salt"])
    assert pack_body(events, salt) == commit.body
    assert unpack_body(commit.body, commit.count) == events
    assert salt_of(commit.body) == salt
    assert group_of([(commit.stream, commit.version)]) == commit.group


def test_a_group_names_all_its_members() -> None:
    """Whoever reads one of them knows that, and which, others were stored with it."""
    one = read_commit(VECTORS["commits"][0]["commit"])
    two = one._replace(stream=UUID(int=7), version=9, count=1)
    first, second = chained([(bytes(32), one), (bytes(32), two)])
    assert first.group == second.group
    whole = b"kartejo.group.1" + b"".join(
        commit.stream.bytes + commit.version.to_bytes(8, "big") for commit in (one, two)
    )
    assert first.group == sha256(whole).digest()[:16]
    assert first.group != chained([(bytes(32), one)])[0].group
    for commit in (first, second):
        verify(bytes(32), commit)


def test_golden_genesis() -> None:
    stream = UUID(VECTORS["genesis"]["stream"])
    assert genesis(stream).hex() == VECTORS["genesis"]["hash"]
    assert genesis(stream) == sha256(b"kartejo.stream.1" + stream.bytes).digest()


def test_every_field_but_position_moves_the_hash() -> None:
    commit = read_commit(VECTORS["commits"][0]["commit"])
    previous = bytes.fromhex(VECTORS["commits"][0]["previous"])
    for name in Commit._fields[:-2]:
        value = getattr(commit, name)
        if isinstance(value, bytes):
            other: object = value[:-1] + bytes([value[-1] ^ 1])
        elif isinstance(value, int):
            other = value + 1
        else:
            other = UUID(int=value.int ^ 1)
        with pytest.raises(Corrupt):
            verify(previous, changed(commit, name, other))
    with pytest.raises(Corrupt):
        verify(previous, commit._replace(actor=None))
    with pytest.raises(Corrupt):
        verify(genesis(UUID(int=1)), commit)
    verify(previous, commit._replace(position=99))


def test_bytes_cannot_move_between_action_and_body() -> None:
    commit = read_commit(VECTORS["commits"][0]["commit"])
    moved = commit._replace(action=commit.action + commit.body[:1], body=commit.body[1:])
    assert link(bytes(32), commit) != link(bytes(32), moved)


@pytest.mark.parametrize(
    "change",
    [{"command": bytes(15)}, {"group": b""}, {"digest": bytes(33)}, {"received_at": 2**63}],
)
def test_link_refuses_what_does_not_fit(change: dict[str, Any]) -> None:
    commit = read_commit(VECTORS["commits"][0]["commit"])._replace(**change)
    with pytest.raises(ValueError):
        link(bytes(32), commit)
    with pytest.raises(Corrupt):
        verify(bytes(32), commit)


def test_examples_in_the_documentation_run() -> None:
    failed, tried = doctest.testmod(commit_module)
    assert tried
    assert not failed
