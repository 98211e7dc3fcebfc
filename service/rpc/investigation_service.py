"""InvestigationService: who played with whom, and what moved between them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import Any, Final
from uuid import UUID

from google.protobuf.timestamp_pb2 import Timestamp

from engine.errors import Malformed
from service.host.host import Host
from service.identity import Principal, Role
from service.investigation.investigations import Days, Investigations
from service.investigation.unusual import Unusual
from service.pb import investigation_service_pb2 as pb
from service.pb import person_service_pb2 as person_pb
from service.pb.investigation_service_pb2_grpc import InvestigationServiceServicer
from service.projections.pair_sums import MILLI
from service.rpc.calls import Calls
from service.rpc.messages import table_id, timestamp
from service.rpc.pages import page_size, page_token, place_of, read_token
from service.rpc.persons import player_of, require_ordinary
from service.store.people import People
from service.store.result_queries import NEWEST, Found, Search

__all__ = ["InvestigationCalls"]

_LATEST: Final = 2**63 - 1
_EPOCH: Final = date(1970, 1, 1).toordinal()
LEAST_HANDS: Final = 20
PAIRS_TOLD: Final = 20
MOST_TOLD: Final = 1_000


class InvestigationCalls(InvestigationServiceServicer):
    """The servicer."""

    def __init__(
        self, calls: Calls, host: Host, people: People, investigations: Investigations
    ) -> None:
        self._calls = calls
        self._host = host
        self._people = people
        self._investigations = investigations

    async def _player(self, caller: Principal, person: person_pb.Person, field: str) -> UUID | None:
        if person.WhichOneof("who") is None:
            return None
        return await player_of(self._people, caller, person, field)

    def _require_game(self, key: str) -> None:
        """Raises ``Unknown`` for a game that there is not: nothing else is looked for by it."""
        if key:
            self._host.game(key)

    async def _two(
        self, caller: Principal, request: pb.FindHandsRequest | pb.GetPairRequest
    ) -> tuple[UUID | None, UUID | None]:
        """The player and the other one of a request, as far as they are named."""
        player = await self._player(caller, request.player, "player")
        other = await self._player(caller, request.other, "other")
        if other is not None and player is None:
            raise Malformed("player", "expected a player besides the other one")
        if other is not None and other == player:
            raise Malformed("other", "expected somebody else than the player")
        return player, other

    async def FindHands(self, request: pb.FindHandsRequest, context: Any) -> pb.FindHandsResponse:
        async def work(caller: Principal) -> pb.FindHandsResponse:
            _require_office(caller)
            size = page_size(request.page_size)
            player, other = await self._two(caller, request)
            if request.least_chips < 0:
                raise Malformed("least_chips", "expected 0 or more")
            self._require_game(request.game)
            search = Search(
                player=player,
                other=other,
                table=table_id(request.table_id) if request.table_id else None,
                game=request.game,
                since=_moment("since", request.since) if request.HasField("since") else 0,
                until=_moment("until", request.until) if request.HasField("until") else _LATEST,
                least=request.least_chips,
            )
            question = f"found {search}"
            last = read_token(question, request.page_token)
            before = NEWEST if last is None else place_of(last, 18, UUID, 9)
            found, behind = await self._investigations.find(search, before, size + 1)
            answer = pb.FindHandsResponse(
                hands=map(_found_hand, found[:size]), commits_behind=behind
            )
            if len(found) > size:
                end = found[size - 1].hand
                place = f"{end.started_at} {end.stream} {end.hand}"
                answer.next_page_token = page_token(question, place)
            return answer

        return await self._calls.unary(context, work)

    async def GetPair(self, request: pb.GetPairRequest, context: Any) -> pb.GetPairResponse:
        async def work(caller: Principal) -> pb.GetPairResponse:
            _require_office(caller)
            player, other = await self._two(caller, request)
            if player is None or other is None:
                raise Malformed("other", "expected two players")
            low, high = sorted((player, other))
            games, behind = await self._investigations.pair(low, high, _days(request.days))
            answer = pb.GetPairResponse(player=str(player), other=str(other), commits_behind=behind)
            for each in games:
                won, lost = (each.up, each.down) if player == high else (each.down, each.up)
                told = {"won": _chips(won), "lost": _chips(lost)}
                answer.games.add(game=each.game, hands=each.hands, **told)
            return answer

        return await self._calls.unary(context, work)

    async def RankPairs(self, request: pb.RankPairsRequest, context: Any) -> pb.RankPairsResponse:
        async def work(caller: Principal) -> pb.RankPairsResponse:
            _require_office(caller)
            if request.least_hands < 0:
                raise Malformed("least_hands", "expected 0 or more")
            if not 0 <= request.limit <= MOST_TOLD:
                raise Malformed("limit", f"expected 0 to {MOST_TOLD}")
            self._require_game(request.game)
            player = await self._player(caller, request.player, "player")
            ranking, behind = await self._investigations.ranking(
                _days(request.days), request.game, request.least_hands or LEAST_HANDS
            )
            told = [
                _ranked(place, each)
                for place, each in enumerate(ranking.pairs, 1)
                if player is None or str(player) in each.pair
            ]
            return pb.RankPairsResponse(
                pairs=told[: request.limit or PAIRS_TOLD],
                judged=len(ranking.pairs),
                threshold=ranking.threshold,
                commits_behind=behind,
            )

        return await self._calls.unary(context, work)


def _require_office(caller: Principal) -> None:
    caller.require(Role.AUDITOR, Role.ADMIN)
    caller.require_unlimited()
    require_ordinary(caller)


def _moment(field: str, stamp: Timestamp) -> int:
    """Microseconds since the epoch; raises ``Malformed`` outside the years 1970 to 9999."""
    if not (0 <= stamp.seconds <= 253_402_300_799 and 0 <= stamp.nanos < 1_000_000_000):
        raise Malformed(field, "expected a time from 1970 to 9999")
    return stamp.seconds * 1_000_000 + stamp.nanos // 1_000


def _days(days: pb.Days) -> Days:
    first = _day("days.first", days.first) if days.first else Days().first
    last = _day("days.last", days.last) if days.last else Days().last
    if last < first:
        raise Malformed("days.last", "expected a day that is not before the first")
    return Days(first, last)


def _day(field: str, text: str) -> int:
    """A day in days since the epoch."""
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        try:
            return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).toordinal() - _EPOCH
        except ValueError:
            pass
    raise Malformed(field, "expected a day, such as 2026-11-30")


def _chips(total: int) -> int:
    """A sum of many hands, as far as the field holds it."""
    return min(total, _LATEST)


def _found_hand(found: Found) -> pb.FoundHand:
    hand = found.hand
    return pb.FoundHand(
        table_id=str(hand.stream),
        hand=hand.hand,
        game=hand.game,
        start_time=timestamp(hand.started_at),
        end_time=timestamp(hand.ended_at),
        over=hand.over,
        results=[pb.HandResult(player=str(player), net=net) for player, net in found.nets],
        transfers=[
            pb.Transfer(payer=str(payer), payee=str(payee), chips=chips)
            for payer, payee, chips in found.moves
        ],
    )


def _ranked(place: int, each: Unusual) -> pb.RankedPair:
    low, high = each.pair
    up = each.sums.up >= each.sums.down
    return pb.RankedPair(
        place=place,
        winner=high if up else low,
        loser=low if up else high,
        hands=each.sums.hands,
        won=_chips(max(each.sums.up, each.sums.down)),
        lost=_chips(min(each.sums.up, each.sums.down)),
        expected=each.sums.expected / MILLI,
        score=each.score,
        direction=each.direction if up else -each.direction,
        volume=each.volume,
    )
