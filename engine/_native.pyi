# Types of the C core; csrc/kartejo.h says what each function means.

from typing import Any, Final, overload

from _typeshed import ReadableBuffer

class CData:
    # A pointer, array or structure of C; made by ffi.

    def __len__(self) -> int: ...
    def __getitem__(self, at: int, /) -> Any: ...
    def __add__(self, items: int, /) -> CData: ...
    def __lt__(self, other: CData, /) -> bool: ...

class _Lib:
    def kj_strength(self, cards: int, /) -> int: ...
    def kj_strength_ace_high(self, cards: int, /) -> int: ...
    def kj_strength_many(self, sets: CData, n: int, ace_low: bool, out: CData, /) -> int: ...
    def kj_best_tier(self) -> int: ...
    def kj_tier(self) -> int: ...
    def kj_use_tier(self, tier: int, /) -> int: ...
    def kj_category(self, strength: int, /) -> int: ...
    def kj_ranks(self, strength: int, /) -> int: ...
    def kj_best_cards(self, cards: int, ace_low: bool, /) -> int: ...
    def kj_chacha20_block(
        self, key: bytes | CData, counter: int, nonce: bytes | CData, out: CData, /
    ) -> None: ...
    def kj_pick(self, draw: int, bound: int, /) -> int: ...
    def kj_shuffle(self, key: bytes | CData, items: CData, n: int, /) -> None: ...
    def kj_shuffle_draws(self, draws: CData, draw_count: int, items: CData, n: int, /) -> int: ...
    def kj_rf_play(self, options: CData, deck: bytes | CData, out: CData, /) -> int: ...
    def kj_rf_play_many(
        self, options: CData, decks: bytes | CData, n: int, out: CData, played: CData, /
    ) -> int: ...
    def kj_rf_winning_places(
        self, styles: CData, pack: int, k: int, lowest: int, profiles: CData, /
    ) -> int: ...
    def kj_rf_weigh(
        self, profiles: CData, n: int, k: int, factors: CData, total: CData, /
    ) -> None: ...
    def kj_rf_simulate(
        self, options: CData, n: int, seed: bytes, first: int, deals: int, won: CData, /
    ) -> int: ...
    def kj_battles(
        self,
        ours: CData,
        our_worth: CData,
        n: int,
        theirs: CData,
        their_worth: CData,
        m: int,
        counts: CData,
        /,
    ) -> None: ...
    def kj_rc_plays(self, position: CData, plays: CData, limit: int, counts: CData, /) -> int: ...

    KJ_PORTABLE: Final = 0
    KJ_BMI2: Final = 1
    KJ_AVX2: Final = 2
    KJ_AVX512: Final = 3
    KJ_RF_ROUND_ROBIN: Final = 0
    KJ_RF_PILE_BY_PILE: Final = 1
    KJ_RF_PACKET: Final = 2
    KJ_RF_TURN_PILE: Final = 0
    KJ_RF_CARD_BY_CARD: Final = 1
    KJ_RF_TURN_PACKET: Final = 0
    KJ_RF_TURN_PILES: Final = 1
    KJ_RF_AS_THEY_LIE: Final = 2
    KJ_RF_ROYAL_FLUSH: Final = 0
    KJ_RF_STRAIGHT_FLUSH: Final = 1
    KJ_RF_FOUR_OF_A_KIND: Final = 2
    KJ_RF_FULL_HOUSE: Final = 3
    KJ_RF_NAMED_CARDS: Final = 4
    KJ_RF_ANY: Final = 255
    KJ_OK: Final = 0
    KJ_EINVAL: Final = -1
    KJ_EFAULT: Final = -2
    KJ_RC_HAND: Final = 4
    KJ_RC_LOOSE: Final = 16
    KJ_RC_BUILDS: Final = 16
    KJ_RC_OTHER: Final = 0
    KJ_RC_OWN: Final = 1
    KJ_RC_PARTNER: Final = 2
    KJ_RC_TRAIL: Final = 0
    KJ_RC_CAPTURE: Final = 1
    KJ_RC_BUILD: Final = 2

class _FFI:
    error: type[Exception]

    def new(self, cdecl: str, init: object = ..., /) -> Any: ...
    @overload
    def from_buffer(self, python_buffer: ReadableBuffer, /) -> CData: ...
    @overload
    def from_buffer(
        self, cdecl: str, python_buffer: ReadableBuffer, require_writable: bool = ...
    ) -> CData: ...
    def sizeof(self, cdecl: str | CData, /) -> int: ...
    def buffer(self, cdata: CData, size: int = ..., /) -> memoryview: ...

lib: _Lib
ffi: _FFI
