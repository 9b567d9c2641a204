/* Kernels of the corpus: tiles of one number, into which a kernel mixes all that it reads, so that
 * any other order of calls gives other numbers; and it reports each call. */
#ifndef TEST_LOOPS_KERNELS_H
#define TEST_LOOPS_KERNELS_H

#include <stdint.h>

typedef int64_t tile;

void ran(const char *task, int count, ...);

static inline void mixed(const char *kernel, int number, tile *out, const tile *a, const tile *b,
                         const tile *c, const tile *d)
{
    const tile *in[] = {a, b, c, d};
    uint64_t h = (uint64_t)number;
    for (int i = 0; i < 4; i++) {
        h = (h ^ (in[i] ? (uint64_t)*in[i] : 7)) * 0x9E3779B97F4A7C15U;
        h ^= h >> 29;
    }
    ran(kernel, 1, (int64_t)h);
    *out = (int64_t)h;
}

/* clang-format off */
#define KERNEL_1(name, n) static inline void name(tile *A) { mixed(#name, n, A, A, 0, 0, 0); }
#define KERNEL_2(name, n) static inline void name(const tile *A, tile *C) { mixed(#name, n, C, A, C, 0, 0); }
#define KERNEL_3(name, n) \
    static inline void name(const tile *A, const tile *B, tile *C) { mixed(#name, n, C, A, B, C, 0); }
#define KERNEL_4(name, n) \
    static inline void name(const tile *A, const tile *B, const tile *D, tile *C) { mixed(#name, n, C, A, B, D, C); }
#define KERNEL_OUT_1(name, n) static inline void name(const tile *A, tile *C) { mixed(#name, n, C, A, 0, 0, 0); }
#define KERNEL_OUT_3(name, n) \
    static inline void name(const tile *A, const tile *B, const tile *D, tile *C) { mixed(#name, n, C, A, B, D, 0); }
#define KERNEL_BOTH(name, n) \
    static inline void name(tile *A, tile *C) { mixed(#name, n, A, A, C, 0, 0); mixed(#name, n + 1, C, A, C, 0, 0); }

KERNEL_1(potrf, 1) KERNEL_1(getrf, 2) KERNEL_1(geqrt, 3) KERNEL_1(trtri, 4) KERNEL_1(lauum, 5) KERNEL_1(step, 6)
KERNEL_1(relax, 7) KERNEL_1(square, 8)
KERNEL_2(trsm, 21) KERNEL_2(trmm, 22) KERNEL_2(syrk, 23) KERNEL_2(unmqr, 24) KERNEL_2(add, 25)
KERNEL_2(row, 26) KERNEL_2(trsm_row, 27)
KERNEL_3(gemm, 41) KERNEL_3(tsmqr, 42) KERNEL_3(minplus, 43) KERNEL_3(between, 44)
KERNEL_4(corner, 61) KERNEL_4(cross, 62)
KERNEL_OUT_1(copy, 81) KERNEL_OUT_3(average, 82)
KERNEL_BOTH(tsqrt, 101) KERNEL_BOTH(exchange, 103)
    /* clang-format on */

    static inline void scaled(double s, tile *A)
{
    tile x = (tile)(s * 1000);
    mixed("scaled", 121, A, A, &x, 0, 0);
}

/* arguments that look like arrays */
static inline void blend(const tile l[1], const tile c[], const tile r[static 1], tile to[1])
{
    mixed("blend", 123, to, l, c, r, to);
}

static inline int checked(tile *A)
{
    mixed("checked", 122, A, A, 0, 0, 0);
    return 0;
}

#endif
