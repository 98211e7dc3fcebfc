"""Options of Royal Flush (royal_flush 3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, cast

from engine.errors import Refused
from engine.events import Pairs
from engine.games.royal_flush.target import Family, hands
from engine.options import CLOCK_OPTIONS, Kind, Option, Value, parse_options, stored_options

__all__ = ["OPTIONS", "Options", "believed_options", "read_options"]

OPTIONS = (
    Option(
        "deal_style",
        Kind.WORD,
        "round_robin",
        "how the stock becomes piles",
        words=("round_robin", "pile_by_pile", "packet"),
    ),
    Option(
        "search_style",
        Kind.WORD,
        "turn_pile",
        "which end of a pile the search starts from",
        words=("turn_pile", "card_by_card"),
    ),
    Option(
        "gather_style",
        Kind.WORD,
        "turn_packet",
        "order of the new stock",
        words=("turn_packet", "turn_piles", "as_they_lie"),
    ),
    Option(
        "target_mode",
        Kind.WORD,
        "royal_flush",
        "the hand sought",
        words=("royal_flush", "straight_flush", "four_of_a_kind", "full_house", "named_cards"),
    ),
    Option("target_suit", Kind.SUIT, None, "restricts flushes to one suit", nullable=True),
    Option(
        "target_rank",
        Kind.RANK,
        None,
        "straight_flush: highest rank of the run; four_of_a_kind: the rank; "
        "full_house: the rank held three times",
        nullable=True,
    ),
    Option("target_pair_rank", Kind.RANK, None, "full_house: the rank held twice", nullable=True),
    Option(
        "named_cards",
        Kind.CARDS,
        None,
        "named_cards: exactly the cards sought",
        low=1,
        high=5,
        nullable=True,
    ),
    Option(
        "on_timeout",
        Kind.WORD,
        "auto_play",
        "what becomes of a game whose player is away",
        words=("auto_play", "abandon"),
    ),
    *CLOCK_OPTIONS,
)


class Options(NamedTuple):
    """The options a running table looks at; the clock's are read by the service."""

    deal_style: str
    search_style: str
    gather_style: str
    on_timeout: str
    family: Family
    size: int
    """Cards in the hand sought: the specification's k (7.2)."""


def _combination(values: Mapping[str, Value]) -> tuple[str, str] | None:
    """The first combination of 3.1 that is refused: option, and what was expected."""
    mode = values["target_mode"]
    rank = values["target_rank"]
    if values["search_style"] == "card_by_card" and values["gather_style"] != "as_they_lie":
        return "gather_style", "as_they_lie with search_style=card_by_card"
    if values["target_suit"] is not None and mode not in {"royal_flush", "straight_flush"}:
        return "target_suit", f"none with target_mode={mode}"
    if rank is not None and mode in {"royal_flush", "named_cards"}:
        return "target_rank", f"none with target_mode={mode}"
    if rank in {"2", "3", "4"} and mode == "straight_flush":
        return "target_rank", "5 to A with target_mode=straight_flush"
    if values["target_pair_rank"] is not None:
        if mode != "full_house":
            return "target_pair_rank", f"none with target_mode={mode}"
        if values["target_pair_rank"] == rank:
            return "target_pair_rank", "another rank than target_rank"
    if (values["named_cards"] is not None) != (mode == "named_cards"):
        return "named_cards", "1 to 5 cards with target_mode=named_cards, none otherwise"
    return None


def read_options(given: Mapping[str, str]) -> tuple[Options, Pairs]:
    """The options, and their full text for ``TableOpened``.

    Raises ``Refused(INVALID_OPTIONS)`` (3.1).
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
    family = Family(
        str(values["target_mode"]),
        cast("str | None", values["target_suit"]),
        cast("str | None", values["target_rank"]),
        cast("str | None", values["target_pair_rank"]),
        cast("tuple[int, ...] | None", values["named_cards"]),
    )
    return Options(
        str(values["deal_style"]),
        str(values["search_style"]),
        str(values["gather_style"]),
        str(values["on_timeout"]),
        family,
        hands(family)[0].bit_count(),
    )
