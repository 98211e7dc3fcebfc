"""Every way to play Royal Flush that has odds of its own: styles and targets.

Rules: Royal Flush 3, 7.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Final, NamedTuple

from engine.cards import RANKS
from engine.games.royal_flush.odds import chance_of, narrowings, winners
from engine.games.royal_flush.options import Options, read_options
from engine.games.royal_flush.target import hands

__all__ = ["SAME_STYLES", "STYLES", "TARGETS", "Style", "Target", "every_chance", "options_of"]


class Style(NamedTuple):
    """How the pack is dealt, searched and gathered."""

    deal: str
    search: str
    gather: str


class Target(NamedTuple):
    """A kind of target, and options that stand for it: which suits and ranks makes no odds."""

    name: str
    options: dict[str, str]
    as_: str
    """Name of the target that is the same game but for the faces of the cards; often its own."""


STYLES: Final = tuple(
    Style(deal, search, gather)
    for deal, search, gather in product(
        ("round_robin", "pile_by_pile", "packet"),
        ("turn_pile", "card_by_card"),
        ("turn_packet", "turn_piles", "as_they_lie"),
    )
    if search == "turn_pile" or gather == "as_they_lie"
)
"""The twelve that 3.1 allows."""


SAME_STYLES: Final = {
    Style("packet", "card_by_card", "as_they_lie"): Style(
        "pile_by_pile", "turn_pile", "as_they_lie"
    ),
    Style("packet", "turn_pile", "as_they_lie"): Style(
        "pile_by_pile", "card_by_card", "as_they_lie"
    ),
}
"""Styles that put every card where others do: a block is turned once more, or once less (7.1)."""


def _target(name: str, mode: str, as_: str = "", **parameters: str) -> Target:
    return Target(name, {"target_mode": mode, **parameters}, as_ or name)


def _named(count: int, as_: str = "") -> Target:
    cards = ",".join(f"{rank}c" for rank in RANKS[:count])
    name = f"{count} named card{'s' * (count > 1)}"
    return _target(name, "named_cards", as_, named_cards=cards)


TARGETS: Final = (
    _target("royal flush", "royal_flush"),
    _target("royal flush, suit", "royal_flush", target_suit="c"),
    _target("straight flush", "straight_flush"),
    _target("straight flush, suit", "straight_flush", target_suit="c"),
    _target("straight flush, rank", "straight_flush", "royal flush", target_rank="9"),
    _target(
        "straight flush, suit and rank",
        "straight_flush",
        "royal flush, suit",
        target_suit="c",
        target_rank="9",
    ),
    _target("four of a kind", "four_of_a_kind"),
    _target("four of a kind, rank", "four_of_a_kind", target_rank="2"),
    _target("full house", "full_house"),
    _target("full house, rank", "full_house", target_rank="2"),
    _target("full house, pair rank", "full_house", target_pair_rank="2"),
    _target("full house, both ranks", "full_house", target_rank="2", target_pair_rank="3"),
    _named(1),
    _named(2),
    _named(3),
    _named(4, "four of a kind, rank"),
    _named(5, "royal flush, suit"),
)
"""Every kind that 7.2 allows."""


def options_of(style: Style, target: Target) -> Options:
    """The options of a table that plays so."""
    styles = dict(zip(("deal_style", "search_style", "gather_style"), style, strict=True))
    return read_options({**styles, **target.options})[0]


def every_chance(
    progress: Callable[[float], None] | None = None,
) -> Iterator[tuple[Style, Target, Fraction]]:
    """The exact chance of every combination, target by target within a style."""
    narrowed = {t.name: narrowings(hands(options_of(STYLES[0], t).family)) for t in TARGETS}
    for at, style in enumerate(STYLES):
        sizes = {target.name: options_of(style, target).size for target in TARGETS}
        options = options_of(style, TARGETS[0])
        won = {size: winners(options, size) for size in sorted(set(sizes.values()))}
        for target in TARGETS:
            yield style, target, chance_of(won[sizes[target.name]], narrowed[target.name])
        if progress is not None:
            progress((at + 1) / len(STYLES))
