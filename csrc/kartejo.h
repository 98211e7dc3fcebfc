/* kartejo.h: the C core of Kartejo.  Sets of cards and what they are worth, the order that a
 * secret gives a pile, whole games of Royal Flush, the legal plays of Royal Casino, and odds.
 *
 * Cards.  A card id is 13 * suit + rank + 1 (1..52; suits c d h s = 0..3, ranks 2..A = 0..12);
 * 0 is a face that is not shown and is no card here.
 *
 * Sets.  A set is a word of four 16-bit lanes, clubs lowest, then diamonds, hearts, spades; in
 * a lane bit 0 = deuce .. bit 12 = ace, bits 13..15 are clear.  The bit of a card is therefore
 * 16 * suit + rank.
 *
 * No function allocates or blocks.  None but kj_use_tier keeps state, and all others may be called
 * from any number of threads at once.  Buffers belong to the caller.  Arguments are checked by the
 * caller unless a function says that it checks them itself.
 *
 * What stands between the two "cdef" lines is also read by build_ffi.py: plain declarations.
 */
#ifndef KARTEJO_H
#define KARTEJO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- cdef begin ---- */

/* ---------------------------------------------------------------------- strength (ranking.c)
 *
 * The strength of a set is the best value of any five of its cards, or of all of them if they
 * are fewer (palace_poker 7.1-7.3).  It is a 32-bit word; words compare like the values:
 *
 *   bits 31-29  class: 0 high card or pair, 1 two pair, 2 three of a kind, 3 straight,
 *               4 flush, 5 full house, 6 four of a kind, 7 straight flush
 *   bits 28-16  primary ranks: of the pair, of both pairs, of the triple, of the four, or the
 *               top card of a straight; empty for high card and flush
 *   bits 12-0   other ranks that count: up to 5 for high card and flush, 3 for a pair, 1 for
 *               two pair, 2 for three, the pair of a full house, 1 for four; empty for straights
 *
 * Two masks with the same number of ranks compare like the ranks, highest first, and a mask
 * that lacks a card compares lower: an absent card loses to any card.  High card and pair share
 * a class because an empty primary mask sorts below every pair.
 */

/* Strength of a set of 0..13 cards.  A 2 3 4 5 is a straight, its top card the five.  Checks the
 * word: 0, which is also the strength of no cards, if it has a bit outside the lanes or more than
 * 13 cards. */
uint32_t kj_strength(uint64_t cards);

/* The same where A 2 3 4 5 is no straight.  A function of its own, because a second argument
 * makes a call from Python half as slow again; elsewhere it is the argument `ace_low`. */
uint32_t kj_strength_ace_high(uint64_t cards);

/* Strength of n sets: out[i] is that of sets[i], as above.  The index of the first set that is no
 * hand, n if all are hands.  The buffers must not overlap; they need not be aligned. */
size_t kj_strength_many(const uint64_t *sets, size_t n, bool ace_low, uint32_t *out);

/* What ranks hands: a tier uses the instructions of some processors, and all give the same words.
 * The best one is chosen when the core is loaded. */
enum {
    KJ_PORTABLE, /* any processor */
    KJ_BMI2,     /* x86-64 with BMI2 and POPCNT */
    KJ_AVX2,     /* and with AVX2: 16 hands at a time, here and above */
    KJ_AVX512    /* and with AVX-512 VL, BW, BITALG and GFNI */
};

/* The best tier that build and processor have; all below it will do as well. */
int kj_best_tier(void);

/* The tier in use. */
int kj_tier(void);

/* Use another tier: KJ_OK, or KJ_EINVAL and no change if there is none such.  For tests and
 * measurements; not while another thread ranks. */
int kj_use_tier(int tier);

/* Category of a strength, 0 high card .. 8 straight flush (palace_poker 7.1). */
uint32_t kj_category(uint32_t strength);

/* The five ranks of a strength (2..14, 0 for none) as five nibbles, the first one highest:
 * 0x54000 is a pair-like (5, 4, 0, 0, 0) (palace_poker 7.2). */
uint32_t kj_ranks(uint32_t strength);

/* The min(5, n) cards of the set that make its strength; none for a word that is no hand.  Among
 * equal cards the lowest suit is taken, c d h s, rank by rank; of two equal flushes the one in
 * the lowest suit. */
uint64_t kj_best_cards(uint64_t cards, bool ace_low);

/* ------------------------------------------------------------------------ shuffle (shuffle.c)
 *
 * The order of a pile under a 32-byte key: the ChaCha20 key stream (RFC 8439, nonce of zeros,
 * block counter from 0) is read as 16-bit little-endian draws.  Fisher-Yates from the last index
 * down: for i = n-1 .. 1 a draw picks j in 0..i and items i and j change places.  Index 0 is the
 * top.  A draw for a bound b is rejected when it is >= floor(65536 / b) * b, and otherwise taken
 * mod b, so every j has exactly as many draws.
 */

/* One 64-byte block of the key stream. */
void kj_chacha20_block(const uint8_t *key, uint32_t counter, const uint8_t *nonce, uint8_t *out);

/* j in 0..bound-1 that a draw picks, or -1 when the draw is rejected.  1 <= bound <= 65536. */
int32_t kj_pick(uint16_t draw, uint32_t bound);

/* Order n <= 255 items in place by the 32-byte key. */
void kj_shuffle(const uint8_t *key, uint8_t *items, size_t n);

/* The same with given draws instead of a key.  The number of draws used, or -1 when there were
 * too few: the items are then a permutation, but not the shuffle. */
int32_t kj_shuffle_draws(const uint16_t *draws, size_t draw_count, uint8_t *items, size_t n);

/* ----------------------------------------------------------------- Royal Flush (royal_flush.c)
 *
 * A game is a function of deck and options (royal_flush 1.2).
 */
enum { /* deal_style */
    KJ_RF_ROUND_ROBIN,
    KJ_RF_PILE_BY_PILE,
    KJ_RF_PACKET
};
enum { /* search_style */
    KJ_RF_TURN_PILE,
    KJ_RF_CARD_BY_CARD
};
enum { /* gather_style */
    KJ_RF_TURN_PACKET,
    KJ_RF_TURN_PILES,
    KJ_RF_AS_THEY_LIE
};
enum { /* target_mode */
    KJ_RF_ROYAL_FLUSH,
    KJ_RF_STRAIGHT_FLUSH,
    KJ_RF_FOUR_OF_A_KIND,
    KJ_RF_FULL_HOUSE,
    KJ_RF_NAMED_CARDS
};
enum { KJ_RF_ANY = 255 }; /* a suit, rank or pair rank that is not prescribed */

enum {
    KJ_OK = 0,
    KJ_EINVAL = -1, /* options or deck make no sense; their outcome was not written */
    KJ_EFAULT = -2  /* size and cards of the last pile disagree: a bug (royal_flush 7.11) */
};

/* Options of a table (royal_flush 3).  Suits 0..3, ranks 0..12 or KJ_RF_ANY; options that the
 * mode does not know must be KJ_RF_ANY, and named 0.  All styles combine freely here; which
 * combinations a table may have is the engine's rule (3.1). */
typedef struct {
    uint64_t named; /* the set sought in KJ_RF_NAMED_CARDS, 1..5 cards */
    uint8_t deal_style;
    uint8_t search_style;
    uint8_t gather_style;
    uint8_t target_mode;
    uint8_t suit;
    uint8_t rank;
    uint8_t pair_rank;
    uint8_t spare; /* 0 */
} kj_rf_options;

/* How a game ended: pile[0..size-1] is the last pile, found card first, in card ids; the rest of
 * pile is 0.  excess = size - (cards of a hand sought). */
typedef struct {
    uint8_t won;
    uint8_t excess;
    uint8_t size;
    uint8_t pile[52];
} kj_rf_outcome;

/* Play one deck (52 card ids, the top first) to the end.  KJ_OK, KJ_EINVAL or KJ_EFAULT.
 * Checks options and deck. */
int kj_rf_play(const kj_rf_options *options, const uint8_t *deck, kj_rf_outcome *out);

/* Play n decks, one after another in one buffer of 52 * n bytes, out[i] for deck i.  Stops at the
 * first deck that is refused or at fault: *played is the number of outcomes written. */
int kj_rf_play_many(const kj_rf_options *options, const uint8_t *decks, size_t n,
                    kj_rf_outcome *out, size_t *played);

/* --------------------------------------------------- Royal Flush, odds (odds_royal_flush.c)
 *
 * A hand of k cards that is sought from the start wins or loses by the k places that it holds in
 * the pack.  Of `styles` the three styles count.
 *
 * Play every set of k <= 5 places, the lowest of them `lowest` (0 = top), in a pack of <= 52 cards.
 * Writes a profile for each set that wins: the cards thrown away before the first new card of the
 * hand was found, before the second .., 6 bits each, the first one lowest; all pack - k of them for
 * cards of the hand that lay hidden to the end.  The number of profiles, at most
 * C(pack - 1 - lowest, k - 1), or KJ_EINVAL. */
int32_t kj_rf_winning_places(const kj_rf_options *styles, uint32_t pack, uint32_t k,
                             uint32_t lowest, uint32_t *profiles);

/* The sum over n profiles of the products of k factors: factors[64 * i + d] is the factor for d
 * cards thrown away before claim i.  128 bits, the low half first; the caller sees to it that they
 * suffice. */
void kj_rf_weigh(const uint32_t *profiles, size_t n, uint32_t k, const uint64_t *factors,
                 uint64_t *total);

/* Play the deals number first .. first + deals - 1 by each of n options (odds_simulation.c): won[i]
 * of them are won by options[i].  The deal of a number is the pack in canonical order, shuffled
 * under the key of the 24 bytes of `seed` and the number in 8 bytes, the lowest first.  KJ_OK;
 * KJ_EINVAL and nothing written for options that make no sense; KJ_EFAULT as kj_rf_play.  Takes
 * 350 kB of stack. */
int kj_rf_simulate(const kj_rf_options *options, size_t n, const uint8_t *seed, uint64_t first,
                   uint64_t deals, uint64_t *won);

/* -------------------------------------------------------- Palace Poker, odds (odds_battles.c)
 *
 * Battles of n hands against m others, where a hand is a set of cards and what it is worth.  Two
 * that share a card never meet.  counts: won, tied and lost by ours. */
void kj_battles(const uint64_t *ours, const uint64_t *our_worth, size_t n, const uint64_t *theirs,
                const uint64_t *their_worth, size_t m, uint64_t *counts);

/* --------------------------------------------------------------- Royal Casino (royal_casino.c)
 *
 * The legal plays of a seat that is to act (royal_casino 6.8).  Hand and loose cards are card ids
 * in card order, 2c 2d 2h 2s 3c .. As (2.4); builds stand by number.
 */
enum { KJ_RC_HAND = 4, KJ_RC_LOOSE = 16, KJ_RC_BUILDS = 16 }; /* the most that a position has */
enum { /* owner of a build, as the acting seat sees him */
    KJ_RC_OTHER,
    KJ_RC_OWN,
    KJ_RC_PARTNER
};
enum { /* kind of a play */
    KJ_RC_TRAIL,
    KJ_RC_CAPTURE,
    KJ_RC_BUILD
};

typedef struct {
    uint8_t value; /* 2..14 */
    uint8_t owner;
    uint8_t multiple; /* 0 or 1 */
} kj_rc_build;

/* What the acting seat plays from, and the options that matter, each 0 or 1 (section 3).  Of each
 * array as many entries count as its size says. */
typedef struct {
    uint8_t hand_size;
    uint8_t loose_size;
    uint8_t build_count;
    uint8_t must_take_equal;
    uint8_t raise_own_build;
    uint8_t partner_builds;
    uint8_t hand[4];
    uint8_t loose[16];
    kj_rc_build builds[16];
} kj_rc_position;

/* A play.  value: of what is built, the capture value of a card that captures, 0 for a trail.
 * base: 1 + index of the build that is extended or raised, 0 for none.  loose and builds are
 * subsets with the first entry highest: bit loose_size - 1 - i is loose[i], bit build_count - 1 - i
 * is builds[i]. */
typedef struct {
    uint8_t kind;
    uint8_t card;
    uint8_t value;
    uint8_t base;
    uint16_t loose;
    uint16_t builds;
} kj_rc_play;

typedef struct {
    uint64_t trails;
    uint64_t captures;
    uint64_t builds;
} kj_rc_counts;

/* Count all legal plays and write the first `limit` of them, or all if they are fewer, in
 * canonical order (6.8.5).  KJ_OK, or KJ_EINVAL and nothing written.  Checks the position, but not
 * whether it can arise.  Time and stack (under 100 kB) depend on the position alone; plays beyond
 * the limit are counted without being made. */
int kj_rc_plays(const kj_rc_position *position, kj_rc_play *plays, size_t limit,
                kj_rc_counts *counts);

/* ---- cdef end ---- */

/* What the sources share. */

#define KJ_LANES UINT64_C(0x1FFF1FFF1FFF1FFF) /* the 52 bits of a set that are cards */
#define KJ_RANKS 0x1FFFu                      /* all ranks of one suit */
#define KJ_MOST_CARDS 13                      /* more are no hand of any game */

/* The ranks of a set that it holds in a suit 0..3. */
static inline uint32_t kj_lane(uint64_t cards, unsigned suit) {
    return (uint32_t)(cards >> (16 * suit)) & KJ_RANKS;
}

/* The number of cards in each lane, in that lane.  Arithmetic in all lanes at once, because the
 * baseline instruction set of x86-64 has no population count. */
static inline uint64_t kj_lane_counts(uint64_t cards) {
    cards -= cards >> 1 & UINT64_C(0x5555555555555555);
    cards = (cards & UINT64_C(0x3333333333333333)) + (cards >> 2 & UINT64_C(0x3333333333333333));
    cards = (cards + (cards >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (cards + (cards >> 8)) & UINT64_C(0x001F001F001F001F);
}

/* The sum of four lanes. */
static inline uint32_t kj_sum_of_lanes(uint64_t lanes) {
    return (uint32_t)(lanes * UINT64_C(0x0001000100010001) >> 48);
}

/* The number of cards in a set. */
static inline uint32_t kj_count(uint64_t cards) { return kj_sum_of_lanes(kj_lane_counts(cards)); }

#endif
