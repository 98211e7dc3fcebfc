"""The games, by id.  A new game is one folder here and one line below."""

from __future__ import annotations

from engine.games.palace_poker import PalacePoker
from engine.games.pontoon import Pontoon
from engine.games.royal_casino import RoyalCasino
from engine.games.royal_flush import RoyalFlush
from engine.kernel import AnyGame

__all__ = ["GAMES"]

_ALL: tuple[AnyGame, ...] = (PalacePoker(), RoyalCasino(), Pontoon(), RoyalFlush())

GAMES: dict[str, AnyGame] = {game.key: game for game in _ALL}
