"""Investigations over the API."""

from __future__ import annotations

from typing import NamedTuple

from service.client.connection import Client
from service.pb import investigation_service_pb2 as pb

__all__ = ["FoundHands", "find_hands", "get_pair", "rank_pairs"]

PAGE = 200
SECONDS = 60.0
"""Reports over a large store take longer than a player's call."""


class FoundHands(NamedTuple):
    """Hands, newest first; whether there are more; commits that the index lacks."""

    hands: list[pb.FoundHand]
    more: bool
    behind: int


async def find_hands(client: Client, wanted: pb.FindHandsRequest, most: int) -> FoundHands:
    """The newest hands that were asked for, ``most`` of them."""
    found: list[pb.FoundHand] = []
    while True:
        wanted.page_size = min(PAGE, most - len(found))
        page = await client.call(client.investigations.FindHands, wanted, SECONDS)
        found += page.hands
        wanted.page_token = page.next_page_token
        if not wanted.page_token or len(found) >= most:
            return FoundHands(found, bool(wanted.page_token), page.commits_behind)


async def get_pair(client: Client, request: pb.GetPairRequest) -> pb.GetPairResponse:
    """What moved between two players."""
    return await client.call(client.investigations.GetPair, request, SECONDS)


async def rank_pairs(client: Client, request: pb.RankPairsRequest) -> pb.RankPairsResponse:
    """Pairs, the most unusual first."""
    return await client.call(client.investigations.RankPairs, request, SECONDS)
