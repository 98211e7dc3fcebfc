"""The audit of a stream of accesses: who looked at what, as it is recorded."""

from __future__ import annotations

from uuid import UUID

from engine.access import AuditorLooked
from engine.errors import Corrupt, Malformed
from service.audit.chain import Link
from service.audit.findings import Count, Findings
from service.audit.transfers import is_alone
from service.codec import Codec, StoredForm
from service.host.accesses import EVERYTHING, RULES, access_stream
from service.store.commit import ActorKind, Commit, StoredEvent, pack_body

__all__ = ["AccessAudit"]


class AccessAudit:
    """Goes through the commits of one stream of accesses."""

    def __init__(self, codec: Codec, findings: Findings, count: Count) -> None:
        self._codec = codec
        self._findings = findings
        self._count = count

    def take(self, link: Link) -> None:
        """Check a commit: one look, by whoever the commit names, at what its stream is about."""
        commit = link.commit
        try:
            look = self._look(link)
        except (Corrupt, Malformed, ValueError) as error:
            self._add(commit, "access", "one AuditorLooked", str(error))
            return
        self._count.accesses += 1
        table = UUID(look.table) if look.table else EVERYTHING
        kind = ActorKind.AUDITOR if look.reader else ActorKind.SERVICE
        reader = str(commit.actor or "")
        for check, expected, found in (
            ("access", access_stream(table), commit.stream),
            ("actor", (int(kind), look.reader), (commit.actor_kind, reader)),
            ("rules", RULES, commit.rules),
            ("seat", (-1, b"", 0, 0), (commit.seat, commit.action, commit.hand, commit.epoch)),
            ("group", True, is_alone(commit)),
        ):
            if expected != found:
                self._add(commit, check, str(expected), str(found))
        form = self._codec.store_event(look)
        if commit.body != pack_body([StoredEvent(form.type, form.revision, form.public)]):
            self._add(commit, "body", "the look as it is stored", "the same in other bytes")

    def _add(self, commit: Commit, check: str, expected: str, found: str) -> None:
        self._findings.add(check, expected, found, commit.position, commit.version)

    def _look(self, link: Link) -> AuditorLooked:
        if link.forms is None or len(link.forms) != 1 or link.forms[0].slots:
            raise Corrupt("another body")
        (form,) = link.forms
        event = self._codec.load_event(StoredForm(form.type, form.revision, form.public, ()))
        if not isinstance(event, AuditorLooked):
            raise Corrupt(type(event).__name__)
        return event
