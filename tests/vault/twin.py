"""A slow second implementation of docs/shuffle-vectors.md on the standard library alone.

It shares no code with the product.  ``python -m tests.vault.twin`` prints the published vectors.
"""

from __future__ import annotations

import hmac
import json
import struct
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID

from tests.vault.twin_gcm import gcm_seal


def framed(*parts: bytes) -> bytes:
    out = b""
    for part in parts:
        out += struct.pack(">I", len(part)) + part
    return out


def hkdf(ikm: bytes, salt: bytes, info: bytes, length: int = 32) -> bytes:
    """RFC 5869 with SHA-256."""
    prk = hmac.new(salt or bytes(32), ikm, sha256).digest()
    out = block = b""
    for i in range(1, -(-length // 32) + 1):
        block = hmac.new(prk, block + info + bytes([i]), sha256).digest()
        out += block
    return out[:length]


def chacha20_block(key: bytes, counter: int, nonce: bytes) -> bytes:
    """RFC 8439, 2.3."""
    start = [*struct.unpack("<4I", b"expand 32-byte k"), *struct.unpack("<8I", key), counter]
    start += struct.unpack("<3I", nonce)
    x = list(start)

    def turn(word: int, by: int) -> int:
        return (word << by | word >> (32 - by)) & 0xFFFFFFFF

    def quarter(a: int, b: int, c: int, d: int) -> None:
        for p, q, r, by in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            x[p] = (x[p] + x[q]) & 0xFFFFFFFF
            x[r] = turn(x[r] ^ x[p], by)

    for _ in range(10):
        for i in range(4):
            quarter(i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return struct.pack("<16I", *((a + b) & 0xFFFFFFFF for a, b in zip(x, start, strict=True)))


def order(key: bytes, pile: tuple[int, ...]) -> tuple[int, ...]:
    items = list(pile)
    stream = b""
    at = 0
    for i in range(len(items) - 1, 0, -1):
        bound = i + 1
        while True:
            if at + 2 > len(stream):
                stream += chacha20_block(key, len(stream) // 64, bytes(12))
            (draw,) = struct.unpack_from("<H", stream, at)
            at += 2
            if draw < 65536 // bound * bound:
                break
        j = draw % bound
        items[i], items[j] = items[j], items[i]
    return tuple(items)


class Epoch(NamedTuple):
    stream: UUID
    number: int
    secret: bytes

    @property
    def place(self) -> tuple[bytes, bytes]:
        return self.stream.bytes, struct.pack(">Q", self.number)


def commitment(epoch: Epoch) -> bytes:
    return sha256(
        framed(b"kartejo/v1/epoch-commitment", *epoch.place) + framed(epoch.secret)
    ).digest()


def shuffle_key(epoch: Epoch, k: int, purpose: str, entropy: tuple[bytes, ...] = ()) -> bytes:
    salt = sha256(framed(b"kartejo/v1/epoch-entropy", *entropy)).digest()
    info = framed(b"kartejo/v1/shuffle", *epoch.place, struct.pack(">Q", k), purpose.encode())
    return hkdf(epoch.secret, salt, info)


def entropy_hash(entropy: tuple[bytes, ...]) -> bytes:
    return sha256(framed(b"kartejo/v1/epoch-entropy", *entropy)).digest()


def place_salts(
    epoch: Epoch, k: int, purpose: str, entropy: tuple[bytes, ...], count: int
) -> list[bytes]:
    number = struct.pack(">Q", k)
    info = framed(b"kartejo/v1/place-salts", *epoch.place, number, purpose.encode())
    stream = hkdf(epoch.secret, entropy_hash(entropy), info, 16 * count)
    return [stream[at : at + 16] for at in range(0, 16 * count, 16)]


def leaf(epoch: Epoch, k: int, purpose: str, place: int, card: int, salt: bytes) -> bytes:
    numbers = struct.pack(">Q", place), struct.pack(">Q", card)
    content = framed(
        b"kartejo/v1/place", *epoch.place, struct.pack(">Q", k), purpose.encode(), *numbers, salt
    )
    return sha256(b"\0" + content).digest()


def _levels(leaves: list[bytes]) -> list[list[bytes]]:
    """From the leaves up to the root; the last of an odd number goes up as it is."""
    levels = [leaves]
    while len(levels[-1]) > 1:
        below = levels[-1]
        above = [
            sha256(b"\1" + below[i] + below[i + 1]).digest() for i in range(0, len(below) - 1, 2)
        ]
        levels.append(above + (below[-1:] if len(below) % 2 else []))
    return levels


def root(epoch: Epoch, k: int, purpose: str, deck: tuple[int, ...], salts: list[bytes]) -> bytes:
    leaves = [
        leaf(epoch, k, purpose, i, card, salt)
        for i, (card, salt) in enumerate(zip(deck, salts, strict=True))
    ]
    return _levels(leaves)[-1][0]


def path(
    epoch: Epoch, k: int, purpose: str, deck: tuple[int, ...], salts: list[bytes], place: int
) -> list[bytes]:
    leaves = [
        leaf(epoch, k, purpose, i, card, salt)
        for i, (card, salt) in enumerate(zip(deck, salts, strict=True))
    ]
    found = []
    for level in _levels(leaves)[:-1]:
        if place ^ 1 < len(level):
            found.append(level[place ^ 1])
        place //= 2
    return found


def slot_key(epoch: Epoch, salt: bytes) -> bytes:
    return hkdf(epoch.secret, b"", framed(b"kartejo/v1/slot", *epoch.place, salt))


def seal(key: bytes, stream: UUID, base: int, place: tuple[int, int, int], plain: bytes) -> bytes:
    """``place`` is event version, field and audience."""
    version, field, audience = place
    nonce = struct.pack(">QI", version - base, field)
    bound = framed(b"kartejo/v1/sealed-slot", stream.bytes)
    return gcm_seal(key, nonce, plain, bound + struct.pack(">QII", version, field, audience))


def name(card: int) -> str:
    return "23456789TJQKA"[(card - 1) % 13] + "cdhs"[(card - 1) // 13]


SECRET = bytes(range(32))
STREAM = UUID("01890a5d-ac96-774b-bcce-b302099a8057")
EPOCH = Epoch(STREAM, 7, SECRET)
ENTROPY = (b"first", b"", b"second")
PACK = tuple(range(1, 53))
PILE = (1, 21, 38)
SALT = bytes.fromhex("00112233445566778899aabbccddeeff")


def vectors() -> dict[str, str]:
    """The published vectors, by name."""
    told = {
        "stream": str(STREAM),
        "epoch": str(EPOCH.number),
        "secret": SECRET.hex(),
        "commitment": commitment(EPOCH).hex(),
        "entropy": " ".join(part.hex() or "-" for part in ENTROPY),
    }
    shuffles: tuple[tuple[int, str, tuple[bytes, ...]], ...] = (
        (0, "deal", ()),
        (1, "deal", ()),
        (0, "seats", ()),
        (0, "deal", ENTROPY),
        (1, "deal", ENTROPY),
    )
    for k, purpose, entropy in shuffles:
        label = f"{k} {purpose}{' with entropy' if entropy else ''}"
        key = shuffle_key(EPOCH, k, purpose, entropy)
        told[f"key {label}"] = key.hex()
        told[f"deck {label}"] = " ".join(map(name, order(key, PACK)))
    told["entropy hash"] = entropy_hash(ENTROPY).hex()
    for label, entropy in (("0 deal", ()), ("0 deal with entropy", ENTROPY)):
        deck = order(shuffle_key(EPOCH, 0, "deal", entropy), PACK)
        salts = place_salts(EPOCH, 0, "deal", entropy, 52)
        told[f"root {label}"] = root(EPOCH, 0, "deal", deck, salts).hex()
        for place in (0, 51):
            found = leaf(EPOCH, 0, "deal", place, deck[place], salts[place])
            told[f"salt of place {place}, {label}"] = salts[place].hex()
            told[f"leaf of place {place}, {label}"] = found.hex()
            along = path(EPOCH, 0, "deal", deck, salts, place)
            told[f"path of place {place}, {label}"] = " ".join(node.hex() for node in along)
    told["pile 2 draw"] = " ".join(map(name, PILE))
    deck = order(shuffle_key(EPOCH, 2, "draw"), PILE)
    told["deck 2 draw"] = " ".join(map(name, deck))
    salts = place_salts(EPOCH, 2, "draw", (), len(PILE))
    told["root 2 draw"] = root(EPOCH, 2, "draw", deck, salts).hex()
    told |= {"base": "41", "salt": SALT.hex()}
    key = slot_key(EPOCH, SALT)
    told["slot key"] = key.hex()
    told["slot plaintext"] = bytes([37]).hex()
    told["slot of version 43, field 5, audience 80000002"] = seal(
        key, STREAM, 41, (43, 5, 0x80000002), bytes([37])
    ).hex()
    told["action plaintext"] = b"attack".hex()
    told["action, audience 80000000"] = seal(key, STREAM, 41, (41, 0, 0x80000000), b"attack").hex()
    return told


if __name__ == "__main__":
    print(json.dumps(vectors(), indent=1))
