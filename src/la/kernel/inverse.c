/* Inverses and products of triangles by recursion. */
#include "la/kernel/inverse.h"

#include "la/kernel/blocks.h"
#include "la/kernel/recursive.h"

enum { LEAF = 32 }; /* as in recursive.c */

/* A square block, and what it is cut into: the first part, the second, and what is beside them. */
typedef struct block {
    char *a;
    int n, ld;
} block;

typedef struct cut {
    block first, second;
    char *beside; /* second.n by first.n below them, or its mirror image to their right */
} cut;

static cut halve(const tw_kernels *k, char uplo, block b)
{
    int h = (b.n / 2 + LEAF - 1) / LEAF * LEAF;
    size_t down = (size_t)h * k->size, right = (size_t)h * (size_t)b.ld * k->size;
    return (cut){{b.a, h, b.ld},
                 {b.a + down + right, b.n - h, b.ld},
                 uplo == 'L' ? b.a + down : b.a + right};
}

/* With the second inverse I2 and the first I1, what is beside them becomes -I2 A I1 or -I1 A I2. */
static void invert(const tw_kernels *k, char uplo, char diag, block b)
{
    if (b.n <= LEAF) {
        int info;
        k->trtri(&uplo, &diag, &b.n, b.a, &b.ld, &info, 1, 1);
        return;
    }
    cut c = halve(k, uplo, b);
    bool lower = uplo == 'L';
    int m = lower ? c.second.n : c.first.n, n = lower ? c.first.n : c.second.n;
    block right = lower ? c.first : c.second, left = lower ? c.second : c.first;
    tw_trsm_recursive(k, (tw_triangle){'R', uplo, 'N', diag}, m, n, k->minus_one, right.a, b.ld,
                      c.beside, b.ld);
    tw_trsm_recursive(k, (tw_triangle){'L', uplo, 'N', diag}, m, n, k->one, left.a, b.ld, c.beside,
                      b.ld);
    invert(k, uplo, diag, c.first);
    invert(k, uplo, diag, c.second);
}

void tw_tile_trtri(const tw_kernels *k, char uplo, char diag, const twill_flow *a)
{
    invert(k, uplo, diag, (block){a->data, (int)a->rows, (int)a->ld});
}

/* B := L^H B, or B U^H; B is m by n. */
static void multiply(const tw_kernels *k, char uplo, int m, int n, const void *t, int ldt, void *b,
                     int ldb)
{
    k->trmm(uplo == 'L' ? "L" : "R", &uplo, "C", "N", &m, &n, k->one, t, &ldt, b, &ldb, 1, 1, 1, 1);
}

void tw_tile_trmm(const tw_kernels *k, char uplo, const twill_flow *a, const twill_flow *b)
{
    multiply(k, uplo, (int)b->rows, (int)b->cols, a->data, (int)a->ld, b->data, (int)b->ld);
}

static void square(const tw_kernels *k, char uplo, block b)
{
    if (b.n <= LEAF) {
        int info;
        k->lauum(&uplo, &b.n, b.a, &b.ld, &info, 1);
        return;
    }
    cut c = halve(k, uplo, b);
    square(k, uplo, c.first);
    tw_block_herk(k, uplo, uplo == 'L' ? 'C' : 'N', c.first.n, c.second.n, k->one, c.beside, b.ld,
                  k->one, c.first.a, b.ld);
    multiply(k, uplo, uplo == 'L' ? c.second.n : c.first.n, uplo == 'L' ? c.first.n : c.second.n,
             c.second.a, b.ld, c.beside, b.ld);
    square(k, uplo, c.second);
}

void tw_tile_lauum(const tw_kernels *k, char uplo, const twill_flow *a)
{
    square(k, uplo, (block){a->data, (int)a->rows, (int)a->ld});
}

/* Bytes would not do: minus zero is a zero too. */
static bool is_zero(const tw_kernels *k, const char *at)
{
    double re, im = 0.0;
    if (k->single) {
        const float *x = (const float *)(const void *)at;
        re = x[0];
        im = k->complex ? x[1] : 0.0;
    } else {
        const double *x = (const double *)(const void *)at;
        re = x[0];
        im = k->complex ? x[1] : 0.0;
    }
    return re == 0.0 && im == 0.0;
}

int64_t tw_tile_zero(const tw_kernels *k, const twill_flow *a)
{
    for (int64_t j = 0; j < a->rows; j++)
        if (is_zero(k, (const char *)a->data + (size_t)(j + j * a->ld) * k->size))
            return j + 1;
    return 0;
}
