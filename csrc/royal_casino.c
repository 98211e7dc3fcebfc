/* royal_casino.c: the legal plays of Royal Casino, counted and listed in canonical order.
 *
 * A subset of up to 16 things is a word in which the first thing has the highest bit, and a family
 * of subsets is a bit map with a place for each of them: 8 kB that are a hash set without
 * collisions, counted while it is filled.  Only subsets that can be divided into groups are ever
 * reached (royal_casino 6.8.1).
 */
#include "kartejo.h"

#include <assert.h>

#define NONE UINT32_MAX

/* ------------------------------------------------------------------------ families of subsets */

typedef struct {
    uint32_t places; /* 2^n for subsets of n things */
    uint32_t count;
    uint64_t word[1024];
} family;

static void clear(family *f, unsigned things) {
    f->places = UINT32_C(1) << things;
    f->count = 0;
    for (uint32_t i = 0; i <= (f->places - 1) / 64; i++) {
        f->word[i] = 0;
    }
}

static inline void put(family *f, uint32_t subset) {
    uint64_t bit = UINT64_C(1) << (subset % 64);
    f->count += (f->word[subset / 64] & bit) == 0;
    f->word[subset / 64] |= bit;
}

/* The first member from `least` on, NONE if there is none. */
static inline uint32_t next(const family *f, uint32_t least) {
    while (least < f->places) {
        uint64_t word = f->word[least / 64] >> (least % 64);
        if (word != 0) {
            return least + (uint32_t)__builtin_ctzll(word);
        }
        least = (least / 64 + 1) * 64;
    }
    return NONE;
}

/* How many of all subsets stand before this one when they are sorted as ascending lists of indexes
 * (6.8.5).  Before a list stand its own beginnings and whatever differs from it first by a lower
 * index; summed up, that is a closed form, and 0 for the empty list. */
static inline uint32_t rank(uint32_t subset, uint32_t places) {
    uint32_t last = subset & (0 - subset);
    return subset == 0 ? 0 : places - subset - last + kj_count(subset);
}

/* The subset of a rank. */
static inline uint32_t unrank(uint32_t left, uint32_t places) {
    uint32_t subset = 0;
    for (uint32_t bit = places / 2; left > 0; bit /= 2) {
        if (left <= bit) { /* of `bit` lists that go on with this index the first ends with it */
            subset |= bit;
            left -= 1;
        } else {
            left -= bit;
        }
    }
    return subset;
}

/* The members that have one of these bits, by rank; all members if there are no bits to have. */
static void sort(const family *f, uint32_t wanted, unsigned things, family *sorted) {
    clear(sorted, things);
    for (uint32_t subset = next(f, 0); subset != NONE; subset = next(f, subset + 1)) {
        if (wanted == 0 || (subset & wanted) != 0) {
            put(sorted, rank(subset, f->places));
        }
    }
}

/* --------------------------------------------------------------------------- groups and unions */

/* Groups of one sum never contain each other, so of 16 cards there are at most (16 over 8), and
 * four lone aces. */
#define MOST_GROUPS (12870 + 4)

typedef struct {
    unsigned cards;
    uint8_t low[KJ_RC_LOOSE]; /* low value of each card (2.5) */
    uint32_t lone_aces;
    uint32_t count;
    uint16_t group[MOST_GROUPS];
} grouping;

static unsigned rank_of(uint8_t card) { return (card - 1u) % 13; }
static unsigned capture_value(uint8_t card) { return rank_of(card) + 2; }
static unsigned low_value(uint8_t card) { return rank_of(card) == 12 ? 1 : rank_of(card) + 2; }

static void seek(grouping *g, unsigned from, unsigned sum, uint32_t chosen) {
    for (unsigned i = from; i < g->cards; i++) {
        uint32_t with = chosen | UINT32_C(1) << (g->cards - 1 - i);
        if (g->low[i] < sum) {
            seek(g, i + 1, sum - g->low[i], with);
        } else if (g->low[i] == sum) {
            g->group[g->count++] = (uint16_t)with;
        }
    }
}

/* All sets of cards whose low values have this sum. */
static void find_sums(grouping *g, unsigned sum) {
    g->count = 0;
    seek(g, 0, sum, 0);
}

/* G(v): one card counts its capture value, more count their low values (2.6).  A lone card that is
 * no ace is found by its low value, which is the same. */
static void find_groups(grouping *g, unsigned value) {
    find_sums(g, value);
    for (uint32_t aces = value == 14 ? g->lone_aces : 0; aces != 0; aces &= aces - 1) {
        g->group[g->count++] = (uint16_t)(aces & (0 - aces));
    }
    assert(g->count <= MOST_GROUPS);
}

/* U(v): all unions of disjoint groups, the empty one included.  A group is added only above the
 * highest bit so far, which reaches every union and makes each step an ascent. */
static void unite(grouping *g, unsigned value, family *unions) {
    find_groups(g, value);
    clear(unions, g->cards);
    put(unions, 0);
    for (uint32_t subset = 0; subset != NONE; subset = next(unions, subset + 1)) {
        for (uint32_t i = 0; i < g->count; i++) {
            if ((g->group[i] & subset) == 0 && g->group[i] > subset) {
                put(unions, subset | g->group[i]);
            }
        }
    }
}

/* W(c,v): the loose cards that go with a hand card into groups of a value, its own and any number
 * of others (6.8.3).  It may be a group alone. */
static void unite_with(grouping *g, uint8_t card, unsigned value, const family *unions,
                       family *joined) {
    g->count = 0;
    if (low_value(card) < value) {
        find_sums(g, value - low_value(card));
    }
    if (capture_value(card) == value) {
        g->group[g->count++] = 0;
    }
    clear(joined, g->cards);
    for (uint32_t subset = next(unions, 0); subset != NONE; subset = next(unions, subset + 1)) {
        for (uint32_t i = 0; i < g->count; i++) {
            if ((g->group[i] & subset) == 0) {
                put(joined, subset | g->group[i]);
            }
        }
    }
}

/* --------------------------------------------------------------------------------------- plays */

typedef struct {
    const kj_rc_position *position;
    kj_rc_play *plays;
    size_t limit, listed;
    uint16_t held[KJ_RC_HAND];  /* by hand card: the capture values of the others, bit = value */
    family unions[KJ_RC_HAND];  /* U(v) of the value of each hand card that is its first */
    family joined;              /* W(c,v) */
    family sorted;              /* by rank */
    family takes;               /* builds that a card may capture together, by rank */
    grouping grouping;
} sheet;

static void note(sheet *s, kj_rc_play play) { s->plays[s->listed++] = play; }

static bool is_full(const sheet *s) { return s->listed == s->limit; }

static const family *unions_of(const sheet *s, unsigned value) {
    unsigned hand = 0;
    while (capture_value(s->position->hand[hand]) != value) {
        hand++;
    }
    return &s->unions[hand];
}

/* The loose cards of a card's rank. */
static uint32_t twins(const kj_rc_position *p, uint8_t card) {
    uint32_t found = 0;
    for (unsigned i = 0; i < p->loose_size; i++) {
        found = found << 1 | (rank_of(p->loose[i]) == rank_of(card));
    }
    return found;
}

/* The seat's builds for which it holds no card any more when it has played this one (6.5.7). */
static uint32_t due(const sheet *s, unsigned hand) {
    const kj_rc_position *p = s->position;
    uint32_t found = 0;
    for (unsigned i = 0; i < p->build_count; i++) {
        bool held = (s->held[hand] >> p->builds[i].value & 1) != 0;
        found = found << 1 | (p->builds[i].owner == KJ_RC_OWN && !held);
    }
    return found;
}

static uint64_t trail(sheet *s, unsigned hand) {
    const kj_rc_position *p = s->position;
    for (unsigned i = 0; i < p->build_count; i++) {
        if (p->builds[i].owner == KJ_RC_OWN) {
            return 0;
        }
    }
    if (twins(p, p->hand[hand]) != 0) {
        return 0;
    }
    if (!is_full(s)) {
        note(s, (kj_rc_play){KJ_RC_TRAIL, p->hand[hand], 0, 0, 0, 0});
    }
    return 1;
}

/* 6.8.2 */
static uint64_t capture(sheet *s, unsigned hand) {
    const kj_rc_position *p = s->position;
    uint8_t card = p->hand[hand];
    unsigned value = capture_value(card);
    uint32_t must = due(s, hand), may = 0;
    for (unsigned i = 0; i < p->build_count; i++) {
        may = may << 1 | (p->builds[i].value == value);
    }
    if ((must & ~may) != 0) {
        return 0;
    }
    clear(&s->takes, p->build_count);
    uint32_t optional = may & ~must, some = optional;
    do {
        put(&s->takes, rank(must | some, s->takes.places));
        some = (some - 1) & optional;
    } while (some != optional);
    sort(unions_of(s, value), p->must_take_equal ? twins(p, card) : 0, p->loose_size, &s->sorted);
    for (uint32_t i = next(&s->sorted, 0); i != NONE && !is_full(s); i = next(&s->sorted, i + 1)) {
        uint16_t loose = (uint16_t)unrank(i, s->sorted.places);
        for (uint32_t j = next(&s->takes, 0); j != NONE && !is_full(s); j = next(&s->takes, j + 1)) {
            uint16_t builds = (uint16_t)unrank(j, s->takes.places);
            if (loose != 0 || builds != 0) {
                note(s, (kj_rc_play){KJ_RC_CAPTURE, card, (uint8_t)value, 0, loose, builds});
            }
        }
    }
    bool nothing = must == 0 && next(&s->sorted, 0) == 0; /* is no capture (6.4.2) */
    return (uint64_t)s->sorted.count * s->takes.count - nothing;
}

/* One play with each member, but no new build of one card (6.5.5). */
static uint64_t build_from(sheet *s, const family *members, kj_rc_play play) {
    bool creates = play.base == 0;
    if (!is_full(s)) {
        sort(members, 0, s->position->loose_size, &s->sorted);
        for (uint32_t i = next(&s->sorted, creates); i != NONE && !is_full(s);
             i = next(&s->sorted, i + 1)) {
            play.loose = (uint16_t)unrank(i, s->sorted.places);
            note(s, play);
        }
    }
    return members->count - (creates && next(members, 0) == 0);
}

/* 6.8.3 */
static uint64_t build(sheet *s, unsigned hand, unsigned value) {
    const kj_rc_position *p = s->position;
    uint8_t card = p->hand[hand];
    const family *unions = unions_of(s, value);
    unite_with(&s->grouping, card, value, unions, &s->joined);
    kj_rc_play play = {KJ_RC_BUILD, card, (uint8_t)value, 0, 0, 0};
    uint32_t must = due(s, hand);
    uint64_t count = must == 0 ? build_from(s, &s->joined, play) : 0;
    for (unsigned i = 0; i < p->build_count; i++) {
        const kj_rc_build *base = &p->builds[i];
        play.base = (uint8_t)(i + 1);
        if ((must & ~(UINT32_C(1) << (p->build_count - 1u - i))) != 0 ||
            (base->owner == KJ_RC_PARTNER && !p->partner_builds)) {
            continue;
        }
        if (base->value == value) {
            count += build_from(s, &s->joined, play);
        } else if (base->value + low_value(card) == value && !base->multiple &&
                   (base->owner != KJ_RC_OWN || p->raise_own_build)) {
            count += build_from(s, unions, play);
        }
    }
    return count;
}

/* Cards in card order, none of them seen before. */
static bool cards_valid(const uint8_t *cards, unsigned size, uint64_t *seen) {
    unsigned least = 0;
    for (unsigned i = 0; i < size; i++) {
        if (cards[i] < 1 || cards[i] > 52) {
            return false;
        }
        unsigned place = 4 * rank_of(cards[i]) + (cards[i] - 1u) / 13;
        if (place < least || (*seen >> place & 1) != 0) {
            return false;
        }
        *seen |= UINT64_C(1) << place;
        least = place + 1;
    }
    return true;
}

static bool position_valid(const kj_rc_position *p) {
    uint64_t seen = 0;
    if (p->hand_size > KJ_RC_HAND || p->loose_size > KJ_RC_LOOSE ||
        p->build_count > KJ_RC_BUILDS || p->must_take_equal > 1 || p->raise_own_build > 1 ||
        p->partner_builds > 1 || !cards_valid(p->hand, p->hand_size, &seen) ||
        !cards_valid(p->loose, p->loose_size, &seen)) {
        return false;
    }
    for (unsigned i = 0; i < p->build_count; i++) {
        const kj_rc_build *b = &p->builds[i];
        if (b->value < 2 || b->value > 14 || b->owner > KJ_RC_PARTNER || b->multiple > 1) {
            return false;
        }
    }
    return true;
}

/* What all plays of a position have in common. */
static void prepare(sheet *s) {
    const kj_rc_position *p = s->position;
    grouping *g = &s->grouping;
    g->cards = p->loose_size;
    g->lone_aces = 0;
    for (unsigned i = 0; i < p->loose_size; i++) {
        g->low[i] = (uint8_t)low_value(p->loose[i]);
        g->lone_aces = g->lone_aces << 1 | (g->low[i] == 1);
    }
    unsigned seen = 0;
    for (unsigned i = 0; i < p->hand_size; i++) {
        s->held[i] = 0;
        for (unsigned other = 0; other < p->hand_size; other++) {
            if (other != i) {
                s->held[i] |= (uint16_t)(1u << capture_value(p->hand[other]));
            }
        }
        unsigned value = capture_value(p->hand[i]);
        if ((seen >> value & 1) == 0) {
            unite(g, value, &s->unions[i]);
        }
        seen |= 1u << value;
    }
}

int kj_rc_plays(const kj_rc_position *position, kj_rc_play *plays, size_t limit,
                kj_rc_counts *counts) {
    if (!position_valid(position)) {
        return KJ_EINVAL;
    }
    sheet s;
    s.position = position;
    s.plays = plays;
    s.limit = limit;
    s.listed = 0;
    prepare(&s);
    kj_rc_counts all = {0, 0, 0};
    for (unsigned hand = 0; hand < position->hand_size; hand++) {
        all.trails += trail(&s, hand);
    }
    for (unsigned hand = 0; hand < position->hand_size; hand++) {
        all.captures += capture(&s, hand);
    }
    for (unsigned hand = 0; hand < position->hand_size; hand++) {
        for (unsigned value = 2; value <= 14; value++) {
            if ((s.held[hand] >> value & 1) != 0) {
                all.builds += build(&s, hand, value);
            }
        }
    }
    *counts = all;
    return KJ_OK;
}
