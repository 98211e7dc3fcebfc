/* shuffle.c: ChaCha20 and the order it gives a pile. */
#include <assert.h>

#include "kartejo.h"

#define DRAWS_PER_BLOCK 32

static inline uint32_t rotate(uint32_t x, int by) { return x << by | x >> (32 - by); }

static inline void quarter_round(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d) {
    *a += *b, *d = rotate(*d ^ *a, 16);
    *c += *d, *b = rotate(*b ^ *c, 12);
    *a += *b, *d = rotate(*d ^ *a, 8);
    *c += *d, *b = rotate(*b ^ *c, 7);
}

static inline uint32_t load(const uint8_t *from) {
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

/* RFC 8439 2.3, as sixteen words; their little-endian bytes are the key stream. */
static void block(const uint8_t *key, uint32_t counter, const uint8_t *nonce, uint32_t out[16]) {
    uint32_t in[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}; /* "expand 32-byte k" */
    for (int i = 0; i < 8; i++) {
        in[4 + i] = load(key + 4 * i);
    }
    in[12] = counter;
    for (int i = 0; i < 3; i++) {
        in[13 + i] = load(nonce + 4 * i);
    }
    uint32_t x[16];
    for (int i = 0; i < 16; i++) {
        x[i] = in[i];
    }
    for (int i = 0; i < 10; i++) {
        quarter_round(&x[0], &x[4], &x[8], &x[12]);
        quarter_round(&x[1], &x[5], &x[9], &x[13]);
        quarter_round(&x[2], &x[6], &x[10], &x[14]);
        quarter_round(&x[3], &x[7], &x[11], &x[15]);
        quarter_round(&x[0], &x[5], &x[10], &x[15]);
        quarter_round(&x[1], &x[6], &x[11], &x[12]);
        quarter_round(&x[2], &x[7], &x[8], &x[13]);
        quarter_round(&x[3], &x[4], &x[9], &x[14]);
    }
    for (int i = 0; i < 16; i++) {
        out[i] = x[i] + in[i];
    }
}

void kj_chacha20_block(const uint8_t *key, uint32_t counter, const uint8_t *nonce, uint8_t *out) {
    uint32_t words[16];
    block(key, counter, nonce, words);
    for (int i = 0; i < 64; i++) {
        out[i] = (uint8_t)(words[i / 4] >> 8 * (i % 4));
    }
}

int32_t kj_pick(uint16_t draw, uint32_t bound) {
    assert(1 <= bound && bound <= 65536);
    /* Fewer than `bound` draws are rejected, all at the upper end: most need no second division. */
    if (draw > 65536 - bound && draw >= 65536 - 65536 % bound) {
        return -1;
    }
    return (int32_t)(draw % bound);
}

/* Fisher-Yates from *last down, until it is done (*last = 0) or the draws are used up.  The
 * number of draws used. */
static size_t walk(const uint16_t *draws, size_t draw_count, uint8_t *items, size_t *last) {
    size_t used = 0;
    size_t i = *last;
    while (i > 0 && used < draw_count) {
        int32_t j = kj_pick(draws[used++], (uint32_t)i + 1);
        if (j >= 0) {
            uint8_t item = items[i];
            items[i--] = items[j];
            items[j] = item;
        }
    }
    *last = i;
    return used;
}

void kj_shuffle(const uint8_t *key, uint8_t *items, size_t n) {
    static const uint8_t nonce[12] = {0};
    assert(n <= 255);
    size_t last = n > 0 ? n - 1 : 0;
    for (uint32_t counter = 0; last > 0; counter++) {
        uint32_t words[16];
        uint16_t draws[DRAWS_PER_BLOCK];
        block(key, counter, nonce, words);
        for (int i = 0; i < 16; i++) {
            draws[2 * i] = (uint16_t)words[i];
            draws[2 * i + 1] = (uint16_t)(words[i] >> 16);
        }
        walk(draws, DRAWS_PER_BLOCK, items, &last);
    }
}

int32_t kj_shuffle_draws(const uint16_t *draws, size_t draw_count, uint8_t *items, size_t n) {
    assert(n <= 255);
    size_t last = n > 0 ? n - 1 : 0;
    size_t used = walk(draws, draw_count, items, &last);
    return last > 0 ? -1 : (int32_t)used;
}
