"""From a secret to an order: fixed vectors, exactness, and no other source of chance."""

from __future__ import annotations

import ast
import doctest
from pathlib import Path

import pytest
from hypothesis import strategies as st

from engine import shuffle
from engine.cards import PACK, card_name
from engine.shuffle import MAX_ITEMS, MAX_LOTS, lots, order
from tests.examples import examples
from tests.native import twins

# key, the order it gives the pack: whoever checks a shuffle can check himself by these
ORDERS = {
    bytes(32): (
        "Qs Jd 7s 6d Jc 2s 9d Js Td 9s Kd 8d 6h 5s Ks Ts 2h Kh 7h Kc 9c Ac 3d 8s 6c 5c"
        " Qh 5h 4c Jh 9h Qd 2c 4d 7d 4s Ah 2d Tc 8h 6s Qc 3c 7c Th Ad 3h 5d 4h As 3s 8c"
    ),
    bytes(range(32)): (
        "4s Ts 9s Qh 9c 8c Qd 3h Ac Th Qc 8d 2c 3s Jc 6s 3c 5h 2d 8h Kd 4h Jh 2s Tc Td"
        " 6d 6h 7s 7d Ad 7h As 9d Js Ah 7c 6c 5c 4c 3d 2h Kh Jd 5s 5d Kc 8s Ks Qs 4d 9h"
    ),
    b"\xff" * 32: (
        "Tc 6d 9h 4d 9s Ac 6c Jd Js As 8d 3s 4c 3c 3h 2s Qc 6s 5s Qs Ks 2c 8s Kc 8c Kd"
        " Qh 5h Jc 7h Td Jh 5d 4h Qd Ah Ad Kh 3d 7c 8h Th 5c 2h 9c 7s Ts 9d 7d 4s 2d 6h"
    ),
}


def test_examples_in_the_docstrings_run():
    """Every example of engine.shuffle gives what it says."""
    result = doctest.testmod(shuffle)
    assert (result.failed, result.attempted) == (0, 2)


@pytest.mark.parametrize("key", ORDERS, ids=lambda key: key[:2].hex())
def test_fixed_keys_give_fixed_packs(key):
    """Orders never move: recorded secrets must give the recorded cards for ever."""
    assert " ".join(map(card_name, order(key, PACK))) == ORDERS[key]
    assert list(order(key, PACK)) == twins.shuffle(key, PACK)


@examples(20, 200, st.binary(min_size=32, max_size=32), st.lists(st.integers(0, 255), max_size=255))
def test_an_order_is_a_permutation_and_depends_on_positions_alone(key, pile):
    """Any items, repeated ones too, go where their positions go."""
    positions = order(key, range(len(pile)))
    assert sorted(positions) == list(range(len(pile)))
    assert order(key, pile) == tuple(pile[at] for at in positions)


def test_the_pile_is_left_as_it_is():
    """A list given in is not ordered in place."""
    pile = list(PACK)
    order(bytes(32), pile)
    assert pile == list(PACK)


@pytest.mark.parametrize("length", [0, 1, 31, 33, 64])
def test_keys_of_other_lengths_are_refused(length):
    """Exactly 32 bytes, so that C never reads beside them."""
    with pytest.raises(ValueError, match=f"a key has 32 bytes, this one {length}"):
        order(bytes(length), PACK)


@pytest.mark.parametrize("pile", [range(256), [1, 256], [-1]])
def test_other_piles_are_refused(pile):
    """At most 255 items, each 0…255."""
    with pytest.raises(ValueError):
        order(bytes(32), pile)


def test_nothing_but_the_key_decides():
    """The shuffle imports no clock and no generator."""
    tree = ast.parse(Path(shuffle.__file__).read_text(encoding="utf-8"))
    names = {
        name.split(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert names == {"__future__", "collections", "engine", "struct", "typing"}


@pytest.mark.parametrize("count", [0, 1, 2, MAX_ITEMS, MAX_ITEMS + 1, 700])
def test_lots_are_orders_of_any_size(count):
    """Many lots are drawn as few are: by the one specification."""
    key = bytes(range(32))
    assert list(lots(key, count)) == twins.shuffle(key, range(count))


def test_lots_have_bounds():
    """A draw has 16 bits, so that more numbers could not all be picked."""
    assert sorted(lots(bytes(32), MAX_LOTS)) == list(range(MAX_LOTS))
    with pytest.raises(ValueError, match="at most 65536 lots"):
        lots(bytes(32), MAX_LOTS + 1)
    with pytest.raises(ValueError, match="a key has 32 bytes"):
        lots(bytes(31), 300)
