"""Laws of generated values: some examples at all times, many in ``make test-all``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

__all__ = ["examples"]

Law = Callable[..., None]


def examples(
    daily: int, long: int, *values: st.SearchStrategy[Any], same: bool = False
) -> Callable[[Law], Callable[[int], None]]:
    """Make a test of a law, of so many examples of its arguments; ``same``: in every run."""

    def of(law: Law) -> Callable[[int], None]:
        @pytest.mark.parametrize("number", [daily, pytest.param(long, marks=pytest.mark.long)])
        def test(number: int) -> None:
            some = settings(
                max_examples=number,
                deadline=None,
                derandomize=same,
                database=None,
                suppress_health_check=[HealthCheck.too_slow],
            )
            some(given(*values)(law))()

        test.__name__, test.__doc__ = law.__name__, law.__doc__
        return test

    return of
