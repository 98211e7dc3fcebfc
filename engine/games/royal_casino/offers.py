"""What a seat may do, in compact form (royal_casino 6.8.7)."""

from __future__ import annotations

from collections.abc import Iterator

from engine.cards import Card
from engine.games.royal_casino import actions as a
from engine.games.royal_casino.checks import base_obstacle, may_trail, twins, unmet
from engine.games.royal_casino.groups import groups_of, groups_with
from engine.games.royal_casino.state import Build, Deal, State, build_id
from engine.games.royal_casino.values import capture_value, low_value
from engine.kernel import Groups, Names, Offer, OneCard, Range, Words

__all__ = ["legal_actions"]


def legal_actions(state: State, seat: int) -> tuple[Offer, ...]:
    """Trails, then captures and builds card by card."""
    deal = state.deal
    if deal is None or deal.turn != seat:
        return ()
    hand = deal.hands[seat]
    offers: list[Offer] = []
    trails = tuple(card for card in hand if may_trail(deal, seat, card))
    if trails:
        offers.append(Offer(a.TrailCard, (OneCard("card", trails),)))
    for card in hand:
        offers += _captures(state, deal, seat, card)
    for card in hand:
        values = sorted({capture_value(other) for other in hand if other != card})
        for value in values:
            offers += _builds(state, deal, seat, card, value)
    return tuple(offers)


def _captures(state: State, deal: Deal, seat: int, card: Card) -> Iterator[Offer]:
    value = capture_value(card)
    due = unmet(deal, seat, card)
    matching = [build.number for build in deal.builds if build.value == value]
    if not set(due) <= set(matching):
        return  # another build would be left without a card that captures it (6.4.6)
    names = tuple(map(build_id, matching))
    must = tuple(map(build_id, due))
    one = OneCard("card", (card,))
    equal = twins(deal.loose, card) if state.options.must_take_equal else ()
    groups = groups_of(deal.loose, value)
    if groups:
        taken = Groups("loose", (), groups, 1, equal)
        yield Offer(a.CaptureCards, (one, taken, Names("builds", names, 0, must)))
    if names and not equal:
        yield Offer(a.CaptureCards, (one, Names("builds", names, 1, must)))


def _builds(state: State, deal: Deal, seat: int, card: Card, value: int) -> Iterator[Offer]:
    due = set(unmet(deal, seat, card))
    one = OneCard("card", (card,))
    worth = Range("value", value, value)
    more = groups_of(deal.loose, value)
    beside = groups_with(card, deal.loose, value)

    def bases(*, raises: bool) -> tuple[str, ...]:
        return tuple(
            build_id(build.number)
            for build in deal.builds
            if not due - {build.number}
            and (_raised_to(build, card) if raises else build.value) == value
            and not base_obstacle(state, seat, build, raises=raises)
        )

    if beside and not due and (more or beside != ((),)):
        yield Offer(a.BuildCards, (one, worth, Groups("loose", beside, more, 1)))
    if beside and (kept := bases(raises=False)):
        limits = (one, worth, Groups("loose", beside, more), Words("base", kept))
        yield Offer(a.BuildCards, limits)
    if raised := bases(raises=True):
        limits = (one, worth, Groups("loose", (), more), Words("base", raised))
        yield Offer(a.BuildCards, limits)


def _raised_to(build: Build, card: Card) -> int:
    return build.value + low_value(card)
