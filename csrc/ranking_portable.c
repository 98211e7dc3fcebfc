/* ranking_portable.c: the tier that every compiler and processor has. */
#define TARGET
#include "ranking.h"

/* As kj_count, for the ranks of one lane. */
KJ_INLINE uint32_t count_of_lane(uint32_t ranks) { return (uint32_t)kj_lane_counts(ranks); }

KJ_INLINE uint32_t count(uint64_t set) { return kj_count(set); }

/* The count of a lane + 11 reaches bit 4 exactly from five cards on, and 13 stay below bit 5. */
KJ_INLINE uint64_t any_flush(uint64_t set) {
    return (kj_lane_counts(set) + UINT64_C(0x000B000B000B000B)) & UINT64_C(0x0010001000100010);
}

/* Dropping the low ranks is the shorter way: of n cards that make no straight, n - 5 never count,
 * so the loop runs equally often for most hands of one size and is well predicted. */
KJ_INLINE uint32_t best(uint32_t ranks, uint32_t keep) {
    for (uint32_t left = count_of_lane(ranks); left > keep; left--) {
        ranks &= ranks - 1;
    }
    return ranks;
}

#include "ranking_scalar.h"

static uint32_t one(uint64_t cards, bool ace_low) { return strength(cards, ace_low); }

static size_t many(const uint64_t *sets, size_t n, bool ace_low, uint32_t *out) {
    return ace_low ? one_by_one(sets, n, true, out) : one_by_one(sets, n, false, out);
}

const kj_ranking_tier kj_ranking_portable = {one, many};
