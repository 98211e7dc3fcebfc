"""A sensible player of Royal Casino: takes what scores, builds what it can hold, gives little."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from random import Random
from typing import Final, NamedTuple

from engine.actions import Action
from engine.cards import Card, suit_of
from engine.games.royal_casino import actions as a
from engine.games.royal_casino.events import Item
from engine.games.royal_casino.scoring import CARD_OF
from engine.games.royal_casino.values import ACE, capture_value
from engine.games.royal_casino.view import BuildView, RoyalCasinoView
from service.bots.look import Bot, Look
from service.client.offers import groups_of
from service.pb import common_pb2

__all__ = ["sensible_royal_casino"]

A_CARD: Final = 3 / 27
"""What a card is worth towards most cards: 27 of them make three points certain."""

A_SPADE: Final = 1 / 7
POINTS: Final = dict.fromkeys(CARD_OF.values(), 1.0) | {CARD_OF[Item.BIG_CASINO]: 2.0}
"""Points of single cards."""

A_SWEEP: Final = 1.0
KEPT: Final = 0.55
"""How much of a build its owner may hope to take himself; the rest somebody else takes."""

KEPT_MULTIPLE: Final = 0.7
"""More, where nobody can raise it out of reach."""

GIVEN: Final = 0.6
"""How much of a loose card is lost to others."""

MOST_TRIES: Final = 2_000
"""Lists of cards looked at for one offer; they are found in no particular order."""

_SPADES: Final = 3


def sensible_royal_casino(random: Random) -> Bot:
    """Weighs every play by what it takes, what it may take later, and what it leaves."""
    return lambda look: _Mind(look, random).choose()


class _Play(NamedTuple):
    """A play and what it seems to be worth, in points."""

    worth: float
    action: Action


class _Mind:
    """One decision."""

    def __init__(self, look: Look, random: Random) -> None:
        view = look.view
        if not isinstance(view, RoyalCasinoView):
            raise TypeError(f"{type(view).__name__} is no view of Royal Casino")
        self._view = view
        self._look = look
        self._random = random
        self._sweep = A_SWEEP if look.options.get("sweeps") != "false" else 0.0
        self._builds = {build.id: build for build in view.builds}

    def choose(self) -> Action:
        """The play that seems best; among equals any."""
        plays = [play for offer in self._look.offers for play in self._plays(offer)]
        best = max(play.worth for play in plays)
        return self._random.choice([play for play in plays if play.worth >= best - 1e-9]).action

    def _plays(self, offer: common_pb2.Offer) -> Iterator[_Play]:
        limits = {limit.field: limit for limit in offer.limits}
        cards = limits["card"].cards.cards
        match offer.action:
            case "trail_card":
                for card in cards:
                    yield _Play(self._left(card), a.TrailCard(card))
            case "capture_cards":
                yield from self._captures(cards[0], limits)
            case _:
                yield from self._new_builds(cards[0], limits)

    # --- captures -----------------------------------------------------------------------------

    def _captures(self, card: Card, limits: dict[str, common_pb2.Limit]) -> Iterator[_Play]:
        """All the builds there are, with any loose cards."""
        names = tuple(limits["builds"].names.words)
        built = [each for name in names for each in _cards(self._builds[name])]
        for loose in _unions(limits):
            taken = [card, *loose, *built]
            worth = _worth(taken)
            if len(loose) == len(self._view.loose) and len(names) == len(self._view.builds):
                worth += self._sweep
            yield _Play(worth - self._bait(card), a.CaptureCards(card, loose, names))

    def _bait(self, card: Card) -> float:
        """Of two cards that take the same, rather the one that nothing else could take again."""
        return 0.001 * capture_value(card)

    # --- builds -------------------------------------------------------------------------------

    def _new_builds(self, card: Card, limits: dict[str, common_pb2.Limit]) -> Iterator[_Play]:
        value = limits["value"].range.low
        names: list[str | None] = [None]
        if "base" in limits:
            names = list(limits["base"].words.words)
        for name in names:
            base = self._builds[name] if name else None
            for loose in _unions(limits):
                built = [card, *loose, *(_cards(base) if base else ())]
                raised = base is not None and base.value != value
                multiple = len(loose) > 2 or (base is not None and not raised)
                kept = KEPT_MULTIPLE if multiple else KEPT
                # The card that takes it is taken too; what was one's own already is nothing new.
                own = _worth(_cards(base)) if base and base.owner == self._look.seat else 0.0
                worth = kept * (_worth(built) + A_CARD - own) - (1 - kept) * _worth([card])
                yield _Play(worth, a.BuildCards(card, value, loose, name))

    # --- trails -------------------------------------------------------------------------------

    def _left(self, card: Card) -> float:
        """What is given away by leaving a card: more if it makes sums that others may hold."""
        values = [capture_value(other) for other in self._view.loose]
        sums = sum(1 for other in values if other + capture_value(card) <= ACE)
        return -GIVEN * _worth([card]) - 0.03 * sums


def _worth(cards: Iterable[Card]) -> float:
    """Points that some cards bring, or help to bring."""
    return sum(
        A_CARD + POINTS.get(card, 0.0) + (A_SPADE if suit_of(card) == _SPADES else 0.0)
        for card in cards
    )


def _cards(build: BuildView) -> list[Card]:
    return [card for group in build.groups for card in group]


def _unions(limits: dict[str, common_pb2.Limit]) -> Iterator[tuple[Card, ...]]:
    """The lists of loose cards that an offer allows."""
    if "loose" not in limits:
        return iter([()])
    return islice(groups_of(limits["loose"].groups).unions(), MOST_TRIES)
