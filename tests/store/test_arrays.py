"""Packed arrays are what PostgreSQL reads back."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.store.arrays import (
    Packed,
    byteas,
    int2s,
    int4s,
    int8s,
    read_int4s,
    register,
    uuids,
)

CASES: dict[str, tuple[Callable[[Sequence[Any]], Packed], st.SearchStrategy[Any]]] = {
    "smallint[]": (int2s, st.integers(-(2**15), 2**15 - 1)),
    "integer[]": (int4s, st.integers(-(2**31), 2**31 - 1)),
    "bigint[]": (int8s, st.integers(-(2**63), 2**63 - 1)),
    "bytea[]": (byteas, st.binary(max_size=300)),
    "uuid[]": (uuids, st.none() | st.builds(UUID, int=st.integers(0, 2**128 - 1))),
}


@pytest.fixture(scope="module")
def line(pg: Any) -> Any:
    """A connection that sends packed arrays."""
    with psycopg.connect(pg.conninfo, autocommit=True) as db:
        register(db)
        yield db


@pytest.mark.parametrize("name", CASES)
def test_array_comes_back_as_it_was(line: psycopg.Connection, name: str) -> None:
    pack, element = CASES[name]

    @settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(element, max_size=20))
    def property_holds(values: list[Any]) -> None:
        query = f"SELECT %b, pg_typeof(%b)::text = '{name}'"
        row = line.execute(query, (pack(values), pack(values)), binary=True).fetchone()
        assert row == (values, True)

    property_holds()


@pytest.mark.parametrize(("pack", "bits"), [(int2s, 16), (int4s, 32), (int8s, 64)])
def test_number_that_does_not_fit_is_refused(
    pack: Callable[[Sequence[int]], Packed], bits: int
) -> None:
    for wrong in (2 ** (bits - 1), -(2 ** (bits - 1)) - 1):
        with pytest.raises(struct.error):
            pack([wrong])


@given(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=9))
def test_integers_are_read_from_their_array(values: list[int]) -> None:
    assert read_int4s(int4s(values)) == tuple(values)


def test_no_array_and_an_empty_one_have_no_integers(line: psycopg.Connection) -> None:
    row = line.execute("SELECT '{}'::integer[], NULL::integer[], '{7,-8}'::integer[]", binary=True)
    found = row.pgresult
    assert found is not None
    assert [read_int4s(found.get_value(0, i)) for i in range(3)] == [(), (), (7, -8)]
