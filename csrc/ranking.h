/* ranking.h: what the tiers of the ranking core share.
 *
 * A tier ranks hands with the instructions of some processors.  All tiers give the same words; the
 * steps for one hand are in ranking_scalar.h, those for sixteen at a time in ranking_vector.h,
 * and a tier is one of them compiled for its processors.
 */
#ifndef KARTEJO_RANKING_H
#define KARTEJO_RANKING_H

#include <string.h>

#include "kartejo.h"

/* Only x86-64 has tiers of its own; KJ_PORTABLE_ONLY leaves them out, to test what others get. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(KJ_PORTABLE_ONLY)
#define KJ_X86 1
#else
#define KJ_X86 0
#endif

typedef struct {
    uint32_t (*one)(uint64_t cards, bool ace_low);
    size_t (*many)(const uint64_t *sets, size_t n, bool ace_low, uint32_t *out);
} kj_ranking_tier;

extern const kj_ranking_tier kj_ranking_portable;
#if KJ_X86
extern const kj_ranking_tier kj_ranking_bmi2, kj_ranking_avx2, kj_ranking_avx512;
/* What the bmi2 tier does for one hand, for the hands that a vector leaves over. */
uint32_t kj_strength_bmi2(uint64_t cards, bool ace_low);
#endif

enum { /* class codes, in the order of strength */
    KJ_HIGH_OR_PAIR,
    KJ_TWO_PAIR,
    KJ_THREE,
    KJ_STRAIGHT,
    KJ_FLUSH,
    KJ_FULL_HOUSE,
    KJ_FOUR,
    KJ_STRAIGHT_FLUSH
};

/* Steps must be inlined into the functions that name the instructions. */
#define KJ_INLINE static inline __attribute__((always_inline))

/* Item i of an array that may lie at any address: buffers of Python need not be aligned. */
KJ_INLINE uint64_t kj_set_at(const uint64_t *sets, size_t i) {
    uint64_t cards;
    memcpy(&cards, (const unsigned char *)sets + i * sizeof cards, sizeof cards);
    return cards;
}

KJ_INLINE void kj_put_word(uint32_t *out, size_t i, uint32_t word) {
    memcpy((unsigned char *)out + i * sizeof word, &word, sizeof word);
}

/* Whether a word of strength 0 belongs to no hand: the empty hand has it too. */
KJ_INLINE bool kj_no_hand(uint64_t cards, uint32_t word) { return word == 0 && cards != 0; }

#endif
