"""What a host creates: the structure of a tournament, and the ranges of its fields.

Amounts are of two kinds that never mix: *money* is chips of accounts (buy-in, fee, guarantee,
prizes), *chips* are what is played with at the tables and has no value outside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, NoReturn

from engine.errors import Refused
from engine.events import Pairs
from engine.options import Option, Value, parse_options
from engine.table import is_amount

__all__ = [
    "MAX_ENTRANTS",
    "MAX_MONEY",
    "WHOLE",
    "AddOn",
    "Level",
    "Payouts",
    "Structure",
    "check_structure",
    "check_tables",
    "invalid",
    "is_text",
    "read_settings",
]

MAX_ENTRANTS: Final = 20_000
"""Entrants of one tournament; each may enter again as often as the structure says."""

MAX_MONEY: Final = 10**12
"""No single amount of a structure is higher, so that no sum of a whole field overflows."""

MAX_LEVELS: Final = 200
MAX_NAME: Final = 100
MAX_MINUTES: Final = 24 * 60
MAX_HANDS: Final = 1_000
MAX_RE_ENTRIES: Final = 100
MAX_PAIRS: Final = 100
MAX_ROWS: Final = 100
MAX_TIME: Final = 2**53
WHOLE: Final = 10_000
"""A whole prize pool, in hundredths of a percent."""

STARTS: Final = ("host", "full", "time")


class Level(NamedTuple):
    """A level: what the tables' game is played for, and for how long.

    One of ``minutes`` and ``hands`` is not 0; ``hands`` counts those of an average table.  The last
    level lasts to the end, whatever its length.  ``options``: of the tables' game at this level.
    ``break_minutes``: a break of all tables after it; 0: none.
    """

    options: Pairs = ()
    minutes: int = 0
    hands: int = 0
    break_minutes: int = 0


class AddOn(NamedTuple):
    """``chips`` for ``cost`` + ``fee``, once an entry, in the break after ``level`` (from 1)."""

    level: int
    chips: int
    cost: int
    fee: int = 0


class Payouts(NamedTuple):
    """From ``entries`` entries on: what each place wins, the first place first.

    ``shares`` in hundredths of a percent, together :data:`WHOLE`.
    """

    entries: int
    shares: tuple[int, ...]


class Structure(NamedTuple):
    """A tournament as its host wants it; :func:`check_structure` says what each field may be.

    ``stack``: chips of an entry, 0 where the format has none.  ``buy_in`` goes to the prize pool,
    ``fee`` to the house.  ``late_levels``: entries stay open until so many levels and the break
    after them are over, 0: to the start.  ``re_entries``: how often a player who is out may enter
    again while entries are open.  ``guarantee``: the least prize pool; the house adds what is
    missing.  ``payouts``: none: the standard table.  ``start``: ``host``, or ``full``: by itself
    with ``max_entrants``, or ``time``: by itself at ``start_at``, and cancelled then if it cannot.
    ``start_at``: milliseconds since 1970; else only what the host means to do, 0: not told.
    ``options``: of the tables' game, at all levels.  ``settings``: of the format.
    """

    name: str = ""
    game: str = ""
    format: str = ""
    table_size: int = 8
    stack: int = 0
    levels: tuple[Level, ...] = ()
    buy_in: int = 0
    fee: int = 0
    min_entrants: int = 2
    max_entrants: int = MAX_ENTRANTS
    waiting: int = 0
    late_levels: int = 0
    re_entries: int = 0
    add_on: AddOn | None = None
    guarantee: int = 0
    payouts: tuple[Payouts, ...] = ()
    start: str = "host"
    start_at: int = 0
    options: Pairs = ()
    settings: Pairs = ()


def invalid(field: str, expected: str) -> NoReturn:
    """Refuse a structure: which field, and what it should be."""
    raise Refused("INVALID_STRUCTURE", field=field, expected=expected)


def is_text(text: str, most: int) -> bool:
    """Whether a text can be shown on one line, is not blank and not longer than ``most``."""
    return bool(text.strip()) and len(text) <= most and text.isprintable()


def check_structure(structure: Structure) -> None:
    """What holds for every format; a format adds its own.

    Raises ``Refused(INVALID_STRUCTURE)``, naming the field and what was expected of it.
    """
    if not is_text(structure.name, MAX_NAME):
        invalid("name", f"1 to {MAX_NAME} printable characters")
    _amount("table_size", structure.table_size, 1, 255)
    _amount("stack", structure.stack, 0, MAX_MONEY)
    for field in ("buy_in", "fee", "guarantee"):
        _amount(field, getattr(structure, field), 0, MAX_MONEY)
    _amount("min_entrants", structure.min_entrants, 1, MAX_ENTRANTS)
    _amount("max_entrants", structure.max_entrants, structure.min_entrants, MAX_ENTRANTS)
    _amount("waiting", structure.waiting, 0, MAX_ENTRANTS)
    _amount("re_entries", structure.re_entries, 0, MAX_RE_ENTRIES)
    _amount("start_at", structure.start_at, 0, MAX_TIME)
    if structure.start not in STARTS:
        invalid("start", "one of " + ", ".join(STARTS))
    if structure.start == "time" and not structure.start_at:
        invalid("start_at", "the time with start=time")
    _pairs("options", structure.options)
    _pairs("settings", structure.settings)
    _check_levels(structure)
    _check_payouts(structure.payouts, structure.min_entrants)


def check_tables(structure: Structure, games: Mapping[str, tuple[int, int]]) -> None:
    """The game is one of the format's, and the tables have as many seats as it allows.

    Raises ``Refused(INVALID_STRUCTURE)``.
    """
    if structure.game not in games:
        invalid("game", "one of " + ", ".join(games))
    fewest, most = games[structure.game]
    _amount("table_size", structure.table_size, fewest, most)


def read_settings(options: Sequence[Option], structure: Structure) -> dict[str, Value]:
    """The settings of a format, defaults filled in.  Raises ``Refused(INVALID_STRUCTURE)``."""
    try:
        values, _ = parse_options(options, dict(structure.settings))
    except Refused as refused:
        invalid(f"settings.{refused.detail['option']}", str(refused.detail["expected"]))
    return values


def _amount(field: str, value: object, low: int, high: int) -> None:
    if not is_amount(value, low, high):
        invalid(field, f"an integer {low} to {high}")


def _pairs(field: str, pairs: Pairs) -> None:
    names = {name for name, _ in pairs}
    if len(names) < len(pairs) or len(pairs) > MAX_PAIRS:
        invalid(field, f"at most {MAX_PAIRS} different names")
    if not all(is_text(text, MAX_NAME) for pair in pairs for text in pair):
        invalid(field, f"names and values of 1 to {MAX_NAME} printable characters")


def _check_levels(structure: Structure) -> None:
    levels = structure.levels
    if len(levels) > MAX_LEVELS:
        invalid("levels", f"at most {MAX_LEVELS}")
    last = len(levels) - 1
    for number, level in enumerate(levels):
        at = f"levels[{number}]"
        _amount(f"{at}.minutes", level.minutes, 0, MAX_MINUTES)
        _amount(f"{at}.hands", level.hands, 0, MAX_HANDS)
        _amount(f"{at}.break_minutes", level.break_minutes, 0, MAX_MINUTES if number < last else 0)
        _pairs(f"{at}.options", level.options)
        if (level.minutes and level.hands) or not (level.minutes or level.hands or number == last):
            invalid(at, "either minutes or hands")
    _amount("late_levels", structure.late_levels, 0, max(0, last))
    if structure.re_entries and not structure.late_levels:
        invalid("re_entries", "0 without late_levels: entries are closed when play begins")
    if structure.add_on is not None:
        _check_add_on(structure.add_on, structure)


def _check_add_on(add_on: AddOn, structure: Structure) -> None:
    """It is sold while entries are open: the prizes depend on it."""
    if not structure.late_levels:
        invalid("add_on", "none without late_levels: it is sold while entries are open")
    _amount("add_on.level", add_on.level, 1, structure.late_levels)
    _amount("add_on.chips", add_on.chips, 1, MAX_MONEY)
    _amount("add_on.cost", add_on.cost, 0, MAX_MONEY)
    _amount("add_on.fee", add_on.fee, 0, MAX_MONEY)
    if not structure.levels[add_on.level - 1].break_minutes:
        invalid("add_on.level", "a level with a break after it")


def _check_payouts(payouts: tuple[Payouts, ...], fewest: int) -> None:
    if len(payouts) > MAX_ROWS:
        invalid("payouts", f"at most {MAX_ROWS} rows")
    least = 0
    for number, row in enumerate(payouts):
        at = f"payouts[{number}]"
        _amount(f"{at}.entries", row.entries, least + 1, MAX_ENTRANTS)
        least = row.entries
        for place, share in enumerate(row.shares):
            _amount(f"{at}.shares[{place}]", share, 1, row.shares[max(0, place - 1)])
        if sum(row.shares) != WHOLE:
            invalid(f"{at}.shares", f"{WHOLE} in all (hundredths of a percent)")
        if len(row.shares) > row.entries:
            invalid(f"{at}.shares", f"at most {row.entries} places, one an entry")
    if payouts and payouts[0].entries > fewest:
        invalid("payouts[0].entries", f"at most min_entrants, {fewest}: each number has its row")
