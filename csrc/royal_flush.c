/* royal_flush.c: a game of Royal Flush, played to its end.
 *
 * Piles are never built.  A pile in search order is a walk through the stock with a fixed step,
 * what is left of it after the search is the rest of that walk, and gathering copies the rests
 * into the next stock.  Cards are bit numbers of a set while the game is on.
 */
#include "royal_flush.h"

#define PACK 52
#define ROUNDS 5

/* Part of a pile: size cards of the stock from `at` on, each `step` after the one before. */
typedef struct {
    int at, step, size;
} walk;

/* The four cards of a rank. */
static inline uint64_t rank_set(unsigned rank) { return UINT64_C(0x0001000100010001) << rank; }

static inline bool admits(uint8_t option, unsigned value) {
    return option == KJ_RF_ANY || option == value;
}

uint32_t kj_rf_hand_size(const kj_rf_options *o) {
    switch (o->target_mode) {
    case KJ_RF_FOUR_OF_A_KIND:
        return 4;
    case KJ_RF_NAMED_CARDS:
        return kj_count(o->named);
    default:
        return 5;
    }
}

/* One possible hand or more: count them, and want their cards. */
typedef struct {
    uint32_t hands;
    uint64_t wanted;
} sought;

static inline void add(sought *all, uint64_t claimed, uint64_t hand) {
    if ((claimed & ~hand) == 0) {
        all->hands++;
        all->wanted |= hand;
    }
}

static sought seek_runs(const kj_rf_options *o, uint64_t claimed) {
    sought all = {0, 0};
    unsigned lowest = o->target_mode == KJ_RF_ROYAL_FLUSH ? 12 : 3;
    for (unsigned suit = 0; suit < 4; suit++) {
        for (unsigned high = lowest; high <= 12; high++) {
            if (admits(o->suit, suit) && admits(o->rank, high)) {
                uint64_t below = high == 3 ? UINT64_C(0x100F) : UINT64_C(0x1F) << (high - 4);
                add(&all, claimed, below << (16 * suit));
            }
        }
    }
    return all;
}

static sought seek_fours(const kj_rf_options *o, uint64_t claimed) {
    sought all = {0, 0};
    for (unsigned rank = 0; rank <= 12; rank++) {
        if (admits(o->rank, rank)) {
            add(&all, claimed, rank_set(rank));
        }
    }
    return all;
}

/* Ranks of a set in any suit. */
static inline uint32_t ranks_in(uint64_t cards) {
    return kj_lane(cards, 0) | kj_lane(cards, 1) | kj_lane(cards, 2) | kj_lane(cards, 3);
}

/* The full houses of two ranks: what is claimed of a rank says how many ways there are to fill it
 * up, and whether its other cards may come. */
static void add_full_houses(const kj_rf_options *o, uint64_t claimed, unsigned three, unsigned two,
                            sought *all) {
    static const uint32_t triples[5] = {4, 3, 2, 1, 0}; /* ways to reach 3 of 4 from 0..4 */
    static const uint32_t pairs[5] = {6, 3, 1, 0, 0};   /* ways to reach 2 of 4 */
    uint64_t both = rank_set(three) | rank_set(two);
    if (!admits(o->rank, three) || !admits(o->pair_rank, two) || (claimed & ~both) != 0) {
        return;
    }
    uint64_t has_three = claimed & rank_set(three), has_two = claimed & rank_set(two);
    uint32_t hands = triples[kj_count(has_three)] * pairs[kj_count(has_two)];
    if (hands > 0) {
        all->hands += hands;
        all->wanted |= kj_count(has_three) == 3 ? has_three : rank_set(three);
        all->wanted |= kj_count(has_two) == 2 ? has_two : rank_set(two);
    }
}

/* 3,744 hands, but only 156 pairs of ranks; where two ranks are claimed, these two. */
static sought seek_full_houses(const kj_rf_options *o, uint64_t claimed) {
    sought all = {0, 0};
    uint32_t ranks = ranks_in(claimed), others = ranks & (ranks - 1);
    if (others != 0) {
        unsigned one = (unsigned)__builtin_ctz(ranks), other = (unsigned)__builtin_ctz(others);
        add_full_houses(o, claimed, one, other, &all);
        add_full_houses(o, claimed, other, one, &all);
        return all;
    }
    for (unsigned three = 0; three <= 12; three++) {
        for (unsigned two = 0; two <= 12 && admits(o->rank, three); two++) {
            if (two != three && (ranks & ~(1u << three | 1u << two)) == 0) {
                add_full_houses(o, claimed, three, two, &all);
            }
        }
    }
    return all;
}

/* The possible hands (7.4) and the wanted cards (7.5) after these claims. */
static sought seek(const kj_rf_options *o, uint64_t claimed) {
    sought all = {0, 0};
    switch (o->target_mode) {
    case KJ_RF_FOUR_OF_A_KIND:
        return seek_fours(o, claimed);
    case KJ_RF_FULL_HOUSE:
        return seek_full_houses(o, claimed);
    case KJ_RF_NAMED_CARDS:
        add(&all, claimed, o->named);
        return all;
    default:
        return seek_runs(o, claimed);
    }
}

uint64_t kj_rf_wanted(const kj_rf_options *o, uint64_t claimed) { return seek(o, claimed).wanted; }

static bool within(uint8_t option, unsigned lowest, unsigned highest) {
    return option == KJ_RF_ANY || (lowest <= option && option <= highest);
}

bool kj_rf_options_valid(const kj_rf_options *o) {
    bool named = o->target_mode == KJ_RF_NAMED_CARDS;
    bool suited = o->target_mode <= KJ_RF_STRAIGHT_FLUSH;
    bool ranked = o->target_mode != KJ_RF_ROYAL_FLUSH && !named;
    bool paired = o->target_mode == KJ_RF_FULL_HOUSE;
    unsigned lowest = o->target_mode == KJ_RF_STRAIGHT_FLUSH ? 3 : 0;
    uint32_t count = kj_count(o->named);
    return o->deal_style <= KJ_RF_PACKET && o->search_style <= KJ_RF_CARD_BY_CARD &&
           o->gather_style <= KJ_RF_AS_THEY_LIE && o->target_mode <= KJ_RF_NAMED_CARDS &&
           (suited ? within(o->suit, 0, 3) : o->suit == KJ_RF_ANY) &&
           (ranked ? within(o->rank, lowest, 12) : o->rank == KJ_RF_ANY) &&
           (paired ? within(o->pair_rank, 0, 12) : o->pair_rank == KJ_RF_ANY) &&
           (o->rank == KJ_RF_ANY || o->rank != o->pair_rank) && (o->named & ~KJ_LANES) == 0 &&
           (named ? 1 <= count && count <= 5 : count == 0) && o->spare == 0;
}

/* Pile j of n (from 0) of a stock of m cards, in search order (6.5, 7.1). */
static walk pile(const kj_rf_options *o, int m, int n, int j) {
    int share = m / n, surplus = m % n;
    int size = share + (j < surplus);
    walk dealt = {j, n, size}; /* in the order in which the cards leave the stock */
    if (o->deal_style != KJ_RF_ROUND_ROBIN) {
        dealt.at = j * share + (j < surplus ? j : surplus);
        dealt.step = 1;
    }
    if ((o->search_style == KJ_RF_CARD_BY_CARD) == (o->deal_style == KJ_RF_PACKET)) {
        return dealt;
    }
    return (walk){dealt.at + (size - 1) * dealt.step, -dealt.step, size};
}

/* Stack the searched piles in `to`, top of the new stock first (7.9).  Cards stacked. */
static int gather(const kj_rf_options *o, const uint8_t *stock, const walk *piles, int n,
                  uint8_t *to) {
    int count = 0;
    for (int k = 0; k < n; k++) {
        walk p = piles[o->gather_style == KJ_RF_TURN_PACKET ? k : n - 1 - k];
        if (o->gather_style != KJ_RF_AS_THEY_LIE) {
            p.at += (p.size - 1) * p.step;
            p.step = -p.step;
        }
        for (int i = 0; i < p.size; i++) {
            to[count++] = stock[p.at + i * p.step];
        }
    }
    return count;
}

/* The deck as bit numbers; false if it is not the pack. */
static bool read_deck(const uint8_t *deck, uint8_t *stock) {
    uint64_t seen = 0;
    for (int i = 0; i < PACK; i++) {
        if (deck[i] < 1 || deck[i] > PACK) {
            return false;
        }
        unsigned card = deck[i] - 1u;
        stock[i] = (uint8_t)(card + 3 * (card / 13));
        seen |= UINT64_C(1) << stock[i];
    }
    return seen == KJ_LANES;
}

/* The last pile judged (7.11): by its cards and by its number, which must agree. */
static int judge(const kj_rf_options *o, const uint8_t *stock, walk last, uint64_t claimed,
                 kj_rf_outcome *out) {
    kj_rf_outcome end = {0, 0, (uint8_t)last.size, {0}};
    uint64_t cards = 0;
    for (int i = 0; i < last.size; i++) {
        unsigned number = stock[last.at + i * last.step];
        cards |= UINT64_C(1) << number;
        end.pile[i] = (uint8_t)(number - 3 * (number / 16) + 1);
    }
    uint32_t k = kj_rf_hand_size(o), size = (uint32_t)last.size;
    bool is_hand = size <= k && seek(o, cards).hands == 1 && (claimed & ~cards) == 0;
    if (size < k || is_hand != (size == k)) {
        return KJ_EFAULT;
    }
    end.won = is_hand;
    end.excess = (uint8_t)(size - k);
    *out = end;
    return KJ_OK;
}

/* One game; the options are valid. */
static int play(const kj_rf_options *o, sought at_start, const uint8_t *deck, kj_rf_outcome *out) {
    uint8_t stocks[2][PACK];
    if (!read_deck(deck, stocks[0])) {
        return KJ_EINVAL;
    }
    const uint8_t *stock = stocks[0];
    int m = PACK;
    uint64_t claimed = 0;
    sought now = at_start;
    for (int round = 1;; round++) {
        int n = ROUNDS + 1 - round;
        walk piles[ROUNDS];
        for (int j = 0; j < n; j++) {
            walk p = pile(o, m, n, j);
            while (p.size > 0 && (now.wanted >> stock[p.at] & 1) == 0) {
                p.at += p.step;
                p.size--;
            }
            piles[j] = p;
            if (p.size > 0 && (claimed >> stock[p.at] & 1) == 0) {
                claimed |= UINT64_C(1) << stock[p.at];
                now = seek(o, claimed);
            }
        }
        if (round == ROUNDS) {
            return judge(o, stock, piles[0], claimed, out);
        }
        uint8_t *next = stocks[round % 2];
        m = gather(o, stock, piles, n, next);
        stock = next;
    }
}

int kj_rf_play(const kj_rf_options *options, const uint8_t *deck, kj_rf_outcome *out) {
    size_t played;
    return kj_rf_play_many(options, deck, 1, out, &played);
}

int kj_rf_play_many(const kj_rf_options *options, const uint8_t *decks, size_t n,
                    kj_rf_outcome *out, size_t *played) {
    *played = 0;
    if (!kj_rf_options_valid(options)) {
        return KJ_EINVAL;
    }
    sought at_start = seek(options, 0);
    for (size_t i = 0; i < n; i++) {
        int code = play(options, at_start, decks + i * PACK, out + i);
        if (code != KJ_OK) {
            return code;
        }
        *played = i + 1;
    }
    return KJ_OK;
}
