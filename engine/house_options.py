"""What may be agreed upon at a table of whatever game: where chips come from, who learns what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, cast

from engine.errors import Refused
from engine.events import Pairs
from engine.options import MAX_AMOUNT, Kind, Option, Value, parse_options, stored_options

__all__ = ["HOUSE_OPTIONS", "HouseOptions", "read_house_options", "stored_house_options"]

HOUSE_OPTIONS: Final = (
    Option(
        "purse",
        Kind.WORD,
        "free",
        "where chips come from: free play chips, a player's account, or the tournament that "
        "opened the table",
        words=("free", "account", "tournament"),
    ),
    Option(
        "reveal",
        Kind.WORD,
        "auditor",
        "who learns the secret of a closed epoch",
        words=("auditor", "public"),
    ),
    Option(
        "embargo",
        Kind.BOOL,
        False,
        "no secret is told before the host releases it: others play the same packs",
    ),
    Option("auto_start", Kind.BOOL, False, "the host starts a hand whenever it can"),
    Option("min_buy_in", Kind.INT, 0, "least chips to sit down with"),
    Option("max_buy_in", Kind.INT, MAX_AMOUNT, "most chips to sit down with"),
    Option(
        "sit_out_after_timeouts",
        Kind.INT,
        1,
        "hands whose turns all timed out, after which a seat sits out (0: never)",
        high=1000,
    ),
)
"""Options of the house (rules C12), fixed when the table opens.  The clock's are the game's."""


class HouseOptions(NamedTuple):
    """The values of :data:`HOUSE_OPTIONS`."""

    purse: str = "free"
    reveal: str = "auditor"
    embargo: bool = False
    auto_start: bool = False
    min_buy_in: int = 0
    max_buy_in: int = MAX_AMOUNT
    sit_out_after_timeouts: int = 1


def read_house_options(given: Mapping[str, str]) -> tuple[HouseOptions, Pairs]:
    """The house options and their full text; raises ``Refused(INVALID_OPTIONS)``."""
    values, texts = parse_options(HOUSE_OPTIONS, given)
    options = _named(values)
    if options.min_buy_in > options.max_buy_in:
        raise Refused("INVALID_OPTIONS", option="min_buy_in", expected="at most max_buy_in")
    return options, texts


def stored_house_options(pairs: Pairs) -> HouseOptions:
    """The house options of a table that was opened, which may have been before some of them."""
    return _named(stored_options(HOUSE_OPTIONS, dict(pairs)))


def _named(values: Mapping[str, Value]) -> HouseOptions:
    return HouseOptions(**cast("dict[str, Any]", values))
