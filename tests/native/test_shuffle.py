"""ChaCha20 and the shuffle in C: published vectors, exhaustive draws, the slow twin."""

from __future__ import annotations

import math
import random
from array import array
from collections import Counter
from itertools import permutations, product

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20

from engine._native import ffi, lib
from tests.native import twins

# RFC 8439: 2.3.2, then appendix A.1 test vectors 1 to 5: key, counter, nonce, key stream
VECTORS = [
    (
        bytes(range(32)),
        1,
        "000000090000004a00000000",
        (
            "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
            "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"
        ),
    ),
    (
        bytes(32),
        0,
        "00" * 12,
        (
            "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
            "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"
        ),
    ),
    (
        bytes(32),
        1,
        "00" * 12,
        (
            "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
            "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f"
        ),
    ),
    (
        bytes(31) + b"\x01",
        1,
        "00" * 12,
        (
            "3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a"
            "8eca00bbb4a73bdad192b5c42f73f2fd4e273644c8b36125a64addeb006c13a0"
        ),
    ),
    (
        b"\x00\xff" + bytes(30),
        2,
        "00" * 12,
        (
            "72d54dfbf12ec44b362692df94137f328fea8da73990265ec1bbbea1ae9af0ca"
            "13b25aa26cb4a648cb9b9d1be65b2c0924a66c54d545ec1b7374f4872e99f096"
        ),
    ),
    (
        bytes(32),
        0,
        "00" * 11 + "02",
        (
            "c2c64d378cd536374ae204b9ef933fcd1a8b2288b3dfa49672ab765b54ee27c7"
            "8a970e0e955c14f3a88e741b97c286f75f8fc299e8148362fa198a39531bed6d"
        ),
    ),
]


def c_block(key: bytes, counter: int, nonce: bytes) -> bytes:
    out = bytearray(64)
    lib.kj_chacha20_block(key, counter, nonce, ffi.from_buffer("uint8_t[]", out))
    return bytes(out)


def c_shuffle(key: bytes, items: list[int]) -> list[int]:
    buffer = bytearray(items)
    lib.kj_shuffle(key, ffi.from_buffer("uint8_t[]", buffer), len(buffer))
    return list(buffer)


def c_shuffle_draws(draws: list[int], items: list[int]) -> tuple[list[int], int] | None:
    buffer = bytearray(items)
    given = ffi.from_buffer("uint16_t[]", array("H", draws))
    used = lib.kj_shuffle_draws(
        given, len(draws), ffi.from_buffer("uint8_t[]", buffer), len(buffer)
    )
    if used < 0:
        assert sorted(buffer) == sorted(items)
        return None
    return list(buffer), used


@pytest.mark.parametrize(("key", "counter", "nonce", "stream"), VECTORS)
def test_block_function_gives_the_published_vectors(key, counter, nonce, stream):
    """RFC 8439 2.3.2 and A.1; the twin passes them too."""
    assert c_block(key, counter, bytes.fromhex(nonce)).hex() == stream
    assert twins.chacha20_block(key, counter, bytes.fromhex(nonce)).hex() == stream


def test_key_stream_equals_another_implementation():
    """Ten blocks under random keys as the `cryptography` package makes them."""
    draw = random.Random("stream")
    for _ in range(50):
        key, nonce = draw.randbytes(32), draw.randbytes(12)
        counter = draw.randrange(2**32 - 10)
        peer = Cipher(ChaCha20(key, counter.to_bytes(4, "little") + nonce), mode=None).encryptor()
        ours = b"".join(c_block(key, counter + i, nonce) for i in range(10))
        assert ours == peer.update(bytes(640))


def test_block_twin_agrees_and_can_fail():
    """Random blocks; a twin with two rounds fewer is found out."""
    draw = random.Random("blocks")
    cases = [
        (draw.randbytes(32), draw.choice([0, 1, 2**32 - 1]), draw.randbytes(12)) for _ in range(50)
    ]
    assert twins.differs(c_block, twins.chacha20_block, cases) is None
    assert twins.differs(c_block, lambda *a: twins.chacha20_block(*a, rounds=18), cases)


@pytest.mark.parametrize(
    "bounds",
    [
        [1, 2, 3, 13, 51, 52, 128, 255],
        pytest.param([*range(1, 53), 64, 127, 128, 200, 254, 255], marks=pytest.mark.long),
    ],
    ids=["some", "all"],
)
def test_every_draw_of_every_bound_is_fair(bounds):
    """All 65,536 draws: each j equally often, as few rejected as can be."""
    for bound in bounds:
        picked = [lib.kj_pick(draw, bound) for draw in range(65536)]
        assert picked == [twins.pick(draw, bound) for draw in range(65536)]
        counts = Counter(picked)
        assert counts.pop(-1, 0) == 65536 % bound
        assert counts == dict.fromkeys(range(bound), 65536 // bound)


def test_a_pick_that_never_rejects_is_found_out():
    """The comparison of picks can fail."""
    draws = [(draw, 52) for draw in range(65536)]
    assert twins.differs(lib.kj_pick, lambda draw, bound: draw % bound, draws) == (65520, 52)


@pytest.mark.parametrize("n", range(8))
def test_every_order_comes_exactly_once(n):
    """All tuples of picks for n ≤ 7 give all n! orders, each once."""
    items = list(range(n))
    ways = list(product(*(range(i + 1) for i in range(n - 1, 0, -1))))
    assert len(ways) == math.factorial(n)
    orders = Counter()
    for picks in ways:
        shuffled = c_shuffle_draws(list(picks), items)
        assert shuffled is not None
        orders[tuple(shuffled[0])] += 1
    assert orders == Counter(permutations(items))


def test_shuffle_twin_agrees_and_can_fail():
    """Random keys, every kind of size; Sattolo's off-by-one is found out."""
    draw = random.Random("keys")
    sizes = [0, 1, 2, 3, 32, 33, 34, 52, 64, 65, 66, 128, 255] * 8
    cases = [(draw.randbytes(32), draw.sample(range(256), n)) for n in sizes]
    assert twins.differs(c_shuffle, twins.shuffle, cases) is None

    def sattolo(key: bytes, items: list[int]) -> list[int]:
        order, draws = list(items), twins.key_draws(key)
        for i in range(len(order) - 1, 0, -1):
            j = next(draws) % i
            order[i], order[j] = order[j], order[i]
        return order

    assert twins.differs(c_shuffle, sattolo, cases) is not None


def rejected_draws(key: bytes, n: int) -> int:
    shuffled = twins.shuffle_draws(twins.key_draws(key), range(n))
    assert shuffled is not None
    return shuffled[1] - (n - 1)


def test_keys_whose_stream_rejects_a_draw():
    """Rejections in a real key stream, also where the block changes: same order as the twin."""
    rejecting = [
        key
        for key in (number.to_bytes(32, "big") for number in range(150))
        if rejected_draws(key, 255)
    ]
    assert len(rejecting) >= 20
    pile = list(range(255))
    assert twins.differs(c_shuffle, twins.shuffle, [(key, pile) for key in rejecting]) is None


def test_rejected_draws_are_skipped_wherever_they_stand():
    """A doctored stream: 65535 is rejected for every bound that is no power of two."""
    draw = random.Random("doctored")
    pack = list(range(1, 53))
    cases = []
    for _ in range(300):
        draws: list[int] = []
        for bound in range(52, 1, -1):
            lowest = 65536 // bound * bound
            if lowest < 65536:
                draws += [draw.randrange(lowest, 65536) for _ in range(draw.randrange(3))]
            draws.append(draw.randrange(lowest))
        cases.append((draws, pack))
    assert twins.differs(c_shuffle_draws, twins.shuffle_draws, cases) is None
    shuffled = c_shuffle_draws(*cases[0])
    assert shuffled is not None
    assert shuffled[1] == len(cases[0][0]) > 51
    assert twins.differs(c_shuffle_draws, lambda d, p: twins.shuffle_draws(d[1:], p), cases)


def test_too_few_draws_are_reported():
    """Every length of a stream that is cut short; nothing is lost from the pile."""
    pack = list(range(1, 53))
    stream = [65535 if i % 7 == 0 else 1000 * i % 65000 for i in range(70)]
    cases = [(stream[:length], pack) for length in range(70)]
    assert twins.differs(c_shuffle_draws, twins.shuffle_draws, cases) is None
    assert c_shuffle_draws([], pack) is None
    assert c_shuffle_draws([], [7]) == ([7], 0)
    assert c_shuffle_draws([], []) == ([], 0)
