/* odds_royal_flush.c: which places of a hand in the pack win a game of Royal Flush.
 *
 * No card is dealt here.  A hand that is sought from the start is the only thing a search stops
 * at, so the game is a function of the places that its cards hold: five small numbers, followed
 * from round to round.  The pile that a place of the stock goes to, and how many cards the search
 * meets before it there, stand in a table for every size of the stock.
 *
 * Nothing of this is shared with royal_flush.c, which plays decks card by card: each confirms the
 * other (docs/odds.md).
 */
#include "kartejo.h"

#define MOST_HAND 5
#define MOST_PACK 52
#define ROUNDS 5

/* Where a place of the stock goes: a pile, and the cards that are searched before it there. */
typedef struct {
    uint8_t pile, before;
} spot;

/* The spots of a stock of any size, in the round with so many piles. */
typedef struct {
    spot of[ROUNDS + 1][MOST_PACK + 1][MOST_PACK];
} map;

static int pile_size(int stock, int piles, int pile) {
    return stock / piles + (pile < stock % piles);
}

/* Deal a stock into piles, one place after the other (6.5), and look from which end each pile is
 * searched (7.1). */
static void draw_map(const kj_rf_options *styles, int pack, map *out) {
    bool last_dealt_first =
        (styles->search_style == KJ_RF_CARD_BY_CARD) != (styles->deal_style == KJ_RF_PACKET);
    for (int piles = 1; piles <= ROUNDS; piles++) {
        for (int stock = 0; stock <= pack; stock++) {
            int start = 0;
            for (int pile = 0; pile < piles; pile++) {
                int size = pile_size(stock, piles, pile);
                for (int i = 0; i < size; i++) {
                    bool in_turn = styles->deal_style == KJ_RF_ROUND_ROBIN;
                    int place = in_turn ? i * piles + pile : start + i;
                    int before = last_dealt_first ? size - 1 - i : i;
                    out->of[piles][stock][place] = (spot){(uint8_t)pile, (uint8_t)before};
                }
                start += size;
            }
        }
    }
}

/* Play the game of a hand of k cards on `places`.  True if it is won; then discards[i] is the
 * number of cards thrown away before the claim number i. */
static bool play_places(const map *spots, int gather, int pack, int k, const int *places,
                        int *discards) {
    int at[MOST_HAND], thrown = 0, claims = 0, stock = pack;
    bool claimed[MOST_HAND] = {false};
    for (int i = 0; i < k; i++) {
        at[i] = places[i];
    }
    for (int piles = ROUNDS; piles >= 1; piles--) {
        spot where[MOST_HAND];
        int found[ROUNDS], left[ROUNDS], base[ROUNDS], above[ROUNDS];
        for (int j = 0; j < piles; j++) {
            found[j] = -1;
            above[j] = pile_size(stock, piles, j); /* thrown away whole, unless a card is found */
            left[j] = above[j];
        }
        for (int i = 0; i < k; i++) {
            where[i] = spots->of[piles][stock][at[i]];
            if (where[i].before < above[where[i].pile]) {
                above[where[i].pile] = where[i].before;
                found[where[i].pile] = i;
            }
        }
        for (int j = 0; j < piles; j++) {
            left[j] -= above[j];
            thrown += above[j];
            if (found[j] >= 0 && !claimed[found[j]]) {
                claimed[found[j]] = true;
                discards[claims++] = thrown;
            }
        }
        stock = 0;
        for (int n = 0; n < piles; n++) {
            int j = gather == KJ_RF_TURN_PACKET ? n : piles - 1 - n;
            base[j] = stock;
            stock += left[j];
        }
        for (int i = 0; i < k; i++) { /* 7.9 */
            int j = where[i].pile, down = where[i].before - above[j];
            at[i] = base[j] + (gather == KJ_RF_AS_THEY_LIE ? down : left[j] - 1 - down);
        }
    }
    while (claims < k) { /* cards that were never found: all the rest went before them */
        discards[claims++] = pack - k;
    }
    return stock == k;
}

/* The next k places above the first one, in lexical order; false after the last. */
static bool next_places(int pack, int k, int *places) {
    int i = k - 1;
    while (i > 0 && places[i] == pack - k + i) {
        i--;
    }
    if (i <= 0) {
        return false;
    }
    places[i]++;
    for (i++; i < k; i++) {
        places[i] = places[i - 1] + 1;
    }
    return true;
}

int32_t kj_rf_winning_places(const kj_rf_options *styles, uint32_t pack, uint32_t k,
                             uint32_t lowest, uint32_t *profiles) {
    if (styles->deal_style > KJ_RF_PACKET || styles->search_style > KJ_RF_CARD_BY_CARD ||
        styles->gather_style > KJ_RF_AS_THEY_LIE || pack > MOST_PACK || k < 1 || k > MOST_HAND ||
        k > pack || lowest > pack - k) {
        return KJ_EINVAL;
    }
    map spots;
    draw_map(styles, (int)pack, &spots);
    int places[MOST_HAND], discards[MOST_HAND];
    for (int i = 0; i < (int)k; i++) {
        places[i] = (int)lowest + i;
    }
    int32_t won = 0;
    do {
        if (play_places(&spots, styles->gather_style, (int)pack, (int)k, places, discards)) {
            uint32_t profile = 0;
            for (uint32_t i = 0; i < k; i++) {
                profile |= (uint32_t)discards[i] << (6 * i);
            }
            profiles[won++] = profile;
        }
    } while (next_places((int)pack, (int)k, places));
    return won;
}

void kj_rf_weigh(const uint32_t *profiles, size_t n, uint32_t k, const uint64_t *factors,
                 uint64_t *total) {
    unsigned __int128 all = 0;
    for (size_t at = 0; at < n; at++) {
        unsigned __int128 product = 1;
        for (uint32_t i = 0; i < k; i++) {
            product *= factors[64 * i + (profiles[at] >> (6 * i) & 63)];
        }
        all += product;
    }
    total[0] = (uint64_t)all;
    total[1] = (uint64_t)(all >> 64);
}
