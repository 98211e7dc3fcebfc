"""GameService: the catalogue."""

from __future__ import annotations

from typing import Any

from engine.house_options import HOUSE_OPTIONS
from service.host.host import Host
from service.identity import Principal
from service.pb import game_service_pb2 as pb
from service.pb.game_service_pb2_grpc import GameServiceServicer
from service.rpc.calls import Calls
from service.rpc.messages import game_message

__all__ = ["Games"]


class Games(GameServiceServicer):
    """Answers from the registry of games."""

    def __init__(self, calls: Calls, host: Host) -> None:
        self._calls = calls
        self._host = host

    async def ListGames(self, request: pb.ListGamesRequest, context: Any) -> pb.ListGamesResponse:
        async def work(_: Principal) -> pb.ListGamesResponse:
            games = [self._host.games[key] for key in sorted(self._host.games)]
            return pb.ListGamesResponse(games=[game_message(game, HOUSE_OPTIONS) for game in games])

        return await self._calls.unary(context, work)

    async def GetGame(self, request: pb.GetGameRequest, context: Any) -> pb.GetGameResponse:
        async def work(_: Principal) -> pb.GetGameResponse:
            return pb.GetGameResponse(
                game=game_message(self._host.game(request.game), HOUSE_OPTIONS)
            )

        return await self._calls.unary(context, work)
