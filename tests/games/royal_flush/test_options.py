"""Options of Royal Flush.  royal_flush 3."""

from __future__ import annotations

from itertools import product

import pytest

from engine.actions import OpenTable
from engine.errors import Refused
from engine.events import TableOpened
from engine.games.royal_flush.options import OPTIONS, read_options
from engine.kernel import HOST
from tests.games.royal_flush.tables import Play

MODES = ("royal_flush", "straight_flush", "four_of_a_kind", "full_house", "named_cards")


def test_options_stand_in_the_order_of_the_table_with_their_defaults() -> None:
    """3, C9."""
    (opened,) = Play.opened().events
    assert opened == TableOpened(
        "royal_flush",
        (
            ("deal_style", "round_robin"),
            ("search_style", "turn_pile"),
            ("gather_style", "turn_packet"),
            ("target_mode", "royal_flush"),
            ("target_suit", "none"),
            ("target_rank", "none"),
            ("target_pair_rank", "none"),
            ("named_cards", "none"),
            ("on_timeout", "auto_play"),
            ("turn_seconds", "30"),
            ("time_bank_seconds", "60"),
        ),
        (),
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("jokers", "2"),  # unknown
        ("deal_style", "spiral"),
        ("deal_style", "Round_Robin"),
        ("deal_style", ""),
        ("deal_style", "none"),  # null where there is none
        ("deal_style", "-"),
        ("on_timeout", "none"),
        ("target_suit", "x"),
        ("target_suit", "cd"),
        ("target_suit", ""),
        ("target_rank", "10"),
        ("target_rank", "1"),
        ("target_rank", ""),
        ("named_cards", ""),
        ("named_cards", "Ah,Ah"),
        ("named_cards", "Ah Kh"),
        ("named_cards", "Ah,??"),
        ("named_cards", "ah"),
        ("named_cards", "2c,3c,4c,5c,6c,7c"),
        ("turn_seconds", "4"),
        ("turn_seconds", "601"),
        ("turn_seconds", "30s"),
        ("turn_seconds", "³"),
        ("turn_seconds", "1_0"),
        ("turn_seconds", "none"),
        ("time_bank_seconds", "-1"),
        ("time_bank_seconds", "601"),
        ("time_bank_seconds", "9" * 5000),
    ],
)
def test_a_value_that_is_none_of_its_option_is_refused(name: str, text: str) -> None:
    """3.1: unknown, wrong type, out of range, null where there is none, a card named twice."""
    mode = {"target_mode": "named_cards"} if name == "named_cards" else {}
    play = Play()
    assert play.refused(HOST, OpenTable({**mode, name: text})) == "INVALID_OPTIONS"
    assert play.state.phase == "NONE"


def _expected(search: str, gather: str) -> bool:
    return search == "turn_pile" or gather == "as_they_lie"


def test_card_by_card_wants_as_they_lie() -> None:
    """3.1 (a); the default of ``gather_style`` does not follow."""
    for search, gather in product(
        ("turn_pile", "card_by_card"), ("turn_packet", "turn_piles", "as_they_lie")
    ):
        options = {"search_style": search, "gather_style": gather}
        assert _accepts(options) == _expected(search, gather)
    assert not _accepts({"search_style": "card_by_card"})


def _accepts(options: dict[str, str]) -> bool:
    reason = ""
    try:
        read_options(options)
    except Refused as no:
        reason = no.reason
    assert reason in {"", "INVALID_OPTIONS"}
    return not reason


def test_every_combination_of_mode_and_parameters() -> None:
    """3.1 (b)–(e), each parameter absent or given, the equal pair and the low tops among them."""
    suits = ("none", "h")
    ranks = ("none", "2", "4", "5", "A")
    named = ("none", "Ah", "Ah,2c")
    for mode, suit, rank, pair, names in product(MODES, suits, ranks, ranks, named):
        options = {
            "target_mode": mode,
            "target_suit": suit,
            "target_rank": rank,
            "target_pair_rank": pair,
            "named_cards": names,
        }
        legal = (
            (suit == "none" or mode in {"royal_flush", "straight_flush"})
            and (rank == "none" or mode not in {"royal_flush", "named_cards"})
            and not (mode == "straight_flush" and rank in {"2", "3", "4"})
            and (pair == "none" or (mode == "full_house" and pair != rank))
            and (names != "none") == (mode == "named_cards")
        )
        assert _accepts(options) == legal, options


@pytest.mark.parametrize("rank", "56789TJQKA")
def test_a_straight_flush_may_end_at_five_to_ace(rank: str) -> None:
    assert _accepts({"target_mode": "straight_flush", "target_rank": rank})


def test_the_order_of_named_cards_has_no_meaning() -> None:
    """3.1: two spellings are one table; the event has the canonical one."""
    one, two = (
        Play.opened(target_mode="named_cards", named_cards=names).events
        for names in ("Ks,2c,Ah", "2c,Ah,Ks")
    )
    assert one == two
    assert isinstance(one[0], TableOpened)
    assert dict(one[0].options)["named_cards"] == "2c,Ah,Ks"


def test_start_facts_are_refused() -> None:
    """6.3: ``start`` is empty."""
    assert Play().refused(HOST, OpenTable({}, {"dealer": "0"})) == "INVALID_OPTIONS"


def test_an_open_table_is_not_opened_again_whatever_the_options() -> None:
    """6.3: the phase comes first."""
    assert Play.opened().refused(HOST, OpenTable({"jokers": "2"})) == "WRONG_PHASE"


def test_each_option_says_what_it_expects() -> None:
    for option in OPTIONS:
        assert option.meaning
        assert option.expected
