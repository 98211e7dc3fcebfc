"""Refused actions change nothing."""

from __future__ import annotations

import pytest

from engine.actions import Action
from engine.errors import Refused
from tests.tournament.hall import Hall

__all__ = ["refused"]


def refused(hall: Hall, action: Action, player: str | None = None) -> Refused:
    """Ask what is refused, and see that nothing changed."""
    before, events = hall.state, len(hall.events)
    with pytest.raises(Refused) as caught:
        hall.ask(action, player)
    assert hall.state is before
    assert len(hall.events) == events
    return caught.value
