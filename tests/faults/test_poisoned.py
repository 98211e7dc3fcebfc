"""One flipped byte in a stored commit: that table says so, and all others go on."""

from __future__ import annotations

from uuid import UUID

import grpc
import psycopg

from service.pb import table_service_pb2 as pb
from service.world import RealWorld
from tests.faults.conftest import Plan
from tests.faults.party import Party, party
from tests.faults.server import tokens
from tests.service.harness import failing, run, running

POISON = """
UPDATE kartejo.commit SET body = set_byte(body, octet_length(body) - 1,
                                          get_byte(body, octet_length(body) - 1) # 1)
 WHERE stream = %s AND version = (SELECT min(version) FROM kartejo.commit WHERE stream = %s
                                   AND version > 5)
"""
POISONED = "pontoon 0"


def seen(people: Party) -> dict[str, int]:
    """How much an onlooker has seen at each table."""
    found = {UUID(watch.table): len(watch.seen) for watch in people.lookers}
    return {name: found[stream] for name, stream in people.tables.items()}


def test_a_poisoned_record_hurts_its_own_table_only(dsn: str, admin_dsn: str, plan: Plan):
    """DATA_LOSS to whoever asks for it; whoever plays elsewhere does not notice."""

    async def scenario():
        async with (
            running(dsn, tokens=tokens(RealWorld())) as service,
            party([service.address]) as people,
        ):
            await people.acknowledged(60)
            # A repeat of what was answered just before would be DATA_LOSS, as it must be.
            await people.rise(POISONED)
            bad = people.tables[POISONED]
            with psycopg.connect(admin_dsn, autocommit=True) as db:
                db.execute("SET session_replication_role = replica")
                db.execute("DELETE FROM kartejo.snapshot")
                assert db.execute(POISON, (bad, bad)).rowcount == 1
            service.server.host.tables.forget(bad)
            asked = service.client("somebody")
            for call in (asked.get(str(bad)), asked.watched(str(bad)), asked.start(str(bad))):
                assert (await failing(call)).code is grpc.StatusCode.DATA_LOSS
            before = seen(people)
            await people.acknowledged(60)
            after = seen(people)
            grown = {name for name in before if after[name] > before[name]}
            assert grown == people.tables.keys() - {POISONED}
            listed = await asked.call(asked.tables.ListTables, pb.ListTablesRequest())
            good = {UUID(table.table_id) for table in listed.tables}
            assert good >= {people.tables[name] for name in grown}
            plan.told("a poisoned record", "DATA_LOSS at its table, the other three went on")

    run(scenario())
