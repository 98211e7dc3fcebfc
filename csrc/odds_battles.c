/* odds_battles.c: every hand of one side against every hand of the other (palace_poker 7.4, 7.5). */
#include "kartejo.h"

void kj_battles(const uint64_t *ours, const uint64_t *our_worth, size_t n, const uint64_t *theirs,
                const uint64_t *their_worth, size_t m, uint64_t *counts) {
    uint64_t won = 0, tied = 0, met = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t cards = ours[i], worth = our_worth[i];
        for (size_t j = 0; j < m; j++) { /* no branches: the outcomes are hard to guess */
            uint64_t meet = (cards & theirs[j]) == 0;
            met += meet;
            won += meet & (worth > their_worth[j]);
            tied += meet & (worth == their_worth[j]);
        }
    }
    counts[0] = won;
    counts[1] = tied;
    counts[2] = met - won - tied;
}
