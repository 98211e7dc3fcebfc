/* ranking_bmi2.c: the tier for x86-64 with bit deposit and population count. */
#include "ranking.h"

#if KJ_X86
#include <immintrin.h>

#define TARGET __attribute__((target("bmi,bmi2,popcnt")))

KJ_INLINE TARGET uint32_t count(uint64_t set) { return (uint32_t)__builtin_popcountll(set); }

/* A count + 11 reaches bit 4 exactly from five cards on, and 13 stay below bit 5. */
KJ_INLINE TARGET uint32_t any_flush(uint64_t set) {
    uint32_t clubs = count((uint16_t)set) + 11, diamonds = count((uint16_t)(set >> 16)) + 11;
    uint32_t hearts = count((uint16_t)(set >> 32)) + 11, spades = count(set >> 48) + 11;
    return (clubs | diamonds | hearts | spades) & 16;
}

/* Ones from bit (count - keep) on, dealt out to the ranks from the lowest: a shift by 32 would
 * be all ones from bit 0 on, and a shift by more, where the ranks are fewer, still is. */
KJ_INLINE TARGET uint32_t best(uint32_t ranks, uint32_t keep) {
    uint32_t shift = 32 + keep - count(ranks);
    return _pdep_u32((uint32_t)(UINT64_C(0xFFFFFFFF00000000) >> shift), ranks);
}

#include "ranking_scalar.h"

TARGET uint32_t kj_strength_bmi2(uint64_t cards, bool ace_low) { return strength(cards, ace_low); }

TARGET static size_t many(const uint64_t *sets, size_t n, bool ace_low, uint32_t *out) {
    return ace_low ? one_by_one(sets, n, true, out) : one_by_one(sets, n, false, out);
}

const kj_ranking_tier kj_ranking_bmi2 = {kj_strength_bmi2, many};
#endif
