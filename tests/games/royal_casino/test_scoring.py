"""Counting (royal_casino 7.1–7.5, 7.7.3): all rules near the target, piles made for the purpose."""

from __future__ import annotations

from engine.cards import PACK, suit_of
from engine.games.royal_casino.events import Item
from engine.games.royal_casino.groups import partition
from engine.games.royal_casino.options import believed_options
from engine.games.royal_casino.scoring import Count, count
from tests.games.royal_casino.tables import cards

FREE = (None, None)
SPECIAL = cards("Td 2s As Ac Ah Ad")


def counted(
    side0: str,
    *,
    sizes: tuple[int, int] = (26, 26),
    sweeps: tuple[int, int] = (0, 0),
    before: tuple[int, int] = (0, 0),
    locks: tuple[Item | None, Item | None] = FREE,
    barred: frozenset[int] = frozenset(),
    **options: str,
) -> Count:
    """Side 0 holds the cards named, side 1 the other special ones; spades are shared 7 to 6."""
    first = list(cards(side0))
    second = [card for card in SPECIAL if card not in first]
    spades = [card for card in PACK if suit_of(card) == 3 and card not in {*first, *second}]
    while spades:
        held = sum(suit_of(card) == 3 for card in first)
        (first if held < 7 else second).append(spades.pop())
    rest = [card for card in PACK if card not in {*first, *second}]
    while rest:
        (first if len(first) < sizes[0] else second).append(rest.pop())
    assert (len(first), len(second)) == sizes
    piles = (tuple(first), tuple(second))
    return count(believed_options(options), piles, sweeps, before, locks, barred)


def points(found: Count) -> list[tuple[int | None, int]]:
    return [(scored.side, scored.points) for scored in found.items]


def test_all_items_in_their_order() -> None:
    """7.2."""
    found = counted("Td As Ac", sizes=(27, 25), sweeps=(1, 3))
    assert [scored.item for scored in found.items] == list(Item)
    told = [(0, 3), (0, 1), (0, 2), (1, 1), (0, 1), (0, 1), (1, 1), (1, 1), (1, 2)]
    assert points(found) == told
    assert found.after == (8, 5)
    assert (found.counts, found.spades) == ((27, 25), (7, 6))


def test_a_tie_gives_the_item_to_nobody_and_no_sweep_has_no_item() -> None:
    """7.2, 7.3.3, 7.8."""
    found = counted("Td 2s As Ac Ah Ad", sweeps=(2, 2))
    assert points(found)[0] == (None, 0)
    assert Item.SWEEPS not in [scored.item for scored in found.items]
    assert found.after == (8, 0)


def test_a_locked_side_scores_its_item_alone() -> None:
    """7.5.2; its sweeps still cancel (7.5.5)."""
    locked = (Item.LITTLE_CASINO, None)
    found = counted("2s As", before=(20, 0), locks=locked, sweeps=(2, 3))
    assert found.after == (21, 6)  # Td, three aces, one sweep net
    assert found.automatic == (0,)
    assert points(found)[1] == (0, 0)
    missed = counted("Td As", before=(20, 0), locks=locked, sweeps=(3, 1))
    assert missed.after[0] == 20
    assert points(missed)[-1] == (0, 0)


def test_a_capped_side_stops_one_below_the_target() -> None:
    """7.5.3: each award is what the total really gained."""
    first = (Item.MOST_CARDS, None)
    found = counted(
        "Td 2s As Ac", before=(18, 0), locks=first, sweeps=(4, 0), endgame_rule="capped"
    )
    told = [(None, 0), (0, 1), (0, 1), (0, 0), (0, 0), (0, 0), (1, 1), (1, 1), (0, 0)]
    assert points(found) == told
    assert found.after == (20, 2)
    swept = counted("Ac", before=(18, 0), locks=first, sweeps=(4, 0), endgame_rule="capped")
    assert points(swept)[-1] == (0, 0)  # spades and the ace have made it 20 before
    bare = counted(
        "", sizes=(20, 32), before=(18, 0), locks=first, sweeps=(1, 0), endgame_rule="capped"
    )
    assert points(bare)[-1] == (0, 1)  # at 18 sweeps count
    assert bare.after[0] == 20
    above = counted(
        "", before=(19, 0), locks=(Item.BIG_CASINO, None), sweeps=(1, 0), endgame_rule="capped"
    )
    assert points(above)[-1] == (0, 0)  # above 18 they do not
    assert above.after[0] == 20  # most spades


def test_a_capped_side_is_lifted_to_the_target_from_wherever_it_is() -> None:
    """7.5.3: the lock item ends its scoring."""
    found = counted(
        "Td 2s As", before=(19, 0), locks=(Item.BIG_CASINO, None), endgame_rule="capped"
    )
    assert points(found)[:5] == [(None, 0), (0, 1), (0, 1), (0, 0), (0, 0)]
    assert found.after[0] == 21
    assert found.automatic == (0,)


def test_one_by_one_the_first_to_reach_the_target_ends_the_count() -> None:
    """7.7.3."""
    found = counted("Td 2s", sizes=(27, 25), before=(16, 20), count_order="sequential")
    assert points(found) == [(0, 3), (0, 1), (0, 2)]
    assert (found.first, found.after) == (0, (22, 20))
    passed = counted(
        "Td 2s", sizes=(27, 25), before=(16, 0), count_order="sequential", barred=frozenset({0})
    )
    assert passed.first is None
    assert len(passed.items) == 8


def test_a_deal_gives_seven_points_at_least() -> None:
    """7.4."""
    assert sum(counted("").after) >= 7


def test_cards_are_divided_in_the_canonical_way() -> None:
    """6.7, 2.6: lowest card first, the least list of places among those that leave a rest."""
    assert partition(cards("4c 4s"), 4) == (cards("4c"), cards("4s"))
    assert partition(cards("4c 4s"), 8) == (cards("4c 4s"),)
    assert partition(cards("Ac Ad"), 2) == (cards("Ac Ad"),)
    assert partition(cards("Ac Ad"), 14) == (cards("Ac"), cards("Ad"))
    assert partition(cards("Kd Ac Ad"), 14) == (cards("Kd Ac"), cards("Ad"))
    assert partition(cards("5d 3d 2d 2c 3c 5c"), 10) == (cards("2c 2d 3c 3d"), cards("5c 5d"))
    assert partition(cards("2c 3c 4c 4d 6c"), 10) is None
    assert partition(cards("2c 3c 3d 4c 8d"), 10) == (cards("2c 8d"), cards("3c 3d 4c"))
    # 2c 3c 5c comes first, but would leave 5d 8c, which is no ten.
    assert partition(cards("2c 3c 5c 5d 7c 8c"), 10) == (
        cards("2c 8c"),
        cards("3c 7c"),
        cards("5c 5d"),
    )
    assert partition((), 9) == ()
    assert partition(cards("9c"), 10) is None
