/* royal_flush.h: what royal_flush.c lends to the simulation. */
#ifndef KARTEJO_ROYAL_FLUSH_H
#define KARTEJO_ROYAL_FLUSH_H

#include "kartejo.h"

/* Whether kj_rf_play would take these options. */
bool kj_rf_options_valid(const kj_rf_options *options);

/* Cards of a hand sought (royal_flush 7.2: k). */
uint32_t kj_rf_hand_size(const kj_rf_options *options);

/* The wanted cards after these claims (7.5). */
uint64_t kj_rf_wanted(const kj_rf_options *options, uint64_t claimed);

/* Play decks of 52 bits of a set, one every 64 bytes, as kj_rf_play does, sixty-four bytes at an
 * instruction: how many are won.  Only where kj_rf_has_vectors(). */
uint64_t kj_rf_wins_avx512(const kj_rf_options *options, const uint8_t *decks, size_t n);

/* Whether processor and build have the instructions, and the tier in use allows them. */
bool kj_rf_has_vectors(void);

#endif
