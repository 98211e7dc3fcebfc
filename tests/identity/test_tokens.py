"""Bearer tokens: issued, verified, and refused for the right reason."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import Any
from uuid import UUID

import jwt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import Unauthenticated
from service.identity import LAB_ISSUER, BadToken, KeyRing, Role, TokenFault, Tokens
from service.world import SteppedWorld

START = 1_700_000_000_000_000
WORLD = SteppedWorld(now=START, seed=b"tokens")
RING = KeyRing.draw(WORLD)
LAB = KeyRing.draw(WORLD, LAB_ISSUER)
TABLE = UUID("01890a5d-ac96-774b-bcce-b302099a8057")
TOKENS = Tokens(RING, WORLD)
GOOD = TOKENS.issue("ann", {Role.PLAYER}, 3_600)
PAYLOAD: dict[str, Any] = jwt.decode(GOOD, options={"verify_signature": False})
HEADER = {"alg": "EdDSA", "kid": RING.keys[0].kid, "typ": "JWT"}


def part(value: object) -> str:
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def signed(payload: object = PAYLOAD, header: object = HEADER, ring: KeyRing = RING) -> str:
    """A token with a true signature over whatever it says."""
    text = f"{part(header)}.{part(payload)}"
    return f"{text}.{part(ring.keys[0].private.sign(text.encode()))}"


def fault(token: str | None, tokens: Tokens | None = None) -> TokenFault:
    with pytest.raises(BadToken) as caught:
        (tokens or Tokens(RING, WORLD)).verify(token)
    assert caught.value.reason == caught.value.fault.value
    assert isinstance(caught.value, Unauthenticated)
    if token:
        for piece in [token, *(piece for piece in token.split(".") if len(piece) > 8)]:
            assert piece not in str(caught.value)
    return caught.value.fault


def test_a_token_comes_back_as_its_claims() -> None:
    claims = TOKENS.verify(GOOD)
    assert (claims.issuer, claims.subject, claims.lab) == ("kartejo", "ann", False)
    assert claims.roles == {Role.PLAYER}
    assert claims.expires_at == START + 3_600_000_000
    assert (claims.table, claims.seat) == (None, None)
    assert TOKENS.verify(signed()) == claims


def test_a_bots_token_is_limited_to_its_seat() -> None:
    claims = TOKENS.verify(TOKENS.issue("bot", [Role.PLAYER], 60, table=TABLE, seat=0))
    assert (claims.table, claims.seat) == (TABLE, 0)
    claims = TOKENS.verify(TOKENS.issue("bot", [Role.PLAYER], 60, table=TABLE))
    assert (claims.table, claims.seat) == (TABLE, None)


@pytest.mark.parametrize(
    ("subject", "roles", "lifetime", "table", "seat"),
    [
        ("", [Role.PLAYER], 60, None, None),
        ("a\n", [Role.PLAYER], 60, None, None),
        ("é", [Role.PLAYER], 60, None, None),
        ("a" * 129, [Role.PLAYER], 60, None, None),
        ("ann", [], 60, None, None),
        ("ann", [Role.PLAYER], 0, None, None),
        ("ann", [Role.PLAYER], -1, None, None),
        ("ann", [Role.PLAYER], 60, None, 1),
        ("ann", [Role.PLAYER], 60, TABLE, 30),
        ("ann", [Role.PLAYER], 60, TABLE, -1),
        ("ann", [Role.ADMIN], 60, TABLE, None),
        ("ann", [Role.ADMIN, Role.PLAYER], 60, TABLE, 1),
    ],
)
def test_what_no_token_may_say_is_neither_issued_nor_believed(
    subject: str, roles: list[Role], lifetime: int, table: UUID | None, seat: int | None
) -> None:
    with pytest.raises(ValueError, match=r"subject|role|token|seat"):
        TOKENS.issue(subject, roles, lifetime, table=table, seat=seat)
    if lifetime > 0:
        payload = PAYLOAD | {"sub": subject, "roles": [*roles]}
        payload |= {"table": str(table)} if table else {}
        payload |= {"seat": seat} if seat is not None else {}
        assert fault(signed(payload)) is TokenFault.MALFORMED


def test_a_missing_token_is_told_from_a_bad_one() -> None:
    assert fault(None) is fault("") is TokenFault.MISSING


@pytest.mark.parametrize(
    "token",
    [
        "x",
        "a.b",
        "a.b.c.d",
        "..",
        "Bearer " + GOOD,
        GOOD + "\n",
        GOOD + "=",
        GOOD.replace(".", " "),
        "\u0661.b.c",
        "a" * 5_000,
        "[" * 3_000 + ".b.c",
        part(b"[" * 2_000) + ".bbbb.cccc",
        part(b"{}") + ".e30.e30",
        part(b"\xff\xfe") + ".e30.e30",
        part([]) + ".e30.e30",
        part({"alg": 5}) + "!.e30.e30",
    ],
)
def test_what_is_no_token_in_form_is_malformed(token: str) -> None:
    assert fault(token) in {TokenFault.MALFORMED, TokenFault.WRONG_ALGORITHM}


def test_a_token_lives_from_its_first_to_its_last_second_by_the_worlds_clock() -> None:
    """With the leeway on both sides, and none of the system's own time."""
    world = SteppedWorld(now=START)
    tokens = Tokens(RING, world, leeway=5)
    token = tokens.issue("ann", [Role.PLAYER], 60)
    for moment, expected in [
        (-5_000_001, TokenFault.NOT_YET_VALID),
        (-5_000_000, None),
        (0, None),
        (64_999_999, None),
        (65_000_000, TokenFault.EXPIRED),
    ]:
        world.set_now(START + moment)
        for fresh in (tokens, Tokens(RING, world, leeway=5)):  # remembered or not: the same
            if expected is None:
                assert fresh.verify(token).subject == "ann"
            else:
                assert fault(token, fresh) is expected


def test_a_remembered_token_expires_all_the_same() -> None:
    world = SteppedWorld(now=START)
    tokens = Tokens(RING, world, leeway=0)
    token = tokens.issue("ann", [Role.PLAYER], 60)
    tokens.verify(token)
    world.advance(60)
    assert fault(token, tokens) is TokenFault.EXPIRED


@pytest.mark.parametrize("leeway", [-1, 31])
def test_the_leeway_has_bounds(leeway: int) -> None:
    with pytest.raises(ValueError, match="leeway"):
        Tokens(RING, WORLD, leeway=leeway)


def test_a_token_of_another_key_is_forged() -> None:
    """Also when it claims our key's name."""
    stranger = KeyRing.draw(WORLD)
    assert fault(Tokens(stranger, WORLD).issue("ann", [Role.ADMIN], 60)) is TokenFault.FORGED
    assert fault(signed(ring=stranger)) is TokenFault.FORGED


def test_changed_claims_are_forged() -> None:
    head, _, signature = GOOD.split(".")
    admin = part(PAYLOAD | {"roles": ["admin"]})
    assert fault(f"{head}.{admin}.{signature}") is TokenFault.FORGED


@pytest.mark.parametrize("alg", ["none", "None", "HS256", "ES256", "RS256", "Ed25519", "eddsa", 5])
def test_no_algorithm_but_eddsa(alg: object) -> None:
    """None at all, and the public key misused as an HMAC secret, included."""
    text = f"{part(HEADER | {'alg': alg})}.{part(PAYLOAD)}"
    public = RING.keys[0].public.public_bytes_raw()
    mac = hmac.new(public, text.encode(), hashlib.sha256).digest()
    for signature in (part(mac), GOOD.split(".")[2]):
        assert fault(f"{text}.{signature}") is TokenFault.WRONG_ALGORITHM
    assert fault(f"{text}.") is TokenFault.MALFORMED


@pytest.mark.parametrize(
    "header",
    [
        {"alg": "EdDSA", "typ": "JWT"},
        HEADER | {"kid": 5},
        HEADER | {"kid": ["x"]},
        HEADER | {"typ": "JWE"},
        HEADER | {"crit": ["b64"], "b64": False},
        HEADER | {"jwk": {"kty": "OKP"}},
        HEADER | {"jku": "https://example.org/keys"},
    ],
)
def test_a_header_says_no_more_and_no_less(header: object) -> None:
    assert fault(signed(header=header)) is TokenFault.MALFORMED


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"iss": "somebody"}, TokenFault.WRONG_ISSUER),
        ({"iss": LAB_ISSUER}, TokenFault.WRONG_ISSUER),
        ({"iss": 5}, None),
        ({"aud": "other"}, TokenFault.WRONG_AUDIENCE),
        ({"aud": ["kartejo.v1"]}, TokenFault.WRONG_AUDIENCE),
        ({"sub": 5}, None),
        ({"sub": None}, None),
        ({"roles": "admin"}, None),
        ({"roles": ["root"]}, None),
        ({"roles": [["admin"]]}, None),
        ({"roles": [{}]}, None),
        ({"roles": None}, None),
        ({"exp": "soon"}, None),
        ({"exp": True}, None),
        ({"exp": 1e300}, None),
        ({"exp": 1 << 70}, None),
        ({"nbf": -1}, None),
        ({"iat": [1]}, None),
        ({"table": 5}, None),
        ({"table": "x"}, None),
        ({"table": str(TABLE), "seat": True}, None),
        ({"table": str(TABLE), "seat": None}, None),
        ({"more": 1}, None),
    ],
)
def test_claims_are_checked_one_by_one(change: dict[str, Any], expected: TokenFault | None) -> None:
    assert fault(signed(PAYLOAD | change)) in (
        {expected} if expected else {TokenFault.MALFORMED, TokenFault.WRONG_ISSUER}
    )


@pytest.mark.parametrize("name", sorted(PAYLOAD))
def test_no_claim_may_be_missing(name: str) -> None:
    rest = {key: value for key, value in PAYLOAD.items() if key != name}
    assert fault(signed(rest)) is TokenFault.MALFORMED


def test_lab_tokens_live_in_the_lab_alone() -> None:
    """Design 7: a separate issuer; without --lab its tokens are nothing."""
    lab = Tokens(RING, WORLD, lab_ring=LAB)
    token = lab.issue("teacher", [Role.ADMIN], 60, LAB_ISSUER)
    assert lab.verify(token).lab
    assert lab.verify(token).issuer == LAB_ISSUER
    assert not lab.verify(GOOD).lab
    assert fault(token) is TokenFault.LAB
    with pytest.raises(ValueError, match="--lab"):
        TOKENS.issue("teacher", [Role.ADMIN], 60, LAB_ISSUER)


def test_no_key_signs_for_the_other_issuer() -> None:
    lab = Tokens(RING, WORLD, lab_ring=LAB)
    assert fault(signed(PAYLOAD | {"iss": LAB_ISSUER}), lab) is TokenFault.WRONG_ISSUER
    header = HEADER | {"kid": LAB.keys[0].kid}
    assert fault(signed(PAYLOAD, header, LAB), lab) is TokenFault.WRONG_ISSUER
    assert fault(signed(PAYLOAD | {"iss": LAB_ISSUER}, header), lab) is TokenFault.FORGED
    with pytest.raises(ValueError, match="place"):
        Tokens(LAB, WORLD)
    with pytest.raises(ValueError, match="place"):
        Tokens(RING, WORLD, lab_ring=RING)


def test_a_rotated_ring_believes_old_tokens_and_signs_with_the_new_key() -> None:
    newer = Tokens(RING.rotated(WORLD), WORLD)
    assert newer.verify(GOOD).subject == "ann"
    assert fault(newer.issue("ann", [Role.PLAYER], 60)) is TokenFault.FORGED


def test_what_is_remembered_is_bounded() -> None:
    tokens = Tokens(RING, WORLD)
    tokens._verified = {bytes([i % 256, i // 256]): TOKENS.verify(GOOD) for i in range(4_096)}
    tokens.verify(GOOD)
    assert len(tokens._verified) == 4_096
    assert bytes(2) not in tokens._verified


ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def test_no_single_character_may_change() -> None:
    """Not even in spare bits of base64: every other spelling of a good token is refused."""
    for i, old in enumerate(GOOD):
        for new in (ALPHABET[(ALPHABET.find(old) + by) % 64] for by in (1, 2, 8, 33)):
            if new != old:
                fault(GOOD[:i] + new + GOOD[i + 1 :])
        fault(GOOD[:i] + GOOD[i + 1 :])


@given(st.lists(st.tuples(st.integers(0, len(GOOD)), st.text(max_size=3)), min_size=1, max_size=3))
def test_mutated_tokens_are_unauthenticated_and_nothing_else(edits: list[tuple[int, str]]) -> None:
    token = GOOD
    for at, text in edits:
        token = token[:at] + text + token[at + len(text) :]
    if token != GOOD:
        fault(token)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(JSON | st.dictionaries(st.sampled_from(sorted(PAYLOAD)), JSON))
@settings(max_examples=200)
def test_any_signed_payload_is_answered_by_a_fault(payload: object) -> None:
    """Even from one of our keys: no other exception, whatever the JSON says."""
    changed = PAYLOAD | payload if isinstance(payload, dict) else payload
    if changed != PAYLOAD:
        try:
            fault(signed(changed))
        except pytest.fail.Exception:  # some changes are harmless: the claims stay well-formed
            assert isinstance(payload, dict)
            assert set(payload) <= {"sub", "iat", "nbf", "exp"}


@given(JSON | st.dictionaries(st.sampled_from([*HEADER, "b64", "crit"]), JSON))
def test_any_header_is_answered_by_a_fault(header: object) -> None:
    if header != HEADER:
        fault(signed(header=header))


@given(st.binary(max_size=60), st.binary(max_size=60), st.binary(max_size=70))
def test_raw_bytes_are_answered_by_a_fault(one: bytes, two: bytes, three: bytes) -> None:
    fault(f"{part(one)}.{part(two)}.{part(three)}")
    fault(f"{part(HEADER)}.{part(two)}.{part(three)}")
