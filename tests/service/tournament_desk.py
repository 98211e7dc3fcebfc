"""A tournament asked for over gRPC: by its host, its players, and who looks on."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

from engine.tournament.actions import CreateTournament
from engine.tournament.structure import Structure
from service.codec.tournaments import tournament_action_to_wire
from service.identity import Role
from service.pb import tournament_service_pb2 as pb
from tests.service.harness import Client, Running
from tests.service.test_accounts import Bank
from tests.service.tournament import STRUCTURE

REGISTERING, RUNNING, FINISHED, CANCELLED = 1, 2, 3, 4


def wire(structure: Structure) -> Any:
    """A structure as it is sent."""
    return tournament_action_to_wire(CreateTournament(structure)).create_tournament.structure


async def create(host: Client, structure: Structure = STRUCTURE, request_id: str = "make") -> Any:
    request = pb.CreateTournamentRequest(request_id=request_id, structure=wire(structure))
    return (await host.call(host.tournaments.CreateTournament, request)).tournament


async def ask(client: Client, name: str, tournament: str, request_id: str = "", **more: Any) -> Any:
    """A call that names a tournament and changes it."""
    kind = getattr(pb, f"{name}Request")
    request = kind(request_id=request_id or uuid4().hex, tournament_id=tournament, **more)
    return await client.call(getattr(client.tournaments, name), request)


async def look(client: Client, name: str, tournament: str, **more: Any) -> Any:
    request = getattr(pb, f"{name}Request")(tournament_id=tournament, **more)
    return await client.call(getattr(client.tournaments, name), request)


def watch(client: Client, tournament: str, **more: Any) -> Any:
    request = pb.WatchTournamentRequest(tournament_id=tournament, **more)
    return client.tournaments.WatchTournament(request, metadata=client.metadata, timeout=60)


async def rich(service: Running, *players: str, money: int = 1000) -> list[Client]:
    """Players with money on their accounts."""
    bank = Bank(service, service.client("house", Role.HOST))
    for player in players:
        await bank.credit(player, money, request_id=f"credit {player}")
    return [service.client(player) for player in players]


async def listed(client: Client, tournament: str, phase: int, **facts: Any) -> None:
    """Wait until the list, which follows the log, says so."""
    while True:
        request = pb.ListTournamentsRequest(phases=[phase])
        rows = (await client.call(client.tournaments.ListTournaments, request)).tournaments
        found = [row for row in rows if row.tournament_id == tournament]
        if found:
            (row,) = found
            assert {name: getattr(row, name) for name in facts} == facts
            return
        await asyncio.sleep(0.02)
