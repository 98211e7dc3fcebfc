"""One question for the proofs of every card that was seen: as many as card by card, and no more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import grpc
import pytest

from engine.faces import faces
from service.client.proofs import holds
from service.identity import Role
from service.pb import replay_service_pb2 as pb
from tests.service.harness import Client, Failure, decoded, failing, run, running
from tests.service.played import SEATS, seated
from tests.service.surfaces import whole

EVERY = 0
SAMPLES = 5
"""One in so many cards is asked for by itself, others by each viewer."""


async def proofs_of(client: Client, table: str, card: int, **viewer: Any) -> list[pb.CardProof]:
    request = pb.GetCardProofsRequest(table_id=table, hand=1, card=card, viewer=viewer)
    return list((await client.call(client.replay.GetCardProofs, request)).proofs)


async def one_by_one(
    client: Client, table: str, cards: Iterable[int], **viewer: Any
) -> list[pb.CardProof]:
    """The proofs of those of some cards that he gets any of."""
    found: list[pb.CardProof] = []
    for card in cards:
        try:
            found += await proofs_of(client, table, card, **viewer)
        except grpc.aio.AioRpcError as error:
            if Failure(error).reason != "CARD_NOT_SEEN":
                raise
    return found


async def shown(client: Client, table: str, **viewer: Any) -> set[int]:
    """The cards that the table's whole history shows to a viewer."""
    commits = await whole(client, table, **viewer)
    events = [event for commit in commits for event in decoded(commit.events)]
    return set().union(*map(faces, events))


@pytest.mark.parametrize("game", SEATS)
def test_every_card_is_proved_at_once_to_whoever_saw_it(dsn, game):
    """Players, a stranger and an auditor of a hand of each game; nobody gets one card more."""

    async def scenario():
        async with running(dsn) as service:
            played = await seated(service, game)
            await played.hands(1)
            await played.leave()
            table, auditor = played.table, service.client("olga", Role.AUDITOR)
            viewers: list[tuple[Client, dict[str, Any]]]
            viewers = [(one, {}) for one in (*played.players, service.client("eve"))]
            proved = []
            for number, (client, viewer) in enumerate([*viewers, (auditor, {"auditor": True})]):
                proofs = await proofs_of(client, table, EVERY, **viewer)
                assert all(holds(table, proof) for proof in proofs)
                places = [(proof.version, proof.place) for proof in proofs]
                assert places == sorted(set(places))
                proved.append({proof.card for proof in proofs})
                assert proved[-1] <= await shown(client, table, **viewer)
                asked = range(1 + number % SAMPLES, 53, SAMPLES)
                alone = await one_by_one(client, table, asked, **viewer)
                expected = [proof for proof in proofs if proof.card in asked]
                assert sorted(map(str, alone)) == sorted(map(str, expected))
            *players, eve, everything = proved
            assert len(everything) == 52
            assert all(eve <= seen for seen in players)
            if game == "palace_poker":  # nobody shows what he folded
                assert all(eve < seen < everything for seen in players)

    run(scenario())


def test_before_the_epoch_is_told_nothing_is_proved(dsn):
    async def scenario():
        async with running(dsn) as service:
            played = await seated(service, "palace_poker")
            await played.host.start(played.table)
            for client in (*played.players, service.client("eve")):
                early = await failing(proofs_of(client, played.table, EVERY))
                assert early.reason == "EPOCH_OPEN"
            denied = await failing(proofs_of(played.host, played.table, EVERY, auditor=True))
            assert denied.code.name == "PERMISSION_DENIED"

    run(scenario())
