"""A played log, copied for every test that damages it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import pytest
from psycopg.conninfo import make_conninfo

from service.store.commit import Commit
from service.store.embedded import EmbeddedServer
from tests.audit.forging import Forger
from tests.audit.played import fill, whole_log
from tests.pg import TEMPLATE, create
from tests.service.harness import run

_numbers = count(1)


@pytest.fixture(scope="session")
def played_log(pg: EmbeddedServer) -> Sequence[Commit]:
    """A log with every game played for a while."""
    create(pg, "audited", TEMPLATE)
    dsn = service_dsn(pg, "audited")
    run(fill(dsn))
    found: Sequence[Commit] = run(whole_log(dsn))
    return found


@pytest.fixture(scope="session")
def forger(played_log: Sequence[Commit]) -> Forger:
    """Who may do what he likes to it."""
    return Forger(played_log)


@pytest.fixture(scope="session")
def small(pg: EmbeddedServer) -> str:
    """The name of a database with about a thousand events, of all games."""
    create(pg, "small", TEMPLATE)
    run(fill(service_dsn(pg, "small"), actions=3, rounds=4))
    return "small"


@pytest.fixture(scope="session")
def honest_dsn(pg: EmbeddedServer, small: str) -> str:
    """The database itself, for tests that only read."""
    return service_dsn(pg, small)


@pytest.fixture(scope="session")
def small_log(pg: EmbeddedServer, small: str) -> Sequence[Commit]:
    """Its commits."""
    found: Sequence[Commit] = run(whole_log(service_dsn(pg, small)))
    return found


@pytest.fixture
def admin_dsn(pg: EmbeddedServer, small: str) -> str:
    """A copy of it, as the superuser."""
    name = f"audited_{next(_numbers)}"
    create(pg, name, small)
    return make_conninfo(pg.conninfo, dbname=name)


def service_dsn(pg: EmbeddedServer, name: str) -> str:
    """A database, as the login that the service uses."""
    return make_conninfo(pg.conninfo, dbname=name, user="kartejo_service")
