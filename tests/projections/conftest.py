"""A database with a played log, copied for every test."""

from __future__ import annotations

from itertools import count

import pytest
from psycopg.conninfo import make_conninfo

from service.store.embedded import EmbeddedServer
from tests.pg import TEMPLATE, create
from tests.projections.log import filled
from tests.service.harness import run

_numbers = count(1)


@pytest.fixture(scope="session")
def played(pg: EmbeddedServer) -> str:
    """The name of a database whose projections serve all of a log."""
    create(pg, "played", TEMPLATE)
    run(filled(make_conninfo(pg.conninfo, dbname="played", user="kartejo_service")))
    return "played"


@pytest.fixture
def admin_dsn(pg: EmbeddedServer, played: str) -> str:
    """A copy of it, as the superuser."""
    name = f"projected_{next(_numbers)}"
    create(pg, name, played)
    return make_conninfo(pg.conninfo, dbname=name)
