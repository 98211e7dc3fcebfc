"""Two runs that differ only in cards a viewer may not see give him the same bytes, all of them.

The whole service runs twice in a stepped world of the same seed: ids, times and secrets are equal,
and the decks of the lab tables differ where the viewer cannot look (trust.md 4).
"""

from __future__ import annotations

import random
from typing import Any

import grpc
import pytest

from engine.actions import TakeSeat
from engine.kernel import HOST
from service.identity import LAB_ISSUER, MemoryIdentityMap
from service.pb import lab_service_pb2 as lab
from service.pb import table_service_pb2 as pb
from service.world import SteppedWorld
from tests.parlour.actions import Fold, Keep, Peek, StartHand, Swap
from tests.service.harness import CODEC, Client, Running, run, running
from tests.service.surfaces import everything, take

ANN, BOB = 0, 1
# Places of a stacked deck: Bob, to the left of the dealer, is dealt first; then the house card and
# the two cards of the draw pile, of which Bob takes the first.
BOBS, ANNS, ANN_DRAWS = (0, 2), (1, 3), 6
SEEN = {"ann": (*ANNS, ANN_DRAWS), "eve": ()}
HANDS = 6


def decks(dice: random.Random, seen: tuple[int, ...]) -> tuple[list[int], list[int]]:
    """Two decks with the same cards at the places ``seen`` and others everywhere else."""
    one = dice.sample(range(1, 53), 52)
    rest = [place for place in range(52) if place not in seen]
    cards = [one[place] for place in rest]
    dice.shuffle(cards)
    other = list(one)
    for place, card in zip(rest, cards, strict=True):
        other[place] = card
    return one, other


class Ear:
    """Keeps every byte that a viewer receives."""

    def __init__(self, subject: str, client: Client) -> None:
        self.subject = subject
        self.client = client
        self.heard: list[tuple[str, bytes]] = []

    def keep(self, surface: str, *messages: Any) -> None:
        for message in messages:
            self.heard.append((surface, message.SerializeToString(deterministic=True)))

    async def act(self, table: str, action: Any, state: pb.TableState | None, name: str) -> None:
        """An action at Ann's seat, refused or not."""
        try:
            self.keep("answer", await self.client.act(table, ANN, action, state, request_id=name))
        except grpc.aio.AioRpcError as error:
            trailers = dict(error.trailing_metadata() or ())
            self.heard.append(("refusal", repr((error.code(), error.details())).encode()))
            self.heard.append(("refusal", bytes(trailers["grpc-status-details-bin"])))


async def lab_table(service: Running, name: str) -> str:
    teacher = service.lab()
    options = {"seats": "2", "draw_pile": "2"}
    request = lab.OpenLabTableRequest(request_id=name, game="parlour", options=options)
    return (await teacher.call(teacher.lab.OpenLabTable, request)).table_id


async def lab_deal(service: Running, table: str, name: str, deck: list[int]) -> None:
    teacher = service.lab()
    stack = lab.StackDeckRequest(request_id=f"{name} deck", table_id=table, cards=deck)
    await teacher.call(teacher.lab.StackDeck, stack)
    start = CODEC.action_to_wire(StartHand())
    act = lab.ActRequest(request_id=f"{name} start", table_id=table, seat=HOST, action=start)
    await teacher.call(teacher.lab.Act, act)


async def one_hand(service: Running, ear: Ear, number: int, deck: list[int]) -> None:
    """A hand that both decks allow; every other one ends, by a fold, the rest go on."""
    name = f"hand {number}"
    ann, bob = (service.client(subject, issuer=LAB_ISSUER) for subject in ("ann", "bob"))
    hers = ear if ear.subject == "ann" else Ear("ann", ann)
    table = await lab_table(service, name)
    watch = ear.client.tables.WatchTable(
        pb.WatchTableRequest(table_id=table), metadata=ear.client.metadata, timeout=30
    )
    ear.keep("live", *await take(watch, 2))
    await hers.act(table, TakeSeat("", 50), None, f"{name} ann")
    await bob.act(table, BOB, TakeSeat("", 50), request_id=f"{name} bob")
    await lab_deal(service, table, name, deck)

    async def bobs(action: Any, step: str) -> None:
        state = (await bob.get(table)).state
        await bob.act(table, BOB, action, state, request_id=f"{name} {step}")

    await bobs(Peek(ANN, 0), "peek")
    await bobs(Swap((deck[BOBS[0]],)), "swap")
    state = (await ann.get(table)).state
    foreign = min(set(range(1, 53)) - {deck[place] for place in ANNS})
    for action in (Swap((foreign,)), Peek(BOB, 7), Swap(())):
        await hers.act(table, action, state, f"{name} refused {action}"[:64])
    await hers.act(table, Swap((deck[ANNS[1]],)), state, f"{name} ann swaps")
    await bobs(Fold() if number % 2 else Keep(), "end")
    ear.keep("live", *await take(watch, 8))
    watch.cancel()
    for surface, messages in (await everything(ear.client, table)).items():
        ear.keep(surface, *messages)


async def heard(dsn: str, viewer: str, stacked: list[list[int]]) -> list[tuple[str, bytes]]:
    world = SteppedWorld(seed=b"twice")
    async with running(dsn, world=world, identities=MemoryIdentityMap(world)) as service:
        for subject in ("ann", "bob", "eve"):  # met in the same order, so they have the same ids
            client = service.client(subject, issuer=LAB_ISSUER)
            await client.call(client.tables.ListTables, pb.ListTablesRequest())
        ear = Ear(viewer, service.client(viewer, issuer=LAB_ISSUER))
        for number, deck in enumerate(stacked):
            await one_hand(service, ear, number, deck)
        return ear.heard


@pytest.mark.parametrize("viewer", ["ann", "eve"])
def test_unseen_cards_change_no_byte_that_is_received(dsn, other_dsn, viewer):
    """Answers, refusals, live news, resumed watches, Play, replay, states, lists: all equal."""
    pairs = [decks(random.Random(seed), SEEN[viewer]) for seed in range(HANDS)]
    assert all(one != other for one, other in pairs)
    one = run(heard(dsn, viewer, [first for first, _ in pairs]))
    other = run(heard(other_dsn, viewer, [second for _, second in pairs]))
    assert [surface for surface, _ in one] == [surface for surface, _ in other]
    for (surface, left), (_, right) in zip(one, other, strict=True):
        assert left == right, surface
    surfaces = {surface for surface, _ in one}
    assert surfaces >= {"live", "GetTable", "WatchTable", "Play", "ReplayHand", "GetStateAt"}
    assert viewer == "eve" or surfaces >= {"answer", "refusal"}


def test_the_comparison_can_fail(dsn, other_dsn):
    """A card that the viewer does see makes a difference."""
    one, _ = decks(random.Random(1), SEEN["ann"])
    other = list(one)
    other[ANNS[0]], other[BOBS[0]] = one[BOBS[0]], one[ANNS[0]]
    assert run(heard(dsn, "ann", [one])) != run(heard(other_dsn, "ann", [other]))
