"""One flipped byte in a stored commit: that table says so, and all others go on."""

from __future__ import annotations

from uuid import UUID

import grpc
import psycopg

from service.pb import table_service_pb2 as pb
from service.store.embedded import EmbeddedServer
from tests.faults.conftest import Plan
from tests.faults.party import Party, party
from tests.faults.process import Process
from tests.service.harness import failing, run

POISON = """
UPDATE kartejo.commit SET body = set_byte(body, octet_length(body) - 1,
                                          get_byte(body, octet_length(body) - 1) # 1)
 WHERE stream = %s AND version = (SELECT min(version) FROM kartejo.commit WHERE stream = %s
                                   AND version > 5)
"""


def test_a_poisoned_record_hurts_its_own_table_only(durable_pg: EmbeddedServer, plan: Plan):
    """DATA_LOSS to whoever asks for it; whoever plays elsewhere does not notice."""

    async def scenario():
        async with (
            Process(durable_pg.service_conninfo) as service,
            party([f"127.0.0.1:{service.port}"]) as people,
        ):
            await people.acknowledged(60)
            bad = people.tables["pontoon 0"]
            await service.kill()
            with psycopg.connect(durable_pg.conninfo, autocommit=True) as db:
                db.execute("SET session_replication_role = replica")
                db.execute("DELETE FROM kartejo.snapshot")
                assert db.execute(POISON, (bad, bad)).rowcount == 1
            await service.start()
            asked = service.client("somebody")
            for call in (
                asked.get(str(bad)),
                asked.watched(str(bad)),
                asked.start(str(bad)),
            ):
                assert (await failing(call)).code is grpc.StatusCode.DATA_LOSS
            before = {name: len(seen(people, name)) for name in people.tables}
            await people.acknowledged(60)
            after = {name: len(seen(people, name)) for name in people.tables}
            grown = {name for name in before if after[name] > before[name]}
            assert grown == people.tables.keys() - {"pontoon 0"}
            listed = await asked.call(asked.tables.ListTables, pb.ListTablesRequest())
            good = {UUID(table.table_id) for table in listed.tables}
            assert good >= {people.tables[name] for name in grown}
            plan.told("a poisoned record", "DATA_LOSS at its table, the other three went on")

    run(scenario())


def seen(people: Party, name: str) -> list[tuple[int, bytes]]:
    """What the first watch of a table has seen."""
    table = str(people.tables[name])
    return next(watch.seen for watch in people.watches if watch.table == table)
