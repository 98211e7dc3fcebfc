"""Shuffles that are fixed before the deal: entropy of players, roots, proofs of single cards."""

from __future__ import annotations

import os
from typing import Any
from uuid import UUID

import grpc

from engine.actions import ContributeEntropy, LeaveSeat, TakeSeat
from engine.events import DeckShuffled, EntropyContributed, EpochClosed, EpochOpened
from engine.events import ShuffleCommitted as Committed
from engine.faces import faces
from engine.games.pontoon.actions import StartDeal
from engine.games.royal_flush.actions import AutoPlay
from engine.visibility import OBSERVER, redact
from service.client.proofs import holds
from service.identity import MemoryIdentityMap, Role
from service.pb import replay_service_pb2 as pb
from service.world import RealWorld, SteppedWorld
from tests.service.harness import Running, failing, run, running
from tests.service.palace import PalaceTable
from tests.service.pontoon import PontoonTable
from tests.service.test_hidden_cards import truth_of
from tests.vault import twin


async def contribute(client: Any, table: str, seat: int, epoch: int | None, value: bytes) -> Any:
    return await client.act(table, seat, ContributeEntropy(epoch, value))


async def proofs_of(client: Any, table: str, hand: int, card: int, **viewer: Any) -> list[Any]:
    request = pb.GetCardProofsRequest(table_id=table, hand=hand, card=card, viewer=viewer)
    return list((await client.call(client.replay.GetCardProofs, request)).proofs)


async def facts_of(service: Running, table: str) -> list[tuple[int, Any]]:
    return sorted((await truth_of(service, table)).items())


def check_every_shuffle(table: str, facts: list[tuple[int, Any]]) -> int:
    """Recompute commitments, orders and roots with the slow twin; how many shuffles there were."""
    commitments: dict[int, bytes] = {}
    secrets: dict[int, bytes] = {}
    for _, fact in facts:
        if isinstance(fact, EpochOpened):
            commitments[fact.epoch] = fact.commitment
        elif isinstance(fact, EpochClosed):
            secrets[fact.epoch] = fact.secret.value
    for epoch, secret in secrets.items():
        assert twin.commitment(twin.Epoch(UUID(table), epoch, secret)) == commitments[epoch]
    epoch = k = seen = 0
    entropy: tuple[bytes, ...] = ()
    for place, (_, fact) in enumerate(facts):
        if isinstance(fact, EpochOpened):
            epoch, k, entropy = fact.epoch, 0, ()
        elif isinstance(fact, EntropyContributed):
            assert k == 0
            entropy += (fact.value,)
        elif isinstance(fact, DeckShuffled):
            root = facts[place + 1][1]
            assert isinstance(root, Committed)
            assert (root.shuffle, root.purpose) == (k, fact.purpose)
            if epoch in secrets:
                of = twin.Epoch(UUID(table), epoch, secrets[epoch])
                key = twin.shuffle_key(of, k, fact.purpose, entropy)
                assert twin.order(key, tuple(sorted(fact.order.value))) == fact.order.value
                salts = twin.place_salts(of, k, fact.purpose, entropy, len(fact.order.value))
                assert root.root == twin.root(of, k, fact.purpose, fact.order.value, salts)
                assert root.entropy == twin.entropy_hash(entropy)
                seen += 1
            k += 1
    return seen


def test_entropy_of_seated_players_enters_the_shuffles(dsn):
    """Palace Poker: two of three contribute; every order and root follows from the record."""

    async def scenario():
        async with running(dsn) as service:
            table = await PalaceTable.open(service, house_options={"reveal": "public"})
            epoch = (await table.host.get(table.id)).table.epoch
            assert (epoch.epoch, epoch.takes_entropy, len(epoch.commitment)) == (1, True, 32)
            values = [os.urandom(32), b"\0"]
            for seat, value in enumerate(values):
                await contribute(table.players[seat], table.id, seat, 1, value)
            epoch = (await table.host.get(table.id)).table.epoch
            assert list(epoch.contributed) == [0, 1]
            await table.start()
            assert not (await table.host.get(table.id)).table.epoch.takes_entropy
            await table.fold_out()
            facts = await facts_of(service, table.id)
            told = [fact.value for _, fact in facts if isinstance(fact, EntropyContributed)]
            assert told == values
            assert check_every_shuffle(table.id, facts) >= 2
            after = (await table.host.get(table.id)).table.epoch
            assert (after.epoch, after.takes_entropy, list(after.contributed)) == (2, True, [])

    run(scenario())


def test_entropy_is_taken_once_a_seat_before_anything_is_drawn(dsn):
    """Another epoch's, a second one, too much, too late, from an empty seat: each is refused."""

    async def scenario():
        async with running(dsn) as service:
            table = await PalaceTable.open(service)
            ann = table.players[0]
            before = (await table.state()).version

            async def refused(seat: int, epoch: int | None, value: bytes) -> str:
                return (await failing(contribute(ann, table.id, seat, epoch, value))).reason

            assert await refused(0, 2, b"x") == "ENTROPY_CLOSED"
            assert await refused(0, 0, b"x") == "ENTROPY_CLOSED"
            assert await refused(0, None, b"x") == "BAD_PARAMETER"
            assert await refused(0, 1, b"") == "BAD_PARAMETER"
            assert await refused(0, 1, bytes(33)) == "BAD_PARAMETER"
            assert await refused(3, 1, b"x") == "NOT_SEATED"
            assert (await failing(contribute(ann, table.id, 1, 1, b"x"))).code.name == (
                "PERMISSION_DENIED"
            )
            assert (await table.state()).version == before
            await contribute(ann, table.id, 0, 1, bytes(32))
            assert await refused(0, 1, b"y") == "ALREADY_CONTRIBUTED"
            state = await table.start()
            (seat,) = state.decision.seats
            other = 3 - seat if seat else 1
            late = contribute(table.players[other], table.id, other, 1, b"late")
            assert (await failing(late)).reason == "ENTROPY_CLOSED"
            assert (await table.state()).version == state.version

    run(scenario())


def test_a_contribution_changes_the_deal_and_a_repeat_of_it_does_not(dsn, other_dsn):
    """The same world twice: the contribution, and nothing else, makes another order."""

    async def deck(dsn: str, value: bytes) -> tuple[int, ...]:
        world = SteppedWorld(seed=b"one")
        async with running(dsn, world=world, identities=MemoryIdentityMap(world)) as service:
            ann = service.client("ann")
            made = await ann.create("royal_flush", request_id="made")
            table = made.table.table_id
            await ann.act(table, 0, TakeSeat("", 1), request_id="sits")
            for _ in range(2):
                await ann.act(table, 0, ContributeEntropy(1, value), request_id="adds")
            await ann.start(table, request_id="starts")
            facts = await facts_of(service, table)
            assert sum(isinstance(fact, EntropyContributed) for _, fact in facts) == 1
            return next(f.order.value for _, f in facts if isinstance(f, DeckShuffled))

    one = run(deck(dsn, b"1"))
    other = run(deck(other_dsn, b"2"))
    assert sorted(one) == sorted(other)
    assert one != other


class Stopped(RealWorld):
    """A process that starts, and stays, in one certain millisecond."""

    def now(self) -> int:
        return 1_764_500_000_000_000


def test_two_services_started_in_one_millisecond_deal_different_packs(dsn, other_dsn):
    """trust.md 3.1: same clock, same process id, same names, same requests."""

    async def deck(dsn: str) -> tuple[str, tuple[int, ...]]:
        async with running(dsn, world=Stopped(), identities=Known()) as service:
            ann = service.client("ann")
            made = await ann.create("royal_flush", request_id="made")
            table = made.table.table_id
            await ann.act(table, 0, TakeSeat("", 1), request_id="sits")
            await ann.start(table, request_id="starts")
            facts = await facts_of(service, table)
            return table, next(f.order.value for _, f in facts if isinstance(f, DeckShuffled))

    one, other = run(deck(dsn)), run(deck(other_dsn))
    assert one[0] == other[0]
    assert one[1] != other[1]


class Known(MemoryIdentityMap):
    """Gives the same ids to the same names, wherever it runs."""

    def __init__(self) -> None:
        super().__init__(SteppedWorld(seed=b"names"))


def test_pontoon_and_royal_flush_commit_to_their_packs(dsn):
    """An epoch of several deals, a cut for the bank, a solitaire."""

    async def scenario():
        async with running(dsn) as service:
            options = {"first_banker": "cut", "nominated_seat": "none", "max_deals": "2"}
            table = await PontoonTable.open(
                service, options=options, house_options={"reveal": "public"}
            )
            await table.begin()
            for _ in range(2):
                await table.do(StartDeal())
                await table.play_out()
            for seat in range(3):
                await table.aside(seat, LeaveSeat())
            assert check_every_shuffle(table.id, await facts_of(service, table.id)) >= 2
            ann = service.client("ann")
            made = await ann.create("royal_flush")
            flush = made.table.table_id
            await ann.act(flush, 0, TakeSeat("", 5))
            state = (await ann.start(flush)).state
            await ann.act(flush, 0, AutoPlay("game"), state)
            assert check_every_shuffle(flush, await facts_of(service, flush)) == 1

    run(scenario())


def palace_of(state: Any) -> list[int]:
    """The one palace that is not hidden from this viewer."""
    return next(list(row.cards) for row in state.view.palace_poker.palaces if any(row.cards))


def test_who_saw_a_card_gets_its_proof_once_the_epoch_is_told(dsn):
    """Own folded cards: yes.  Others' folded cards and undealt ones: no, in the same words."""

    async def scenario():
        async with running(dsn) as service:
            table = await PalaceTable.open(service)
            await table.start()
            mine = {}
            for seat, player in table.players.items():
                cards = palace_of((await player.get(table.id)).state)
                assert len(cards) == 3
                assert all(cards)
                mine[seat] = cards
            early = await failing(proofs_of(table.players[0], table.id, 1, mine[0][0]))
            assert (early.code, early.reason) == (
                grpc.StatusCode.FAILED_PRECONDITION,
                "EPOCH_OPEN",
            )
            await table.fold_out()
            roots = {
                version: fact.root
                for version, fact in await facts_of(service, table.id)
                if isinstance(fact, Committed)
            }
            ann = table.players[0]
            for card in mine[0]:
                proofs = await proofs_of(ann, table.id, 1, card)
                # One that was turned up for a banner before, and shuffled again, has two.
                assert [proof.purpose for proof in proofs][-1] == "PALACE"
                for proof in proofs:
                    assert proof.card == card
                    assert roots[proof.version] == proof.root
                    assert holds(table.id, proof)
            shown: set[int] = set()
            for _, fact in await facts_of(service, table.id):
                shown |= faces(redact(fact, OBSERVER))
            dealt = {card for cards in mine.values() for card in cards}
            undealt = next(card for card in range(1, 53) if card not in shown | dealt)
            foreign = [card for card in mine[1] if card not in shown]
            answers = [
                await failing(proofs_of(ann, table.id, 1, card)) for card in (*foreign, undealt)
            ]
            assert {(a.code, a.reason, a.message, str(a.metadata)) for a in answers} == {
                (answers[0].code, "CARD_NOT_SEEN", answers[0].message, str(answers[0].metadata))
            }
            stranger = service.client("eve")
            for card in set(mine[0]) - shown:
                told = await failing(proofs_of(stranger, table.id, 1, card))
                assert told.reason == "CARD_NOT_SEEN"
            auditor = service.client("olga", Role.AUDITOR)
            (proof, *_) = await proofs_of(auditor, table.id, 1, undealt, auditor=True)
            assert holds(table.id, proof)
            denied = await failing(proofs_of(ann, table.id, 1, undealt, auditor=True))
            assert denied.code.name == "PERMISSION_DENIED"

    run(scenario())


def test_questions_for_proofs_that_make_no_sense_are_answered(dsn):
    async def scenario():
        async with running(dsn) as service:
            table = await PalaceTable.open(service)
            await table.start()
            await table.fold_out()
            ann = table.players[0]
            for card in (53, 2**32 - 1):
                wrong = await failing(proofs_of(ann, table.id, 1, card))
                assert (wrong.reason, wrong.field) == ("MALFORMED", "card")
            for hand in (0, -1, 2, 2**40):
                assert (await failing(proofs_of(ann, table.id, hand, 5))).code.name == "NOT_FOUND"

    run(scenario())


def test_a_proof_says_nothing_of_other_places(dsn):
    """With the salt that it shows, none of the 52 guesses at a neighbour fits a hash it shows."""

    async def scenario():
        async with running(dsn) as service:
            ann = service.client("ann")
            table = (await ann.create("royal_flush")).table.table_id
            await ann.act(table, 0, TakeSeat("", 5))
            state = (await ann.start(table)).state
            await ann.act(table, 0, AutoPlay("game"), state)
            (proof,) = await proofs_of(ann, table, 1, 1)
            of = twin.Epoch(UUID(table), proof.epoch, bytes(32))
            guesses = {
                twin.leaf(of, proof.shuffle, proof.purpose, proof.place ^ 1, card, salt)
                for card in range(1, 53)
                for salt in (proof.salt, bytes(16))
            }
            assert not guesses & set(proof.path)
            salts = {(await proofs_of(ann, table, 1, card))[0].salt for card in range(1, 53)}
            assert len(salts) == 52

    run(scenario())
