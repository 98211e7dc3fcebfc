"""The verifier that browsers run says of every export what ours says."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.events import DeckShuffled, EpochClosed, EpochOpened, ShuffleCommitted
from engine.visibility import SERVER, Private
from service.vault.positions import root_of_places
from service.verify import verify
from tests.transparency.growing import KEY
from tests.verify.conftest import Made
from tests.verify.forging import Forgery
from tests.verify.javascript import verdicts
from tests.verify.test_damage import JUNK, places, split, tells_no_more


def test_honest_exports_hold_in_every_check(made: Made, tmp_path: Path) -> None:
    """Tables of all games, and the whole store: nothing found, and everything looked at."""
    exports = [made.store, made.short, *made.tables.values()]
    told = verdicts(tmp_path, [b"".join(lines) for lines in exports])
    for number, verdict in enumerate(told):
        assert verdict["ok"], verdict["findings"]
        states = {each["check"]: each["state"] for each in verdict["results"]}
        # Nothing was signed yet when the tables after the first two were exported.
        assert states.pop("tree") == "holds" or number > 1
        assert set(states.values()) == {"holds"}, states


@pytest.mark.parametrize("flips", [200, pytest.param(2_000, marks=pytest.mark.long)])
def test_every_flipped_bit_gets_the_same_verdict(made: Made, tmp_path: Path, flips: int) -> None:
    whole = b"".join(made.short)
    rng = random.Random(9)
    changed: list[tuple[int, bytes]] = []
    for _ in range(flips):
        at = rng.randrange(len(whole))
        damaged = bytearray(whole)
        damaged[at] ^= 1 << rng.randrange(8)
        changed.append((at, bytes(damaged)))
    told = verdicts(tmp_path, [each for _, each in changed])
    for (at, damaged), verdict in zip(changed, told, strict=True):
        ours = verify(split(damaged))
        assert verdict["ok"] == ours.ok is False, at
        theirs, line = verdict["findings"][0]["line"], ours.findings[0].line
        assert theirs == line or tells_no_more(whole, at), (at, verdict["findings"][0], line)


def agreed(folder: Path, exports: list[list[bytes]]) -> list[dict[str, Any]]:
    """The browser's verdicts on exports of which every one is refused, on our line or beside it."""
    told = verdicts(folder, [b"".join(lines) for lines in exports])
    for number, (lines, verdict) in enumerate(zip(exports, told, strict=True)):
        ours = verify(lines)
        assert verdict["ok"] == ours.ok is False, number
        assert verdict["findings"][0]["line"] == ours.findings[0].line, number
    return told


def test_lines_left_out_doubled_and_exchanged_are_refused_where_ours_refuses_them(
    made: Made, tmp_path: Path
) -> None:
    lines = made.short
    exports = [[*lines, b"{}\n"], [], [b"\xff\n"], [lines[0][:-2]], lines[:-1]]
    for number in range(len(lines)):
        exports += [
            lines[:number] + lines[number + 1 :],
            lines[: number + 1] + lines[number:],
        ]
    for number in range(1, len(made.store) - 2, 41):
        swapped = [*made.store]
        swapped[number], swapped[number + 1] = swapped[number + 1], swapped[number]
        exports += [swapped, made.store[:number] + made.store[number + 1 :]]
    agreed(tmp_path, exports)


def test_nonsense_in_any_place_is_refused(made: Made, tmp_path: Path) -> None:
    """Lines that are well formed and say something senseless: a finding each time, and no crash."""
    rng = random.Random(10)
    exports: list[bytes] = []
    while len(exports) < 150:
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
        exports.append(b"".join([*made.short[:number], line, *made.short[number + 1 :]]))
    for number, verdict in enumerate(verdicts(tmp_path, exports)):
        assert not verdict["ok"], exports[number]


def test_every_member_of_every_kind_of_line_counts(made: Made, tmp_path: Path) -> None:
    """Blank, empty, nothing, not there: refused on its line, where ours refuses it."""
    exports: list[list[bytes]] = []
    at: list[int] = []
    seen: set[tuple[object, ...]] = set()
    for number, line in enumerate(made.short):
        for path in places(json.loads(line))[1:]:
            kind = tuple(step if isinstance(step, str) else 0 for step in path)
            if (number == 0, kind) in seen:
                continue
            seen.add((number == 0, kind))
            for other in ("", [], None, ...):
                value = json.loads(line)
                inner = value
                for step in path[:-1]:
                    inner = inner[step]
                if other == inner[path[-1]]:
                    continue
                if other is ...:
                    del inner[path[-1]]
                else:
                    inner[path[-1]] = other
                changed = json.dumps(value, separators=(",", ":")).encode() + b"\n"
                exports.append([*made.short[:number], changed, *made.short[number + 1 :]])
                at.append(number + 1)
    found = [each["findings"][0]["line"] for each in agreed(tmp_path, exports)]
    # Without a checkpoint the first commit that brings a proof is one line too many.
    assert {there - line for there, line in zip(found, at, strict=True)} <= {0, 1}


def test_a_proof_that_nothing_asks_for_is_refused(made: Made, tmp_path: Path) -> None:
    """In the whole log, which needs none: no bytes are there that nothing is held against."""
    proof = made.store[5].replace(b'"inclusion":[]', b'"inclusion":["AAAA"]')
    assert proof != made.store[5]
    (verdict,) = agreed(tmp_path, [[*made.store[:5], proof, *made.store[6:]]])
    assert verdict["findings"][0]["line"] == 6
    assert "a proof of its own" in verdict["findings"][0]["what"]


def exchanged(lines: list[bytes], *, committed: bool) -> Forgery:
    """Two cards exchanged in the first shuffle, sealed, chained and signed as if they lay there."""
    forgery = Forgery(lines)
    number, place = forgery.find(lambda event: isinstance(event, DeckShuffled))
    events = forgery.events(forgery.commits[number])
    shuffle: Any = events[place]
    order = list(shuffle.order.value)
    order[0], order[-1] = order[-1], order[0]
    events[place] = replace(shuffle, order=Private(tuple(order), shuffle.order.audience))
    if committed:
        told: Any = events[place + 1]
        keys, entropy = forgery.keys(forgery.commits[number]), forgery.entropy(number)
        root = root_of_places(keys, told.shuffle, told.purpose, entropy, order)
        events[place + 1] = replace(told, root=root)
    forgery.replace(number, events)
    return forgery


def changed(lines: list[bytes], kind: type[Any], **fields: Any) -> Forgery:
    """The first event of a kind with other fields, and every hash made to fit."""
    forgery = Forgery(lines)
    number, place = forgery.find(lambda event: isinstance(event, kind))
    events = forgery.events(forgery.commits[number])
    events[place] = replace(events[place], **fields)  # type: ignore[type-var]
    forgery.replace(number, events)
    return forgery


def test_forged_shuffles_and_secrets_are_refused_though_every_hash_fits(
    made: Made, tmp_path: Path
) -> None:
    """A forger who seals, chains and signs anew, with a key of his own and with the log's."""
    forgeries = [exchanged(each, committed=True) for each in made.tables.values()]
    forgeries += [exchanged(made.short, committed=False)]
    forgeries += [
        changed(made.short, EpochClosed, secret=Private(bytes(32), SERVER)),
        changed(made.short, EpochOpened, epoch=2),
        changed(made.short, EpochOpened, commitment=bytes(32)),
        changed(made.short, ShuffleCommitted, root=bytes(32)),
        changed(made.short, ShuffleCommitted, entropy=bytes(32)),
        changed(made.short, ShuffleCommitted, shuffle=1),
    ]
    told = agreed(tmp_path, [each.lines() for each in forgeries])
    found = [each["findings"][0]["check"] for each in told]
    assert found == ["shuffles"] * 5 + ["secrets"] * 3 + ["shuffles"] * 3


def test_history_that_whoever_has_the_key_rewrote_is_not_what_he_signed_before(
    made: Made, tmp_path: Path
) -> None:
    exports = []
    for lines in (made.store, made.short):
        forgery = Forgery(lines)
        forgery.commits[5] = forgery.commits[5]._replace(received_at=1)
        exports.append(forgery.lines(KEY))
    for verdict in agreed(tmp_path, exports):
        assert verdict["findings"][0]["check"] == "tree"
