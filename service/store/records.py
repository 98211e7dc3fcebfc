"""Many rows in one statement: as JSON, which the database takes apart by the names of columns.

One statement is one wait; and where a wait is interrupted, nothing half sent is left behind.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

__all__ = ["as_records"]


def as_records(rows: Iterable[Any]) -> str:
    """Named tuples as a JSON array of objects, for ``jsonb_populate_recordset``.

    >>> from typing import NamedTuple
    >>> as_records([NamedTuple("Row", [("n", int)])(3)])
    '[{"n": 3}]'
    """
    return json.dumps([row._asdict() for row in rows], default=str)
