"""The secrets of a stream's epochs: unwrapped by a master key, or told by the stream itself.

An epoch that is over tells its secret in its own commits or in those of the next one.  Where no
master key opens it before, its commits wait until then: an epoch of them, not the whole stream.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from uuid import UUID

from engine.errors import Corrupt
from engine.events import EpochClosed, EpochOpened, EpochVoided, Event, HouseOpened
from service.audit.chain import Link
from service.audit.findings import Findings
from service.codec import Codec, PrivateValue, StoredForm
from service.host.recorder import MissingKeys
from service.store.commit import Commit, StoredEvent
from service.vault import EpochKeys, MasterKey

__all__ = ["Secrets"]

MOST_WAITING: Final = 20_000
"""Commits that wait for a secret; beyond that their epoch counts as one that is not told."""

KEPT: Final = 8
"""Epochs that are told or void and still known: their last commits follow soon.

No fewer than a commit tells that is still to be checked: a released embargo tells any number.
"""

_TELLING: Final = (HouseOpened, EpochOpened, EpochClosed, EpochVoided)


class Secrets:
    """Learns secrets from the commits of one stream, each checked against its commitment."""

    def __init__(
        self, stream: UUID, codec: Codec, masters: Sequence[MasterKey], findings: Findings
    ) -> None:
        self._stream = stream
        self._codec = codec
        self._masters = masters
        self._findings = findings
        self._types = {codec.type_of(kind) for kind in _TELLING}
        self._keys: dict[int, EpochKeys] = {}
        self._commitments: dict[int, bytes] = {}
        self._newest = 0
        self._void: set[int] = set()
        self._over: deque[tuple[int, int]] = deque()
        """Epochs that ended, and the version of the commit that says so."""
        self._embargo = False
        self.told = 0
        """Epochs whose secret was told and is the one committed to."""
        self.voided = 0
        """Epochs that were given up, since nothing opens them."""

    def keys(self, epoch: int) -> EpochKeys:
        """The keys of an epoch; raises ``MissingKeys``."""
        found = self._keys.get(epoch)
        if found is None:
            raise MissingKeys(self._stream, epoch)
        return found

    def opens(self, epoch: int) -> bool:
        """Whether the keys of an epoch are known."""
        return epoch in self._keys

    def ready(self, links: Iterable[Link]) -> Iterator[Link]:
        """The same commits, each once its keys are known or cannot become known any more."""
        waiting: deque[Link] = deque()
        for link in links:
            self._learn(link)
            waiting.append(link)
            while waiting and self._is_ready(waiting[0].commit, len(waiting)):
                first = waiting.popleft()
                yield first
                self._forget(first.commit.version)
        yield from waiting

    def _is_ready(self, commit: Commit, waiting: int) -> bool:
        void = commit.epoch in self._void
        # Only an embargo lets an epoch be told after the one that follows it.
        told = self._newest > commit.epoch + 1 and not self._embargo
        late = void or told or waiting > MOST_WAITING
        return late or not commit.epoch or commit.epoch in self._keys

    def _learn(self, link: Link) -> None:
        commit = link.commit
        self._newest = max(self._newest, commit.epoch)
        for form in link.forms or ():
            if form.type not in self._types:
                continue
            try:
                event = self._event(form)
                if isinstance(event, EpochOpened):
                    self._opened(event)
                elif isinstance(event, EpochClosed):
                    self._closed(event, commit.version)
                elif isinstance(event, EpochVoided):
                    self._void.add(event.epoch)
                    self._over.append((event.epoch, commit.version))
                    self.voided += 1
                elif isinstance(event, HouseOpened):
                    self._embargo = dict(event.options).get("embargo") == "true"
            except Corrupt as error:
                self._findings.add(
                    "secret",
                    "the secret that was committed to",
                    str(error),
                    commit.position,
                    commit.version,
                )

    def _event(self, form: StoredEvent) -> Event:
        """These events have all they say in their public bytes."""
        slots = tuple(PrivateValue(slot.field, slot.audience, None) for slot in form.slots)
        return self._codec.load_event(StoredForm(form.type, form.revision, form.public, slots))

    def _opened(self, event: EpochOpened) -> None:
        self._commitments[event.epoch] = event.commitment
        wrapped = event.wrapped.value
        for master in self._masters:
            if master.knows(wrapped):
                self._keep(
                    EpochKeys.unwrap(master, self._stream, event.epoch, wrapped, event.commitment)
                )
                return

    def _closed(self, event: EpochClosed, version: int) -> None:
        commitment = self._commitments.get(event.epoch)
        if commitment is None:
            raise Corrupt(f"epoch {event.epoch} is told, and was not opened")
        secret = event.secret.value
        self._keep(EpochKeys.revealed(self._stream, event.epoch, secret, commitment))
        self._over.append((event.epoch, version))
        self.told += 1

    def _keep(self, keys: EpochKeys) -> None:
        self._keys[keys.epoch] = keys

    def _forget(self, version: int) -> None:
        """Forget, a while after they were checked, what a stream that is long would let grow."""
        while len(self._over) > KEPT and self._over[0][1] <= version:
            gone, _ = self._over.popleft()
            self._keys.pop(gone, None)
            self._commitments.pop(gone, None)
