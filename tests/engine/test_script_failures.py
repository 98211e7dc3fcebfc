"""Every kind of line can fail, and says so at its place (hand_script 2.5)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.script import ScriptError, ScriptFailure, run_text

HANDS = Path(__file__).parents[1] / "hands"
FILES = sorted(HANDS.glob("*/*.hand"))

TABLE = (
    "game: royal_flush\nseats: 0=100\nstart:\n"
    "deck: 7s 5h 4d 9d 8d Td\n0: deal_piles\n0: search_pile pile=1\n"
)
"""Six lines; pile 1 holds 7s Td …, so the search discards 7s and finds Td."""


def failure_of(text: str) -> ScriptFailure:
    [verdict] = run_text(text, "x.hand")
    assert verdict.failure is not None, "every line held"
    return verdict.failure


def mutated(line: str) -> str | None:
    """The line saying something else; None if it is neither a step nor a check."""
    code = line.partition("#")[0].rstrip()
    if code.startswith(">>"):
        return code + " SatOut"
    if re.match(r"(view \w+: )?> ", code):
        head, equals, value = code.rpartition("=")
        if not equals:
            return "> SatOut"
        # ?? holds for hidden fields only, so where ?? stood something that is none goes in.
        return f"{head}=2c" if "??" in value else f"{head}=??"
    if re.match(r"(view \w+: )?= ", code):
        return code[: -len("none")] + "9" if code.endswith(" none") else code + " 9"
    if code.startswith("legal"):
        return code.replace(": none", ":").replace(": -", ":") + " sit_out"
    if re.match(r"(host|\d+): ", code):
        action, mark, _ = code.partition(" ! ")
        if "open_table" in action and not mark:
            return None  # refused, it leaves no table to check: what follows is an error
        return action + " ! NO_SUCH_REASON"
    return None


def sections(text: str) -> list[str]:
    """Each script of a file with the header it inherits, the line numbers kept."""
    found: list[str] = []
    header: list[str] = []
    start = 0
    for part in text.split("\n---\n"):
        lines = part.split("\n")
        # One blank line stands where the --- line stood.
        blank = [""] * start
        if re.search(r"(?m)^game:", part):
            header = [x for x in lines if re.match(r"(game|opts|seats|start|deck|given):", x)]
            found.append("\n".join([*blank, *lines]))
        else:
            blank[: len(header)] = header
            found.append("\n".join([*blank, *lines]))
        start += len(lines) + 1
    return found


@pytest.mark.parametrize("path", FILES, ids=[f"{p.parent.name}/{p.stem}" for p in FILES])
@pytest.mark.parametrize("stride", [5, pytest.param(1, marks=pytest.mark.long)])
def test_any_changed_line_of_any_example_fails_at_that_line(path: Path, stride: int):
    """Each step and check of the worked examples is changed in turn: none is idle."""
    found = changed = 0
    for script in sections(path.read_text(encoding="utf-8")):
        lines = script.split("\n")
        for index, line in enumerate(lines):
            other = mutated(line)
            found += other is not None
            # Of an example that is short the first line is changed, of long ones each so many.
            if other is None or (found - 1) % stride:
                continue
            text = "\n".join([*lines[:index], other, *lines[index + 1 :]])
            try:
                [verdict] = run_text(text, path.name)
                at = verdict.failure.at if verdict.failure else None
            except ScriptError as error:
                at = error.at
            assert at is not None, f"{path.name}:{index + 1}: {other} holds as well as {line}"
            assert at.line == index + 1, f"{other} fails at line {at.line}"
            changed += 1
    assert changed


def test_a_failure_shows_everything_that_is_needed_to_understand_it():
    """File and line, the check, the step, expected, found, and the position."""
    failure = failure_of(TABLE + "> CardFound round=1 card=Td\n= next 3\n")
    head, step, expected, found, position, *lines = str(failure).split("\n")
    assert head == "x.hand:8: = next 3"
    assert step.split(maxsplit=1) == ["step:", "0: search_pile pile=1 (line 6)"]
    assert expected.split() == ["expected:", "3"]
    assert found.split() == ["found:", "2"]
    assert position.split() == ["position:"]
    assert lines[0].strip() == "phase SEARCH"
    assert lines[1].strip() == "stacks 0=100"
    assert failure.position.startswith("phase SEARCH\nstacks 0=100\nround 1\nnext 2\npile 1 Td")


def test_a_failing_event_shows_the_events_there_were():
    """With all their fields, from where the last check had read to."""
    failure = failure_of(TABLE + "> CardsDiscarded\n> CardFound card=Jd\n")
    assert "    CardFound round=1 pile=1 card=Td cards_under=9" in failure.found
    assert "CardsDiscarded" not in failure.found


@pytest.mark.parametrize(
    ("line", "expected", "found"),
    [
        ("0: gather_piles", "accepted", "refused: WRONG_PHASE"),
        ("0: search_pile pile=1 ! NO_SUCH_PILE", "refused: NO_SUCH_PILE", "PILE_ALREADY_SEARCHED"),
        ("0: abandon_game ! IN_HAND", "refused: IN_HAND", "accepted: GameAbandoned DeckRevealed"),
        ("> CardFound\n> CardsDiscarded", "such an event", "CardClaimed"),
        ("> CardFound\n> CardFound", "such an event", "CardClaimed"),
        ("> CardFound card=??", "such an event", "card=Td"),
        ("> CardFound round=2", "such an event", "card=Td"),
        (">> CardFound", "CardFound", "PileTurnedUp CardsDiscarded CardFound"),
        (">>", "none", "PileTurnedUp"),
        ("view 0: > CardFound card=??", "such an event", "card=Td"),
        ("= pile 1 none", "none", "Td"),
        ("= claimed none", "none", "Td"),
        ("= stock 2c", "2c", "no such line"),
        ("= stacks none", "none", "0=100"),
        ("= tally none", "none", "0 0 0"),
        ("= tally 0 0 1", "0 0 1", "0 0 0"),
        ("= win_certain yes", "yes", "no"),
        ("= result", "such a line", "no such line"),
        ("view 0: = claimed ??", "??", "Td"),
        ("view 0: = deck none\n= deck none", "none", "7s"),
        ("legal 0:", "none", "search_pile auto_play abandon_game"),
        ("legal 0: search_pile auto_play", "auto_play search_pile", "abandon_game"),
        ("legal 1: abandon_game", "abandon_game", "none"),
    ],
)
def test_a_wrong_expectation_fails(line: str, expected: str, found: str):
    """Each kind of check, with what it says."""
    failure = failure_of(TABLE + line)
    assert failure.at.line == 7 + line.count("\n")
    assert expected in failure.expected
    assert found in failure.found
    assert failure.reason == "SCRIPT_FAILED"


def test_a_pile_without_cards_is_not_a_pile_that_is_missing():
    """``= pile 3`` and ``= pile 3 none`` say different things.  Royal Flush 12.0.4."""
    given = (
        "game: royal_flush\nopts: target_mode=named_cards named_cards=2c\n"
        "given: phase SEARCH\ngiven: round 3\ngiven: next 1\ngiven: pile 1 2c\ngiven: claimed 2c\n"
    )
    assert run_text(given + "= pile 3\n= pile 4 none", "x.hand")[0].failure is None
    assert failure_of(given + "= pile 3 none").found == "no value"
    assert failure_of(given + "= pile 4").found == "no such line"


def test_a_refused_step_has_no_events():
    """Neither those of the step before it nor any other."""
    refused = TABLE + "0: gather_piles ! WRONG_PHASE\n"
    assert run_text(refused + ">>", "x.hand")[0].failure is None
    assert failure_of(refused + "> CardFound").found == "no further event"
    assert failure_of(refused + "view 0: > CardFound").found == "no further event"


def test_every_script_of_a_file_has_its_verdict():
    """One that fails does not keep the others from being played."""
    verdicts = run_text(TABLE + "= next 3\n---\n0: deal_piles\n= next 1\n", "x.hand")
    assert [verdict.failure is None for verdict in verdicts] == [False, True]
    assert [verdict.script.number for verdict in verdicts] == [1, 2]
    assert verdicts[1].script.at.line == 9


def test_what_is_legal_is_told_once():
    """A game may offer one action in several ways; a check names it as a set."""
    position = "game: royal_casino\ngiven: dealer 1\ngiven: turn 0\ngiven: hand 0 Kc Qs\n"
    position += "given: hand 1 As Jd\ngiven: loose Kd Qd 3c\nlegal 0: -\n"
    assert failure_of(position).found == "capture_cards"
