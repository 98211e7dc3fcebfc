"""Bots: players that know what a seat is shown, and nothing else.

A bot answers a :class:`Look`, a view and the offers of one seat, with an action.  A runner holds
the seat through the public API, with a token that is good for that seat only.
"""

from __future__ import annotations

from service.bots.bot import BadBot, Bot, Look, bot_of, bots_for
from service.bots.runner import PlayLine, SeatRunner, UnaryLine

__all__ = ["BadBot", "Bot", "Look", "PlayLine", "SeatRunner", "UnaryLine", "bot_of", "bots_for"]
