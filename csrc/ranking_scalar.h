/* ranking_scalar.h: the strength of one hand.  A tier defines, before it includes this file,
 *
 *   TARGET              the attribute that names its instructions, or nothing
 *   count(set)          the number of its cards
 *   any_flush(set)      not 0 if a suit has five cards or more
 *   best(ranks, keep)   the best `keep` ranks (0..5) of a rank set, or all if they are fewer
 *
 * Rank sets by boolean algebra on the four lanes say how often each rank occurs.  The strength is
 * the greatest of what pairs and their like give, a straight, and the flush or straight flush of
 * each suit: every candidate is the value of some five of the cards, so no case excludes another.
 * Pairs are a coin toss to a branch predictor, so their part has no branch; straights and flushes
 * are rare, and a branch not taken costs nothing.
 */
#include "ranking.h"

KJ_INLINE TARGET uint32_t word_of(uint32_t class, uint32_t primary, uint32_t others) {
    return class << 29 | primary << 16 | others;
}

KJ_INLINE TARGET uint32_t greater(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* The top cards of all straights in a rank set. */
KJ_INLINE TARGET uint32_t straights(uint32_t ranks, bool ace_low) {
    uint32_t x = ranks << 1 | (ace_low ? ranks >> 12 : 0); /* the ace also below the deuce */
    uint32_t two = x & x >> 1;
    uint32_t four = two & two >> 2;
    return (four & x >> 4) << 3;
}

/* The candidate that pairs, triples and fours give, or the bare ranks. */
KJ_INLINE TARGET uint32_t by_ranks(uint32_t c, uint32_t d, uint32_t h, uint32_t s) {
    static const struct {
        uint8_t class;
        uint8_t others;
    } shapes[3][3] = {
        /* ranks that occur twice: none, one, more */
        {{KJ_HIGH_OR_PAIR, 5}, {KJ_HIGH_OR_PAIR, 3}, {KJ_TWO_PAIR, 1}},
        {{0, 0}, {KJ_THREE, 2}, {KJ_FULL_HOUSE, 1}}, /* one three times */
        {{0, 0}, {KJ_FOUR, 1}, {KJ_FOUR, 1}},        /* one four times */
    };
    uint32_t once = c | d | h | s;
    uint32_t twice = (c & d) | (h & s) | ((c | d) & (h | s));
    uint32_t thrice = (c & d & (h | s)) | (h & s & (c | d));
    uint32_t four = c & d & h & s;
    uint32_t pairs = best(twice, 2);
    uint32_t most = best(four ? four : thrice, 1);
    uint32_t primary = most ? most : pairs;
    unsigned more = four ? 2 : thrice ? 1 : 0;
    unsigned two = (unsigned)(pairs != 0) + (unsigned)((pairs & (pairs - 1)) != 0);
    uint32_t class = shapes[more][two].class;
    uint32_t others = (class == KJ_FULL_HOUSE ? twice : once) & ~primary;
    return word_of(class, primary, best(others, shapes[more][two].others));
}

/* The flush or straight flush of one suit that has five cards or more. */
KJ_INLINE TARGET uint32_t in_suit(uint32_t ranks, bool ace_low) {
    uint32_t tops = straights(ranks, ace_low);
    return tops ? word_of(KJ_STRAIGHT_FLUSH, best(tops, 1), 0)
                : word_of(KJ_FLUSH, 0, best(ranks, 5));
}

/* 0 for a word that is no hand. */
KJ_INLINE TARGET uint32_t strength(uint64_t cards, bool ace_low) {
    if ((cards & ~KJ_LANES) != 0 || count(cards) > KJ_MOST_CARDS) {
        return 0;
    }
    uint16_t c = (uint16_t)cards, d = (uint16_t)(cards >> 16);
    uint16_t h = (uint16_t)(cards >> 32), s = (uint16_t)(cards >> 48);
    uint32_t word = by_ranks(c, d, h, s);
    uint32_t tops = straights(c | d | h | s, ace_low);
    if (tops != 0) {
        word = greater(word, word_of(KJ_STRAIGHT, best(tops, 1), 0));
    }
    if (any_flush(cards)) {
        for (unsigned suit = 0; suit < 4; suit++) {
            uint32_t lane = kj_lane(cards, suit);
            if (count(lane) >= 5) {
                word = greater(word, in_suit(lane, ace_low));
            }
        }
    }
    return word;
}

/* What a tier does for many hands one after the other; as kj_strength_many. */
KJ_INLINE TARGET size_t one_by_one(const uint64_t *sets, size_t n, bool ace_low, uint32_t *out) {
    size_t first_bad = n;
    for (size_t i = 0; i < n; i++) {
        uint64_t cards = kj_set_at(sets, i);
        uint32_t word = strength(cards, ace_low);
        kj_put_word(out, i, word);
        if (kj_no_hand(cards, word) && first_bad == n) {
            first_bad = i;
        }
    }
    return first_bad;
}
