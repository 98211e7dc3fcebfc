"""Audits of commits at hand, and of databases, as tests make them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from service.audit import whole
from service.audit.database import connected
from service.audit.findings import Finding, Findings, Result, joined
from service.audit.log import NoCheckpoints, check_log
from service.audit.source import Recorded
from service.audit.streams import Tools, audit_stream
from service.audit.whole import Audited, Plan, audit
from service.store.commit import Commit
from service.vault import MasterKey
from service.world import RealWorld
from tests.service.harness import ALL_GAMES, CODEC, MASTER

__all__ = ["BLIND", "TOOLS", "audited", "found_in", "looked_at"]

TOOLS = Tools.of(ALL_GAMES, CODEC, [MasterKey(MASTER, RealWorld())])
BLIND = Tools.of(ALL_GAMES, CODEC)
"""Without a key."""


def looked_at(
    commits: Sequence[Commit],
    *,
    only: Iterable[UUID] | None = None,
    tools: Tools = TOOLS,
    head: int | None = None,
    newest: int = 0,
) -> Result:
    """The audit of some commits; ``only``: of these streams, and of the log as a whole."""
    source = Recorded(commits, head)
    standing = source.standing()
    streams = [size.stream for size in standing.streams] if only is None else list(only)
    findings = Findings()
    check_log(source.log(standing.head), standing.head, findings, NoCheckpoints())
    log = Result()
    log.take(findings)
    return joined(
        [
            log,
            *(
                audit_stream(
                    tools,
                    stream,
                    source.commits(stream, standing.head),
                    newest=newest or standing.newest,
                    partners=source.following,
                    openings=lambda other: next(source.commits(other, standing.head), None),
                )
                for stream in streams
            ),
        ]
    )


def found_in(commits: Sequence[Commit], **settings: Any) -> list[Finding]:
    """What an audit of some commits finds."""
    return looked_at(commits, **settings).findings


def audited(dsn: str, monkeypatch: Any, tools: Tools = TOOLS) -> Audited:
    """The audit of a database, in this process."""
    monkeypatch.setattr(whole, "_tools", lambda keys, noted: tools)
    with connected(dsn) as source:
        standing = source.standing()
    plan = Plan(partial(connected, dsn), (), standing.head, standing.newest)
    return audit(plan, standing, 1, lambda _: None)
