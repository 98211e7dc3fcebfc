"""Whole games of Royal Flush in C against the slow twin and the worked examples."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import pytest

from engine._native import ffi, lib
from engine.cards import parse_card
from tests.native import twins
from tests.native.twins import DEALS, GATHERS, MODES, SEARCHES, Options, Outcome

STYLES = list(product(DEALS, SEARCHES, GATHERS))

TARGETS = [
    Options(),
    Options(suit=2),
    Options("straight_flush"),
    Options("straight_flush", suit=0),
    Options("straight_flush", rank=5),
    Options("straight_flush", suit=3, rank=9),
    Options("straight_flush", rank=14),
    Options("four_of_a_kind"),
    Options("four_of_a_kind", rank=2),
    Options("full_house"),
    Options("full_house", rank=14),
    Options("full_house", pair_rank=2),
    Options("full_house", rank=7, pair_rank=8),
    Options("named_cards", named=(1,)),
    Options("named_cards", named=(52, 1)),
    Options("named_cards", named=(13, 14, 26)),
    Options("named_cards", named=(5, 18, 31, 44, 52)),
]


def c_options(options: Options) -> object:
    """The C form of a twin's options; ranks 2…14 there are 0…12 here."""

    def rank(value: int | None) -> int:
        return lib.KJ_RF_ANY if value is None else value - 2

    return ffi.new(
        "kj_rf_options *",
        {
            "named": twins.card_set(options.named),
            "deal_style": DEALS.index(options.deal),
            "search_style": SEARCHES.index(options.search),
            "gather_style": GATHERS.index(options.gather),
            "target_mode": MODES.index(options.mode),
            "suit": lib.KJ_RF_ANY if options.suit is None else options.suit,
            "rank": rank(options.rank),
            "pair_rank": rank(options.pair_rank),
        },
    )


def outcome(raw: object) -> Outcome:
    pile = tuple(raw.pile)
    assert not any(pile[raw.size :])
    return Outcome(bool(raw.won), raw.excess, pile[: raw.size])


def c_play(options: Options, deck: tuple[int, ...]) -> Outcome:
    out = ffi.new("kj_rf_outcome *")
    assert lib.kj_rf_play(c_options(options), bytes(deck), out) == lib.KJ_OK
    return outcome(out)


def games(seed: str, targets: list[Options], decks: int) -> Iterator[tuple[Options, tuple]]:
    """Every style of every target with so many decks each."""
    draw = random.Random(seed)
    for target, (deal, search, gather) in product(targets, STYLES):
        options = target._replace(deal=deal, search=search, gather=gather)
        for _ in range(decks):
            yield options, tuple(draw.sample(range(1, 53), 52))


@pytest.mark.parametrize("mode", MODES)
def test_games_end_as_the_twin_plays_them(mode):
    """All styles, all modes, all parameters.  royal_flush 6.5–7.12."""
    targets = [target for target in TARGETS if target.mode == mode]
    decks = 3 if mode == "full_house" else 15
    played = list(games(mode, targets, decks))
    assert twins.differs(c_play, twins.play, played) is None
    results = {c_play(*game).won for game in played}
    assert results == {True, False}


def test_the_twin_can_fail():
    """A twin that gathers in another order is found out."""

    def twin(options: Options, deck: tuple[int, ...]) -> Outcome:
        return twins.play(options._replace(gather="as_they_lie"), deck)

    assert twins.differs(c_play, twin, games("fail", [Options()], 5)) is not None


def test_families_have_their_number_of_hands():
    """4, 40, 13 and 3,744 hands.  royal_flush 7.2."""
    sizes = [len(set(twins.family(Options(mode)))) for mode in MODES[:4]]
    assert sizes == [4, 40, 13, 3_744]


def cards(names: str) -> tuple[int, ...]:
    return tuple(map(parse_card, names.split()))


E07 = cards(
    "2d 6c 4d 4s Ac Td 6h 7h Jd 6d 3s 5s Kh Ks Ah 3h Jh 4h Tc Qd 6s 5h 5d 5c 7c Qs Jc As 2s 4c"
    " 9s 9d Ad 8s 8d 8h Qc 8c 2c Qh Ts Js 3c 7d 3d Kd Kc 9c 7s Th 9h 2h"
)
E12 = cards(
    "9h 2h 8d Ts 6c 3s 6d Qs 7s 5s Td 3h Ks 8s Qd 8c 9c Kh Jh 4c 9d 2c 5d Kd 9s 2s Ad 4h 2d 3c"
    " 8h Js Ac Jd Jc Th 7d 7c 7h Tc Qc 3d 6s 6h Kc 4s 4d 5h Ah As 5c Qh"
)


def test_one_deck_lost_by_default_and_won_when_piles_are_turned():
    """Worked example E7.  royal_flush 7.9, 7.11."""
    assert c_play(Options(), E07) == Outcome(False, 1, cards("Kd 8s Jd Td Ad Qd"))
    turned = Options(gather="turn_piles")
    assert c_play(turned, E07) == Outcome(True, 0, cards("Kd Ad Jd Qd Td"))


def test_full_house_won():
    """Worked example E12.  royal_flush 7.2, 7.5."""
    assert c_play(Options("full_house"), E12) == Outcome(True, 0, cards("9s 2s 9h 2h 2d"))


def test_many_decks_in_one_call():
    """A batch gives what single calls give, for every length."""
    draw = random.Random("batch")
    decks = [tuple(draw.sample(range(1, 53), 52)) for _ in range(40)]
    options = Options("straight_flush")
    for n in (0, 1, 2, 40):
        out = ffi.new("kj_rf_outcome[]", n)
        played = ffi.new("size_t *")
        buffer = b"".join(map(bytes, decks[:n]))
        assert lib.kj_rf_play_many(c_options(options), buffer, n, out, played) == lib.KJ_OK
        assert played[0] == n
        assert [outcome(out[i]) for i in range(n)] == [c_play(options, d) for d in decks[:n]]


def test_a_batch_stops_at_the_first_deck_that_is_no_pack():
    """The outcomes before it are there, and their number."""
    pack = bytes(range(1, 53))
    for bad in (pack[:-1] + b"\0", pack[:-1] + b"\x35", pack[:-1] + b"\x01", b"\xff" * 52):
        out = ffi.new("kj_rf_outcome[]", 3)
        played = ffi.new("size_t *")
        decks = pack + pack + bad
        code = lib.kj_rf_play_many(c_options(Options()), decks, 3, out, played)
        assert (code, played[0], out[2].size) == (lib.KJ_EINVAL, 2, 0)
        assert outcome(out[1]) == c_play(Options(), tuple(pack))


@pytest.mark.parametrize(
    "wrong",
    [
        {"deal_style": 3},
        {"search_style": 2},
        {"gather_style": 3},
        {"target_mode": 5},
        {"suit": 4},
        {"rank": 12},
        {"pair_rank": 3},
        {"named": 1},
        {"spare": 1},
        {"target_mode": 1, "rank": 2},
        {"target_mode": 1, "rank": 13},
        {"target_mode": 2, "suit": 1},
        {"target_mode": 2, "pair_rank": 1},
        {"target_mode": 3, "rank": 4, "pair_rank": 4},
        {"target_mode": 3, "pair_rank": 13},
        {"target_mode": 4},
        {"target_mode": 4, "named": 1 << 13},
        {"target_mode": 4, "named": 0x3F},
        {"target_mode": 4, "named": 1, "rank": 0},
    ],
)
def test_options_without_sense_are_refused(wrong):
    """Nothing is written; the checks are those of royal_flush 3.1 (b) to (e)."""
    options = c_options(Options())
    for name, value in wrong.items():
        setattr(options, name, value)
    out = ffi.new("kj_rf_outcome *", {"excess": 77})
    assert lib.kj_rf_play(options, bytes(range(1, 53)), out) == lib.KJ_EINVAL
    assert out.excess == 77
