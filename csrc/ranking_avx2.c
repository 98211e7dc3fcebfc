/* ranking_avx2.c: the tier for x86-64 with AVX2. */
#include "ranking.h"

#if KJ_X86
#include <immintrin.h>

#define TARGET __attribute__((target("avx2")))

#define LOGIC(name, f)                                                                  \
    TARGET KJ_INLINE __m256i name(__m256i A, __m256i B, __m256i C) {                    \
        (void)A, (void)B, (void)C;                                                      \
        return f;                                                                       \
    }

/* Bytes of the vector by the halves of a table of sixteen bytes. */
TARGET KJ_INLINE __m256i low_halves(__m256i v) { return v & _mm256_set1_epi8(15); }

TARGET KJ_INLINE __m256i high_halves(__m256i v) { return low_halves(_mm256_srli_epi16(v, 4)); }

TARGET KJ_INLINE __m256i reverse(__m256i v) {
    const __m256i reversed = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15));
    return _mm256_shuffle_epi8(_mm256_slli_epi16(reversed, 4), low_halves(v)) |
           _mm256_shuffle_epi8(reversed, high_halves(v));
}

TARGET KJ_INLINE __m256i counts(__m256i v) {
    const __m256i ones = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    __m256i in_bytes = _mm256_add_epi8(_mm256_shuffle_epi8(ones, low_halves(v)),
                                       _mm256_shuffle_epi8(ones, high_halves(v)));
    return _mm256_maddubs_epi16(in_bytes, _mm256_set1_epi8(1));
}

#include "ranking_vector.h"

const kj_ranking_tier kj_ranking_avx2 = {kj_strength_bmi2, many};
#endif
