"""What a bot is, and which there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Final

from engine.kernel import AnyGame
from service.bots.look import Bot, Look
from service.bots.palace_poker import sensible_palace_poker
from service.bots.pontoon import sensible_pontoon
from service.bots.random_offer import random_offer
from service.bots.royal_casino import sensible_royal_casino
from service.bots.royal_flush import sensible_royal_flush

__all__ = ["BadBot", "Bot", "Look", "bot_of", "bots_for"]

Maker = Callable[[Random], Bot]
"""Makes a bot whose every choice follows from what it sees and from the generator it is given."""

_ANY_GAME: Final[Mapping[str, Maker]] = {"random": random_offer}
_OF_GAME: Final[Mapping[str, Mapping[str, Maker]]] = {
    "palace_poker": {"sensible": sensible_palace_poker},
    "pontoon": {"sensible": sensible_pontoon},
    "royal_casino": {"sensible": sensible_royal_casino},
    "royal_flush": {"sensible": sensible_royal_flush},
}


class BadBot(ValueError):
    """No such bot for that game; the text says which there are."""


def bots_for(game: str) -> Sequence[str]:
    """The names of the bots that play a game."""
    return sorted({*_ANY_GAME, *_OF_GAME.get(game, {})})


def bot_of(game: AnyGame, name: str, seed: int) -> Bot:
    """A bot; the same seed and the same views make the same actions.  Raises :class:`BadBot`."""
    maker = _OF_GAME.get(game.key, {}).get(name) or _ANY_GAME.get(name)
    if maker is None:
        there_are = ", ".join(bots_for(game.key))
        raise BadBot(f"no bot {name!r} plays {game.key}; there are {there_are}")
    return maker(Random(seed))
