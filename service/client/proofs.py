"""Proofs of cards, asked for and checked: with hashes alone, and none of the service's own code.

docs/shuffle-vectors.md says what is computed here; clients/verifier does the same in JavaScript.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from contextlib import aclosing
from hashlib import sha256
from typing import Any
from uuid import UUID

from engine.cards import card_name
from service.client.connection import Client
from service.pb import common_pb2
from service.pb import replay_service_pb2 as pb
from service.pb import table_service_pb2 as table_pb

__all__ = ["card_proofs", "holds", "proof_json", "root_told"]


async def card_proofs(
    client: Client, table_id: str, hand: int, card: int, viewer: common_pb2.Viewer
) -> list[pb.CardProof]:
    """The proofs of a card that was seen in a hand, one for each shuffle that it came from.

    ``card`` 0: of every card that the viewer saw.
    """
    request = pb.GetCardProofsRequest(table_id=table_id, hand=hand, card=card, viewer=viewer)
    return list((await client.call(client.replays.GetCardProofs, request)).proofs)


async def root_told(client: Client, table_id: str, proof: pb.CardProof) -> bytes:
    """The root in the table's history, where the proof says that it was published; empty: none."""
    request = table_pb.WatchTableRequest(table_id=table_id, after_version=proof.after_version)
    async with aclosing(client.stream(client.tables.WatchTable, request)) as news:
        async for message in news:
            for each in message.events:
                if each.version == proof.version:
                    return bytes(each.event.house.shuffle_committed.root)
            break
    return b""


def _packed(*parts: bytes) -> bytes:
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def holds(table_id: str, proof: pb.CardProof) -> bool:
    """Whether a proof leads from its card, place and salt to its root.

    That root is to be compared with :func:`root_told`.
    """
    numbers = (proof.epoch, proof.shuffle, proof.place, proof.card)
    if not 0 <= proof.place < proof.count or min(numbers) < 0 or len(proof.salt) != 16:
        return False
    epoch, shuffle, place, card = (number.to_bytes(8, "big") for number in numbers)
    content = _packed(
        b"kartejo/v1/place",
        UUID(table_id).bytes,
        epoch,
        shuffle,
        proof.purpose.encode(),
        place,
        card,
        proof.salt,
    )
    # From the leaf up: the last of an odd number of nodes goes up as it is.
    here, at, last = sha256(b"\0" + content).digest(), proof.place, proof.count - 1
    beside = iter(proof.path)
    while last:
        if at % 2 or at < last:
            other = next(beside, None)
            if other is None:
                return False
            pair = other + here if at % 2 else here + other
            here = sha256(b"\1" + pair).digest()
        at, last = at // 2, last // 2
    return next(beside, None) is None and hmac.compare_digest(here, proof.root)


def proof_json(table_id: str, proof: pb.CardProof) -> dict[str, Any]:
    """A proof in the form that clients/verifier reads: bytes in hex."""
    return {
        "table": table_id,
        "epoch": proof.epoch,
        "commitment": proof.commitment.hex(),
        "entropy": _hex(proof.entropy),
        "version": proof.version,
        "shuffle": proof.shuffle,
        "purpose": proof.purpose,
        "root": proof.root.hex(),
        "count": proof.count,
        "place": proof.place,
        "card": card_name(proof.card),
        "salt": proof.salt.hex(),
        "path": _hex(proof.path),
    }


def _hex(parts: Iterable[bytes]) -> list[str]:
    return [part.hex() for part in parts]
