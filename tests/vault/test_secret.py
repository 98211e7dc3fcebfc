"""Framing and blind objects."""

from __future__ import annotations

import copy
import doctest
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import service.vault.framing
import service.vault.secret
from service.vault import EpochKeys, MasterKey, Secret, SlotSealer
from service.vault.framing import pack, u64
from service.world import SteppedWorld, uuid7

PARTS = st.lists(st.binary(max_size=6), min_size=1, max_size=5)


@pytest.mark.parametrize("module", [service.vault.framing, service.vault.secret])
def test_the_examples_run(module: object) -> None:
    assert doctest.testmod(module).failed == 0  # type: ignore[arg-type]


@given(PARTS, PARTS)
def test_different_parts_never_frame_alike(one: list[bytes], two: list[bytes]) -> None:
    """trust.md 1.2, pitfall 8: ("table1", "23") is not ("table12", "3")."""
    assert (pack(*one) == pack(*two)) == (one == two)


@given(PARTS)
def test_framed_parts_can_be_read_back(parts: list[bytes]) -> None:
    """Which proves that no two lists share their bytes."""
    framed, found = pack(*parts), []
    while framed:
        size = int.from_bytes(framed[:4], "big")
        found.append(framed[4 : 4 + size])
        framed = framed[4 + size :]
    assert found == parts


def test_numbers_that_do_not_fit_are_refused() -> None:
    for number in (-1, 1 << 64):
        with pytest.raises(OverflowError):
            u64(number)


def test_no_secret_object_shows_its_bytes() -> None:
    """Neither in text nor by pickling or copying."""
    world = SteppedWorld()
    secret = b"\xab" * 32
    keys = EpochKeys(uuid7(world), 1, secret)
    holders = [
        Secret(secret),
        keys,
        MasterKey(secret, world),
        SlotSealer(keys, base=0, salt=bytes(16)),
    ]
    for holder in holders:
        for text in (repr(holder), str(holder), f"{holder}"):
            assert "abab" not in text
            assert "\\xab" not in text
        for escape in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError):
                escape(holder)


def test_secrets_compare_by_content_and_with_secrets_only() -> None:
    assert Secret(b"a") == Secret(b"a")
    assert Secret(b"a") != Secret(b"b")
    assert Secret(b"a") != b"a"
    with pytest.raises(TypeError):
        hash(Secret(b"a"))
