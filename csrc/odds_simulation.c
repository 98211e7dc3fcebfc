/* odds_simulation.c: many deals of Royal Flush, played as they are shuffled. */
#include <string.h>

#include "royal_flush.h"

#define PACK 52
#define ROW 64     /* bytes for a deck: one vector */
#define BATCH 4096 /* decks at a time, which every option plays */

/* The deck with this number: bits of a set, the top first. */
static void deal(const uint8_t *seed, uint64_t number, uint8_t *deck) {
    uint8_t key[32];
    memcpy(key, seed, 24);
    for (int i = 0; i < 8; i++) {
        key[24 + i] = (uint8_t)(number >> 8 * i);
    }
    memset(deck, 0, ROW);
    for (int i = 0; i < PACK; i++) {
        deck[i] = (uint8_t)(16 * (i / 13) + i % 13);
    }
    kj_shuffle(key, deck, PACK);
}

static int play_one_by_one(const kj_rf_options *options, const uint8_t *decks, size_t n,
                           uint64_t *won) {
    for (size_t i = 0; i < n; i++) {
        uint8_t ids[PACK];
        for (int at = 0; at < PACK; at++) {
            unsigned bit = decks[i * ROW + (size_t)at];
            ids[at] = (uint8_t)(13 * (bit / 16) + bit % 16 + 1);
        }
        kj_rf_outcome end;
        int code = kj_rf_play(options, ids, &end);
        if (code != KJ_OK) {
            return code;
        }
        *won += end.won;
    }
    return KJ_OK;
}

int kj_rf_simulate(const kj_rf_options *options, size_t n, const uint8_t *seed, uint64_t first,
                   uint64_t deals, uint64_t *won) {
    for (size_t i = 0; i < n; i++) {
        if (!kj_rf_options_valid(options + i)) {
            return KJ_EINVAL;
        }
    }
    memset(won, 0, n * sizeof *won);
    bool vectors = kj_rf_has_vectors();
    _Alignas(ROW) uint8_t decks[BATCH * ROW];
    for (uint64_t done = 0; done < deals;) {
        size_t batch = deals - done < BATCH ? (size_t)(deals - done) : BATCH;
        for (size_t i = 0; i < batch; i++) {
            deal(seed, first + done + i, decks + i * ROW);
        }
        for (size_t i = 0; i < n; i++) {
            if (vectors) {
                won[i] += kj_rf_wins_avx512(options + i, decks, batch);
                continue;
            }
            int code = play_one_by_one(options + i, decks, batch, won + i);
            if (code != KJ_OK) {
                return code;
            }
        }
        done += batch;
    }
    return KJ_OK;
}
