"""Options of Royal Casino (royal_casino 3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple, cast

from engine.errors import Refused
from engine.events import Pairs
from engine.options import (
    CLOCK_OPTIONS,
    Kind,
    Option,
    Value,
    parse_options,
    stored_options,
)

__all__ = ["OPTIONS", "Options", "believed_options", "read_options"]

OPTIONS: Final = (
    Option("players", Kind.INT, 2, "number of seats, all must be filled", low=2, high=4),
    Option(
        "direction",
        Kind.WORD,
        "counter_clockwise",
        "to which side the turn passes",
        words=("counter_clockwise", "clockwise"),
    ),
    Option(
        "dealer_rotation",
        Kind.WORD,
        "against_play",
        "next dealer: the neighbour on the other side than the next to play, or that one",
        words=("against_play", "with_play"),
    ),
    Option(
        "first_dealer",
        Kind.INT,
        None,
        "seat that deals first; none: chosen when the game starts",
        high=3,
        nullable=True,
    ),
    Option("target_score", Kind.INT, 21, "points to win", low=11, high=99),
    Option("sweeps", Kind.BOOL, True, "sweeps exist and score"),
    Option("last_play_sweep", Kind.BOOL, False, "the last play of a deal may be a sweep"),
    Option(
        "endgame_rule",
        Kind.WORD,
        "locked",
        "what still scores three points or less before the target",
        words=("locked", "capped", "off"),
    ),
    Option(
        "auto_win_timing",
        Kind.WORD,
        "at_scoring",
        "when an automatic win is recognised",
        words=("at_scoring", "instant"),
    ),
    Option(
        "count_order",
        Kind.WORD,
        "simultaneous",
        "all items count together, or one by one until somebody has won",
        words=("simultaneous", "sequential"),
    ),
    Option(
        "equal_card_rule",
        Kind.WORD,
        "must_take_equal",
        "a capture must take a loose card of its rank, or such a card may only not be trailed",
        words=("must_take_equal", "no_trail_only"),
    ),
    Option("raise_own_build", Kind.BOOL, False, "a seat may raise its own build"),
    Option(
        "partner_builds",
        Kind.WORD,
        "forbidden",
        "extending and raising the partner's builds",
        words=("forbidden", "allowed"),
    ),
    Option("max_deals", Kind.INT, 100, "deals after which the game ends", low=1, high=1000),
    Option("stake", Kind.INT, 0, "chips each seat pays into the pot", high=1_000_000_000),
    Option(
        "max_timeouts",
        Kind.INT,
        3,
        "consecutive time-outs after which a seat sits out",
        low=1,
        high=10,
    ),
    *CLOCK_OPTIONS,
)


class Options(NamedTuple):
    """The options a running table looks at; the clock's are read by the service."""

    players: int
    clockwise: bool
    deals_with_play: bool
    first_dealer: int | None
    target: int
    sweeps: bool
    last_play_sweep: bool
    endgame: str
    instant: bool
    sequential: bool
    must_take_equal: bool
    raise_own_build: bool
    partner_builds: bool
    max_deals: int
    stake: int
    max_timeouts: int


def _combination(values: Mapping[str, Value]) -> tuple[str, str] | None:
    """The first combination of 3.1 that is refused: option, and what was expected."""
    if values["last_play_sweep"] and not values["sweeps"]:
        return "last_play_sweep", "false with sweeps=false"
    if values["endgame_rule"] == "off" and values["auto_win_timing"] == "instant":
        return "auto_win_timing", "at_scoring with endgame_rule=off"
    first = values["first_dealer"]
    if first is not None and cast("int", first) >= cast("int", values["players"]):
        return "first_dealer", "a seat of the table"
    return None


def read_options(given: Mapping[str, str]) -> tuple[Options, Pairs]:
    """The options, and their full text for ``TableOpened``.

    Raises ``Refused(INVALID_OPTIONS)`` (3.1).

    >>> read_options({"players": "3"})[0].players
    3
    """
    values, texts = parse_options(OPTIONS, given)
    wrong = _combination(values)
    if wrong is not None:
        raise Refused("INVALID_OPTIONS", option=wrong[0], expected=wrong[1])
    return _options(values), texts


def believed_options(stored: Mapping[str, str]) -> Options:
    """The options of a recorded table."""
    return _options(stored_options(OPTIONS, stored))


def _options(values: Mapping[str, Value]) -> Options:
    return Options(
        players=cast("int", values["players"]),
        clockwise=values["direction"] == "clockwise",
        deals_with_play=values["dealer_rotation"] == "with_play",
        first_dealer=cast("int | None", values["first_dealer"]),
        target=cast("int", values["target_score"]),
        sweeps=bool(values["sweeps"]),
        last_play_sweep=bool(values["last_play_sweep"]),
        endgame=str(values["endgame_rule"]),
        instant=values["auto_win_timing"] == "instant",
        sequential=values["count_order"] == "sequential",
        must_take_equal=values["equal_card_rule"] == "must_take_equal",
        raise_own_build=bool(values["raise_own_build"]),
        partner_builds=values["partner_builds"] == "allowed",
        max_deals=cast("int", values["max_deals"]),
        stake=cast("int", values["stake"]),
        max_timeouts=cast("int", values["max_timeouts"]),
    )
