"""A played log, copied for every test that damages it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import pytest
from psycopg.conninfo import make_conninfo

from service.store.commit import Commit
from service.store.embedded import EmbeddedServer
from tests.audit.played import fill, whole_log
from tests.pg import TEMPLATE, create
from tests.service.harness import run

_numbers = count(1)


@pytest.fixture(scope="session")
def played(pg: EmbeddedServer) -> str:
    """The name of a database with a played log, snapshots and projections."""
    create(pg, "audited", TEMPLATE)
    run(fill(make_conninfo(pg.conninfo, dbname="audited", user="kartejo_service")))
    return "audited"


@pytest.fixture(scope="session")
def played_log(pg: EmbeddedServer, played: str) -> Sequence[Commit]:
    """Its commits."""
    found: Sequence[Commit] = run(
        whole_log(make_conninfo(pg.conninfo, dbname=played, user="kartejo_service"))
    )
    return found


@pytest.fixture(scope="session")
def small_log(pg: EmbeddedServer) -> Sequence[Commit]:
    """A log of about a thousand events, of all games."""
    create(pg, "small", TEMPLATE)
    dsn = make_conninfo(pg.conninfo, dbname="small", user="kartejo_service")
    run(fill(dsn, actions=3, rounds=4))
    found: Sequence[Commit] = run(whole_log(dsn))
    return found


@pytest.fixture
def admin_dsn(pg: EmbeddedServer, played: str) -> str:
    """A copy of it, as the superuser."""
    name = f"audited_{next(_numbers)}"
    create(pg, name, played)
    return make_conninfo(pg.conninfo, dbname=name)
