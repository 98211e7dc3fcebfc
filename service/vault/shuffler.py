"""The ``Shuffler`` of an epoch: shuffle k of the secret, k counted by whoever decides."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from engine.shuffle import order
from service.vault.epochs import EpochKeys

__all__ = ["EpochShuffler"]


class EpochShuffler:
    """Answers each ``shuffle`` of one decision with the next order of the epoch.

    ``start`` is the number of shuffles that the stream already records in this epoch, ``entropy``
    its recorded contributions, ``packs`` those that other tables deal too.  Made anew with the
    same arguments it gives the same orders.
    """

    __slots__ = ("_entropy", "_keys", "_next", "_packs")

    def __init__(
        self,
        keys: EpochKeys,
        entropy: Sequence[bytes] = (),
        start: int = 0,
        packs: UUID | None = None,
    ) -> None:
        if start < 0:
            raise ValueError("shuffles are counted from 0")
        self._keys = keys
        self._entropy = tuple(entropy)
        self._next = start
        self._packs = packs

    @property
    def next_shuffle(self) -> int:
        """Number of the shuffle that would come next: ``start`` plus those made here."""
        return self._next

    def shuffle(self, purpose: str, pile: tuple[int, ...]) -> tuple[int, ...]:
        """``pile`` in the order of the next shuffle, top first."""
        key = self._keys.shuffle_key(self._next, purpose, self._entropy, self._packs)
        self._next += 1
        return order(key, pile)
