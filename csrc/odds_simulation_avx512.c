/* odds_simulation_avx512.c: games of Royal Flush where a stock is one vector of 64 bytes.
 *
 * The piles lie side by side in one vector, in the order in which they will be gathered, so that
 * one permutation deals them; which cards are wanted is one comparison; and what is left of the
 * piles, pushed together, is the next stock.
 */
#include <string.h>

#include "ranking.h"
#include "royal_flush.h"

#define ROW 64
#define PACK 52
#define ROUNDS 5

#if KJ_X86
#include <immintrin.h>

#define TARGET                                                                              \
    __attribute__((target("avx512f,avx512vl,avx512bw,avx512bitalg,avx512vbmi,avx512vbmi2,"  \
                          "bmi,bmi2,lzcnt,popcnt")))

/* A deal: where each card of the row comes from in the stock, and the row's part of each pile. */
typedef struct {
    _Alignas(ROW) uint8_t from[ROW];
    uint64_t pile[ROUNDS];
} layout;

/* Pile j of n in the order in which its cards leave the stock (6.5): place i of it. */
static int place_of(const kj_rf_options *o, int stock, int n, int j, int i) {
    int share = stock / n, surplus = stock % n;
    return o->deal_style == KJ_RF_ROUND_ROBIN ? j + i * n
                                              : j * share + (j < surplus ? j : surplus) + i;
}

/* The row of a stock dealt into n piles.  Within a pile the cards lie as they are gathered: the
 * first one searched is the last of a pile that is turned, otherwise the first (7.1, 7.9). */
static void lay_out(const kj_rf_options *o, int stock, int n, layout *out) {
    bool as_dealt = (o->search_style == KJ_RF_CARD_BY_CARD) == (o->deal_style == KJ_RF_PACKET);
    bool turned = o->gather_style != KJ_RF_AS_THEY_LIE;
    int row = 0;
    memset(out, 0, sizeof *out);
    for (int k = 0; k < n; k++) {
        int j = o->gather_style == KJ_RF_TURN_PACKET ? k : n - 1 - k;
        int size = stock / n + (j < stock % n);
        out->pile[j] = ((UINT64_C(1) << size) - 1) << row;
        for (int i = 0; i < size; i++) {
            int dealt = as_dealt != turned ? i : size - 1 - i;
            out->from[row++] = (uint8_t)place_of(o, stock, n, j, dealt);
        }
    }
}

#define MEMO 2048

/* What is wanted after one claim or two, which is asked for again and again. */
typedef struct {
    struct {
        uint64_t claimed, wanted;
    } known[MEMO];
} memo;

static inline uint64_t wanted_after(const kj_rf_options *o, uint64_t claimed, memo *m) {
    uint64_t but_one = claimed & (claimed - 1);
    if ((but_one & (but_one - 1)) != 0) {
        return kj_rf_wanted(o, claimed);
    }
    size_t at = (size_t)(claimed * UINT64_C(0x9E3779B97F4A7C15) >> 32) % MEMO;
    if (m->known[at].claimed != claimed) {
        m->known[at].claimed = claimed;
        m->known[at].wanted = kj_rf_wanted(o, claimed);
    }
    return m->known[at].wanted;
}

/* The cards of a row that are in a set. */
TARGET static inline uint64_t among(__m512i row, uint64_t set) {
    return _mm512_bitshuffle_epi64_mask(_mm512_set1_epi64((long long)set), row);
}

/* What a search leaves of a pile: all from the card on at which it stops, nothing if at none. */
TARGET static inline uint64_t rest_of(uint64_t pile, uint64_t stops, bool turned) {
    uint64_t here = stops & pile;
    return turned ? _bzhi_u64(pile, 64 - (uint32_t)_lzcnt_u64(here)) : pile & -(here & -here);
}

/* Which cards are found matters as long as more cards are wanted than one hand has. */
TARGET static inline bool wins(const kj_rf_options *o, bool turned,
                               const layout (*layouts)[PACK + 1], uint64_t at_start, uint32_t k,
                               memo *m, const uint8_t *deck) {
    __m512i stock = _mm512_load_si512(deck);
    uint64_t claimed = 0, wanted = at_start;
    uint32_t size = PACK;
    bool open = (uint32_t)__builtin_popcountll(wanted) > k;
    for (int n = ROUNDS; n >= 1; n--) {
        const layout *to = &layouts[n - 1][size];
        __m512i row = _mm512_permutexvar_epi8(_mm512_load_si512(to->from), stock);
        uint64_t stops = among(row, wanted), keep = 0;
        int j = 0;
        if (open) {
            _Alignas(ROW) uint8_t cards[ROW];
            _mm512_store_si512(cards, row);
            for (; j < n && open; j++) {
                uint64_t rest = rest_of(to->pile[j], stops, turned);
                keep |= rest;
                if (rest == 0) {
                    continue;
                }
                int found = turned ? 63 - __builtin_clzll(rest) : __builtin_ctzll(rest);
                uint64_t card = UINT64_C(1) << cards[found];
                if ((claimed & card) == 0) {
                    claimed |= card;
                    wanted = wanted_after(o, claimed, m);
                    stops = among(row, wanted);
                    open = (uint32_t)__builtin_popcountll(wanted) > k;
                }
            }
        }
        for (; j < n; j++) {
            keep |= rest_of(to->pile[j], stops, turned);
        }
        stock = _mm512_maskz_compress_epi8(keep, row);
        size = (uint32_t)__builtin_popcountll(keep);
    }
    return size == k;
}

TARGET uint64_t kj_rf_wins_avx512(const kj_rf_options *options, const uint8_t *decks, size_t n) {
    layout layouts[ROUNDS][PACK + 1];
    for (int piles = 1; piles <= ROUNDS; piles++) {
        for (int stock = 0; stock <= PACK; stock++) {
            lay_out(options, stock, piles, &layouts[piles - 1][stock]);
        }
    }
    memo m;
    memset(&m, 0, sizeof m);
    uint64_t at_start = kj_rf_wanted(options, 0), won = 0;
    uint32_t k = kj_rf_hand_size(options);
    bool turned = options->gather_style != KJ_RF_AS_THEY_LIE;
    for (size_t i = 0; i < n; i++) {
        won += wins(options, turned, layouts, at_start, k, &m, decks + i * ROW);
    }
    return won;
}

bool kj_rf_has_vectors(void) {
    return kj_tier() == KJ_AVX512 && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512vbmi2");
}
#else
uint64_t kj_rf_wins_avx512(const kj_rf_options *options, const uint8_t *decks, size_t n) {
    (void)options, (void)decks, (void)n;
    return 0;
}

bool kj_rf_has_vectors(void) { return false; }
#endif
