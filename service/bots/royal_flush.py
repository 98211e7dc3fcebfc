"""Royal Flush leaves its player one sensible thing to do: take the next step."""

from __future__ import annotations

from random import Random

from engine.actions import Action
from service.bots.look import Bot, Look
from service.client.offers import first_action

__all__ = ["sensible_royal_flush"]


def sensible_royal_flush(random: Random) -> Bot:
    """The first offer, which is the step that the rules call for; nothing is left to chance."""
    del random
    return _next_step


def _next_step(look: Look) -> Action:
    return first_action(look.game, look.seat, look.offers)
