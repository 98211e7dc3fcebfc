"""What a hand script is once it is read: header, steps and checks, each with its place in the file.

Every value is resolved already: an action is the engine's own, an expected event knows its class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.actions import Action, HostAction
from engine.errors import KartejoError
from engine.kernel import AnyGame, Lines
from engine.script.patterns import EventPattern

__all__ = [
    "At",
    "Deck",
    "ExpectEvent",
    "ExpectLegal",
    "ExpectLine",
    "ExpectPlays",
    "ExpectTypes",
    "Given",
    "Header",
    "Line",
    "Script",
    "ScriptError",
    "ScriptFailure",
    "Step",
]


@dataclass(frozen=True, slots=True)
class At:
    """A place in a script file; line and column count from 1."""

    file: str
    line: int
    column: int = 1


class ScriptError(KartejoError):
    """The script itself is wrong (hand_script 2.2, 2.8); prints ``file:line:column: message``."""

    reason = "INVALID_SCRIPT"

    def __init__(self, at: At, message: str) -> None:
        self.at = at
        self.message = message
        super().__init__(f"{at.file}:{at.line}:{at.column}: {message}")


class ScriptFailure(KartejoError):
    """A line did not hold (hand_script 2.5).

    ``step`` is the text of the step it speaks of, empty before the first one; ``position`` the
    whole position, as the server sees it, at that point.
    """

    reason = "SCRIPT_FAILED"

    def __init__(
        self, at: At, *, text: str, step: str, expected: str, found: str, position: str
    ) -> None:
        self.at = at
        self.text = text
        self.step = step
        self.expected = expected
        self.found = found
        self.position = position
        told = "\n".join("    " + line for line in position.splitlines()) or "    (no table)"
        super().__init__(
            f"{at.file}:{at.line}: {text}\n"
            f"  step:     {step or '(header)'}\n"
            f"  expected: {expected}\n"
            f"  found:    {found}\n"
            f"  position:\n{told}"
        )


@dataclass(frozen=True, slots=True)
class Deck:
    """A ``deck:`` line: the cards named, from the top; the rest follow in canonical order."""

    at: At
    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Given:
    """A ``given:`` line: one line of the position to start from."""

    at: At
    key: str
    value: str


@dataclass(frozen=True, slots=True)
class Header:
    """Where a script starts.  ``at`` is the place of its ``game:`` line.

    ``has_table``: the header opens a table.  ``options`` and ``start`` are those of
    ``open_table``, as texts; ``seats`` are (seat, chips) ascending; ``actions`` are what the
    ``start:`` line performs by itself, and ``places`` says where each kind of header line stood.
    """

    at: At
    game: AnyGame
    has_table: bool = False
    options: Mapping[str, str] = field(default_factory=dict[str, str])
    start: Mapping[str, str] = field(default_factory=dict[str, str])
    seats: tuple[tuple[int, int], ...] = ()
    actions: tuple[HostAction, ...] = ()
    decks: tuple[Deck, ...] = ()
    given: tuple[Given, ...] = ()
    places: Mapping[str, At] = field(default_factory=dict[str, At])

    @property
    def position(self) -> Lines:
        """The lines of ``given:``."""
        return [(line.key, line.value) for line in self.given]

    def place(self, *keys: str) -> At:
        """Where the first of some kinds of header lines stood, else the ``game:`` line."""
        return next((self.places[key] for key in keys if key in self.places), self.at)


@dataclass(frozen=True, slots=True)
class Step:
    """``actor: action …``, or with ``refusal`` an action that must be refused for that reason."""

    at: At
    text: str
    actor: int
    action: Action
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class ExpectEvent:
    """``> Event …`` of the server, or of a viewer (an audience mask): some event matches."""

    at: At
    text: str
    viewer: int
    event: EventPattern


@dataclass(frozen=True, slots=True)
class ExpectTypes:
    """``>> Event Event …``: exactly these types, in this order."""

    at: At
    text: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExpectLine:
    """``= key value`` of the state, or of a view."""

    at: At
    text: str
    viewer: int
    key: str
    value: str


@dataclass(frozen=True, slots=True)
class ExpectLegal:
    """``legal N: …``: the names of the actions the seat may take, as a set."""

    at: At
    text: str
    seat: int
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class ExpectPlays:
    """``plays N: …``: how many legal plays there are by kind, or which ones, in order."""

    at: At
    text: str
    seat: int
    counts: tuple[tuple[str, int], ...] = ()
    listed: tuple[str, ...] | None = None


Line = Step | ExpectEvent | ExpectTypes | ExpectLine | ExpectLegal | ExpectPlays


@dataclass(frozen=True, slots=True)
class Script:
    """One script of a file; ``number`` counts from 1, ``at`` is its first line."""

    at: At
    number: int
    header: Header
    lines: tuple[Line, ...]
