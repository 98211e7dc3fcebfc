/* ranking.c: the strength of a set of cards.
 *
 * Rank sets by boolean algebra on the four lanes say how often each rank occurs; the strength
 * is the greatest of at most six candidates (pairs and their like, straight, one flush or
 * straight flush per suit).  The greatest is right without any case analysis, because every candidate
 * is the value of some five cards of the set.  No tables: the word is ordered as it stands.
 */
#include <assert.h>
#include <string.h>

#include "kartejo.h"

#define WORD(class, primary, others) ((uint32_t)(class) << 29 | (primary) << 16 | (others))

enum { /* class codes, in the order of strength */
    HIGH_OR_PAIR,
    TWO_PAIR,
    THREE,
    STRAIGHT,
    FLUSH,
    FULL_HOUSE,
    FOUR,
    STRAIGHT_FLUSH
};

/* The highest rank of a rank set, as a rank set. */
static inline uint32_t top(uint32_t ranks) {
    assert(ranks != 0);
    return UINT32_C(0x80000000) >> __builtin_clz(ranks);
}

/* The best `keep` ranks, or all if they are fewer.  Dropping the low ones is the shorter way: of
 * n cards that make no straight, n - 5 never count, so the loop runs equally often for most hands
 * of one size and is well predicted. */
static inline uint32_t best(uint32_t ranks, uint32_t keep) {
    for (uint32_t count = kj_count(ranks); count > keep; count--) {
        ranks &= ranks - 1;
    }
    return ranks;
}

/* The top cards of all straights in a rank set. */
static inline uint32_t straights(uint32_t ranks, bool ace_low) {
    uint32_t x = ranks << 1 | (ace_low ? ranks >> 12 : 0); /* the ace also below the deuce */
    uint32_t two = x & x >> 1;
    uint32_t four = two & two >> 2;
    return (four & x >> 4) << 3;
}

/* The ranks of the straight with the top card `high`: the ace again where the five is top. */
static inline uint32_t run(uint32_t high) {
    uint32_t ranks = high | high >> 1 | high >> 2 | high >> 3;
    return ranks | (high == 1u << 3 ? 1u << 12 : high >> 4);
}

/* The candidate that pairs, triples and fours give, or the bare ranks. */
static inline uint32_t by_ranks(uint32_t c, uint32_t d, uint32_t h, uint32_t s) {
    uint32_t once = c | d | h | s;
    uint32_t twice = (c & d) | (h & s) | ((c | d) & (h | s));
    if (twice == 0) {
        return WORD(HIGH_OR_PAIR, 0, best(once, 5));
    }
    uint32_t thrice = (c & d & (h | s)) | (h & s & (c | d));
    if (thrice == 0) {
        if ((twice & (twice - 1)) == 0) {
            return WORD(HIGH_OR_PAIR, twice, best(once ^ twice, 3));
        }
        uint32_t pairs = best(twice, 2);
        uint32_t rest = once ^ pairs;
        return WORD(TWO_PAIR, pairs, rest ? top(rest) : 0);
    }
    uint32_t all = c & d & h & s;
    if (all != 0) {
        uint32_t four = top(all);
        uint32_t rest = once ^ four;
        return WORD(FOUR, four, rest ? top(rest) : 0);
    }
    uint32_t three = top(thrice);
    if (twice != three) {
        return WORD(FULL_HOUSE, three, top(twice ^ three));
    }
    return WORD(THREE, three, best(once ^ three, 2));
}

/* The flush or straight flush of one suit that has five cards or more. */
static uint32_t in_suit(uint32_t ranks, bool ace_low) {
    uint32_t tops = straights(ranks, ace_low);
    return tops ? WORD(STRAIGHT_FLUSH, top(tops), 0) : WORD(FLUSH, 0, best(ranks, 5));
}

static inline uint32_t greater(uint32_t a, uint32_t b) { return a > b ? a : b; }

static inline uint32_t strength(uint64_t cards, bool ace_low) {
    cards &= KJ_LANES;
    uint32_t c = kj_lane(cards, 0), d = kj_lane(cards, 1);
    uint32_t h = kj_lane(cards, 2), s = kj_lane(cards, 3);
    uint32_t word = by_ranks(c, d, h, s);
    uint32_t tops = straights(c | d | h | s, ace_low);
    if (tops != 0) {
        word = greater(word, WORD(STRAIGHT, top(tops), 0));
    }
    /* count + 11 reaches bit 4 exactly from five cards on; 13 cards stay below bit 5 */
    uint64_t flushes = (kj_lane_counts(cards) + UINT64_C(0x000B000B000B000B)) &
                       UINT64_C(0x0010001000100010);
    if (flushes != 0) {
        for (unsigned suit = 0; suit < 4; suit++) {
            if (flushes >> (16 * suit) & 0x10) {
                word = greater(word, in_suit(kj_lane(cards, suit), ace_low));
            }
        }
    }
    return word;
}

uint32_t kj_strength(uint64_t cards) { return strength(cards, true); }

uint32_t kj_strength_ace_high(uint64_t cards) { return strength(cards, false); }

/* Item i of an array that may lie at any address: buffers of Python need not be aligned. */
static inline uint64_t item(const uint64_t *sets, size_t i) {
    uint64_t cards;
    memcpy(&cards, (const unsigned char *)sets + i * sizeof cards, sizeof cards);
    return cards;
}

void kj_strength_many(const uint64_t *sets, size_t n, bool ace_low, uint32_t *out) {
    for (size_t i = 0; i < n; i++) {
        uint32_t word = strength(item(sets, i), ace_low);
        memcpy((unsigned char *)out + i * sizeof word, &word, sizeof word);
    }
}

/* 0 if the set is a hand. */
static inline uint64_t fault(uint64_t cards) {
    uint64_t pairs = kj_lane_counts(cards);
    pairs += pairs >> 32;
    uint64_t count = (pairs + (pairs >> 16)) & 0x7F;
    return (cards & ~KJ_LANES) | ((count + 0x72) & 0x80); /* bit 7 from 14 cards on */
}

size_t kj_first_bad(const uint64_t *sets, size_t n) {
    /* A block at a time without leaving it early, so that the compiler can use vectors. */
    for (size_t start = 0; start < n; start += 256) {
        size_t end = n - start < 256 ? n : start + 256;
        uint64_t faults = 0;
        for (size_t i = start; i < end; i++) {
            faults |= fault(item(sets, i));
        }
        for (size_t i = start; faults != 0; i++) {
            if (fault(item(sets, i)) != 0) {
                return i;
            }
        }
    }
    return n;
}

uint32_t kj_category(uint32_t word) {
    uint32_t class = word >> 29;
    return class != HIGH_OR_PAIR ? class + 1 : (word >> 16) != 0;
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
    cards &= KJ_LANES;
    uint32_t word = strength(cards, ace_low);
    uint32_t primary = word >> 16 & KJ_RANKS;
    uint32_t others = word & KJ_RANKS;
    switch (word >> 29) {
    case STRAIGHT:
        return take(cards, run(primary), 1);
    case FLUSH:
        return take_suited(cards, others);
    case STRAIGHT_FLUSH:
        return take_suited(cards, run(primary));
    case THREE:
        return take(cards, primary, 3) | take(cards, others, 1);
    case FULL_HOUSE:
        return take(cards, primary, 3) | take(cards, others, 2);
    case FOUR:
        return take(cards, primary, 4) | take(cards, others, 1);
    default: /* high card, pair, two pair */
        return take(cards, primary, 2) | take(cards, others, 1);
    }
}
