"""Every limit of a server by name: what is taken, what there is, how often it said no."""

from __future__ import annotations

from typing import NamedTuple

from service.host.listings import IN_LINE
from service.rpc.budget import Budget
from service.rpc.server import Server
from service.store.postgres import MOST_PENDING

__all__ = ["Limit", "limits_of"]


class Limit(NamedTuple):
    """How often it ``refused``; ``taken`` of ``most`` places, where all callers share a number."""

    refused: int
    taken: int | None = None
    most: int | None = None


def limits_of(server: Server) -> dict[str, Limit]:
    """The limits of a server and of what stands behind it."""
    door, calls, host = server.door, server.door.calls, server.host
    run, lists, writer = host.executor, host.listings, server.store.writer
    return {
        "unary_calls": _shared(door.unary),
        "streams": _shared(door.streams),
        "streams_of_a_connection": _shared(calls.streams),
        "grpc_connections": Limit(0, server.connections, server.places.grpc),
        "http_connections": _shared(door.connections),
        "http_bodies": _shared(door.bodies),
        "http_arrivals": Limit(calls.arrivals.refused),
        "health_checks": _shared(server.open_handlers.checks),
        "open_streams": _shared(server.open_handlers.looks),
        "play_watches": _shared(calls.watches),
        "lists_of_tables": _shared(calls.lists),
        "caller_rate": Limit(calls.rate.refused),
        "connection_rate": Limit(calls.connection.refused),
        "commands": Limit(run.room.anywhere.refused, run.room.anywhere.taken),
        "commands_at_a_table": Limit(run.room.crowded + run.room.at_table.refused),
        "refused_commands": Limit(run.room.refused.refused + run.room.strangers.refused),
        "commands_for_the_database": Limit(writer.records.refused, writer.waiting, MOST_PENDING),
        "lists_of_plays": Limit(lists.refused + lists.places.refused, lists.waiting, IN_LINE),
        "readings": Limit(server.replay.readers.refused, server.replay.readers.taken),
    }


def _shared(budget: Budget) -> Limit:
    return Limit(budget.refused, budget.taken, budget.limits.all)
