"""All legal plays of a seat, listed with a limit and counted exactly (royal_casino 6.8).

A list may have tens of thousands of plays (6.8.6) and tells something about the hand: it is made on
request only, for the seat itself, and never longer than its limit.  The C core finds the plays
and lets other threads run meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from engine._native import ffi, lib
from engine.cards import Card, rank_of, suit_of

if TYPE_CHECKING:
    from engine._native import CData

__all__ = [
    "MOST_BUILDS",
    "MOST_LOOSE",
    "BuildFacts",
    "Play",
    "PlayRules",
    "Plays",
    "enumerate_plays",
]

MOST_LOOSE: Final = int(lib.KJ_RC_LOOSE)
MOST_BUILDS: Final = int(lib.KJ_RC_BUILDS)
"""What the C core has room for: all that play leads to (5.10, 6.8.6)."""

KINDS: Final = ("trail", "capture", "build")
"""In canonical order (6.8.5), which is that of the C core's numbers."""


class Play(NamedTuple):
    """One legal play; what its kind does not have is 0 or empty."""

    kind: str
    """``trail``, ``capture`` or ``build``."""
    card: Card
    """The hand card that is played."""
    value: int
    """2…14: of what is built, or the capture value of the card that captures; 0 for a trail."""
    loose: tuple[Card, ...]
    """Loose cards taken or built with, in card order (2.4)."""
    builds: tuple[int, ...]
    """Numbers of the builds captured, ascending."""
    base: int
    """Number of the build that is extended or raised; 0: none."""


class BuildFacts(NamedTuple):
    """What matters of a build on the table (4.2)."""

    number: int
    value: int
    owner: int
    multiple: bool


class PlayRules(NamedTuple):
    """The options that decide what is legal (section 3), and the seat's partner if it has one."""

    must_take_equal: bool
    raise_own_build: bool
    partner_builds: bool
    partner: int | None


# What Play._make does, without a Python call for each of thousands of plays.
_make: Callable[[type[Play], Iterable[Any]], Play] = tuple.__new__  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


class Plays(NamedTuple):
    """How many legal plays there are, and the first of them in canonical order (6.8.5)."""

    total: int
    trails: int
    captures: int
    builds: int
    plays: tuple[Play, ...]
    truncated: bool
    """There are more than listed."""


def _order(card: Card) -> int:
    """2.4."""
    return 4 * rank_of(card) + suit_of(card)


def enumerate_plays(
    hand: tuple[Card, ...],
    loose: tuple[Card, ...],
    builds: tuple[BuildFacts, ...],
    seat: int,
    *,
    rules: PlayRules,
    limit: int,
) -> Plays:
    """The legal plays of a seat that is to act: exact counts, and at most ``limit`` of them.

    Cards and builds may come in any order.  Raises ``ValueError`` for a negative limit and for
    what no position can have: a card twice or none at all, more than 4 cards in hand, 16 loose
    (5.10) or 16 builds, a build of a value that is none (2.7).

    >>> rules = PlayRules(True, False, False, None)
    >>> found = enumerate_plays((16, 3), (14, 1), (), 0, rules=rules, limit=3)  # 4c 4d; 2c 2d
    >>> found.total, found.truncated
    (6, True)
    >>> found.plays[2]
    Play(kind='capture', card=3, value=4, loose=(1, 14), builds=(), base=0)
    """
    if limit < 0:
        raise ValueError(f"a list of {limit} plays")
    hand, loose = tuple(sorted(hand, key=_order)), tuple(sorted(loose, key=_order))
    builds = tuple(sorted(builds))
    position = _position(hand, loose, builds, seat, rules)
    counts = ffi.new("kj_rc_counts *")
    # Room for a guess that is nearly always enough; if it is not, the total is known afterwards.
    found = ffi.new("kj_rc_play[]", min(limit, 64 + (1 << len(loose))))
    _find(position, found, counts)
    trails, captures, building = counts.trails, counts.captures, counts.builds
    total = trails + captures + building
    wanted = min(limit, total)
    if wanted > len(found):
        found = ffi.new("kj_rc_play[]", wanted)
        _find(position, found, counts)
    plays = _read(found, wanted, loose, tuple(build.number for build in builds))
    return Plays(total, trails, captures, building, plays, total > wanted)


def _position(
    hand: tuple[Card, ...],
    loose: tuple[Card, ...],
    builds: tuple[BuildFacts, ...],
    seat: int,
    rules: PlayRules,
) -> CData:
    owners = {rules.partner: lib.KJ_RC_PARTNER, seat: lib.KJ_RC_OWN}
    try:
        position: CData = ffi.new(
            "kj_rc_position *",
            (
                len(hand),
                len(loose),
                len(builds),
                rules.must_take_equal,
                rules.raise_own_build,
                rules.partner_builds,
                hand,
                loose,
                [(b.value, owners.get(b.owner, lib.KJ_RC_OTHER), b.multiple) for b in builds],
            ),
        )
    except (IndexError, OverflowError) as error:
        raise ValueError(f"no position of Royal Casino: {error}") from None
    return position


def _find(position: CData, found: CData, counts: CData) -> None:
    if lib.kj_rc_plays(position, found, len(found), counts) != lib.KJ_OK:
        raise ValueError("no position of Royal Casino")


def _read(
    found: CData, count: int, loose: tuple[Card, ...], numbers: tuple[int, ...]
) -> tuple[Play, ...]:
    """Column by column, because one play at a time would take several times as long."""
    octets = bytes(ffi.buffer(found))[: 8 * count]
    words = memoryview(octets).cast("H")
    columns = zip(
        map(KINDS.__getitem__, octets[0::8]),
        octets[1::8],
        octets[2::8],
        _chosen(loose, words[2::4].tolist()),
        _chosen(numbers, words[3::4].tolist()),
        map((0, *numbers).__getitem__, octets[3::8]),
        strict=True,
    )
    return tuple(map(_make, repeat(Play), columns))


def _chosen(things: tuple[int, ...], subsets: list[int]) -> Iterator[tuple[int, ...]]:
    """What stands for each subset, where the last thing has the lowest bit."""
    high, low = _all_subsets(things[:-8]), _all_subsets(things[-8:])
    made = {subset: high[subset >> 8] + low[subset & 255] for subset in set(subsets)}
    return map(made.__getitem__, subsets)


def _all_subsets(things: tuple[int, ...]) -> list[tuple[int, ...]]:
    subsets: list[tuple[int, ...]] = [()]
    for thing in reversed(things):
        subsets += [(thing, *rest) for rest in subsets]
    return subsets
