"""The full list of legal plays, as actions and as text (royal_casino 6.8, 12.0.6)."""

from __future__ import annotations

from engine.actions import Action
from engine.cards import card_name
from engine.errors import Refused
from engine.games.royal_casino import actions as a
from engine.games.royal_casino.plays import (
    MOST_BUILDS,
    MOST_LOOSE,
    BuildFacts,
    Play,
    PlayRules,
    enumerate_plays,
)
from engine.games.royal_casino.state import State, build_id, partner_of
from engine.kernel import Listed, Listing

__all__ = ["listing"]


def listing(state: State, seat: int, limit: int) -> Listing:
    """The plays of a seat: exact numbers, and the first ``limit`` of them; none out of turn.

    Raises ``Refused(PLAYS_NOT_LISTED)`` at a table so full that only given positions lead there.
    """
    deal = state.deal
    if deal is None or deal.turn != seat:
        return Listing((("trails", 0), ("captures", 0), ("builds", 0)), ())
    if len(deal.loose) > MOST_LOOSE or len(deal.builds) > MOST_BUILDS:
        raise Refused("PLAYS_NOT_LISTED", loose=len(deal.loose), builds=len(deal.builds))
    options = state.options
    facts = tuple(BuildFacts(b.number, b.value, b.owner, b.is_multiple) for b in deal.builds)
    rules = PlayRules(
        options.must_take_equal,
        options.raise_own_build,
        options.partner_builds,
        partner_of(options, seat),
    )
    found = enumerate_plays(deal.hands[seat], deal.loose, facts, seat, rules=rules, limit=limit)
    return Listing(
        (("trails", found.trails), ("captures", found.captures), ("builds", found.builds)),
        tuple(Listed(_text(play), _action(play)) for play in found.plays),
    )


def _action(play: Play) -> Action:
    match play.kind:
        case "trail":
            return a.TrailCard(play.card)
        case "capture":
            return a.CaptureCards(play.card, play.loose, tuple(map(build_id, play.builds)))
        case _:
            base = build_id(play.base) if play.base else None
            return a.BuildCards(play.card, play.value, play.loose, base)


def _text(play: Play) -> str:
    """12.0.6."""
    loose = [card_name(card) for card in play.loose]
    match play.kind:
        case "trail":
            return card_name(play.card)
        case "capture":
            return f"{card_name(play.card)}:{','.join([*loose, *map(build_id, play.builds)])}"
        case _:
            told = f"{card_name(play.card)}={play.value}"
            told += f":{','.join(loose)}" if loose else ""
            return told + (f"@{build_id(play.base)}" if play.base else "")
