/* ranking.c: which tier ranks, and what a strength says.
 *
 * The strength of a set is worked out in ranking_scalar.h and ranking_vector.h.
 */
#include <assert.h>

#include "ranking.h"

/* The tiers from KJ_PORTABLE up. */
static const kj_ranking_tier *const tiers[] = {
    &kj_ranking_portable,
#if KJ_X86
    &kj_ranking_bmi2,
    &kj_ranking_avx2,
    &kj_ranking_avx512,
#endif
};

static int best_tier = KJ_PORTABLE;
static int tier = KJ_PORTABLE;

#if KJ_X86
/* When the core is loaded, before anybody can call it.  A tier needs all that lower ones need. */
__attribute__((constructor)) static void choose_tier(void) {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("popcnt")) {
        best_tier = KJ_BMI2;
        if (__builtin_cpu_supports("avx2")) {
            best_tier = KJ_AVX2;
            if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512bitalg") &&
                __builtin_cpu_supports("gfni")) {
                best_tier = KJ_AVX512;
            }
        }
    }
    tier = best_tier;
}
#endif

int kj_best_tier(void) { return best_tier; }

int kj_tier(void) { return tier; }

int kj_use_tier(int wanted) {
    if (wanted < KJ_PORTABLE || wanted > best_tier) {
        return KJ_EINVAL;
    }
    tier = wanted;
    return KJ_OK;
}

uint32_t kj_strength(uint64_t cards) { return tiers[tier]->one(cards, true); }

uint32_t kj_strength_ace_high(uint64_t cards) { return tiers[tier]->one(cards, false); }

size_t kj_strength_many(const uint64_t *sets, size_t n, bool ace_low, uint32_t *out) {
    return tiers[tier]->many(sets, n, ace_low, out);
}

uint32_t kj_category(uint32_t word) {
    uint32_t class = word >> 29;
    return class != KJ_HIGH_OR_PAIR ? class + 1 : (word >> 16) != 0;
}

uint32_t kj_ranks(uint32_t word) {
    uint32_t out = 0;
    int shift = 16;
    for (int half = 16; half >= 0; half -= 16) { /* primary ranks first */
        for (uint32_t left = word >> half & KJ_RANKS; left != 0 && shift >= 0; shift -= 4) {
            uint32_t rank = (uint32_t)(31 - __builtin_clz(left));
            out |= (rank + 2) << shift;
            left ^= 1u << rank;
        }
    }
    return out;
}

/* The ranks of the straight with the top card `high`: the ace again where the five is top. */
static inline uint32_t run(uint32_t high) {
    uint32_t ranks = high | high >> 1 | high >> 2 | high >> 3;
    return ranks | (high == 1u << 3 ? 1u << 12 : high >> 4);
}

/* Of each rank of `ranks` the `times` cards of the lowest suits. */
static uint64_t take(uint64_t cards, uint32_t ranks, int times) {
    uint64_t taken = 0;
    for (int i = 0; i < times; i++) {
        uint32_t open = ranks;
        for (unsigned suit = 0; suit < 4; suit++) {
            uint32_t lane = kj_lane(cards & ~taken, suit) & open;
            taken |= (uint64_t)lane << (16 * suit);
            open &= ~lane;
        }
    }
    return taken;
}

/* The ranks `ranks` in the lowest suit that has them all. */
static uint64_t take_suited(uint64_t cards, uint32_t ranks) {
    unsigned suit = 0;
    while ((kj_lane(cards, suit) & ranks) != ranks) {
        suit++;
        assert(suit < 4);
    }
    return (uint64_t)ranks << (16 * suit);
}

uint64_t kj_best_cards(uint64_t cards, bool ace_low) {
    uint32_t word = tiers[tier]->one(cards, ace_low);
    if (word == 0) {
        return 0;
    }
    uint32_t primary = word >> 16 & KJ_RANKS;
    uint32_t others = word & KJ_RANKS;
    switch (word >> 29) {
    case KJ_STRAIGHT:
        return take(cards, run(primary), 1);
    case KJ_FLUSH:
        return take_suited(cards, others);
    case KJ_STRAIGHT_FLUSH:
        return take_suited(cards, run(primary));
    case KJ_THREE:
        return take(cards, primary, 3) | take(cards, others, 1);
    case KJ_FULL_HOUSE:
        return take(cards, primary, 3) | take(cards, others, 2);
    case KJ_FOUR:
        return take(cards, primary, 4) | take(cards, others, 1);
    default: /* high card, pair, two pair */
        return take(cards, primary, 2) | take(cards, others, 1);
    }
}
