/* shuffle.c: ChaCha20 and the order it gives a pile. */
#include <assert.h>
#include <string.h>

#include "kartejo.h"

#define TWO_BLOCKS 32 /* words; a pack of 52 cards needs 51 draws of half a word */
#define DRAWS (2 * TWO_BLOCKS)

/* A row of the state of ChaCha20: a round does the same to each of its four words.  The type works
 * on every processor; what has vectors of 128 bits uses them. */
typedef uint32_t row __attribute__((vector_size(16)));

/* The row with its words moved up by 1, 2 or 3 places, in a circle. */
#if defined(__clang__)
#define MOVED(x, i, j, k, l) __builtin_shufflevector(x, x, i, j, k, l)
#else
#define MOVED(x, i, j, k, l) __builtin_shuffle(x, (row){i, j, k, l})
#endif
#define BY_1(x) MOVED(x, 1, 2, 3, 0)
#define BY_2(x) MOVED(x, 2, 3, 0, 1)
#define BY_3(x) MOVED(x, 3, 0, 1, 2)

static inline row rotate(row x, int by) { return x << by | x >> (32 - by); }

static inline uint32_t load(const uint8_t *from) {
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static inline row load_row(const uint8_t *from) {
    return (row){load(from), load(from + 4), load(from + 8), load(from + 12)};
}

typedef struct {
    row a, b, c, d;
} state;

/* RFC 8439 2.1, on four columns at once. */
static inline void quarter_rounds(state *x) {
    x->a += x->b, x->d = rotate(x->d ^ x->a, 16);
    x->c += x->d, x->b = rotate(x->b ^ x->c, 12);
    x->a += x->b, x->d = rotate(x->d ^ x->a, 8);
    x->c += x->d, x->b = rotate(x->b ^ x->c, 7);
}

/* Make the diagonals columns, and back. */
static inline void slant(state *x) { x->b = BY_1(x->b), x->c = BY_2(x->c), x->d = BY_3(x->d); }

static inline void unslant(state *x) { x->b = BY_3(x->b), x->c = BY_2(x->c), x->d = BY_1(x->d); }

/* RFC 8439 2.3, the blocks `counter` and `counter` + 1, as words; their little-endian bytes are the
 * key stream.  Two take hardly longer than one, as neither waits for the other. */
static void two_blocks(const uint8_t *key, uint32_t counter, const uint8_t *nonce,
                       uint32_t out[TWO_BLOCKS]) {
    state x = {
        .a = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, /* "expand 32-byte k" */
        .b = load_row(key),
        .c = load_row(key + 16),
        .d = {counter, load(nonce), load(nonce + 4), load(nonce + 8)},
    };
    state y = x;
    y.d[0]++;
    row start[] = {x.a, x.b, x.c, x.d, y.a, y.b, y.c, y.d};
    for (int i = 0; i < 10; i++) {
        quarter_rounds(&x), quarter_rounds(&y);
        slant(&x), slant(&y);
        quarter_rounds(&x), quarter_rounds(&y);
        unslant(&x), unslant(&y);
    }
    row end[] = {x.a, x.b, x.c, x.d, y.a, y.b, y.c, y.d};
    for (int i = 0; i < 8; i++) {
        row sum = start[i] + end[i];
        memcpy(out + 4 * i, &sum, sizeof sum);
    }
}

void kj_chacha20_block(const uint8_t *key, uint32_t counter, const uint8_t *nonce, uint8_t *out) {
    uint32_t words[TWO_BLOCKS];
    two_blocks(key, counter, nonce, words);
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
    for (uint32_t counter = 0; last > 0; counter += 2) {
        uint32_t words[TWO_BLOCKS];
        uint16_t draws[DRAWS];
        two_blocks(key, counter, nonce, words);
        for (int i = 0; i < DRAWS; i += 2) {
            draws[i] = (uint16_t)words[i / 2];
            draws[i + 1] = (uint16_t)(words[i / 2] >> 16);
        }
        walk(draws, DRAWS, items, &last);
    }
}

int32_t kj_shuffle_draws(const uint16_t *draws, size_t draw_count, uint8_t *items, size_t n) {
    assert(n <= 255);
    size_t last = n > 0 ? n - 1 : 0;
    size_t used = walk(draws, draw_count, items, &last);
    return last > 0 ? -1 : (int32_t)used;
}
