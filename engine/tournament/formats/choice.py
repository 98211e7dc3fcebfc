"""Royal Flush by choice: commit to a hand before the cards; the rarer it is, the more a win scores.

The structure's settings list the choices, each with its points and the options of the game that
make it, such as ``choice.aces = "points=1376439 target_mode=four_of_a_kind target_rank=A"``.  The
points are what :func:`~engine.tournament.scoring.choice.worth` makes of the exact chance.  That
they are is for the service to see to, which knows the game: tournaments know its key only.

Until the first deal, and for a while between two, everybody may commit anew; who does not keeps his
choice, and who never did plays the first one of the list, after everybody else.  All play the same
packs.  Ranked by points, then fewest cards left, then earlier commitment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final, cast

from engine.errors import Refused
from engine.events import Pairs
from engine.options import Kind, Option, Value
from engine.tournament import events as e
from engine.tournament.actions import Commit, PlayerAsks
from engine.tournament.format import Deal
from engine.tournament.formats.solitaires import ChoiceMade, Record, Solitaires, play_of
from engine.tournament.formats.together import require_options_free
from engine.tournament.scoring.choice import AVERAGE, LEAST_CHANCE, Score, rank_choice
from engine.tournament.scoring.places import Place
from engine.tournament.state import EntryStatus, Phase, Tournament
from engine.tournament.steps import Draw, Steps
from engine.tournament.structure import Structure, invalid, read_settings
from engine.tournament.tables import TABLES_AT_ONCE

__all__ = ["PREFIX", "Choice", "choices_of"]

PREFIX: Final = "choice."
_UNSET: Final = {
    "target_mode": "royal_flush",
    "target_suit": "none",
    "target_rank": "none",
    "target_pair_rank": "none",
    "named_cards": "none",
}
TARGETS: Final = tuple(_UNSET)
"""Options of the game that a choice may set; those that it does not set are as ever."""

MOST_CHOICES: Final = 20
MOST_POINTS: Final = AVERAGE * LEAST_CHANCE.denominator
PACKS: Final = "all"
SECOND: Final = 1_000


class Choice(Solitaires):
    """See the module."""

    KEY: ClassVar[str] = "choice"
    SETTINGS: ClassVar[tuple[Option, ...]] = (
        Option("games", Kind.INT, 1, "deals, for each of which a choice is made", low=1, high=100),
        Option(
            "commit_seconds",
            Kind.INT,
            60,
            "how long commitments are taken between two deals",
            low=1,
            high=3_600,
        ),
        TABLES_AT_ONCE,
    )

    def check(self, structure: Structure) -> None:
        """Two choices or more, each with its points."""
        super().check(structure)
        require_options_free(structure, TARGETS)
        choices = list(choices_of(structure))
        if not 2 <= len(choices) <= MOST_CHOICES:
            invalid("settings", f"2 to {MOST_CHOICES} choices, such as {PREFIX}aces")
        for name, points, options in choices:
            _check_choice(f"settings.{PREFIX}{name}", points, options)

    def settings(self, structure: Structure) -> dict[str, Value]:
        """All but the choices."""
        others = tuple(pair for pair in structure.settings if not pair[0].startswith(PREFIX))
        return read_settings(self.SETTINGS, structure._replace(settings=others))

    def asked(self, steps: Steps, entry: int, action: PlayerAsks) -> None:
        """Take a commitment.

        Raises ``Refused(UNKNOWN_ACTION | COMMITMENTS_CLOSED | BAD_PARAMETER | NOTHING_CHANGES)``.
        """
        if not isinstance(action, Commit):
            super().asked(steps, entry, action)
            return
        state, play = steps.state, play_of(steps.state)
        between = state.phase is Phase.RUNNING and state.clock is not None
        out = state.entries[entry].status is EntryStatus.OUT
        if out or not (between or state.phase is Phase.REGISTERING):
            raise Refused("COMMITMENTS_CLOSED")
        names = [name for name, _, _ in choices_of(state.structure)]
        if action.choice not in names:
            raise Refused("BAD_PARAMETER", field="choice", expected="one of " + ", ".join(names))
        if action.choice == play.records[entry].choice:
            raise Refused("NOTHING_CHANGES", choice=action.choice)
        steps.emit(ChoiceMade(entry, action.choice, play.commitments + 1))

    def begin(self, steps: Steps, draw: Draw) -> None:
        """Whoever has not chosen gets the first choice; then the first deal."""
        first = next(choices_of(steps.state.structure))[0]
        for number, record in enumerate(play_of(steps.state).records):
            if steps.state.entries[number].status is EntryStatus.ENTERED and not record.choice:
                order = play_of(steps.state).commitments + 1
                steps.emit(ChoiceMade(number, first, order))
        super().begin(steps, draw)
        self.allow(steps, 1)

    def points(self, state: Tournament, entry: int) -> int:
        """What its choice is worth."""
        mine = play_of(state).records[entry].choice
        return next(
            _number(points) for name, points, _ in choices_of(state.structure) if name == mine
        )

    def played(self, steps: Steps) -> None:
        """After the last deal all are ranked, after any other they may commit anew."""
        settings = self.settings(steps.state.structure)
        if play_of(steps.state).allowed == settings["games"]:
            self.finish(steps)
        elif steps.state.clock is None:
            seconds = cast("int", settings["commit_seconds"])
            steps.emit(e.ClockSet(e.ClockKind.BREAK, SECOND * seconds))

    def clock_ran_out(self, steps: Steps, draw: Draw) -> None:
        """The next deal."""
        del draw
        steps.emit(e.ClockStopped())
        self.allow(steps, play_of(steps.state).allowed + 1)

    def order(self, records: Mapping[int, Record]) -> tuple[Place, ...]:
        """Points, fewest cards left, earlier commitment."""
        scores = {n: Score(one.points, one.left, one.orders) for n, one in records.items()}
        return rank_choice(scores)

    def deal(self, state: Tournament, table: int) -> Deal:
        """The hand that the entry committed to, from the packs that all have."""
        play = play_of(state)
        mine = play.records[state.tables[table].seats[0].entry].choice
        for name, _, options in choices_of(state.structure):
            if name == mine:
                # Whatever was committed to before leaves nothing behind.
                packs = _packs(play.games_at[table])
                return Deal(tuple({**_UNSET, **dict(options)}.items()), packs=packs)
        raise AssertionError("whoever plays has chosen")

    def deals_later(self, state: Tournament, packs: str) -> bool:
        """Until all have played with them."""
        play = play_of(state)
        runs = state.phase is Phase.RUNNING and play.open
        return bool(runs) and packs == _packs(play.allowed)

    def openings(self, structure: Structure) -> Iterator[tuple[str, Pairs]]:
        """What each choice sets."""
        for name, _, options in choices_of(structure):
            yield f"settings.{PREFIX}{name}", (*structure.options, *options)


def choices_of(structure: Structure) -> Iterator[tuple[str, str, Pairs]]:
    """Name, points and options of each choice, as they are written."""
    for name, text in structure.settings:
        if name.startswith(PREFIX):
            words = [word.partition("=")[::2] for word in text.split()]
            points = next((value for key, value in words if key == "points"), "")
            options = tuple((key, value) for key, value in words if key != "points")
            yield name.removeprefix(PREFIX), points, options


def _packs(games: int) -> str:
    """What stands for the packs of tables that were drawn when so many games were allowed.

    Where they were all drawn before the first one they deal all games.
    """
    return f"game {games}" if games else PACKS


def _number(points: str) -> int:
    return int(points) if points.isascii() and points.isdecimal() else 0


def _check_choice(field: str, points: str, options: Pairs) -> None:
    if field.endswith("."):
        invalid(field, "a name after the dot")
    if not AVERAGE <= _number(points) <= MOST_POINTS or len(points) > len(str(MOST_POINTS)):
        invalid(field, f"points={AVERAGE} to {MOST_POINTS}, {AVERAGE} divided by the chance")
    names = [name for name, _ in options]
    if not options or len(set(names)) < len(names) or not set(names) <= set(TARGETS):
        invalid(field, "after the points each once, name=value: " + ", ".join(TARGETS))
