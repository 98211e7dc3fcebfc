"""What must never change at a table: its chips, and the 52 cards of a pack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from engine.cards import PACK
from engine.kernel import AnyGame
from engine.visibility import AUDITOR
from service.verify.findings import Bad

__all__ = ["CARDS", "CHIPS", "cards_of", "check_cards", "chips_of"]

CHIPS: Final[Mapping[str, tuple[str, ...]]] = {
    "palace_poker": ("pot",),
    "royal_casino": ("pot",),
    "pontoon": ("staked", "shot", "escrow", "kitty"),
    "royal_flush": (),
}
"""Where chips lie besides the stacks, as fields of the auditor's view."""

CARDS: Final[Mapping[str, tuple[str, ...]]] = {
    "palace_poker": ("banners", "palaces", "soldiers", "draw", "discard", "rejects"),
    "royal_casino": ("hands", "loose", "stock", "piles", "builds"),
    "pontoon": ("bank_hand", "cards", "stock"),
    "royal_flush": ("stock", "piles", "discard"),
}
"""Where cards lie."""


def chips_of(game: AnyGame, state: Any) -> int | None:
    """All chips at a table; None for a game whose places are not known."""
    places = CHIPS.get(game.key)
    if places is None:
        return None
    seen = game.view(state, AUDITOR)
    stacks = sum(chips for _, chips in game.players(state).values())
    return stacks + sum(int(getattr(seen, place)) for place in places)


def cards_of(game: AnyGame, state: Any) -> list[int] | None:
    """All cards at a table; None for a game whose places are not known."""
    places = CARDS.get(game.key)
    if places is None:
        return None
    seen = game.view(state, AUDITOR)
    return [card for place in places for card in _cards_in(getattr(seen, place))]


def _cards_in(value: object) -> Iterator[int]:
    groups = getattr(value, "groups", value)  # a build of Royal Casino has its cards in groups
    if isinstance(groups, tuple):
        for each in groups:
            yield from _cards_in(each)
    elif isinstance(groups, int) and groups:
        yield groups


def check_cards(game: AnyGame, state: Any) -> None:
    """Raises ``Bad`` unless the table holds a whole pack, each card once, or no card at all."""
    cards = cards_of(game, state)
    if cards and sorted(cards) != list(PACK):
        twice = len(cards) - len(set(cards))
        found = f"{len(cards)} cards, {twice} of them twice" if twice else f"{len(cards)} cards"
        raise Bad("the cards at the table are not one pack", "52 different cards", found)
