/* ranking_vector.h: the strength of sixteen hands at a time, in 256-bit vectors of 16-bit lanes.
 * A tier defines, before it includes this file,
 *
 *   TARGET            the attribute that names its instructions
 *   LOGIC(name, f)    name(a, b, c): the function f of three bits A, B, C, for every bit of three
 *                     vectors
 *   reverse(v)        the bits of each byte in reverse
 *   counts(v)         the number of ones in each lane
 *
 * Sets come in as words of four suits and are transposed into four vectors, one for each suit, a
 * lane for each hand.  In a lane the ranks lie in reverse, ace at bit 3, deuce at bit 15: so the
 * highest rank is the lowest bit, which takes two instructions to find (x & -x) or to drop
 * (x & x - 1).  Conditions are masks, lanes of ones or zeros; nothing branches, and the time does
 * not depend on the hands.  The exception are those that need a second look, because two suits have
 * five cards or because they are no hands: they are ranked again, one by one.
 */
#include <immintrin.h>

#include "ranking.h"

#define V_INLINE TARGET KJ_INLINE
#define BLOCK 16   /* hands in a vector */
#define AHEAD 2048 /* the sets between those that are ranked and those that are fetched */

typedef __m256i lanes;

LOGIC(any, A | B | C)
LOGIC(all, A & B & C)
LOGIC(majority, (A & B) | (C & (A | B)))
LOGIC(choose, (A & B) | (~A & C))
LOGIC(a_or_bc, A | (B & C))
LOGIC(a_not_bc, A & ~(B | C))
LOGIC(a_not_both, A & ~(B & C))
LOGIC(no_a_nor_b_alone, ~A & (~B | C))
LOGIC(none_of, ~(A | B | C))

V_INLINE lanes each(uint16_t x) { return _mm256_set1_epi16((short)x); }
V_INLINE lanes none(lanes x) { return _mm256_cmpeq_epi16(x, _mm256_setzero_si256()); }
V_INLINE lanes more(lanes x, uint16_t than) { return _mm256_cmpgt_epi16(x, each(than)); }
V_INLINE lanes sum(lanes a, lanes b) { return _mm256_add_epi16(a, b); }
V_INLINE lanes up(lanes x, int by) { return _mm256_slli_epi16(x, by); }
V_INLINE lanes down(lanes x, int by) { return _mm256_srli_epi16(x, by); }

/* The highest rank of each lane, alone. */
V_INLINE lanes top(lanes ranks) {
    return ranks & _mm256_sub_epi16(_mm256_setzero_si256(), ranks);
}

/* The ranks without the highest one, in the lanes of a mask: a mask is -1 or 0, and x & x is x. */
V_INLINE lanes drop(lanes ranks, lanes mask) { return ranks & sum(ranks, mask); }

typedef struct {
    lanes c, d, h, s;
} suits;

/* Two sets from each of two places, one half of the vector each. */
V_INLINE lanes two_and_two(const uint64_t *low, const uint64_t *high) {
    __m128i half = _mm_loadu_si128((const __m128i *)high);
    return _mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)low)), half, 1);
}

/* Sixteen sets, transposed: lane i belongs to sets[i].  The bytes of a lane are exchanged. */
V_INLINE suits load(const uint64_t *sets) {
    /* the suits of two neighbours side by side, with exchanged bytes: half a reversal */
    const lanes pairs = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(1, 0, 9, 8, 3, 2, 11, 10, 5, 4, 13, 12, 7, 6, 15, 14));
    lanes x0 = _mm256_shuffle_epi8(two_and_two(sets, sets + 8), pairs);
    lanes x1 = _mm256_shuffle_epi8(two_and_two(sets + 2, sets + 10), pairs);
    lanes x2 = _mm256_shuffle_epi8(two_and_two(sets + 4, sets + 12), pairs);
    lanes x3 = _mm256_shuffle_epi8(two_and_two(sets + 6, sets + 14), pairs);
    lanes minor01 = _mm256_unpacklo_epi32(x0, x1), minor23 = _mm256_unpacklo_epi32(x2, x3);
    lanes major01 = _mm256_unpackhi_epi32(x0, x1), major23 = _mm256_unpackhi_epi32(x2, x3);
    return (suits){
        .c = _mm256_unpacklo_epi64(minor01, minor23),
        .d = _mm256_unpackhi_epi64(minor01, minor23),
        .h = _mm256_unpacklo_epi64(major01, major23),
        .s = _mm256_unpackhi_epi64(major01, major23),
    };
}

/* The words of sixteen hands from their halves, which are reversed. */
V_INLINE void store(lanes high, lanes low, uint32_t *out) {
    const lanes bytes = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
    high = reverse(high);
    low = reverse(low);
    lanes even = _mm256_shuffle_epi8(_mm256_unpacklo_epi16(low, high), bytes); /* 0-3, 8-11 */
    lanes odd = _mm256_shuffle_epi8(_mm256_unpackhi_epi16(low, high), bytes);  /* 4-7, 12-15 */
    _mm_storeu_si128((__m128i *)out, _mm256_castsi256_si128(even));
    _mm_storeu_si128((__m128i *)(out + 4), _mm256_castsi256_si128(odd));
    _mm_storeu_si128((__m128i *)(out + 8), _mm256_extracti128_si256(even, 1));
    _mm_storeu_si128((__m128i *)(out + 12), _mm256_extracti128_si256(odd, 1));
}

/* Memory answers late: ask for a later block before this one is ranked.  Past the end it is no
 * error, as nothing is read. */
V_INLINE void fetch(const uint64_t *sets, const uint32_t *out) {
    uintptr_t later = (uintptr_t)sets + AHEAD * sizeof *sets;
    __builtin_prefetch((const void *)later);
    __builtin_prefetch((const void *)(later + 64));
    __builtin_prefetch((const void *)((uintptr_t)out + AHEAD * sizeof *out), 1);
}

/* Rank sixteen hands.  Two bits of the result are set for each that needs a second look. */
V_INLINE uint32_t rank(const uint64_t *sets, lanes ace_low, uint32_t *out) {
    const lanes every = each(0xFFFF);
    suits in = load(sets);
    lanes c = reverse(in.c), d = reverse(in.d), h = reverse(in.h), s = reverse(in.s);

    /* How often each rank occurs. */
    lanes some = any(c, d, h), pair = majority(c, d, h), triple = all(c, d, h);
    lanes once = some | s, twice = a_or_bc(pair, s, some);
    lanes thrice = a_or_bc(triple, s, pair), four = triple & s;

    /* The suit of five cards or more.  With at most nine cards there is only one. */
    lanes count_c = counts(in.c), count_d = counts(in.d);
    lanes count_h = counts(in.h), count_s = counts(in.s);
    lanes flush_c = more(count_c, 4), flush_d = more(count_d, 4);
    lanes flush_h = more(count_h, 4), flush_s = more(count_s, 4);
    lanes suited = a_or_bc(a_or_bc(a_or_bc(c & flush_c, d, flush_d), h, flush_h), s, flush_s);
    lanes no_flush = none(suited);

    /* Straights: one bit for each five ranks in a row, the ace also below the deuce.  A flush beats
     * a straight, so that beside one only a straight in its suit matters. */
    lanes row = a_or_bc(suited, once, no_flush);
    lanes next = a_or_bc(down(row, 1), up(row, 12), ace_low); /* the rank below is there */
    lanes two = row & next;
    lanes runs = all(two, down(two, 2), down(next, 3));
    lanes straight = top(runs), no_straight = none(runs);

    /* The primary ranks, as if there were neither. */
    lanes no_four = none(four);
    lanes most = a_or_bc(four, thrice, no_four);
    lanes no_three = none(most); /* nor four */
    lanes second = drop(twice, every);
    lanes no_second = none(second); /* fewer than two ranks occur twice */
    lanes primary = top(most);
    lanes full = a_not_bc(no_four, no_three, no_second);
    lanes one_rank = twice ^ primary; /* what is left for the pair of a full house */
    primary = a_or_bc(primary, twice ^ drop(second, every), no_three);

    /* Which of them count: a flush beats all but four and a full house, a straight the rest. */
    lanes small = no_four & ~full;
    lanes flush = small & ~no_flush;
    lanes runs_count = no_a_nor_b_alone(no_straight, no_flush, small);

    /* The other ranks: at most 5, 3, 2 or 1, that is, a source without what is left after so many
     * drops. */
    lanes source = choose(full, one_rank, choose(flush, suited, once ^ primary));
    lanes rest = drop(source, every);
    rest = drop(rest, a_or_bc(flush, no_second, no_four));
    rest = drop(rest, a_or_bc(flush, no_second, no_three));
    lanes five = flush | none(twice);
    rest = drop(drop(rest, five), five);
    lanes others = (source ^ rest) & ~runs_count;

    /* The class, reversed: 4, 2 and 1 are bits 0, 1 and 2; any straight has the 2 and the 1. */
    lanes class = a_not_both(each(1), small, no_flush);
    class = a_or_bc(class, none_of(no_three, full, flush), each(2));
    class = a_or_bc(class, a_not_bc(no_four, no_second, flush), each(4));
    lanes high = a_not_bc(primary, flush, runs_count);
    high = a_or_bc(high, straight | each(6), runs_count) | class;
    store(high, others, out);

    lanes cards = sum(sum(count_c, count_d), sum(count_h, count_s));
    lanes perhaps = a_or_bc(more(cards, 9), once, each(7)); /* ten cards, or bits that are none */
    if (__builtin_expect(_mm256_testz_si256(perhaps, perhaps), 1)) {
        return 0;
    }
    lanes flushes = sum(sum(flush_c, flush_d), sum(flush_h, flush_s)); /* -1 for each */
    lanes several = _mm256_cmpgt_epi16(every, flushes);
    lanes bad = more(cards, KJ_MOST_CARDS) | ~none(once & each(7));
    return (uint32_t)_mm256_movemask_epi8(several | bad);
}

/* Rank again what needs a second look.  The first of the hands that is none, BLOCK if all are. */
static unsigned look_again(const uint64_t *sets, uint32_t which, bool ace_low, uint32_t *out) {
    unsigned first_bad = BLOCK;
    while (which != 0) {
        unsigned i = (unsigned)__builtin_ctz(which) / 2;
        which &= ~(UINT32_C(3) << 2 * i);
        uint64_t cards = kj_set_at(sets, i);
        uint32_t word = kj_strength_bmi2(cards, ace_low);
        kj_put_word(out, i, word);
        if (kj_no_hand(cards, word) && first_bad == BLOCK) {
            first_bad = i;
        }
    }
    return first_bad;
}

/* One block; as kj_strength_many. */
V_INLINE size_t block(const uint64_t *sets, lanes ace, bool ace_low, uint32_t *out) {
    uint32_t which = rank(sets, ace, out);
    return __builtin_expect(which == 0, 1) ? BLOCK : look_again(sets, which, ace_low, out);
}

TARGET static size_t many(const uint64_t *sets, size_t n, bool ace_low, uint32_t *out) {
    const lanes ace = each(ace_low ? 0x8000 : 0); /* where it lies below the deuce */
    size_t first_bad = n;
    size_t i = 0;
    for (; n - i >= BLOCK; i += BLOCK) {
        fetch(sets + i, out + i);
        size_t bad = block(sets + i, ace, ace_low, out + i);
        if (bad != BLOCK && first_bad == n) {
            first_bad = i + bad;
        }
    }
    if (i < n) { /* the rest, filled up with empty hands */
        uint64_t last_sets[BLOCK] = {0};
        uint32_t last_out[BLOCK];
        memcpy(last_sets, sets + i, (n - i) * sizeof *sets);
        size_t bad = block(last_sets, ace, ace_low, last_out);
        memcpy(out + i, last_out, (n - i) * sizeof *out);
        if (bad != BLOCK && first_bad == n) {
            first_bad = i + bad;
        }
    }
    return first_bad;
}
