"""Epoch secrets: commitments, shuffle keys, and the orders they give."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import Corrupt
from service.vault import EpochKeys, EpochShuffler, MasterKey, commitment_to
from service.vault.epochs import shuffle_info, shuffle_salt, slot_info
from service.world import RealWorld, SteppedWorld, uuid7
from tests.vault import twin

U64 = st.integers(0, (1 << 64) - 1)
CONTEXTS = st.tuples(st.uuids(), U64, U64, st.text(max_size=8))
PLACES = st.tuples(st.uuids(), U64, st.binary(max_size=18))
ROOT = Path(__file__).parents[2]
STREAM = UUID("01890a5d-ac96-774b-bcce-b302099a8057")
SECRET = bytes(range(32))


@pytest.fixture
def keys() -> EpochKeys:
    return EpochKeys(STREAM, 7, SECRET)


@given(CONTEXTS, CONTEXTS)
def test_no_two_shuffles_share_their_context(
    one: tuple[UUID, int, int, str], two: tuple[UUID, int, int, str]
) -> None:
    """Stream, epoch, k, purpose: any difference gives other bytes under HKDF."""
    assert (shuffle_info(*one) == shuffle_info(*two)) == (one == two)


@given(PLACES, PLACES, CONTEXTS)
def test_no_two_commits_share_their_context_nor_one_with_a_shuffle(
    one: tuple[UUID, int, bytes],
    two: tuple[UUID, int, bytes],
    shuffle: tuple[UUID, int, int, str],
) -> None:
    def info(place: tuple[UUID, int, bytes]) -> bytes:
        stream, epoch, salt = place
        return slot_info(stream, epoch, salt=salt)

    assert (info(one) == info(two)) == (one == two)
    assert info(one) != shuffle_info(*shuffle)


NEAR = [("table1", "23"), ("table12", "3"), ("", "table123"), ("table123", "")]


def test_moving_a_border_between_two_contributions_moves_the_salt() -> None:
    """trust.md 1.2, pitfall 8; and the order of contributions counts, empty ones too."""
    salts = [shuffle_salt([a.encode(), b.encode()]) for a, b in NEAR]
    salts += [shuffle_salt(()), shuffle_salt([b""]), shuffle_salt([b"", b""])]
    salts += [shuffle_salt([b"23", b"table1"]), shuffle_salt([b"table123"])]
    assert len(set(salts)) == len(salts)


@settings(max_examples=50)
@given(CONTEXTS, st.binary(min_size=32, max_size=32), st.lists(st.binary(max_size=40), max_size=4))
def test_the_twin_derives_the_same(
    context: tuple[UUID, int, int, str], secret: bytes, entropy: list[bytes]
) -> None:
    """Two implementations, no shared code: commitment, key."""
    stream, number, k, purpose = context
    keys, epoch = EpochKeys(stream, number, secret), twin.Epoch(stream, number, secret)
    assert keys.commitment == twin.commitment(epoch)
    expected = twin.shuffle_key(epoch, k, purpose, tuple(entropy))
    assert keys.shuffle_key(k, purpose, entropy) == expected


def test_a_thousand_decks_equal_the_twins() -> None:
    world = SteppedWorld(seed=b"decks")
    for number in range(50):
        stream = uuid7(world)
        keys = EpochKeys.draw(stream, number, world)
        epoch = twin.Epoch(stream, number, keys.reveal())
        shuffler = EpochShuffler(keys, (b"entropy",))
        for k in range(20):
            key = twin.shuffle_key(epoch, k, "deal", (b"entropy",))
            pile = tuple(range(1, 53 - k))
            assert shuffler.shuffle("deal", pile) == twin.order(key, pile)


def test_lots_of_a_field_are_shuffles_however_large_it_is(keys: EpochKeys) -> None:
    """More than a pile may have; both count as shuffles of the epoch."""
    epoch = twin.Epoch(STREAM, 7, SECRET)
    shuffler = EpochShuffler(keys)
    for k, count in enumerate((1, 255, 256, 1000)):
        key = twin.shuffle_key(epoch, k, "seats", ())
        assert shuffler.lots("seats", count) == twin.order(key, tuple(range(count)))
    assert shuffler.next_shuffle == 4


def test_deciding_again_gives_the_same_orders(keys: EpochKeys) -> None:
    """After a conflict, a crash or in another process nothing is redrawn."""
    first = EpochShuffler(keys, start=2)
    orders = [first.shuffle("deal", twin.PACK), first.shuffle("reshuffle", twin.PACK[:20])]
    assert first.next_shuffle == 4
    again = EpochShuffler(EpochKeys(STREAM, 7, SECRET), start=2)
    assert [again.shuffle("deal", twin.PACK), again.shuffle("reshuffle", twin.PACK[:20])] == orders
    resumed = EpochShuffler(keys, start=3)
    assert resumed.shuffle("reshuffle", twin.PACK[:20]) == orders[1]


def test_shuffles_of_an_epoch_do_not_repeat(keys: EpochKeys) -> None:
    shuffler = EpochShuffler(keys)
    decks = {shuffler.shuffle("deal", twin.PACK) for _ in range(500)}
    decks |= {EpochShuffler(keys).shuffle(purpose, twin.PACK) for purpose in ("seats", "deal ")}
    decks |= {EpochShuffler(keys, (b"x",)).shuffle("deal", twin.PACK)}
    assert len(decks) == 503


def test_shuffles_are_counted_from_zero(keys: EpochKeys) -> None:
    with pytest.raises(ValueError, match="from 0"):
        EpochShuffler(keys, start=-1)


def test_a_commitment_binds_secret_stream_and_epoch(keys: EpochKeys) -> None:
    assert keys.verify(commitment_to(STREAM, 7, SECRET))
    other = UUID(int=STREAM.int ^ 1)
    for stream, epoch, secret in [
        (other, 7, SECRET),
        (STREAM, 8, SECRET),
        *((STREAM, 7, bytes([*SECRET[:i], SECRET[i] ^ 1, *SECRET[i + 1 :]])) for i in range(32)),
    ]:
        assert not keys.verify(commitment_to(stream, epoch, secret))
        with pytest.raises(Corrupt, match="committed"):
            EpochKeys.revealed(stream, epoch, secret, keys.commitment)
    for changed in (b"", keys.commitment[:31], keys.commitment + b"\0"):
        assert not keys.verify(changed)


def test_a_revealed_secret_gives_the_same_keys(keys: EpochKeys) -> None:
    """Closed epochs need no master key."""
    opened = EpochKeys.revealed(STREAM, 7, keys.reveal(), keys.commitment)
    assert opened.shuffle_key(3, "deal") == keys.shuffle_key(3, "deal")
    with pytest.raises(Corrupt, match="length"):
        EpochKeys.revealed(STREAM, 7, SECRET[:31], keys.commitment)


def test_a_wrapped_secret_unwraps_at_its_place_alone(keys: EpochKeys) -> None:
    master = MasterKey(bytes(32), SteppedWorld())
    wrapped = keys.wrap(master)
    assert SECRET not in wrapped
    opened = EpochKeys.unwrap(master, STREAM, 7, wrapped, keys.commitment)
    assert opened.reveal() == SECRET
    for stream, epoch in [(STREAM, 8), (UUID(int=1), 7)]:
        with pytest.raises(Corrupt):
            EpochKeys.unwrap(master, stream, epoch, wrapped, keys.commitment)
    with pytest.raises(Corrupt, match="committed"):
        EpochKeys.unwrap(master, STREAM, 7, wrapped, bytes(32))


@pytest.mark.parametrize(("epoch", "size"), [(7, 31), (7, 33), (7, 0), (-1, 32), (1 << 64, 32)])
def test_odd_secrets_and_epochs_are_refused(epoch: int, size: int) -> None:
    with pytest.raises(ValueError, match="epoch"):
        EpochKeys(STREAM, epoch, bytes(size))


def test_secrets_of_one_moment_differ() -> None:
    """trust.md 3.1: the clock feeds no secret."""
    stream, world = UUID(int=5), RealWorld()
    assert len({EpochKeys.draw(stream, 1, world).reveal() for _ in range(1_000)}) == 1_000


FORKING = """
import os
from uuid import UUID
from service.vault import EpochKeys, EpochShuffler
from service.world import RealWorld

world = RealWorld()
EpochKeys.draw(UUID(int=1), 1, world)
reading, writing = os.pipe()
children = []
for _ in range(8):
    child = os.fork()
    if child == 0:
        for _ in range(125):
            keys = EpochKeys.draw(UUID(int=1), 1, world)
            deck = EpochShuffler(keys).shuffle("deal", tuple(range(1, 53)))
            os.write(writing, (keys.reveal() + bytes(deck)).hex().encode() + b"\\n")
        os._exit(0)
    children.append(child)
os.close(writing)
with os.fdopen(reading) as lines:
    drawn = lines.read().split()
for child in children:
    assert os.waitpid(child, 0)[1] == 0
assert len(drawn) == 1000
assert len({line[:64] for line in drawn}) == len({line[64:] for line in drawn}) == 1000
"""


def test_forked_workers_never_draw_the_same_secret_or_deck() -> None:
    """trust.md 3.35: 1,000 shuffles over 8 forked workers."""
    subprocess.run([sys.executable, "-c", FORKING], check=True, timeout=60, cwd=ROOT)
