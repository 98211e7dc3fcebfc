"""Fixtures of the service's tests."""

from __future__ import annotations

import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from service.store.embedded import EmbeddedServer
from tests.pg import TEMPLATE, create


@pytest.fixture
def other_dsn(pg: EmbeddedServer, dsn: str) -> str:
    """A second new database, as the login that the service uses."""
    name = f"{conninfo_to_dict(dsn)['dbname']}_other"
    create(pg, name, TEMPLATE)
    return make_conninfo(dsn, dbname=name)
