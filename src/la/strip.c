/* Solves with small triangles: whatever side, triangle and transpose, the triangle is packed as an
 * upper one that solves from the right, and B is taken in strips of vectors. */
#include "la/strip.h"

#include <math.h>

enum { LANES_F32 = TW_STRIP_BYTES / sizeof(float), LANES_F64 = TW_STRIP_BYTES / sizeof(double) };

/* A solve, packed. */
typedef struct packed {
    bool single, left, forward; /* forward: the first unknown comes first */
    int order, vectors;         /* unknowns, and right-hand sides */
    double alpha;
    void *b;
    int64_t ldb;
    _Alignas(64) double inverse[TW_STRIP_ORDER]; /* or floats, as all that follow */
    _Alignas(64) double u[TW_STRIP_ORDER * TW_STRIP_ORDER];
    _Alignas(64) double x[TW_STRIP_ORDER * LANES_F64];
} packed;

static double load(const void *data, bool single, int64_t at)
{
    return single ? ((const float *)data)[at] : ((const double *)data)[at];
}

static void store(void *data, bool single, int64_t at, double x)
{
    if (single)
        ((float *)data)[at] = (float)x;
    else
        ((double *)data)[at] = x;
}

/* Where unknown j is in the order of solving. */
static int place(const packed *f, int j)
{
    return f->forward ? j : f->order - 1 - j;
}

/* False when an inverse is no normal number. The order is filled up with ones on the diagonal. */
static bool pack_triangle(packed *f, tw_triangle t, const void *a, int lda)
{
    bool down = f->left == (t.trans == 'N'); /* equation j is row j of A */
    int padded = (f->order + 3) / 4 * 4;
    for (int j = 0; j < padded; j++) {
        bool real = j < f->order;
        int64_t p = real ? place(f, j) : 0;
        double d = real && t.diag == 'N' ? load(a, f->single, p + p * lda) : 1.0;
        double inverse = f->single ? 1.0f / (float)d : 1.0 / d;
        if (f->single ? !isnormal((float)inverse) : !isnormal(inverse))
            return false;
        store(f->inverse, f->single, j, inverse);
        for (int l = 0; l < j; l++) {
            int64_t q = place(f, l), at = down ? p + q * lda : q + p * lda;
            store(f->u, f->single, l * TW_STRIP_ORDER + j, real ? load(a, f->single, at) : 0.0);
        }
    }
    return true;
}

/* Vectors `first` to `first + count` of B go into the strip, times alpha, and back. Vectors are
 * rows of B from the right, columns from the left. */
static void load_f64(packed *f, int64_t first, int count)
{
    const double *b = f->b;
    for (int j = 0; j < f->order; j++)
        for (int v = 0; v < count; v++)
            f->x[j * LANES_F64 + v] = f->alpha * (f->left ? b[place(f, j) + (first + v) * f->ldb]
                                                          : b[first + v + place(f, j) * f->ldb]);
}

static void store_f64(const packed *f, int64_t first, int count)
{
    double *b = f->b;
    for (int j = 0; j < f->order; j++)
        for (int v = 0; v < count; v++)
            b[f->left ? place(f, j) + (first + v) * f->ldb : first + v + place(f, j) * f->ldb] =
                f->x[j * LANES_F64 + v];
}

static void load_f32(packed *f, int64_t first, int count)
{
    const float *b = f->b, alpha = (float)f->alpha;
    float *x = (float *)f->x;
    for (int j = 0; j < f->order; j++)
        for (int v = 0; v < count; v++)
            x[j * LANES_F32 + v] = alpha * (f->left ? b[place(f, j) + (first + v) * f->ldb]
                                                    : b[first + v + place(f, j) * f->ldb]);
}

static void store_f32(const packed *f, int64_t first, int count)
{
    float *b = f->b;
    const float *x = (const float *)f->x;
    for (int j = 0; j < f->order; j++)
        for (int v = 0; v < count; v++)
            b[f->left ? place(f, j) + (first + v) * f->ldb : first + v + place(f, j) * f->ldb] =
                x[j * LANES_F32 + v];
}

static void solve(packed *f, tw_strip_solver *kernel)
{
    int lanes = f->single ? LANES_F32 : LANES_F64, padded = (f->order + 3) / 4 * 4;
    for (int64_t first = 0; first < f->vectors; first += lanes) {
        int count = f->vectors - first < lanes ? (int)(f->vectors - first) : lanes;
        (f->single ? load_f32 : load_f64)(f, first, count);
        kernel(padded, f->u, f->inverse, f->x);
        (f->single ? store_f32 : store_f64)(f, first, count);
    }
}

bool tw_strip_trsm(const tw_kernels *k, tw_triangle t, int m, int n, const void *alpha,
                   const void *a, int lda, void *b, int ldb)
{
    tw_strip_solver *kernel = k->complex ? NULL : tw_strip_kernel(k->single);
    if (!kernel)
        return false;
    bool left = t.side == 'L', lower = (t.uplo == 'L') == (t.trans == 'N');
    packed f = {.single = k->single,
                .left = left,
                .forward = left == lower,
                .order = left ? m : n,
                .vectors = left ? n : m,
                .alpha = load(alpha, k->single, 0),
                .b = b,
                .ldb = ldb};
    if (!pack_triangle(&f, t, a, lda))
        return false;
    solve(&f, kernel);
    return true;
}
