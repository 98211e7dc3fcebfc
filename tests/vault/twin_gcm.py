"""AES-256-GCM, slow and obvious (FIPS 197, SP 800-38D): the second implementation of sealing."""

from __future__ import annotations


def _double(byte: int) -> int:
    byte <<= 1
    return byte ^ 0x11B if byte & 0x100 else byte


def _times(a: int, b: int) -> int:
    product = 0
    while b:
        if b & 1:
            product ^= a
        a, b = _double(a), b >> 1
    return product


def _substitute(byte: int) -> int:
    inverse = next((x for x in range(256) if _times(byte, x) == 1), 0)
    out = 0x63
    for by in range(5):
        out ^= (inverse << by | inverse >> (8 - by)) & 0xFF
    return out


SBOX = [_substitute(byte) for byte in range(256)]


def _round_keys(key: bytes) -> list[bytes]:
    words = [key[i : i + 4] for i in range(0, 32, 4)]
    constant = 1
    for i in range(8, 60):
        word = words[i - 1]
        if i % 8 == 0:
            word = bytes(SBOX[b] for b in word[1:] + word[:1])
            word = bytes([word[0] ^ constant]) + word[1:]
            constant = _double(constant)
        elif i % 8 == 4:
            word = bytes(SBOX[b] for b in word)
        words.append(bytes(a ^ b for a, b in zip(word, words[i - 8], strict=True)))
    return [b"".join(words[i : i + 4]) for i in range(0, 60, 4)]


def aes256(key: bytes, block: bytes) -> bytes:
    keys = _round_keys(key)
    state = [a ^ b for a, b in zip(block, keys[0], strict=True)]
    for number, round_key in enumerate(keys[1:], start=1):
        state = [SBOX[b] for b in state]
        state = [state[(i + 4 * (i % 4)) % 16] for i in range(16)]
        if number < 14:
            mixed = []
            for c in range(0, 16, 4):
                a = state[c : c + 4]
                for i in range(4):
                    two, three = a[i], a[(i + 1) % 4]
                    rest = a[(i + 2) % 4] ^ a[(i + 3) % 4]
                    mixed.append(_times(two, 2) ^ _times(three, 3) ^ rest)
            state = mixed
        state = [a ^ b for a, b in zip(state, round_key, strict=True)]
    return bytes(state)


def _ghash_times(x: int, y: int) -> int:
    z = 0
    for i in range(127, -1, -1):
        if x >> i & 1:
            z ^= y
        y = y >> 1 ^ (0xE1 << 120 if y & 1 else 0)
    return z


def gcm_seal(key: bytes, nonce: bytes, plain: bytes, bound: bytes) -> bytes:
    """Ciphertext ‖ tag for a 12-byte nonce."""
    h = int.from_bytes(aes256(key, bytes(16)), "big")
    cipher = b""
    for i in range(0, len(plain), 16):
        pad = aes256(key, nonce + (i // 16 + 2).to_bytes(4, "big"))
        cipher += bytes(a ^ b for a, b in zip(plain[i : i + 16], pad, strict=False))
    y = 0
    for text in (bound, cipher):
        for i in range(0, len(text), 16):
            y = _ghash_times(y ^ int.from_bytes(text[i : i + 16].ljust(16, b"\0"), "big"), h)
    y = _ghash_times(y ^ (len(bound) * 8 << 64 | len(cipher) * 8), h)
    first = int.from_bytes(aes256(key, nonce + b"\0\0\0\1"), "big")
    return cipher + (y ^ first).to_bytes(16, "big")
