"""What several files rank: it takes a second to list."""

from __future__ import annotations

from array import array
from itertools import combinations

import pytest

from tests.native import twins


@pytest.fixture(scope="session")
def all_fives() -> array[int]:
    """All five-card sets."""
    return array("Q", map(sum, combinations([twins.card_set([c]) for c in range(1, 53)], 5)))
