"""Shared predicates of the common table rules (C2–C5).

Games decide the order of their checks themselves; what a check means is the same everywhere.
"""

from __future__ import annotations

from typing import Final, TypeGuard

from engine.errors import Refused

__all__ = ["MAX_CHIPS", "is_amount", "require_amount", "require_room"]

MAX_CHIPS: Final = 2**63 - 1
"""No amount, and no sum of the chips of a table, exceeds this (C2)."""


def is_amount(value: object, low: int = 0, high: int = MAX_CHIPS) -> TypeGuard[int]:
    """Whether a parameter is an integer from ``low`` to ``high``; truth values are none."""
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def require_amount(field: str, value: object, low: int = 0, high: int = MAX_CHIPS) -> int:
    """The parameter; raises ``Refused(BAD_PARAMETER)`` naming the field and its range."""
    if not is_amount(value, low, high):
        raise Refused("BAD_PARAMETER", field=field, expected=f"an integer {low} to {high}")
    return value


def require_room(field: str, sum_before: int, amount: int) -> None:
    """Refuse an amount that would carry a sum of chips past ``MAX_CHIPS`` (C2)."""
    if sum_before > MAX_CHIPS - amount:
        raise Refused("BAD_PARAMETER", field=field, expected=f"at most {MAX_CHIPS - sum_before}")
