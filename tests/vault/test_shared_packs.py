"""Tables that deal the same packs: one chain of secrets, as docs/shuffle-vectors.md gives it."""

from __future__ import annotations

from uuid import UUID

from service.vault import EpochKeys, EpochShuffler
from service.verify.secrets import Epoch
from tests.vault.twin import framed, hkdf

TOURNAMENT, ONE, OTHER, PACKS = (UUID(int=number) for number in (1, 2, 3, 4))
KEYS = EpochKeys(TOURNAMENT, 1, bytes(range(32)))
PILE = tuple(range(1, 53))


def test_both_tables_deal_the_same_from_deal_to_deal() -> None:
    """Though they commit to their secrets apart, and seal under keys of their own."""
    one, other = KEYS.first_of(PACKS, ONE), KEYS.first_of(PACKS, OTHER)
    for epoch in (1, 2, 3):
        assert one.epoch == other.epoch == epoch
        assert one.commitment != other.commitment
        assert one.slot_key(salt=bytes(16)) != other.slot_key(salt=bytes(16))
        here = EpochShuffler(one, packs=PACKS).shuffle("DEAL", PILE)
        assert EpochShuffler(other, packs=PACKS).shuffle("DEAL", PILE) == here
        assert EpochShuffler(other, packs=ONE).shuffle("DEAL", PILE) != here
        assert EpochShuffler(one).shuffle("DEAL", PILE) != here
        one, other = one.next_of(PACKS), other.next_of(PACKS)


def test_the_secrets_are_those_of_the_formulas() -> None:
    first = framed(b"kartejo/v1/first-packs", TOURNAMENT.bytes, PACKS.bytes)
    secret = hkdf(bytes(range(32)), bytes(32), first)
    assert KEYS.first_of(PACKS, ONE).reveal() == secret
    following = framed(b"kartejo/v1/next-packs", PACKS.bytes, (2).to_bytes(8, "big"))
    second = hkdf(secret, bytes(32), following)
    assert KEYS.first_of(PACKS, ONE).next_of(PACKS).reveal() == second


def test_other_packs_and_other_tournaments_have_other_secrets() -> None:
    elsewhere = EpochKeys(OTHER, 1, bytes(range(32)))
    mine = KEYS.first_of(PACKS, ONE).reveal()
    assert KEYS.first_of(OTHER, ONE).reveal() != mine != elsewhere.first_of(PACKS, ONE).reveal()


def test_the_verifier_follows_the_chain_by_itself() -> None:
    keys = KEYS.first_of(PACKS, ONE)
    epoch = Epoch(ONE, 1, keys.reveal())
    following = keys.next_of(PACKS)
    assert epoch.next_of(PACKS.bytes).commitment == following.commitment
    order = epoch.next_of(PACKS.bytes).order(0, "DEAL", PILE, (), PACKS.bytes)
    assert order == EpochShuffler(following, packs=PACKS).shuffle("DEAL", PILE)
