"""What is asked of tournaments, and what happens in them, on the wire.

Events are stored by the codec of all streams (``registry``); actions are stored as they are sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from engine.actions import Action
from engine.errors import Malformed
from engine.events import Event
from engine.tournament.actions import TOURNAMENT_ACTIONS
from engine.tournament.all_events import ALL_TOURNAMENT_EVENTS
from service.codec.families import snake_case
from service.codec.fields import Pair, compile_pair
from service.pb.tournament_actions_pb2 import TournamentAction
from service.pb.tournament_events_pb2 import TournamentEvent

__all__ = [
    "tournament_action_from_wire",
    "tournament_action_to_wire",
    "tournament_event_from_wire",
    "tournament_event_to_wire",
]


@cache
def _pairs() -> Mapping[str, Pair]:
    """By the names of the fields in which they travel."""
    found: dict[str, Pair] = {}
    for family, kinds in (
        (TournamentAction, TOURNAMENT_ACTIONS),
        (TournamentEvent, ALL_TOURNAMENT_EVENTS),
    ):
        for kind in kinds:
            name = snake_case(kind.__name__)
            found[name] = compile_pair(kind, type(getattr(family(), name)))
    return found


def _fill(wire: Any, value: object) -> None:
    name = snake_case(type(value).__name__)
    inner = getattr(wire, name)
    inner.SetInParent()
    _pairs()[name].write(inner, value)


def tournament_action_to_wire(action: Action) -> TournamentAction:
    """What is asked of a tournament, or reported to it, as protobuf."""
    wire = TournamentAction()
    _fill(wire, action)
    return wire


def tournament_action_from_wire(wire: TournamentAction) -> Action:
    """The action of a message; raises ``Malformed`` where none is set."""
    name = wire.WhichOneof("action")
    if name is None:
        raise Malformed("action", "no action is set")
    action: Action = _pairs()[name].decode(getattr(wire, name))
    return action


def tournament_event_to_wire(event: Event) -> TournamentEvent:
    """An event of a tournament; those of the house around it are ``Codec.event_to_wire``'s."""
    wire = TournamentEvent()
    _fill(wire, event)
    return wire


def tournament_event_from_wire(wire: TournamentEvent) -> Event:
    """The event of a message; raises ``Malformed`` where none is set."""
    name = wire.WhichOneof("event")
    if name is None:
        raise Malformed("event", "no event is set")
    event: Event = _pairs()[name].decode(getattr(wire, name))
    return event
