"""Options of Pontoon (pontoon 3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, cast

from engine.errors import Refused
from engine.events import Pairs
from engine.options import CLOCK_OPTIONS, Kind, Option, Value, parse_options, stored_options

__all__ = ["OPTIONS", "Options", "believed_options", "read_options"]

OPTIONS = (
    Option("shoot", Kind.BOOL, False, "Shoot Pontoon: a kitty and side bets against it"),
    Option("min_bet", Kind.INT, 10, "least initial stake", low=1),
    Option("max_bet", Kind.INT, 100, "greatest initial stake, at least min_bet", low=1),
    Option("max_seats", Kind.INT, 8, "seats at the table", low=2, high=8),
    Option(
        "min_players_to_start",
        Kind.INT,
        5,
        "players needed, the banker included, while no deal has been played; at most max_seats",
        low=2,
        high=8,
    ),
    Option(
        "min_players_to_continue",
        Kind.INT,
        2,
        "the same once a deal has been played; at most min_players_to_start",
        low=2,
        high=8,
    ),
    Option(
        "first_banker",
        Kind.WORD,
        "cut",
        "how the first banker is found",
        words=("cut", "nominated"),
    ),
    Option(
        "nominated_seat",
        Kind.INT,
        None,
        "seat of the first banker; needed with first_banker=nominated, else none",
        high=7,
        nullable=True,
    ),
    Option("stick_min", Kind.INT, 15, "least total to stick", low=15, high=16),
    Option(
        "split_rule",
        Kind.WORD,
        "any_pair",
        "which pairs may be split",
        words=("any_pair", "aces_only"),
    ),
    Option("split_pontoon", Kind.BOOL, True, "ace and ten on a split hand are a pontoon"),
    Option("soft_21_draw", Kind.BOOL, True, "a 21 that counts an ace as 11 may still draw"),
    Option(
        "cover_mode",
        Kind.WORD,
        "full_cover",
        "how debts are kept payable",
        words=("full_cover", "table_stakes"),
    ),
    Option(
        "bank_sale",
        Kind.WORD,
        "any_time",
        "when the bank may be traded",
        words=("any_time", "between_deals", "off"),
    ),
    Option(
        "bank_passes_on_tied_pontoon",
        Kind.BOOL,
        False,
        "a punter's pontoon takes the bank even when the banker has one too",
    ),
    Option(
        "bank_passes",
        Kind.WORD,
        "by_rule",
        "never: the bank stays with the nominated seat; needs bank_sale=off and "
        "first_banker=nominated",
        words=("by_rule", "never"),
    ),
    Option("shuffle_each_deal", Kind.BOOL, False, "the pack is shuffled before every deal"),
    Option("reveal_losers", Kind.BOOL, True, "losing hands are turned up at the settlement"),
    Option(
        "first_to_bet",
        Kind.INT,
        None,
        "seat from which on, clockwise, somebody bets first; none: from the banker's left",
        high=7,
        nullable=True,
    ),
    Option("max_deals", Kind.INT, 0, "close the table after so many deals; 0: no limit"),
    *CLOCK_OPTIONS,
)


class Options(NamedTuple):
    """The options a running table looks at; the clock's are read by the service."""

    shoot: bool
    min_bet: int
    max_bet: int
    max_seats: int
    min_to_start: int
    min_to_continue: int
    nominated: int | None
    stick_min: int
    aces_only: bool
    split_pontoon: bool
    soft_21_draw: bool
    full_cover: bool
    sale: str
    tied_pontoon_passes: bool
    fixed_bank: bool
    shuffle_each_deal: bool
    reveal_losers: bool
    first_to_bet: int | None
    max_deals: int


def _require(holds: bool, option: str, expected: str) -> None:
    if not holds:
        raise Refused("INVALID_OPTIONS", option=option, expected=expected)


def read_options(given: Mapping[str, str]) -> tuple[Options, Pairs]:
    """The options, and their full text for ``TableOpened``.

    Raises ``Refused(INVALID_OPTIONS)`` (3.1).

    >>> read_options({"cover_mode": "table_stakes"})[0].full_cover
    False
    """
    values, texts = parse_options(OPTIONS, given)
    options = _options(values)
    _require(options.max_bet >= options.min_bet, "max_bet", "at least min_bet")
    _require(
        options.min_to_continue <= options.min_to_start,
        "min_players_to_continue",
        "at most min_players_to_start",
    )
    _require(options.min_to_start <= options.max_seats, "min_players_to_start", "at most max_seats")
    if values["first_banker"] == "nominated":
        known = options.nominated is not None and options.nominated < options.max_seats
        _require(known, "nominated_seat", "a seat of the table with first_banker=nominated")
    else:
        _require(options.nominated is None, "nominated_seat", "none with first_banker=cut")
    first = options.first_to_bet
    _require(first is None or first < options.max_seats, "first_to_bet", "a seat of the table")
    if options.fixed_bank:
        _require(options.sale == "off", "bank_sale", "off with bank_passes=never")
        _require(options.nominated is not None, "first_banker", "nominated with bank_passes=never")
    return options, texts


def believed_options(stored: Mapping[str, str]) -> Options:
    """The options of a recorded table."""
    return _options(stored_options(OPTIONS, stored))


def _options(values: Mapping[str, Value]) -> Options:
    def number(name: str) -> int:
        return cast("int", values[name])

    return Options(
        shoot=bool(values["shoot"]),
        min_bet=number("min_bet"),
        max_bet=number("max_bet"),
        max_seats=number("max_seats"),
        min_to_start=number("min_players_to_start"),
        min_to_continue=number("min_players_to_continue"),
        nominated=cast("int | None", values["nominated_seat"]),
        stick_min=number("stick_min"),
        aces_only=values["split_rule"] == "aces_only",
        split_pontoon=bool(values["split_pontoon"]),
        soft_21_draw=bool(values["soft_21_draw"]),
        full_cover=values["cover_mode"] == "full_cover",
        sale=str(values["bank_sale"]),
        tied_pontoon_passes=bool(values["bank_passes_on_tied_pontoon"]),
        fixed_bank=values["bank_passes"] == "never",
        shuffle_each_deal=bool(values["shuffle_each_deal"]),
        reveal_losers=bool(values["reveal_losers"]),
        first_to_bet=cast("int | None", values["first_to_bet"]),
        max_deals=number("max_deals"),
    )
