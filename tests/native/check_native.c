/* check_native.c: the C core run on its own, for sanitizers (make check-native).
 *
 * Every buffer lies on the heap and is exactly as long as it must be, so that a read or write
 * beside it is seen.  What the results mean is tested in Python against slow twins; here stand
 * only sums that are known (counts of all five-card hands, of all seven-card hands with the
 * argument "sevens") and the behaviour at the edges.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kartejo.h"

#define CHECK(what)                                                        \
    do {                                                                   \
        if (!(what)) {                                                     \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what);     \
            exit(1);                                                       \
        }                                                                  \
    } while (0)

static uint64_t state = 1;

/* Some number below `bound`; splitmix64, good enough to vary input. */
static uint64_t some(uint64_t bound) {
    uint64_t z = (state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (z ^ z >> 31) % bound;
}

/* Exactly `size` bytes; one for size 0, which must not be touched. */
static void *buffer(size_t size) {
    void *at = malloc(size ? size : 1);
    CHECK(at != NULL);
    memset(at, 0xA5, size ? size : 1);
    return at;
}

static uint64_t card(unsigned number) { return UINT64_C(1) << (number + 3 * (number / 13)); }

static uint32_t strength(uint64_t cards, bool ace_low) {
    return ace_low ? kj_strength(cards) : kj_strength_ace_high(cards);
}

static uint64_t some_set(unsigned n) {
    uint64_t cards = 0;
    while (kj_count(cards) < n) {
        cards |= card((unsigned)some(52));
    }
    return cards;
}

/* Sets that wait until they are worth a call, and how many of each category there were. */
typedef struct {
    uint64_t sets[4096];
    uint32_t words[4096];
    size_t size;
    uint64_t counts[9];
} tally;

static void count_batch(tally *t) {
    CHECK(kj_strength_many(t->sets, t->size, true, t->words) == t->size);
    for (size_t i = 0; i < t->size; i++) {
        t->counts[kj_category(t->words[i])]++;
    }
    t->size = 0;
}

/* All sets of `left` more cards above `first`. */
static void count_hands(tally *t, uint64_t cards, unsigned first, unsigned left) {
    if (left == 0) {
        t->sets[t->size++] = cards;
        if (t->size == sizeof t->sets / sizeof *t->sets) {
            count_batch(t);
        }
        return;
    }
    for (unsigned next = first; next + left <= 52; next++) {
        count_hands(t, cards | card(next), next + 1, left - 1);
    }
}

static void check_counts(unsigned n, const uint64_t expected[9]) {
    tally *t = calloc(1, sizeof *t);
    CHECK(t != NULL);
    count_hands(t, 0, 0, n);
    count_batch(t);
    CHECK(memcmp(t->counts, expected, sizeof t->counts) == 0);
    free(t);
}

static void check_ranking(void) {
    for (size_t n = 0; n <= 40; n++) {
        for (size_t shift = 0; shift < 2; shift++) { /* aligned or not */
            unsigned char *sets = buffer(8 * n + shift), *out = buffer(4 * n + shift);
            for (size_t i = 0; i < n; i++) {
                uint64_t cards = some_set((unsigned)some(14));
                memcpy(sets + shift + 8 * i, &cards, 8);
            }
            const uint64_t *from = (const void *)(sets + shift);
            CHECK(kj_strength_many(from, n, n % 2 == 0, (void *)(out + shift)) == n);
            for (size_t i = 0; i < n; i++) {
                uint64_t cards;
                uint32_t word;
                memcpy(&cards, sets + shift + 8 * i, 8);
                memcpy(&word, out + shift + 4 * i, 4);
                CHECK(word == strength(cards, n % 2 == 0));
            }
            free(sets);
            free(out);
        }
    }
    for (int i = 0; i < 200000; i++) { /* any word at all, and hands of every size */
        uint64_t word = some(UINT64_MAX);
        uint64_t cards = i % 4 ? some_set((unsigned)some(16)) : word;
        uint32_t value = strength(cards, i % 3 == 0), batch = 1;
        uint64_t best = kj_best_cards(cards, i % 3 == 0);
        uint32_t count = kj_count(cards & KJ_LANES);
        bool hand = count <= 13 && (cards & ~KJ_LANES) == 0;
        CHECK(kj_strength_many(&cards, 1, i % 3 == 0, &batch) == hand && batch == value);
        CHECK(kj_category(value) <= 8);
        CHECK((best & ~cards) == 0 && kj_count(best) == (!hand ? 0 : count < 5 ? count : 5));
        CHECK(strength(best, i % 3 == 0) == value);
        kj_ranks((uint32_t)word); /* also of words that are no strength */
        kj_category((uint32_t)word);
    }
}

static void check_shuffle(void) {
    for (size_t n = 0; n <= 255; n++) {
        uint8_t *key = buffer(32), *items = buffer(n), *nonce = buffer(12), *block = buffer(64);
        uint16_t *draws = buffer(2 * n);
        bool seen[256] = {false};
        kj_chacha20_block(key, (uint32_t)n, nonce, block);
        memcpy(key, block, 32);
        for (size_t i = 0; i < n; i++) {
            items[i] = (uint8_t)i;
            draws[i] = (uint16_t)some(65536);
        }
        kj_shuffle(key, items, n);
        int32_t used = kj_shuffle_draws(draws, n, items, n);
        CHECK(used == -1 || (used >= (int32_t)n - 1 && used <= (int32_t)n));
        for (size_t i = 0; i < n; i++) {
            CHECK(!seen[items[i]]);
            seen[items[i]] = true;
        }
        free(key);
        free(items);
        free(nonce);
        free(block);
        free(draws);
    }
    for (uint32_t bound = 1; bound <= 65536; bound += bound < 300 ? 1 : 97) {
        for (uint32_t draw = 0; draw < 65536; draw += 1 + draw / 64) {
            int32_t j = kj_pick((uint16_t)draw, bound);
            CHECK(j >= -1 && j < (int32_t)bound);
        }
        CHECK((kj_pick(65535, bound) == -1) == (65536 % bound != 0));
    }
}

static kj_rf_options some_options(void) {
    kj_rf_options o = {0, 0, 0, 0, 0, KJ_RF_ANY, KJ_RF_ANY, KJ_RF_ANY, 0};
    o.deal_style = (uint8_t)some(3);
    o.search_style = (uint8_t)some(2);
    o.gather_style = (uint8_t)some(3);
    o.target_mode = (uint8_t)some(5);
    switch (o.target_mode) {
    case KJ_RF_STRAIGHT_FLUSH:
        o.rank = (uint8_t)(some(2) ? 3 + some(10) : KJ_RF_ANY);
        /* fall through */
    case KJ_RF_ROYAL_FLUSH:
        o.suit = (uint8_t)(some(2) ? some(4) : KJ_RF_ANY);
        break;
    case KJ_RF_FULL_HOUSE:
        o.pair_rank = (uint8_t)(some(2) ? some(6) : KJ_RF_ANY);
        o.rank = (uint8_t)(some(2) ? 6 + some(7) : KJ_RF_ANY);
        break;
    case KJ_RF_FOUR_OF_A_KIND:
        o.rank = (uint8_t)(some(2) ? some(13) : KJ_RF_ANY);
        break;
    default:
        o.named = some_set(1 + (unsigned)some(5));
    }
    return o;
}

static void check_royal_flush(void) {
    for (int round = 0; round < 20000; round++) {
        size_t n = some(4), played = 99;
        uint8_t *decks = buffer(52 * n);
        kj_rf_outcome *out = buffer(sizeof *out * n);
        for (size_t i = 0; i < n; i++) {
            uint64_t left = KJ_LANES;
            for (size_t at = 0; left != 0; at++) {
                unsigned number = (unsigned)some(52);
                while ((left & card(number)) == 0) {
                    number = (number + 1) % 52;
                }
                left &= ~card(number);
                decks[52 * i + at] = (uint8_t)(number + 1);
            }
        }
        kj_rf_options o = some_options();
        CHECK(kj_rf_play_many(&o, decks, n, out, &played) == KJ_OK && played == n);
        for (size_t i = 0; i < n; i++) {
            CHECK(out[i].won == (out[i].excess == 0) && out[i].size <= 52);
            kj_rf_outcome one;
            CHECK(kj_rf_play(&o, decks + 52 * i, &one) == KJ_OK);
            CHECK(memcmp(&one, &out[i], sizeof one) == 0);
        }
        if (n > 0) {
            decks[some(52 * n)] = (uint8_t)some(256); /* mostly no pack any more */
            int code = kj_rf_play_many(&o, decks, n, out, &played);
            CHECK(code == KJ_OK ? played == n : code == KJ_EINVAL && played < n);
            for (size_t i = 0; i < sizeof o; i++) { /* any options at all */
                ((unsigned char *)&o)[i] = (unsigned char)some(some(2) ? 6 : 256);
            }
            code = kj_rf_play_many(&o, decks, n, out, &played);
            CHECK(code == KJ_OK || code == KJ_EINVAL);
        }
        free(decks);
        free(out);
    }
}

static unsigned place(uint8_t card) { return 4 * ((card - 1u) % 13) + (card - 1u) / 13; }

/* Up to n different cards of some ranks, in card order, none of them seen before. */
static uint8_t some_cards(unsigned n, uint8_t *out, uint64_t ranks, uint64_t *seen) {
    uint64_t chosen = 0;
    for (unsigned tries = 0; tries < 4 * n; tries++) {
        unsigned at = (unsigned)some(52);
        if (kj_count(chosen) < n && (ranks >> (at / 4) & 1) != 0 && (*seen >> at & 1) == 0) {
            chosen |= UINT64_C(1) << at;
            *seen |= UINT64_C(1) << at;
        }
    }
    uint8_t size = 0;
    for (unsigned at = 0; at < 52; at++) {
        if (chosen >> at & 1) {
            out[size++] = (uint8_t)(13 * (at % 4) + at / 4 + 1);
        }
    }
    return size;
}

static void some_position(kj_rc_position *p) {
    uint64_t seen = 0, ranks = some(3) ? some(8192) : 8191;
    p->hand_size = some_cards((unsigned)some(5), p->hand, ranks, &seen);
    p->loose_size = some_cards((unsigned)some(17), p->loose, ranks, &seen);
    p->build_count = (uint8_t)(some(3) ? some(4) : some(17));
    p->must_take_equal = (uint8_t)some(2);
    p->raise_own_build = (uint8_t)some(2);
    p->partner_builds = (uint8_t)some(2);
    for (unsigned i = 0; i < p->build_count; i++) {
        bool held = p->hand_size > 0 && some(2);
        unsigned value = held ? (p->hand[some(p->hand_size)] - 1u) % 13 + 2 : 2 + (unsigned)some(13);
        p->builds[i] = (kj_rc_build){(uint8_t)value, (uint8_t)some(3), (uint8_t)some(2)};
    }
}

/* What can be seen of a play without knowing the rules. */
static void check_play(const kj_rc_position *p, const kj_rc_play *play) {
    unsigned hand = 0;
    while (hand < p->hand_size && p->hand[hand] != play->card) {
        hand++;
    }
    CHECK(hand < p->hand_size && play->kind <= KJ_RC_BUILD);
    CHECK(play->loose >> p->loose_size == 0 && play->builds >> p->build_count == 0);
    CHECK(play->base <= p->build_count);
    if (play->kind == KJ_RC_TRAIL) {
        CHECK(play->value == 0 && play->base == 0 && play->loose == 0 && play->builds == 0);
    } else if (play->kind == KJ_RC_CAPTURE) {
        CHECK(play->value == (play->card - 1u) % 13 + 2 && play->base == 0);
        CHECK(play->loose != 0 || play->builds != 0);
    } else {
        CHECK(play->value >= 2 && play->value <= 14 && play->builds == 0);
        CHECK(play->loose != 0 || play->base != 0);
    }
}

static void check_royal_casino(void) {
    for (int round = 0; round < 4000; round++) {
        kj_rc_position *p = buffer(sizeof *p);
        kj_rc_counts *counts = buffer(sizeof *counts), *again = buffer(sizeof *again);
        some_position(p);
        CHECK(kj_rc_plays(p, NULL, 0, counts) == KJ_OK);
        uint64_t total = counts->trails + counts->captures + counts->builds;
        size_t limit = total < 2000 ? (size_t)total : 2000, part = some(limit + 1);
        kj_rc_play *all = buffer(limit * sizeof *all), *some_plays = buffer(part * sizeof *all);
        CHECK(kj_rc_plays(p, all, limit, again) == KJ_OK);
        CHECK(memcmp(counts, again, sizeof *counts) == 0);
        CHECK(kj_rc_plays(p, some_plays, part, again) == KJ_OK);
        CHECK(memcmp(counts, again, sizeof *counts) == 0);
        CHECK(memcmp(all, some_plays, part * sizeof *all) == 0);
        for (size_t i = 0; i < limit; i++) {
            check_play(p, &all[i]);
            unsigned before = i > 0 ? 64 * all[i - 1].kind + place(all[i - 1].card) : 0;
            CHECK(64u * all[i].kind + place(all[i].card) >= before);
        }
        for (size_t i = some(16); i < sizeof *p; i += 1 + some(64)) { /* anything at all */
            ((unsigned char *)p)[i] = (unsigned char)some(some(2) ? 20 : 256);
        }
        int code = kj_rc_plays(p, some_plays, part, again);
        CHECK(code == KJ_OK || code == KJ_EINVAL);
        free(p);
        free(counts);
        free(again);
        free(all);
        free(some_plays);
    }
    for (uint8_t take = 0; take < 2; take++) { /* the most plays of all (royal_casino 6.8.6) */
        kj_rc_position p = {4, 16, 0, take, 0, 0, {12, 13, 26, 39}, {1, 14, 27, 40}, {{0, 0, 0}}};
        for (uint8_t rank = 1; rank < 13; rank++) {
            p.loose[rank + 3] = (uint8_t)(rank + 1 + (rank == 11 ? 13 : rank == 12 ? 39 : 0));
        }
        kj_rc_counts counts;
        CHECK(kj_rc_plays(&p, NULL, 0, &counts) == KJ_OK);
        CHECK(counts.trails + counts.captures + counts.builds == (take ? 41335 : 44821));
    }
}

static uint64_t choose(unsigned n, unsigned k) {
    uint64_t ways = 1;
    for (unsigned i = 1; i <= k; i++) {
        ways = ways * (n - k + i) / i;
    }
    return ways;
}

/* Every place set of packs of any size: profiles fit their buffer, and are of cards thrown away. */
static void check_odds(void) {
    uint64_t factors[5 * 64], total[2];
    for (int i = 0; i < 5 * 64; i++) {
        factors[i] = 1;
    }
    for (unsigned pack = 1; pack <= 52; pack++) {
        for (unsigned k = 1; k <= 5 && k <= pack; k++) {
            kj_rf_options styles = {.deal_style = (uint8_t)some(3)};
            styles.search_style = (uint8_t)some(2);
            styles.gather_style = (uint8_t)some(3);
            unsigned lowest = (unsigned)some(pack - k + 1);
            size_t most = (size_t)choose(pack - 1 - lowest, k - 1);
            uint32_t *profiles = buffer(most * sizeof *profiles);
            int32_t won = kj_rf_winning_places(&styles, pack, k, lowest, profiles);
            CHECK(0 <= won && (size_t)won <= most && (k > 1 || won == 1));
            for (int32_t at = 0; at < won; at++) {
                for (unsigned i = 0, before = 0; i < k; i++) {
                    unsigned thrown = profiles[at] >> 6 * i & 63;
                    CHECK(before <= thrown && thrown <= pack - k);
                    before = thrown;
                }
            }
            kj_rf_weigh(profiles, (size_t)won, k, factors, total);
            CHECK(total[0] == (uint64_t)won && total[1] == 0);
            CHECK(kj_rf_winning_places(&styles, pack, k, pack - k + 1, NULL) == KJ_EINVAL);
            free(profiles);
        }
    }
    uint32_t most[2] = {0, 0};
    factors[0] = UINT64_MAX; /* 2 (2^64 - 1)^2 has more than 64 bits */
    factors[64] = UINT64_MAX;
    kj_rf_weigh(most, 1, 2, factors, total);
    CHECK(total[0] == 1 && total[1] == UINT64_MAX - 1);
}

/* All tiers play the same deals, in whatever parts. */
static void check_simulation(void) {
    kj_rf_options options[2] = {{.suit = 1, .rank = KJ_RF_ANY, .pair_rank = KJ_RF_ANY},
                                {.target_mode = KJ_RF_FULL_HOUSE, .gather_style = KJ_RF_TURN_PILES,
                                 .suit = KJ_RF_ANY, .rank = KJ_RF_ANY, .pair_rank = KJ_RF_ANY}};
    uint8_t *seed = buffer(24);
    uint64_t won[2], part[2];
    for (int tier = KJ_PORTABLE; tier <= kj_best_tier(); tier++) {
        CHECK(kj_use_tier(tier) == KJ_OK);
        uint64_t sums[2] = {0, 0};
        for (uint64_t first = 0; first < 5000; first += 1000) {
            CHECK(kj_rf_simulate(options, 2, seed, first, 1000, part) == KJ_OK);
            sums[0] += part[0];
            sums[1] += part[1];
        }
        CHECK(kj_rf_simulate(options, 2, seed, 0, 5000, part) == KJ_OK);
        CHECK(part[0] == sums[0] && part[1] == sums[1]);
        CHECK(tier == KJ_PORTABLE || memcmp(won, part, sizeof won) == 0);
        memcpy(won, part, sizeof won);
    }
    options[1].spare = 1;
    CHECK(kj_rf_simulate(options, 2, seed, 0, 1, part) == KJ_EINVAL);
    CHECK(memcmp(won, part, sizeof won) == 0);
    free(seed);
}

static void check_battles(void) {
    uint64_t sets[3] = {1, 2, 3}, worth[3] = {5, 5, 9}, counts[3];
    kj_battles(sets, worth, 3, sets, worth, 3, counts); /* only the first two meet, each way */
    CHECK(counts[0] == 0 && counts[1] == 2 && counts[2] == 0);
    kj_battles(sets, worth, 0, NULL, NULL, 0, counts);
    CHECK(counts[0] == 0 && counts[1] == 0 && counts[2] == 0);
}

int main(int argc, char **argv) {
    static const uint64_t fives[9] = {1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40};
    static const uint64_t sevens[9] = {23294460, 58627800, 31433400, 6461620, 6180020,
                                       4047644,  3473184,  224848,   41584};
    bool all = argc > 1 && strcmp(argv[1], "sevens") == 0;
    CHECK(kj_tier() == kj_best_tier() && kj_use_tier(kj_best_tier() + 1) == KJ_EINVAL);
    for (int tier = KJ_PORTABLE; tier <= kj_best_tier(); tier++) {
        CHECK(kj_use_tier(tier) == KJ_OK && kj_tier() == tier);
        check_ranking();
        check_counts(5, fives);
        if (all) {
            check_counts(7, sevens);
        }
    }
    check_shuffle();
    check_royal_flush();
    check_royal_casino();
    check_odds();
    check_simulation();
    check_battles();
    puts("the C core holds");
    return 0;
}
