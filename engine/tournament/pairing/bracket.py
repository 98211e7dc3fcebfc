"""Single and double knock-out: the draw as a list of matches, and how far it has been played.

Who loses once, or twice, is out.  The field is filled up to a power of two with *nobody*, against
whom everybody wins without playing: these byes go to the first in the draw.  The draw keeps the
first two apart until the final, the first four until the semi-finals, and so on.

In the double form the losers of a round go on among themselves.  They join those who lost earlier
in reversed order after even rounds and with the halves exchanged after odd ones, so that two who
have met seldom come together again soon.  The final is between the two who remain; who came
there without a loss must be beaten twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final, NamedTuple

__all__ = ["Bracket", "Due", "Played", "Source", "Take", "Tie", "bracket", "played"]

NOBODY: Final = -1
"""Takes the places in the draw that no entrant has; entrants are numbers from 0."""


class Take(Enum):
    """How a side of a match is found."""

    SEED = "SEED"
    WINNER = "WINNER"
    LOSER = "LOSER"


class Source(NamedTuple):
    """A side: a place in the draw, or the winner or loser of an earlier match, counted from 0."""

    take: Take
    of: int


class Tie(NamedTuple):
    """A match of the draw.

    ``step``: who is knocked out in a later step has come further.  Steps that 3 divides are rounds
    of those who have not lost, the others of those who have.
    """

    sides: tuple[Source, Source]
    step: int


class Bracket(NamedTuple):
    """The matches in an order in which they can be played; the last is the final.

    ``lives``: losses that put an entrant out.  With two, the last match is the second final, which
    is played if the first, the one before it, was lost by who had not lost before.
    """

    entrants: int
    lives: int
    matches: tuple[Tie, ...]


class Due(NamedTuple):
    """A match that can be played now."""

    match: int
    a: int
    b: int


class Played(NamedTuple):
    """How far a draw has been played.

    ``due``: matches that can be played now, of either half those of one step; ``out``: who is
    out, the last to go first, and together those who went in the same step.
    """

    due: tuple[Due, ...]
    out: tuple[tuple[int, ...], ...]
    champion: int | None


def bracket(entrants: int, lives: int = 1) -> Bracket:
    """The draw for so many entrants.

    Raises ``ValueError`` for fewer than two entrants or other than one or two lives.

    >>> len(bracket(4).matches), len(bracket(4, lives=2).matches)
    (3, 7)
    """
    if entrants < 2:
        raise ValueError("two or more entrants are needed")
    if lives not in {1, 2}:
        raise ValueError("one loss puts an entrant out, or two do")
    drawing = _Drawing()
    winners = [Source(Take.SEED, place) for place in _places(entrants)]
    losers: list[Source] = []
    step = turn = 0
    while len(winners) > 1:
        winners, fallen = drawing.round(winners, 3 * step)
        step += 1
        if lives == 1:
            continue
        if not losers:
            losers = fallen
        else:
            half = len(fallen) // 2
            fallen = fallen[half:] + fallen[:half] if turn % 2 else fallen[::-1]
            turn += 1
            meeting = [side for pair in zip(losers, fallen, strict=True) for side in pair]
            losers, _ = drawing.round(meeting, 3 * step - 2)
        if len(losers) > 1:
            losers, _ = drawing.round(losers, 3 * step - 1)
    if lives == 2:
        first, second = drawing.round([winners[0], losers[0]], 3 * step)
        drawing.round([first[0], second[0]], 3 * step + 1)
    return Bracket(entrants, lives, tuple(drawing.matches))


class _Drawing:
    """Matches as they are added."""

    def __init__(self) -> None:
        self.matches: list[Tie] = []

    def round(self, sides: Sequence[Source], step: int) -> tuple[list[Source], list[Source]]:
        """Neighbours meet; the winners and the losers to be."""
        start = len(self.matches)
        pairs = zip(sides[::2], sides[1::2], strict=True)
        self.matches.extend(Tie(pair, step) for pair in pairs)
        new = range(start, len(self.matches))
        return [Source(Take.WINNER, n) for n in new], [Source(Take.LOSER, n) for n in new]


def _places(entrants: int) -> list[int]:
    """The order of the places in the first round: each time, the sum of neighbours is the same.

    >>> _places(5)
    [0, 7, 4, 3, 2, 5, 6, 1]
    """
    places = [0]
    while len(places) < entrants:
        size = 2 * len(places)
        places = [
            side
            for i, place in enumerate(places)
            for side in ((place, size - 1 - place), (size - 1 - place, place))[i % 2]
        ]
    return places


def played(draw: Bracket, entrants: Sequence[int], won: Mapping[int, int]) -> Played:
    """How far a draw has been played.

    ``entrants``: who has which place of the draw; ``won``: the winner of each match played.

    >>> played(bracket(3), [7, 8, 9], {1: 8})
    Played(due=(Due(match=2, a=7, b=8),), out=((9,),), champion=None)
    """
    winners: list[int | None] = []
    losers: list[int | None] = []
    due: list[Due] = []
    losses: dict[int | None, int] = dict.fromkeys(entrants, 0)
    out: dict[int, list[int]] = {}
    for number, tie in enumerate(draw.matches):
        a, b = (_side(source, entrants, winners, losers) for source in tie.sides)
        winner: int | None = None
        if draw.lives == 2 and number == len(draw.matches) - 1 and losses.get(b, 0) == 2:
            winner = a
        elif a is None or b is None:
            pass
        elif NOBODY in {a, b}:
            winner = max(a, b)
        else:
            winner = won.get(number)
            if winner is None:
                due.append(Due(number, a, b))
        loser = None if winner is None or a is None or b is None else a + b - winner
        winners.append(winner)
        losers.append(loser)
        if loser is not None and number in won:
            losses[loser] += 1
            if losses[loser] == draw.lives:
                out.setdefault(tie.step, []).append(loser)
    groups = tuple(tuple(sorted(out[step])) for step in sorted(out, reverse=True))
    return Played(_together(draw, due), groups, winners[-1])


def _together(draw: Bracket, due: Sequence[Due]) -> tuple[Due, ...]:
    """The earliest step of either half, so that matches of one step are played together."""
    found: list[Due] = []
    for half in (True, False):
        mine = [item for item in due if (draw.matches[item.match].step % 3 == 0) is half]
        first = min((draw.matches[item.match].step for item in mine), default=0)
        found += [item for item in mine if draw.matches[item.match].step == first]
    return tuple(found)


def _side(
    source: Source,
    entrants: Sequence[int],
    winners: Sequence[int | None],
    losers: Sequence[int | None],
) -> int | None:
    """The entrant, ``NOBODY``, or None as long as it is not known."""
    match source.take:
        case Take.SEED:
            return entrants[source.of] if source.of < len(entrants) else NOBODY
        case Take.WINNER:
            return winners[source.of]
        case Take.LOSER:
            return losers[source.of]
