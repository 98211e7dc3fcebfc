"""Whatever is changed in an export is found, on the line where it was changed."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from typing import Any

import pytest

from service.verify import Report, verify
from tests.verify.conftest import Made


def tells_no_more(whole: bytes, at: int) -> bool:
    """Whether a byte may be found later: the table's id on the first line contradicts the second,
    and a position is held by the note alone where the rest of the log is not there."""
    return at < whole.index(b"\n") or b'"position"' in whole[at - 14 : at]


def split(data: bytes) -> list[bytes]:
    """Lines as a file is read."""
    return data.splitlines(keepends=True)


@pytest.mark.parametrize("flips", [150, pytest.param(1_000, marks=pytest.mark.long)])
def test_every_flipped_bit_is_found_on_its_line(made: Made, flips: int) -> None:
    """So many positions of an export of a whole table, some bit of each."""
    whole = b"".join(made.short)
    starts = [0]
    for line in made.short:
        starts.append(starts[-1] + len(line))
    rng = random.Random(6)
    for _ in range(flips):
        at = rng.randrange(len(whole))
        damaged = bytearray(whole)
        damaged[at] ^= 1 << rng.randrange(8)
        line = next(n for n, (low, high) in enumerate(pairwise(starts), 1) if low <= at < high)
        report = verify(split(bytes(damaged)))
        assert report.findings, (at, line)
        found = report.findings[0].line
        assert found == line or tells_no_more(whole, at), (at, line, found)


def first(report: Report) -> tuple[int, str]:
    return report.findings[0].line, report.findings[0].what


def test_a_line_left_out_is_found_where_it_is_missing(made: Made) -> None:
    for number in range(len(made.short)):
        kept = made.short[:number] + made.short[number + 1 :]
        line, _ = first(verify(kept))
        # What is missing shows at the line that follows; the last two of a table's own commits
        # may be gone without a gap: then the signed number of commits tells.
        assert line in {number + 1, len(kept)}, number


def test_a_line_twice_is_found(made: Made) -> None:
    for number in range(len(made.short)):
        twice = made.short[: number + 1] + made.short[number:]
        assert first(verify(twice))[0] == number + 2


@pytest.mark.parametrize("stride", [41, pytest.param(7, marks=pytest.mark.long)])
def test_two_lines_exchanged_are_found(made: Made, stride: int) -> None:
    lines = made.store
    for number in range(1, len(lines) - 2, stride):
        swapped = [*lines]
        swapped[number], swapped[number + 1] = swapped[number + 1], swapped[number]
        assert first(verify(swapped))[0] == number + 1


def test_an_export_that_ends_early_is_found(made: Made) -> None:
    whole = b"".join(made.short)
    for size in range(0, len(whole), 997):
        lines = split(whole[:size])
        line, _ = first(verify(lines))
        assert line >= len(lines)


def test_what_follows_the_end_is_found(made: Made) -> None:
    assert first(verify([*made.short, b"{}\n"])) == (
        len(made.short) + 1,
        "something follows the end of the export",
    )


def test_an_empty_file_is_no_export() -> None:
    assert first(verify([])) == (1, "the export ends in the middle")


JUNK: tuple[Any, ...] = (
    *(None, True, -1, 0, 2**63, -(2**63) - 1, 10**19, "", "x", "\ud800", "A" * 33, "AA==", "00"),
    *([], [[]], [None], ["x"], [{}], {}, {"type": "commit"}),
)
"""What may stand in the place of any value of a line."""


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place of a value and of what it holds."""
    found = [path]
    if isinstance(value, dict):
        for name, inner in value.items():
            found += places(inner, (*path, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            found += places(inner, (*path, number))
    return found


@pytest.mark.parametrize("lines", [80, pytest.param(300, marks=pytest.mark.long)])
def test_nonsense_in_any_place_is_found_and_ends_nothing_else(made: Made, lines: int) -> None:
    """Lines that are well formed and say something senseless."""
    rng = random.Random(7)
    for _ in range(lines):
        number = rng.randrange(len(made.short))
        value = json.loads(made.short[number])
        path = rng.choice(places(value)[1:])
        inner = value
        for step in path[:-1]:
            inner = inner[step]
        junk = rng.choice(JUNK)
        if type(inner[path[-1]]) is type(junk) and inner[path[-1]] == junk:
            continue
        inner[path[-1]] = junk
        line = json.dumps(value, separators=(",", ":")).encode() + b"\n"
        report = verify([*made.short[:number], line, *made.short[number + 1 :]])
        assert report.findings, (number, path, junk)
        assert report.findings[0].line >= number + 1, (number, path, junk)
