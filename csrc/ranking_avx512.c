/* ranking_avx512.c: the tier for x86-64 with AVX-512 (VL, BW, BITALG) and GFNI.
 *
 * Vectors have 256 bits here too: gcc keeps conditions on vectors of 512 bits in mask registers and
 * moves them about more than the width gains.
 */
#include "ranking.h"

#if KJ_X86
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,avx512f,avx512vl,avx512bw,avx512bitalg,gfni")))

/* One instruction for any function of three bits; its number is the function's value for these. */
#define LOGIC(name, f)                                                                  \
    TARGET KJ_INLINE __m256i name(__m256i a, __m256i b, __m256i c) {                    \
        enum { A = 0xF0, B = 0xCC, C = 0xAA };                                          \
        return _mm256_ternarylogic_epi64(a, b, c, (f) & 0xFF);                          \
    }

/* Each byte times the matrix over GF(2) that has its ones on the other diagonal. */
TARGET KJ_INLINE __m256i reverse(__m256i v) {
    return _mm256_gf2p8affine_epi64_epi8(v, _mm256_set1_epi64x((long long)0x8040201008040201), 0);
}

TARGET KJ_INLINE __m256i counts(__m256i v) { return _mm256_popcnt_epi16(v); }

#include "ranking_vector.h"

const kj_ranking_tier kj_ranking_avx512 = {kj_strength_bmi2, many};
#endif
