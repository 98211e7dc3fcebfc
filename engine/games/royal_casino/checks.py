"""Whether a play is legal, in the order of the specification (royal_casino 6.1.2, 6.4–6.6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from engine.cards import Card, rank_of
from engine.errors import Refused
from engine.games.royal_casino import actions as a
from engine.games.royal_casino.groups import Cards, Groups, partition
from engine.games.royal_casino.state import (
    Build,
    Deal,
    Phase,
    State,
    build_id,
    partner_of,
    running,
)
from engine.games.royal_casino.values import ACE, capture_value, low_value
from engine.table import is_amount

__all__ = [
    "Building",
    "Capture",
    "base_obstacle",
    "check_build",
    "check_capture",
    "check_trail",
    "holds",
    "may_trail",
    "require_phase",
    "twins",
    "unmet",
]


class Capture(NamedTuple):
    """A legal capture: the loose cards in groups, and the builds by number."""

    card: Card
    groups: Groups
    builds: tuple[Build, ...]


class Building(NamedTuple):
    """A legal build play: the groups it adds, and the build it goes on from."""

    card: Card
    value: int
    groups: Groups
    base: Build | None


# --- what plays, offers and the engine's own plays share --------------------------------------


def twins(loose: Iterable[Card], card: Card) -> Cards:
    """The loose cards of a card's rank."""
    rank = rank_of(card)
    return tuple(other for other in loose if rank_of(other) == rank)


def holds(hand: Iterable[Card], card: Card, value: int) -> bool:
    """Whether a hand holds a card of a capture value beside ``card``."""
    return any(other != card and capture_value(other) == value for other in hand)


def unmet(deal: Deal, seat: int, card: Card) -> tuple[int, ...]:
    """The own builds that no hand card could capture once ``card`` was played (6.5.7)."""
    hand = deal.hands[seat]
    return tuple(
        build.number
        for build in deal.builds
        if build.owner == seat and not holds(hand, card, build.value)
    )


def may_trail(deal: Deal, seat: int, card: Card) -> bool:
    """6.6.1."""
    return not _owns(deal, seat) and not twins(deal.loose, card)


def _owns(deal: Deal, seat: int) -> bool:
    return any(build.owner == seat for build in deal.builds)


# --- common checks (6.1.2) --------------------------------------------------------------------


def require_phase(state: State, *phases: Phase) -> None:
    """Refuse ``WRONG_PHASE``, or ``TABLE_CLOSED`` where that is why (6.1.1)."""
    if state.phase not in phases:
        if state.phase is Phase.CLOSED:
            raise Refused("TABLE_CLOSED")
        raise Refused("WRONG_PHASE", phase=state.phase, expected=" or ".join(phases))


def _require_list(field: str, items: object) -> None:
    if not isinstance(items, tuple):
        raise Refused("BAD_PARAMETER", field=field, expected="a list")
    if len(set(items)) != len(items):  # pyright: ignore[reportUnknownArgumentType]
        raise Refused("BAD_PARAMETER", field=field, expected="no entry twice")


def _require_codes(field: str, cards: Sequence[object]) -> None:
    if not all(is_amount(card, 1, 52) for card in cards):
        raise Refused("INVALID_CARD", field=field)


def _require_card(card: Card | None) -> Card:
    if card is None:
        raise Refused("BAD_PARAMETER", field="card", expected="a hand card")
    return card


def _require_turn(state: State, seat: int) -> Deal:
    """(2) to (4)."""
    require_phase(state, Phase.PLAYING)
    if not 0 <= seat < len(state.seats) or state.seats[seat] is None:
        raise Refused("NOT_SEATED", seat=seat)
    deal = running(state)
    if deal.turn != seat:
        raise Refused("NOT_YOUR_TURN", seat=seat, to_act=deal.turn)
    return deal


def _require_on_table(deal: Deal, seat: int, card: Card, loose: Cards) -> None:
    """(5) and (6)."""
    if card not in deal.hands[seat]:
        raise Refused("CARD_NOT_IN_HAND")
    for wanted in loose:
        if wanted in deal.loose:
            continue
        if any(wanted in build.cards for build in deal.builds):
            raise Refused("CARD_IN_BUILD")
        raise Refused("CARD_NOT_ON_TABLE")


def _require_build(deal: Deal, name: str) -> Build:
    """(7)."""
    for build in deal.builds:
        if build_id(build.number) == name:
            return build
    raise Refused("BUILD_NOT_ON_TABLE")


# --- the three plays --------------------------------------------------------------------------


def check_trail(state: State, seat: int, action: a.TrailCard) -> Card:
    """6.6.1."""
    card = _require_card(action.card)
    _require_codes("card", (card,))
    deal = _require_turn(state, seat)
    _require_on_table(deal, seat, card, ())
    if _owns(deal, seat):
        raise Refused("OWNS_BUILD")
    if twins(deal.loose, card):
        raise Refused("MATCHING_LOOSE_CARD")
    return card


def check_capture(state: State, seat: int, action: a.CaptureCards) -> Capture:
    """6.4."""
    card = _require_card(action.card)
    _require_list("loose", action.loose)
    _require_list("builds", action.builds)
    _require_codes("card", (card,))
    _require_codes("loose", action.loose)
    deal = _require_turn(state, seat)
    _require_on_table(deal, seat, card, action.loose)
    builds = tuple(sorted(_require_build(deal, name) for name in action.builds))
    value = capture_value(card)
    if not action.loose and not builds:
        raise Refused("NOTHING_CAPTURED")
    if any(build.value != value for build in builds):
        raise Refused("BUILD_VALUE_MISMATCH", expected=value)
    groups = partition(action.loose, value)
    if groups is None:
        raise Refused("SET_SUM_MISMATCH", expected=value)
    equal = twins(deal.loose, card)
    if state.options.must_take_equal and equal and not set(equal) & set(action.loose):
        raise Refused("MUST_TAKE_EQUAL_CARD")
    taken = {build.number for build in builds}
    if not taken.issuperset(unmet(deal, seat, card)):
        raise Refused("MUST_KEEP_CAPTURE_CARD")
    return Capture(card, groups, builds)


def check_build(state: State, seat: int, action: a.BuildCards) -> Building:
    """6.5."""
    card = _require_card(action.card)
    if not is_amount(action.value, 2, ACE):
        raise Refused("BAD_PARAMETER", field="value", expected=f"an integer 2 to {ACE}")
    _require_list("loose", action.loose)
    _require_codes("card", (card,))
    _require_codes("loose", action.loose)
    deal = _require_turn(state, seat)
    _require_on_table(deal, seat, card, action.loose)
    base = None if action.base is None else _require_build(deal, action.base)
    value = action.value
    raises = base is not None and base.value != value
    if base is not None:
        _check_base(state, seat, card, base, value)
    groups = partition(action.loose if raises else (*action.loose, card), value)
    if groups is None:
        raise Refused("BUILD_SUM_MISMATCH", expected=value)
    if base is None and not action.loose:
        raise Refused("BUILD_TOO_SMALL")
    if not holds(deal.hands[seat], card, value):
        raise Refused("NO_CAPTURE_CARD", value=value)
    if any(number != (base.number if base else 0) for number in unmet(deal, seat, card)):
        raise Refused("MUST_KEEP_CAPTURE_CARD")
    return Building(card, value, groups, base)


def _check_base(state: State, seat: int, card: Card, base: Build, value: int) -> None:
    """6.5.3, and 6.5.4 where the value changes."""
    obstacle = base_obstacle(state, seat, base, raises=base.value != value)
    if obstacle:
        raise Refused(obstacle)
    if base.value != value and base.value + low_value(card) != value:
        raise Refused("BUILD_SUM_MISMATCH", expected=base.value + low_value(card))


def base_obstacle(state: State, seat: int, base: Build, *, raises: bool) -> str:
    """Why a seat may not extend or raise a build, if it may not."""
    if base.owner == partner_of(state.options, seat) and not state.options.partner_builds:
        return "PARTNER_BUILD"
    if raises and base.is_multiple:
        return "MULTIPLE_BUILD_FIXED"
    if raises and base.owner == seat and not state.options.raise_own_build:
        return "OWN_BUILD_RAISE"
    return ""
