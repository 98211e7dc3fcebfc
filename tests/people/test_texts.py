"""Names and contacts: what others can be shown, and why something else is refused."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Malformed
from service.people.texts import MOST_NAME, checked

GOOD = [
    "",
    "Ann",
    "Ænne O'Neill-Łukasz",
    "李小龍",
    "محمد",
    "अनीता",
    "ann <script>alert(1)</script>",
    "ann@example.org, +49 30 1234",
    "♠ 7 ♥",
    "x" * MOST_NAME,
]


@pytest.mark.parametrize("text", GOOD)
def test_names_of_all_the_world_are_taken(text: str) -> None:
    assert checked("name", text, MOST_NAME) == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x" * 41, "at most 40 characters, not 41"),
        ("e\u0301va", "NFC"),
        (" ann", "no blank"),
        ("ann ", "no blank"),
        ("ann  lee", "no blank"),
        ("ann\nlee", "character 4, U+000A"),
        ("ann\0", "character 4, U+0000"),
        ("\x1b[31mann", "character 1, U+001B"),
        ("ann\u202egpj", "U+202E (RIGHT-TO-LEFT OVERRIDE)"),
        ("ann\u2066x\u2069", "U+2066 (LEFT-TO-RIGHT ISOLATE)"),
        ("an\u200bn", "U+200B (ZERO WIDTH SPACE)"),
        ("an\u00a0n", "U+00A0 (NO-BREAK SPACE)"),
        ("an\u2028n", "U+2028"),
        ("ann\ue000", "U+E000"),
        ("\u3164", "U+3164 (HANGUL FILLER)"),
        ("\u2800\u2800", "U+2800 (BRAILLE PATTERN BLANK)"),
        ("an\u115fn", "U+115F"),
        ("an\uffa0n", "U+FFA0"),
        ("an\u034fn", "U+034F"),
        ("ann\U000e0041", "U+E0041"),
        ("\u0308ann", "character 1 is an accent"),
        ("Z\u0317\u0318\u0319\u031caa", "character 5 is an accent too many"),
    ],
)
def test_what_cannot_be_shown_safely_is_refused_with_the_place(text: str, why: str) -> None:
    with pytest.raises(Malformed) as refused:
        checked("name", text, MOST_NAME)
    assert refused.value.field == "name"
    assert why in refused.value.why


@given(st.text(max_size=50))
def test_whatever_is_taken_is_one_printable_line(text: str) -> None:
    try:
        taken = checked("name", text, MOST_NAME)
    except Malformed:
        return
    assert taken.isprintable()
    assert unicodedata.normalize("NFC", taken) == taken
    assert len(taken) <= MOST_NAME
