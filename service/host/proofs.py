"""Proofs that a card lay where it was dealt from, for whoever saw it (design 5.4).

They are given once the epoch is over and told.  Before that a proof would say more than the card
does: at which place of the deal it lay, which may tell a soldier bought early from one bought late.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from uuid import UUID

from engine.cards import PACK
from engine.errors import Corrupt, Malformed, Refused, Unknown
from engine.events import (
    DeckShuffled,
    EntropyContributed,
    EpochClosed,
    EpochOpened,
    ShuffleCommitted,
)
from engine.faces import faces
from engine.house import secret_epochs
from engine.occupancy import viewers
from engine.visibility import redact
from service.host import eyes
from service.host.host import Host
from service.host.live import Live
from service.host.recorder import Recorded
from service.host.replay import Replay, Viewing
from service.identity import Principal
from service.projections.hand_index import Hands
from service.store.commit import Commit
from service.store.postgres import Store
from service.vault import EpochKeys, PlaceProof, prove_places

__all__ = ["CardProof", "CardProofs"]

PAGE: Final = 200
"""Events read at a time, in search of the beginning of an epoch."""

Eyes = Sequence[int]
"""The viewer masks of the events of a commit."""


class EpochRecord(NamedTuple):
    """An epoch that is over and told: its keys, what players contributed, its commits in order."""

    keys: EpochKeys
    entropy: tuple[bytes, ...]
    commits: tuple[Recorded, ...]


class CardProof(NamedTuple):
    """Where a card lay in one shuffle, and what it is checked against.

    ``version``: of the event that published the root, ``after`` the one before its commit.
    ``shuffle``: its number in the epoch.
    """

    epoch: int
    commitment: bytes
    entropy: tuple[bytes, ...]
    version: int
    after: int
    shuffle: int
    purpose: str
    place: PlaceProof


class CardProofs:
    """Finds and proves.  Raises ``Unknown``, ``Denied``, ``Malformed``, ``Refused``."""

    def __init__(self, host: Host, store: Store, hands: Hands, replay: Replay) -> None:
        self._host = host
        self._store = store
        self._hands = hands
        self._replay = replay

    async def of_hand(
        self, caller: Principal, stream: UUID, hand: int, card: int | None, as_: Viewing
    ) -> list[CardProof]:
        """Proofs of a card, one for each shuffle of the hand's epoch that he saw it come from.

        ``card`` None: of every card that he saw.  In the order of shuffles and places.

        Raises ``Refused``: ``EPOCH_OPEN`` while cards of the epoch may matter, ``NO_COMMITMENT``
        where no shuffle was committed to, and ``CARD_NOT_SEEN`` alike for a card that the viewer
        did not see and for one that no pile held.
        """
        if card is not None and card not in PACK:
            raise Malformed("card", "expected a card number, 1 to 52, or none for every card seen")
        live = await self._host.find_table(caller, stream)
        await self._host.refresh(live)
        found = await self._hands.of_table(stream, hand - 1, 1) if hand > 0 else []
        if not found or found[0].hand != hand:
            raise Unknown(f"no hand {hand} at this table")
        (commit,) = await self._store.read(stream, found[0].first_version, 1)
        await self._replay.require_eyes(caller, live, as_)
        if commit.epoch in secret_epochs(live.table.house):
            raise Refused("EPOCH_OPEN", epoch=commit.epoch)
        row = found[0]
        await self._replay.record_look(
            caller, live, as_, "GetCardProofs", row.first_version, row.last_version, hand
        )
        with self._replay.readers.place(caller.id):
            record = await self.record(live, commit)
        if not any(
            isinstance(event, ShuffleCommitted) for one in record.commits for event in one.events
        ):
            raise Refused("NO_COMMITMENT", epoch=commit.epoch)

        def masks(recorded: Recorded) -> Eyes:
            if as_.kind != "self":
                mask = self._replay.mask(caller, live, commit.epoch, live.table, as_)
                return [mask] * len(recorded.events)
            seen = viewers(recorded.seated, recorded.events, str(caller.id))
            return [eyes.limit(caller, mask) for mask in seen]

        cards = frozenset(PACK if card is None else (card,))
        proofs = _prove(record, cards, [masks(recorded) for recorded in record.commits])
        if not proofs and card is not None:
            raise Refused("CARD_NOT_SEEN", epoch=commit.epoch)
        return proofs

    async def record(self, live: Live, commit: Commit) -> EpochRecord:
        """The epoch that a commit belongs to; it must be over and told."""
        epoch = commit.epoch
        opened: EpochOpened | None = None
        entropy: list[bytes] = []
        commits: list[Recorded] = []
        start = await self._before(commit)
        async with aclosing(self._host.tables.stored.history(live, start)) as past:
            async for recorded in past:
                if recorded.commit.epoch == epoch:
                    commits.append(recorded)
                for event in recorded.events:
                    match event:
                        case EpochOpened() if event.epoch == epoch:
                            opened = event
                        case EntropyContributed() if recorded.commit.epoch == epoch:
                            entropy.append(event.value)
                        case EpochClosed() if event.epoch == epoch and opened is not None:
                            keys = EpochKeys.revealed(
                                live.stream, epoch, event.secret.value, opened.commitment
                            )
                            return EpochRecord(keys, tuple(entropy), tuple(commits))
                        case _:
                            pass
        raise Corrupt(f"stream {live.stream}: epoch {epoch} is said to be over and is not")

    async def _before(self, commit: Commit) -> int:
        """Version before the commit that opened the epoch of ``commit``."""
        until = commit.version
        while until > 0:
            found = await self._store.read(commit.stream, max(0, until - PAGE), PAGE, until)
            earlier = [one for one in found if one.epoch < commit.epoch]
            if earlier:
                return earlier[-1].expected
            until -= PAGE
        return 0


def _prove(record: EpochRecord, cards: frozenset[int], seen: Sequence[Eyes]) -> list[CardProof]:
    """The proofs of those cards that lay in a pile and were seen after it was shuffled.

    A shuffle that takes a card up again begins anew: who saw the card only before does not know
    where it lies now.
    """
    piles: list[_Pile] = []
    holds: dict[int, _Pile] = {}
    for recorded, masks in zip(record.commits, seen, strict=True):
        after = recorded.commit.expected
        events = zip(recorded.events, masks, strict=True)
        for version, (event, mask) in enumerate(events, after + 1):
            match event:
                case DeckShuffled():
                    piles.append(_Pile(event.order.value))
                    holds.update(dict.fromkeys(event.order.value, piles[-1]))
                case ShuffleCommitted() if piles and piles[-1].told is None:
                    piles[-1].told = (version, after, event)
                case _:
                    pass
            for card in faces(redact(event, mask)) & cards & holds.keys():
                holds[card].seen.add(card)
    return [proof for pile in piles for proof in pile.proofs(record)]


@dataclass
class _Pile:
    """A shuffled pile: where and how its root was told, and which of its cards were seen since."""

    order: tuple[int, ...]
    told: tuple[int, int, ShuffleCommitted] | None = None
    seen: set[int] = field(default_factory=set)

    def proofs(self, record: EpochRecord) -> list[CardProof]:
        """Of the cards that were seen, from the top."""
        if self.told is None or not self.seen:
            return []
        version, after, fact = self.told
        keys, entropy, number, purpose = record.keys, record.entropy, fact.shuffle, fact.purpose
        wanted = [at for at, card in enumerate(self.order) if card in self.seen]
        places = prove_places(keys, number, purpose, entropy, self.order, wanted)
        if places[0].root != fact.root:
            raise Corrupt(f"version {version}: the root is not that of the shuffle")
        epoch, commitment = keys.epoch, keys.commitment
        return [
            CardProof(epoch, commitment, entropy, version, after, number, purpose, place)
            for place in places
        ]
